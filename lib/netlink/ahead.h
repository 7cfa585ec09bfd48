/* SPDX-License-Identifier: MIT */
/* Receiving a long dump beside looking at it. */
#pragma once

#include <sys/types.h>
#include <libmnl/libmnl.h>

/*
 * The kernel fills one buffer of the reader's size, up to 32 KiB, per system call. A smaller one
 * does not merely cost calls: rows that did not fit have been seen to vanish.
 */
#define AHEAD_PART 32768

struct ahead;

/**
 * ahead_start() - let a thread receive what a dump's answer still has, a few parts ahead
 * @nl: socket of a dump that has begun; nobody else receives from it until ahead_end()
 *
 * The kernel puts the next part of a dump together within recvmsg(2) (netlink_dump() in
 * net/netlink/af_netlink.c), so this is half of the time that a long list takes.
 *
 * Return: NULL where no thread can be had: then receive as ever.
 */
struct ahead *ahead_start(struct mnl_socket *nl);

/**
 * ahead_next() - the next part, as mnl_socket_recvfrom() gives it
 * @bytes: set to where it is, until the next call
 *
 * Return: its bytes; -1 with errno, of which EAGAIN means that nothing more waits. After -1 comes
 * ahead_end().
 */
ssize_t ahead_next(struct ahead *ahead, const void **bytes);

/** ahead_end() - end the thread, whatever has not been looked at; NULL is fine */
void ahead_end(struct ahead *ahead);
