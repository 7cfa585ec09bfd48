// SPDX-License-Identifier: MIT
/* bind(2) and listen(2). */
#include <errno.h>
#include <netinet/in.h>

#include "ld_pre_smc/choice.h"
#include "ld_pre_smc/linger.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/swap.h"

#ifndef SO_BINDTOIFINDEX
#define SO_BINDTOIFINDEX 62
#endif

void shim_linger_hide(int fd, struct linger *kept)
{
	static const struct linger none;
	socklen_t len = sizeof(*kept);
	int saved = errno;

	if (next_getsockopt(fd, SOL_SOCKET, SO_LINGER, kept, &len) || !kept->l_onoff ||
	    !kept->l_linger || next_setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none)))
		*kept = none;
	errno = saved;
}

void shim_linger_show(int fd, const struct linger *kept)
{
	int saved = errno;

	if (kept->l_onoff)
		next_setsockopt(fd, SOL_SOCKET, SO_LINGER, kept, sizeof(*kept));
	errno = saved;
}

/* Two interfaces share a port: SMC tells its TCP socket about the interface too late, at listen(). */
static int bind_by_swap(int fd, const struct sockaddr *addr, socklen_t len)
{
	struct shim_sock sock;

	if (shim_int_option(fd, SOL_SOCKET, SO_BINDTOIFINDEX) <= 0 || !shim_is_smc(fd, &sock) ||
	    !shim_may_swap(fd) || shim_swap(fd, &sock, KIND_TCP, "SO_BINDTODEVICE and bind()"))
		return -1;
	return next_bind(fd, addr, len);
}

/**
 * bind() - bind(2), with ports that several interfaces share
 *
 * Return: 0 with errno untouched, or -1 with errno.
 */
int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	int saved = errno, ret;

	shim_choose_bind(fd, addr, len);
	ret = next_bind(fd, addr, len);
	if (!ret || errno != EADDRINUSE || !shim_repairs())
		return ret;
	ret = bind_by_swap(fd, addr, len);
	errno = ret ? EADDRINUSE : saved;
	return ret;
}

/**
 * listen() - listen(2), with SO_LINGER kept from doing harm
 *
 * Return: 0 with errno untouched, or -1 with errno.
 */
int listen(int fd, int backlog)
{
	struct linger kept = { 0 };
	int ret;

	shim_choose_listen(fd);
	if (shim_repairs() && shim_is_smc(fd, NULL))
		shim_linger_hide(fd, &kept);
	ret = next_listen(fd, backlog);
	shim_linger_show(fd, &kept);
	return ret;
}
