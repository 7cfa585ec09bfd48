// SPDX-License-Identifier: MIT
/* Another socket in the place of an unconnected one: same file descriptor, same options. */
#include "ld_pre_smc/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "ld_pre_smc/config.h"
#include "ld_pre_smc/copy.h"
#include "ld_pre_smc/epoll.h"
#include "ld_pre_smc/log.h"
#include "ld_pre_smc/next.h"

bool shim_may_swap(int fd)
{
	return shim_tcp_state(fd) == TCP_CLOSE && !shim_is_connected(fd);
}

static int open_like(int fd, const struct shim_sock *sock, enum shim_kind kind)
{
	int saved = errno, fresh = shim_new_socket(sock->family, kind);

	if (fresh < 0)
		return -1;
	shim_copy_settings(fd, fresh, sock->family, kind);
	errno = saved;
	return fresh;
}

int shim_swap_open(int fd, const struct shim_sock *sock, enum shim_kind kind)
{
	struct shim_config own;

	if (kind == KIND_TCP && shim_config_get(&own)->strict) {
		errno = EPERM;
		return -1;
	}
	return open_like(fd, sock, kind);
}

static bool is_zero(const void *bytes, size_t n)
{
	const char *byte = bytes;

	while (n && !*byte)
		n--, byte++;
	return !n;
}

/* The address that a program gave by bind(2), length 0 for none. */
static socklen_t bound_address(int fd, struct sockaddr_storage *addr)
{
	const struct sockaddr_in *in = (void *)addr;
	const struct sockaddr_in6 *in6 = (void *)addr;
	socklen_t len = sizeof(*addr);

	if (shim_is_connected(fd) || getsockname(fd, (struct sockaddr *)addr, &len))
		return 0;
	if (addr->ss_family == AF_INET6 && !in6->sin6_port &&
	    is_zero(&in6->sin6_addr, sizeof(in6->sin6_addr)))
		return 0;
	if (addr->ss_family == AF_INET && !in->sin_port && !in->sin_addr.s_addr)
		return 0;
	return len;
}

/* Two sockets cannot have one address, so the old one goes first. */
int shim_swap_in(int fd, int fresh, enum shim_kind kind, const char *why)
{
	int saved = errno, cloexec = fcntl(fd, F_GETFD), err = 0;
	struct sockaddr_storage addr;
	socklen_t len = bound_address(fd, &addr);
	struct shim_watches watches;

	shim_watches_find(&watches, fd, fresh);
	if (dup3(fresh, fd, cloexec & FD_CLOEXEC ? O_CLOEXEC : 0) < 0) {
		shim_close(fresh);
		return -1;
	}
	shim_close(fresh);
	shim_watches_restore(&watches);
	if (len && next_bind(fd, (struct sockaddr *)&addr, len))
		err = errno;
	shim_log_fd(fd, why, shim_kind_names[kind], err);
	errno = err ? err : saved;
	return err ? -1 : 0;
}

int shim_swap(int fd, const struct shim_sock *sock, enum shim_kind kind, const char *why)
{
	int fresh = shim_swap_open(fd, sock, kind);

	return fresh < 0 ? -1 : shim_swap_in(fd, fresh, kind, why);
}

int shim_swap_by_rule(int fd, const struct shim_sock *sock, const char *why)
{
	int fresh = open_like(fd, sock, KIND_TCP);

	return fresh < 0 ? -1 : shim_swap_in(fd, fresh, KIND_TCP, why);
}
