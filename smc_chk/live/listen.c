// SPDX-License-Identifier: MIT
/* Listening sockets of the live test. */
#include "smc_chk/live/listen.h"

#include <errno.h>
#include <unistd.h>

#define BACKLOG 1000

/* Return: descriptor, -errno. */
static int listen_on(union endpoint_addr *addr)
{
	const int on = 1;
	union endpoint_addr bound = { 0 };
	socklen_t len = sizeof(bound);
	int fd = endpoint_socket(addr->sa.sa_family, true), ret = 0;

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* IPv4 has a socket of its own, whatever net.ipv6.bindv6only says. */
	if (addr->sa.sa_family == AF_INET6)
		ret = setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (!ret)
		ret = bind(fd, &addr->sa, endpoint_len(addr));
	if (!ret)
		ret = listen(fd, BACKLOG);
	if (!ret)
		ret = getsockname(fd, &bound.sa, &len);
	if (!ret) {
		/* The port only: an SMC socket forgets the scope id. */
		endpoint_set_port(addr, endpoint_port(&bound));
		return fd;
	}
	ret = -errno;
	close(fd);
	return ret;
}

static bool is_without_ipv6(int code)
{
	return code == -EAFNOSUPPORT || code == -EADDRNOTAVAIL || code == -EPROTONOSUPPORT;
}

/* All addresses at one port, or none. */
static int listen_at(int fds[2], int *n_fds, union endpoint_addr *addrs, int count, uint16_t port)
{
	int fd, ret = 0;

	*n_fds = 0;
	for (int i = 0; i < count && !ret; i++) {
		endpoint_set_port(&addrs[i], i ? endpoint_port(&addrs[0]) : port);
		fd = listen_on(&addrs[i]);
		if (fd >= 0)
			fds[(*n_fds)++] = fd;
		else if (!i || !is_without_ipv6(fd))
			ret = fd;
	}
	while (ret && *n_fds)
		close(fds[--*n_fds]);
	return ret;
}

int listen_on_free_port(int fds[2], int *n_fds, union endpoint_addr *addrs, int count,
			uint16_t port, struct smc_err *err)
{
	const unsigned int first = port;
	char text[ENDPOINT_TEXT_SIZE];
	int ret;

	do
		ret = listen_at(fds, n_fds, addrs, count, port);
	while (ret == -EADDRINUSE && port && ++port);
	if (!ret)
		return 0;
	if (ret == -EADDRINUSE)
		return smc_err_say(err, -ret, "no port from %u to 65535 is free", first);
	return smc_err_set(err, -ret, "cannot listen on %s port %u",
			   endpoint_text(text, &addrs[0]), port);
}
