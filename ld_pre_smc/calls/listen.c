// SPDX-License-Identifier: MIT
/*
 * listen(2), with the behaviour of a TCP socket.
 *
 * First the rules decide. SMC then copies SO_LINGER and buffer sizes to the TCP socket that
 * listens, so SO_LINGER is hidden and our sizes are locked meanwhile. A connect(2) may have failed.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/choice.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/replace_socket.h"

/*
 * After EINVAL: a refused connect(2) has left an error on the socket, which listens now; one that
 * failed at once has left an SMC socket that cannot listen.
 */
static int listen_again(struct shim_fd *fd, int backlog)
{
	if (shim_tcp_state(fd->number) == TCP_LISTEN)
		return shim_mends(fd->number, REPAIR_LISTEN_AGAIN) ? 0 : -1;
	if (shim_fd_is_smc(fd) && shim_may_replace(fd->number) && !shim_events(fd->number, 0) &&
	    shim_mends(fd->number, REPAIR_LISTEN_AGAIN) &&
	    !shim_replace(fd, fd->sock.kind, "listen() after connect()"))
		return next_listen(fd->number, backlog);
	return -1;
}

/**
 * listen() - listen(2) that hides SO_LINGER from SMC, and works after a failed connect()
 *
 * Return: 0 with errno untouched, or -1 with errno.
 */
int listen(int number, int backlog)
{
	struct shim_fd fd = shim_fd_enter(number);
	struct linger kept = { 0 };
	int saved = errno, ret, locks;

	shim_choose_listen(&fd, NULL, 0);
	shim_fd_lose(&fd, FD_PLAIN);
	if (shim_repairs() && !shim_fd_is_tcp_first(&fd)) {
		if (shim_fd_is_smc(&fd))
			shim_linger_hide(number, &kept);
		else /* for accept() */
			shim_fd_lose(&fd, FD_OWN);
	}
	locks = shim_lock_buffers(number);
	ret = next_listen(number, backlog);
	if (ret && errno == EINVAL && shim_repairs()) {
		ret = listen_again(&fd, backlog);
		errno = ret ? errno : saved;
	}
	shim_relock_buffers(number, locks);
	shim_linger_show(number, &kept);
	return ret;
}
