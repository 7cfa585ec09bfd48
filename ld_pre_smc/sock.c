// SPDX-License-Identifier: MIT
/* What a file descriptor is, asked of the kernel each time: the library remembers nothing. */
#include "ld_pre_smc/sock.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"

/* 32-bit RISC-V was born with 64-bit times. */
#ifndef SYS_ppoll
#define SYS_ppoll SYS_ppoll_time64
#endif

const char *const shim_kind_names[KINDS + 1] = {
	[KIND_AF_SMC] = "AF_SMC",
	[KIND_INET] = "IPPROTO_SMC",
	[KIND_TCP] = "TCP",
};

int shim_int_option(int fd, int level, int name)
{
	int value = -1, saved = errno;
	socklen_t len = sizeof(value);

	if (next_getsockopt(fd, level, name, &value, &len) || len != sizeof(value))
		value = -1;
	errno = saved;
	return value;
}

static int name_family(int fd)
{
	struct sockaddr_storage name = { 0 };
	socklen_t len = sizeof(name);
	int saved = errno;

	if (getsockname(fd, (struct sockaddr *)&name, &len))
		name.ss_family = AF_INET;
	errno = saved;
	return name.ss_family;
}

bool shim_is_smc(int fd, struct shim_sock *sock)
{
	int protocol = shim_int_option(fd, SOL_SOCKET, SO_PROTOCOL), domain;
	bool inet = protocol == IPPROTO_SMC;

	if (!inet && protocol != SMCPROTO_SMC && protocol != SMCPROTO_SMC6)
		return false;
	if (inet && !sock)
		return true;
	domain = shim_int_option(fd, SOL_SOCKET, SO_DOMAIN);
	if (!inet && domain != AF_SMC)
		return false;
	if (!sock)
		return true;
	sock->kind = inet ? KIND_INET : KIND_AF_SMC;
	if (!inet)
		sock->family = protocol == SMCPROTO_SMC6 ? AF_INET6 : AF_INET;
	else /* accepted ones say AF_SMC */
		sock->family = domain == AF_SMC ? name_family(fd) : domain;
	return true;
}

int shim_tcp_state(int fd)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);
	int saved = errno, state = -1;

	if (!next_getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) &&
	    len > offsetof(struct tcp_info, tcpi_state))
		state = info.tcpi_state;
	errno = saved;
	return state;
}

bool shim_is_connected(int fd)
{
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	int saved = errno, ret = getpeername(fd, (struct sockaddr *)&name, &len);

	errno = saved;
	return !ret;
}

void shim_poll_now(struct pollfd *fds, int n)
{
	/* Zero in every layout of a time. */
	long long now[2] = { 0 };
	int saved = errno;

	syscall(SYS_ppoll, fds, n, now, NULL, 0);
	errno = saved;
}

int shim_events(int fd, int events)
{
	struct pollfd poll = { .fd = fd, .events = (short)events };

	shim_poll_now(&poll, 1);
	return poll.revents;
}

int shim_new_socket(int family, enum shim_kind kind)
{
	int type = SOCK_STREAM | SOCK_CLOEXEC;

	switch (kind) {
	case KIND_AF_SMC:
		return next_socket(AF_SMC, type,
				   family == AF_INET6 ? SMCPROTO_SMC6 : SMCPROTO_SMC);
	case KIND_INET:
		return next_socket(family, type, IPPROTO_SMC);
	default:
		return next_socket(family, type, 0);
	}
}

void shim_close(int fd)
{
	int saved = errno;

	syscall(SYS_close, fd);
	errno = saved;
}
