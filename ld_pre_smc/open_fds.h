/* SPDX-License-Identifier: MIT */
/* The file descriptors of this process. */
#ifndef SHIM_OPEN_FDS_H
#define SHIM_OPEN_FDS_H

#pragma GCC visibility push(hidden)

/**
 * shim_each_open() - call a function for every open file descriptor, lowest first
 * @arg: handed on
 *
 * Asks poll(2) for blocks of them, so that it needs no /proc. Numbers are given from below: a block
 * without an open one is the end.
 */
void shim_each_open(void (*visit)(int fd, void *arg), void *arg);

#pragma GCC visibility pop

#endif
