// SPDX-License-Identifier: MIT
/* listen(2), with the behaviour of a TCP socket. */
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/choice.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/replace_socket.h"

/* A connect(2) that fails at once leaves an SMC socket that cannot listen. */
static bool is_renewed(struct shim_fd *fd, int err)
{
	return err == EINVAL && shim_repairs() && shim_fd_is_smc(fd) && shim_may_swap(fd->number) &&
	       !shim_events(fd->number, 0) &&
	       !shim_swap(fd, fd->sock.kind, "listen() after connect()");
}

/**
 * listen() - listen(2), with SO_LINGER hidden from SMC, also after a failed connect()
 *
 * Return: 0 with errno untouched, or -1 with errno.
 */
int listen(int number, int backlog)
{
	struct shim_fd fd = shim_fd_enter(number);
	struct linger kept = { 0 };
	int saved = errno, ret, locks;

	shim_choose_listen(&fd);
	shim_fd_lose(&fd, FD_PLAIN);
	if (shim_repairs() && !shim_fd_is_tcp_first(&fd)) {
		if (shim_fd_is_smc(&fd))
			shim_linger_hide(number, &kept);
		else /* for accept() */
			shim_fd_lose(&fd, FD_OWN);
	}
	locks = shim_lock_buffers(number);
	ret = next_listen(number, backlog);
	if (ret && errno == EINVAL && shim_repairs() && shim_tcp_state(number) == TCP_LISTEN) {
		/* A connect(2) that was refused has left its trace. */
		errno = saved;
		ret = 0;
	}
	if (ret && is_renewed(&fd, errno)) {
		ret = next_listen(number, backlog);
		errno = ret ? errno : saved;
	}
	shim_relock_buffers(number, locks);
	shim_linger_show(number, &kept);
	return ret;
}
