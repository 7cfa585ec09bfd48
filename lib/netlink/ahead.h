/* SPDX-License-Identifier: MIT */
/* A second thread receives a long dump while the first parses it, for speed only. */
#pragma once

#include <libmnl/libmnl.h>

/* The kernel does not fill larger buffers. With smaller ones, rows have been seen to vanish. */
#define AHEAD_PART 32768

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
 * ahead_next() - the next part, as from mnl_socket_recvfrom()
 * @bytes: set to the part, valid until the next call
 *
 * Return: length; -1 with errno, EAGAIN if nothing more is waiting. After -1 call ahead_end().
 */
ssize_t ahead_next(struct ahead *ahead, const void **bytes);

/** ahead_end() - end the thread and drop unparsed parts; NULL is allowed */
void ahead_end(struct ahead *ahead);
