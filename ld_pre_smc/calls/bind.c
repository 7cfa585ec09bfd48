// SPDX-License-Identifier: MIT
/*
 * bind(2), with the behaviour of a TCP socket.
 *
 * A socket that gets a port is going to listen, so the rules decide here, before the program gives
 * up rights that the port may need. If SMC refuses an interface's address, a TCP socket is bound.
 */
#include <errno.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/choice.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "process/sockopt_numbers.h"

/* SMC passes the interface to its TCP socket only at listen(). */
static int bind_by_replacing(struct shim_fd *fd, const struct sockaddr *addr, socklen_t len)
{
	struct shim_config own;

	if (shim_config_get(&own)->strict ||
	    shim_int_option(fd->number, SOL_SOCKET, SO_BINDTOIFINDEX) <= 0 || !shim_fd_is_smc(fd) ||
	    !shim_may_replace(fd->number) || !shim_mends(fd->number, REPAIR_DEVICE) ||
	    shim_replace(fd, KIND_TCP, "SO_BINDTODEVICE and bind()"))
		return -1;
	shim_fd_lose(fd, FD_OWN);
	return next_bind(fd->number, addr, len);
}

/**
 * bind() - bind(2), with rules for ports, and addresses of an interface
 *
 * Return: 0 with errno untouched, or -1 with errno.
 */
int bind(int number, const struct sockaddr *addr, socklen_t len)
{
	struct shim_fd fd = shim_fd_enter(number);
	int saved = errno, ret, err;

	shim_fd_lose(&fd, FD_PLAIN);
	shim_choose_listen(&fd, addr, len);
	ret = next_bind(number, addr, len);
	err = errno;
	if (!ret || (err != EADDRINUSE && err != EADDRNOTAVAIL) || !shim_repairs())
		return ret;
	ret = bind_by_replacing(&fd, addr, len);
	errno = ret ? err : saved;
	return ret;
}
