/* SPDX-License-Identifier: MIT */
/* Protocol by which ld_pre_smc.so passes sockets with unsent data to smc_keep. */
#pragma once

#include "base/libc.h"

#include <sys/socket.h>
#include <sys/un.h>

/*
 * A SOCK_SEQPACKET socket with an abstract name: one for each user and PID, user, mount and network
 * namespace. Any process in the network namespace can take the name or connect to it, so both ends
 * check each other. A message is one byte, the request, and carries the socket and the sender's
 * other namespaces (SCM_RIGHTS).
 */
#define KEEP_NAME "smc-tools/keep/2/"

enum { KEEP_SPACES = 3, KEEP_FDS = 1 + KEEP_SPACES };

/** struct keep_home - the effective user of a process, and the inodes of its keep_space()s */
struct keep_home {
	unsigned int uid;
	unsigned long spaces[KEEP_SPACES];
};

enum keep_how {
	KEEP_CLOSE,	/* the program has closed it */
	KEEP_SHUT_WR,	/* shutdown(SHUT_WR) after all is sent */
	KEEP_SHUT_RDWR, /* shutdown(SHUT_RDWR), after two seconds at the latest */
	KEEP_HOWS,
};

/* From <linux/sockios.h>: bytes that have not left the send buffer. */
#define SIOCOUTQNSD_894B 0x894B

/* The kernel's own time limit in close() and shutdown(): net/smc/smc_close.h. Milliseconds. */
#define KEEP_KERNEL_MS 2000

/* Prefix of a thread's own files in /proc. */
#define KEEP_SELF "/proc/thread-self/"

/** keep_space() - path of a namespace of the calling thread; @i: by the order in a message */
static inline const char *keep_space(int i)
{
	static const char *const paths[KEEP_SPACES] = {
		KEEP_SELF "ns/pid",
		KEEP_SELF "ns/user",
		KEEP_SELF "ns/mnt",
	};

	return paths[i];
}

/**
 * keep_is_known() - true if a user id stands for one user
 * @map: the first @len bytes of uid_map, see user_namespaces(7)
 *
 * If not all users are mapped, the others share number 65534 (kernel.overflowuid).
 */
static inline bool keep_is_known(unsigned int uid, const char *map, size_t len)
{
	static const char all[] = "         0          0 4294967295\n";

	return uid != 65534 || (len == sizeof(all) - 1 && !memcmp(map, all, len));
}

/** keep_put() - write a decimal number, without a NUL. Return: its end */
static inline char *keep_put(char *text, unsigned long number)
{
	size_t digits = 1, i;
	unsigned long rest;

	for (rest = number; rest >= 10; rest /= 10)
		digits++;
	for (i = digits; i--; number /= 10)
		text[i] = (char)('0' + number % 10);
	return text + digits;
}

/** keep_address() - fill in the address of smc_keep for @home. Return: its length */
static inline socklen_t keep_address(struct sockaddr_un *addr, const struct keep_home *home)
{
	char *end = addr->sun_path + sizeof(KEEP_NAME);
	int i;

	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(addr->sun_path + 1, KEEP_NAME, sizeof(KEEP_NAME) - 1);
	end = keep_put(end, home->uid);
	for (i = 0; i < KEEP_SPACES; i++) {
		*end++ = '/';
		end = keep_put(end, home->spaces[i]);
	}
	return (socklen_t)(end - (char *)addr);
}
