// SPDX-License-Identifier: MIT
/* listen(2), with the behaviour of a TCP socket. */
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/choice.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/replace_socket.h"

/* A connect(2) that fails at once leaves an SMC socket that cannot listen. */
static bool is_renewed(int fd, int err)
{
	struct shim_sock sock;

	return err == EINVAL && shim_repairs() && shim_is_smc(fd, &sock) && shim_may_swap(fd) &&
	       !shim_events(fd, 0) && !shim_swap(fd, &sock, sock.kind, "listen() after connect()");
}

/**
 * listen() - listen(2), with SO_LINGER hidden from SMC, also after a failed connect()
 *
 * Return: 0 with errno untouched, or -1 with errno.
 */
int listen(int fd, int backlog)
{
	struct linger kept = { 0 };
	int saved = errno, ret, locks;

	shim_rules_listen(fd);
	shim_fd_drop(FD_PLAIN, fd);
	if (shim_repairs() && !shim_fd_is_tcp(fd)) {
		if (shim_is_smc(fd, NULL))
			shim_linger_hide(fd, &kept);
		else /* for accept() */
			shim_fd_drop(FD_OWN, fd);
	}
	locks = shim_lock_buffers(fd);
	ret = next_listen(fd, backlog);
	if (ret && errno == EINVAL && shim_repairs() && shim_tcp_state(fd) == TCP_LISTEN) {
		/* A connect(2) that was refused has left its trace. */
		errno = saved;
		ret = 0;
	}
	if (ret && is_renewed(fd, errno)) {
		ret = next_listen(fd, backlog);
		errno = ret ? errno : saved;
	}
	shim_relock_buffers(fd, locks);
	shim_linger_show(fd, &kept);
	return ret;
}
