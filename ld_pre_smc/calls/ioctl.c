// SPDX-License-Identifier: MIT
/* ioctl(2), with the behaviour of a TCP socket. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/smcr_check.h"
#include "smc/keep.h"

/* Socket requests: <linux/sockios.h>. */
#define FIOSETOWN_8901 0x8901
#define SIOCSPGRP_8902 0x8902
#define SIOCATMARK_8905 0x8905
#define SOCKET_IOCTL(request) (((request) & ~0xffUL) == 0x8900)

/*
 * Pass a request about addresses, ARP, routes or timestamps to a TCP socket: net/ipv4 answers only
 * for its own sockets.
 */
static int ask_tcp(int fd, unsigned long request, void *arg)
{
	int ret, tcp;
	struct shim_sock sock;

	if (!shim_is_smc(fd, &sock) || !shim_mends(fd, REPAIR_INTERFACES))
		return -1;
	tcp = shim_new_socket(sock.family, KIND_TCP);
	if (tcp < 0) {
		errno = ENOTTY;
		return -1;
	}
	ret = next_ioctl(tcp, request, arg);
	shim_close(tcp);
	return ret;
}

/* A connection of two equal addresses does not leave the host. */
static bool is_within_host(int fd)
{
	union shim_address ends[2] = { 0 };
	socklen_t lens[2] = { sizeof(*ends), sizeof(*ends) };

	if (getsockname(fd, &ends[0].any, &lens[0]) || getpeername(fd, &ends[1].any, &lens[1]))
		return false;
	/* Compare addresses without ports, which are at the same offset. */
	ends[0].in.sin_port = ends[1].in.sin_port;
	return !memcmp(&ends[0], &ends[1], sizeof(*ends));
}

/* Data sent over a loopback device has arrived. Over SMC-R, it may not have. */
static void count_unsent(int fd, int *bytes)
{
	AUTO_ERRNO();
	int unsent;

	if (*bytes > 0 && shim_repairs() && shim_is_smc(fd, NULL) &&
	    !next_ioctl(fd, SIOCOUTQNSD_894B, &unsent) && unsent < *bytes &&
	    (is_within_host(fd) || !shim_may_be_rdma(true)) && shim_mends(fd, REPAIR_OUTQ))
		*bytes = unsent;
}

/** ioctl() - ioctl(2) that supports requests of TCP sockets which SMC sockets lack */
#ifdef __GLIBC__
int ioctl(int fd, unsigned long request, ...)
#else
int ioctl(int fd, int request, ...)
#endif
{
	int saved = errno, ret;
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if ((unsigned int)request == FIOSETOWN_8901 || (unsigned int)request == SIOCSPGRP_8902)
		shim_has_owners = true;
	ret = next_ioctl(fd, request, arg);
	if (!ret && (unsigned int)request == TIOCOUTQ)
		count_unsent(fd, arg);
	/* The kernel uses 32 bits, and musl's programs pass no more. */
	if (ret != -1 || !SOCKET_IOCTL((unsigned int)request) || !shim_repairs() ||
	    (errno != ENOTTY && (errno != EINVAL || (unsigned int)request != SIOCATMARK_8905)))
		return ret;
	ret = ask_tcp(fd, (unsigned int)request, arg);
	if (ret != -1)
		errno = saved;
	return ret;
}

SHIM_TIME64(ioctl, __ioctl_time64);
