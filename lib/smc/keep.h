/* SPDX-License-Identifier: MIT */
/* How ld_pre_smc.so hands sockets with unsent data to smc_keep. */
#pragma once

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/*
 * A SOCK_SEQPACKET socket with an abstract name: one for each user and network namespace. A message
 * is one byte, what the program asked for, with one socket (SCM_RIGHTS).
 */
#define KEEP_NAME "smc-tools/keep/1/"

enum keep_how {
	KEEP_CLOSE,		/* the program has closed it */
	KEEP_SHUT_WR,		/* shutdown(SHUT_WR) when all is sent */
	KEEP_SHUT_RDWR,		/* shutdown(SHUT_RDWR), and after two seconds in any case */
	KEEP_HOWS,
};

/* <linux/sockios.h>: bytes that have not left the send buffer. */
#define SIOCOUTQNSD_894B 0x894B

/* The kernel's own patience in close() and shutdown(): net/smc/smc_close.h. Milliseconds. */
#define KEEP_KERNEL_MS 2000

/**
 * keep_address() - the address of a user's smc_keep
 * @addr: filled in
 * @uid: the user
 *
 * Return: its length.
 */
static inline socklen_t keep_address(struct sockaddr_un *addr, unsigned int uid)
{
	size_t len = sizeof(KEEP_NAME) - 1, digits = 1;
	unsigned int rest;

	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(addr->sun_path + 1, KEEP_NAME, len);
	for (rest = uid; rest >= 10; rest /= 10)
		digits++;
	for (rest = uid, len += digits; digits; digits--, rest /= 10)
		addr->sun_path[sizeof(KEEP_NAME) - 1 + digits] = (char)('0' + rest % 10);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
}
