/* SPDX-License-Identifier: MIT */
/* Processes in which a system call that the program does not make itself can be the last one. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * shim_in_sandbox - whether a seccomp filter may watch this process
 *
 * Programs such as sshd forbid themselves everything but a few system calls, and the kernel kills
 * them at any other. close() and exit() are always among the few, and getsockopt() is not.
 *
 * True since prctl(2) asked for a filter, or for PR_SET_NO_NEW_PRIVS, without which only root gets
 * one (libseccomp always asks); or if the program was started with a filter in place.
 */
extern atomic_bool shim_in_sandbox;

/**
 * shim_is_locked - whether the program has put a filter on itself, or is about to
 *
 * True since prctl(2) succeeded with a filter or with PR_SET_NO_NEW_PRIVS. Such a filter is made
 * for what the program does, by arguments too: vsftpd's admits socket(AF_INET) and a few options.
 * So no system call is added or changed: new sockets are TCP sockets. Filters that are there from
 * the start, those of containers and services, know nothing of the program and are not that narrow.
 */
extern atomic_bool shim_is_locked;

/** shim_sandbox_look() - before main(): is there a filter already? */
void shim_sandbox_look(void);

#pragma GCC visibility pop
