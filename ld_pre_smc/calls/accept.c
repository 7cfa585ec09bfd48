// SPDX-License-Identifier: MIT
/*
 * accept(2) and accept4(2), which return if poll(2) reported the listener ready.
 *
 * A client that disconnects during its handshake makes an SMC listener ready; the kernel's
 * accept(2) drops the dead connection, and a blocking one then waits for the next client. TCP keeps
 * such connections. So, in this order:
 * 1. A descriptor without a mark and a non-blocking listener are left to the kernel.
 * 2. If a client is ready, one caller at a time takes it in a window (accept_window.h), in which
 *    the kernel does not wait. If the client is gone, the program gets a socket at end of file.
 * 3. If none is ready, the kernel waits as the program requested, and again if another caller's
 * window ended this wait early.
 * 4. A client gets the buffer sizes and options of its listener. If shutdown(2) has replaced the
 * listener, the client is a connection that woke this caller: EINVAL.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/accept_window.h"
#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/replace_socket.h"

/* Milliseconds: length of a window, with a margin for a busy machine. */
#define WINDOW 20

/* flags is -1 for accept(2). */
struct call {
	struct shim_fd fd;
	struct sockaddr *addr;
	socklen_t *len;
	int flags;
};

/* Return: a file descriptor, or -errno; so do the functions below. */
static int take_next(const struct call *call)
{
	int fd = call->flags < 0 ?
			 next_accept(call->fd.number, call->addr, call->len) :
			 next_accept4(call->fd.number, call->addr, call->len, call->flags);

	return fd < 0 ? -errno : fd;
}

/*
 * True if the listener is non-blocking, or if that is unknown. The next call first checks for this
 * result.
 */
static bool is_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && !(flags & O_NONBLOCK)) {
		shim_fd_drop(FD_QUICK, fd);
		return false;
	}
	shim_fd_set(FD_QUICK, fd);
	return true;
}

static bool is_ready(const struct call *call)
{
	return shim_events(call->fd.number, POLLIN) & POLLIN;
}

/* True if a wait from @start on ended early, at the timeout of another caller's window. */
static bool ended_by_window(struct call *call, int err, long long start)
{
	long long passed = shim_milliseconds() - start, limit;
	struct timeval time;

	if ((err != EAGAIN && err != EINTR) || shim_is_locked || is_nonblocking(call->fd.number) ||
	    !shim_fd_is_any_smc(&call->fd))
		return false;
	shim_window_time(call->fd.number, &time);
	limit = time.tv_sec * 1000LL + time.tv_usec / 1000;
	if (err == EAGAIN)
		return !limit || passed < limit - WINDOW;
	/* TCP is not restarted if it has a timeout: socket(7) */
	return !limit && passed < WINDOW && shim_would_restart();
}

/*
 * Emulate TCP's queue entry of a client that came and left: a socket at end of file that cannot be
 * written to. shutdown(2) on a new socket fails, as it was never connected, but has this effect.
 */
static int accept_gone(struct call *call)
{
	int flags = call->flags < 0 ? 0 : call->flags, fd = -1, err;

	if (shim_fd_is_smc(&call->fd))
		fd = next_socket(call->fd.sock.family, SOCK_STREAM | flags, 0);
	if (fd < 0)
		return -ECONNABORTED;
	shutdown(fd, SHUT_RDWR);
	/* Fill in an empty address; the kernel checks the caller's pointers. */
	if (call->addr && getsockname(fd, call->addr, call->len)) {
		err = errno;
		shim_close(fd);
		return -err;
	}
	shim_log_fd(call->fd.number, shim_repair_names[REPAIR_ACCEPT_GONE], "TCP, closed", 0);
	return fd;
}

/*
 * Result of a look into the queue:
 * RESULT: accept(2) returned a client, or an error other than EAGAIN and EINTR
 * GONE: the client has left
 * AGAIN: the client has left, and another one has arrived
 * BUSY: another caller is looking
 * NOBODY: the queue is empty
 * NO_CARE: the listener is non-blocking, or not SMC
 */
enum found { RESULT, GONE, AGAIN, BUSY, NOBODY, NO_CARE };

/*
 * Look into the queue. Only one caller may do so at a time: otherwise an empty queue could mean
 * that another one took the client. For a listener that other processes may have, O_NONBLOCK is
 * queried first, so that callers are locked out only if needed.
 */
static enum found look(struct call *call, int tries, int *fd)
{
	struct shim_window window = { .fd = call->fd.number,
				      .is_shared = !shim_fd_has(&call->fd, FD_OWN) };
	enum found found = RESULT;

	if (window.is_shared && !is_ready(call))
		return NOBODY;
	if (window.is_shared && (is_nonblocking(window.fd) || !shim_fd_is_any_smc(&call->fd)))
		return NO_CARE;
	if (!shim_window_enter(&window, tries))
		return BUSY;
	if (!is_ready(call)) {
		found = NOBODY;
	} else if (!window.is_shared && is_nonblocking(window.fd)) {
		found = NO_CARE;
	} else {
		shim_window_open(&window);
		*fd = take_next(call);
		shim_window_close(&window);
		if (*fd == -EAGAIN || *fd == -EINTR)
			found = is_ready(call) ? AGAIN : GONE;
	}
	shim_window_leave(&window);
	return found;
}

/* Take a ready client within a window, and wait if there is none. */
static int accept_blocking(struct call *call)
{
	int fd = -1, tries = 0;
	long long start;

	for (;;) {
		switch (look(call, tries++, &fd)) {
		case RESULT: return fd;
		case GONE: return accept_gone(call);
		case NO_CARE: return take_next(call);
		case AGAIN: tries = 0; continue;
		case BUSY:
			if (is_ready(call)) {
				shim_nap();
				continue;
			}
			break;
		case NOBODY: break;
		}
		start = shim_milliseconds();
		fd = take_next(call);
		if (fd >= 0 || !ended_by_window(call, -fd, start))
			return fd;
		tries = 0;
	}
}

/*
 * True if shutdown() replaced the listener and ended the wait by a connection. Also clears the mark
 * of a TCP listener.
 */
static bool was_shut_down(int listener, int fd)
{
	return (fd >= 0 || fd == -ECONNRESET) && !shim_fd_is_marked(listener) &&
	       !shim_int_option(listener, SOL_SOCKET, SO_ACCEPTCONN);
}

static int accept_repaired(struct call *call)
{
	int listener = call->fd.number, fd;

	if (!shim_needs(REPAIR_ACCEPT_GONE) ||
	    (shim_fd_has(&call->fd, FD_QUICK) && is_nonblocking(listener)))
		fd = take_next(call);
	else
		fd = accept_blocking(call);
	if (was_shut_down(listener, fd)) {
		shim_close(fd);
		return -EINVAL;
	}
	if (fd < 0)
		return fd;
	shim_fd_mark_socket(fd);
	shim_accepted_buffers(listener, fd);
	if (!shim_is_locked)
		shim_inherit_options(listener, fd);
	return fd;
}

/* Adds one system call if the listener is non-blocking or idle, one if buffer sizes are set. */
static int accept_marked(const struct shim_fd *fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	struct call call = { *fd, addr, len, flags };
	int saved = errno, ret = accept_repaired(&call);

	errno = ret < 0 ? -ret : saved;
	return ret < 0 ? -1 : ret;
}

/**
 * accept() - accept(2), repaired
 *
 * Return: a file descriptor with errno untouched, or -1 with errno.
 */
int accept(int number, struct sockaddr *addr, socklen_t *len)
{
	struct shim_fd fd = shim_fd_enter(number);

	return shim_fd_has(&fd, FD_SMC) ? accept_marked(&fd, addr, len, -1) :
					  next_accept(number, addr, len);
}

/** accept4() - like accept(); unknown flags fail before the listener is checked */
int accept4(int number, struct sockaddr *addr, socklen_t *len, int flags)
{
	struct shim_fd fd = shim_fd_enter(number);

	return flags >= 0 && shim_fd_has(&fd, FD_SMC) ? accept_marked(&fd, addr, len, flags) :
							next_accept4(number, addr, len, flags);
}
