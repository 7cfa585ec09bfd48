// SPDX-License-Identifier: MIT
/* Keep data that SMC-R has not sent yet from being lost. */
#include "ld_pre_smc/state/unsent_data.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/state/keeper_client.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/sandbox.h"
#include "ld_pre_smc/state/smcr_check.h"
#include "smc/keep.h"

bool shim_unsent_is_ours(int fd)
{
	return shim_fd_is_marked(fd) && shim_repairs() && !shim_in_sandbox && shim_is_smc(fd, NULL);
}

/* TCP_NODELAY: SMC does not depend on its value, so other users of the socket are not affected. */
void shim_push(int fd)
{
	int nodelay = 1, on = 1;
	socklen_t len = sizeof(on);
	struct shim_signals signals;
	AUTO_ERRNO();

	if (!shim_signals_block(&signals))
		return;
	if (!next_getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &nodelay, &len) &&
	    !next_setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) && !nodelay)
		next_setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &nodelay, sizeof(nodelay));
	shim_signals_restore(&signals);
}

/* Unsent bytes of any socket; negative errno if unsupported. */
static int queued(int fd)
{
	AUTO_ERRNO();
	int bytes = 0;

	return next_ioctl(fd, SIOCOUTQNSD_894B, &bytes) ? -errno : bytes;
}

/* Convert a number of unsent bytes into the result of shim_unsent(): negative with SO_LINGER. */
static int unless_lingering(int fd, int bytes)
{
	struct linger linger;
	socklen_t len = sizeof(linger);
	AUTO_ERRNO();

	if (bytes <= 0)
		return 0;
	if (next_getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len) || linger.l_onoff)
		return -1;
	return shim_mends(fd, REPAIR_UNSENT) ? bytes : 0;
}

int shim_unsent(int fd)
{
	return unless_lingering(fd, queued(fd));
}

/* True if the parent process has the same socket open: then the data is safe. */
static bool parent_has(int fd, const struct stat *mine)
{
	struct log_line path = { 0 };

	log_format(&path, "/proc/%d/fd/%d", (int)getppid(), fd);
	return shim_is_file(AT_FDCWD, path.text, mine);
}

int shim_next_copy(int fd, const struct stat *mine, int from)
{
	int copy = shim_has_copies ? shim_fd_next(FD_SMC, from) : -1;

	while (copy >= 0 && (copy == fd || !shim_is_file(copy, "", mine)))
		copy = shim_fd_next(FD_SMC, copy + 1);
	return copy;
}

bool shim_is_used_elsewhere(int fd)
{
	struct stat mine;

	return !shim_stat(fd, "", &mine) &&
	       (parent_has(fd, &mine) || shim_next_copy(fd, &mine, 0) >= 0);
}

/* Holder of a socket after the process closes its last known descriptor. */
enum unsent_owner { OWNER_NONE, OWNER_OTHER, OWNER_KEEPER };

/* Pass a socket to smc_keep, unless this process or its parent is known to have it elsewhere. */
static enum unsent_owner give(int fd)
{
	AUTO_ERRNO();

	if (shim_is_used_elsewhere(fd))
		return OWNER_OTHER;
	if (!shim_keeper_give(fd, KEEP_CLOSE))
		return OWNER_NONE;
	shim_log_fd(fd, "unsent data: smc_keep has the socket", NULL, 0);
	return OWNER_KEEPER;
}

/* The kernel does this when the last descriptor is closed, but another process has one now. */
static void detach(int fd)
{
	AUTO_ERRNO();
	int epfd, flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && flags & O_ASYNC)
		fcntl(fd, F_SETFL, flags & ~O_ASYNC);
	for (epfd = shim_fd_next(FD_EPOLL, 0); epfd >= 0; epfd = shim_fd_next(FD_EPOLL, epfd + 1))
		if (epoll_ctl(epfd, EPOLL_CTL_DEL, fd, NULL) && errno != ENOENT)
			shim_fd_clear(FD_EPOLL, epfd);
}

/* The mark may belong to an earlier socket with this number. */
bool shim_refuses(int fd)
{
	struct shim_route route;

	if ((unsigned int)fd >= SHIM_FD_NUMBERS || !shim_fd_is_set(FD_KEPT, fd) ||
	    !shim_route_find(fd, &route))
		return false;
	errno = EPIPE;
	return true;
}

/*
 * smc_keep has had a copy since shutdown(), so this close is not the last one: do what the
 * kernel does at the last one.
 */
static void detach_kept(struct shim_fd *fd)
{
	AUTO_ERRNO();

	if (shim_fd_has(fd, FD_KEPT) && shim_fd_is_owner()) {
		if (shim_fd_is_any_smc(fd) && !shim_is_used_elsewhere(fd->number))
			detach(fd->number);
		shim_fd_clear(FD_KEPT, fd->number);
	}
}

/*
 * Handle unsent bytes of an SMC socket that is about to be closed. Return: true if only the
 * close message is left to send.
 */
static bool send_rest(int fd, int bytes)
{
	enum unsent_owner owner;

	bytes = unless_lingering(fd, bytes);
	if (bytes > 0 && shim_fd_is_owner()) {
		owner = give(fd);
		if (owner == OWNER_KEEPER)
			detach(fd);
		else if (owner == OWNER_NONE)
			shim_log_fd(fd, "close() waits: no smc_keep", NULL, 0);
	}
	return !bytes;
}

/*
 * If all data is sent, only SMC-R must be distinguished. EINVAL means a listener, whose queue is
 * closed with it. A descriptor that may not be a socket is checked first.
 */
bool shim_unsent_close(struct shim_fd *fd)
{
	int bytes;

	if (!shim_repairs() || shim_in_sandbox)
		return false;
	detach_kept(fd);
	if (shim_fd_has(fd, FD_SOCKET) || shim_fd_is_any_smc(fd)) {
		bytes = queued(fd->number);
		if (bytes == -EBADF || ((!bytes || bytes == -EINVAL) && !shim_may_be_rdma(false)))
			return false;
		if (shim_fd_is_any_smc(fd))
			return send_rest(fd->number, bytes);
	}
	shim_fd_clear(FD_SMC, fd->number);
	return false;
}

/*
 * Without smc_keep, wait as long as the kernel does in close(). All sockets share the time, because
 * the kernel sends for all of them meanwhile.
 */
static void wait_until_sent(int fd, long long *end)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	if (!*end)
		*end = shim_milliseconds() + KEEP_KERNEL_MS;
	if (shim_milliseconds() >= *end)
		return;
	shim_log_fd(fd, "exit() waits until data is sent", NULL, 0);
	while (shim_unsent(fd) > 0 && shim_milliseconds() < *end &&
	       !(shim_events(fd, 0) & (POLLERR | POLLHUP))) {
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 16000000)
			pause.tv_nsec *= 2;
	}
}

void shim_unsent_leave(bool by_exec)
{
	AUTO_ERRNO();
	int fd;
	long long end = 0;

	/* The sockets in a child of vfork(2) are its parent's. */
	if (shim_fd_next(FD_SMC, 0) < 0 || !shim_repairs() || shim_in_sandbox ||
	    !shim_fd_is_owner())
		return;
	for (fd = shim_fd_next(FD_SMC, 0); fd >= 0; fd = shim_fd_next(FD_SMC, fd + 1)) {
		if (shim_unsent(fd) <= 0 || !shim_is_smc(fd, NULL) ||
		    (by_exec && fcntl(fd, F_GETFD) != FD_CLOEXEC))
			continue;
		if (!give(fd) && !by_exec)
			wait_until_sent(fd, &end);
	}
}
