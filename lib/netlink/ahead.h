/* SPDX-License-Identifier: MIT */
/* Receive a long dump in a second thread while it is parsed. */
#pragma once

#include <libmnl/libmnl.h>

#include "base/libc.h"

/*
 * The kernel fills one buffer of the reader's size, up to 32 KiB, per system call. A smaller buffer
 * costs more calls, and rows that did not fit have been seen to vanish.
 */
#define AHEAD_PART 32768

struct ahead;

/**
 * ahead_start() - start a thread that receives the rest of a dump, a few parts ahead
 * @nl: socket of a dump in progress; only the thread receives from it until ahead_end()
 *
 * The kernel builds the next part of a dump within recvmsg(2) (netlink_dump() in
 * net/netlink/af_netlink.c); this is half of the time of a long list.
 *
 * Return: NULL if no thread can be created: then receive without one.
 */
struct ahead *ahead_start(struct mnl_socket *nl);

/**
 * ahead_next() - get the next part, as mnl_socket_recvfrom() does
 * @bytes: set to the part, valid until the next call
 *
 * Return: length; -1 with errno, where EAGAIN means that nothing more is waiting. Call ahead_end()
 * after -1.
 */
ssize_t ahead_next(struct ahead *ahead, const void **bytes);

/** ahead_end() - end the thread and drop unparsed parts; NULL is allowed */
void ahead_end(struct ahead *ahead);
