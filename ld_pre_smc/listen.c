// SPDX-License-Identifier: MIT
/* bind(2) and listen(2), as a TCP socket would. */
#include <errno.h>

#include "ld_pre_smc/buffers.h"
#include "ld_pre_smc/config.h"
#include "ld_pre_smc/fds.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/rules_apply.h"
#include "ld_pre_smc/swap.h"
#include "process/sockopt_numbers.h"

/* Two interfaces share a port: SMC tells its TCP socket of the interface too late, at listen(). */
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

	shim_fd_drop(FD_PLAIN, fd);
	shim_rules_bind(fd, addr, len);
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
	int ret, locks;

	shim_rules_listen(fd);
	if (shim_repairs() && shim_is_smc(fd, NULL))
		shim_linger_hide(fd, &kept);
	locks = shim_lock_buffers(fd);
	ret = next_listen(fd, backlog);
	shim_relock_buffers(fd, locks);
	shim_linger_show(fd, &kept);
	return ret;
}
