// SPDX-License-Identifier: MIT
/* accept(2) and accept4(2), with the behaviour of a TCP socket. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/accept_window.h"
#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/replace_socket.h"

/* Milliseconds: length of a window, with a margin for a busy machine. */
#define WINDOW 20

/* flags is -1 for accept(2). */
struct call {
	int fd;
	struct sockaddr *addr;
	socklen_t *len;
	int flags;
};

static int call_next(const struct call *call)
{
	return call->flags < 0 ? next_accept(call->fd, call->addr, call->len) :
				 next_accept4(call->fd, call->addr, call->len, call->flags);
}

/*
 * True if the listener is non-blocking, or if that is unknown. The result decides what is checked
 * first next time.
 */
static bool is_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && !(flags & O_NONBLOCK)) {
		shim_fd_drop(FD_QUICK, fd);
		return false;
	}
	if ((unsigned int)fd < SHIM_FD_NUMBERS && !shim_fd_is_set(FD_QUICK, fd))
		shim_fd_set(FD_QUICK, fd);
	return true;
}

static bool was_nonblocking(int fd)
{
	return (unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_is_set(FD_QUICK, fd);
}

static bool is_ready(int fd)
{
	return shim_events(fd, POLLIN) & POLLIN;
}

/* True if accept(2) ended early, at the timeout of another caller's window (accept_window.h). */
static bool ended_by_window(int fd, int err, long long passed)
{
	struct timeval time;
	long long limit;

	if ((err != EAGAIN && err != EINTR) || shim_is_locked || is_nonblocking(fd) ||
	    !shim_is_smc(fd, NULL))
		return false;
	shim_window_time(fd, &time);
	limit = time.tv_sec * 1000LL + time.tv_usec / 1000;
	if (err == EAGAIN)
		return !limit || passed < limit - WINDOW;
	/* TCP is not restarted if it has a timeout: socket(7) */
	return !limit && passed < WINDOW && shim_would_restart();
}

/* Wait as the program requested. Return: false if the wait ended early. */
static bool wait_for_client(const struct call *call, int *fd)
{
	long long start = shim_milliseconds();
	bool ended;
	int err;

	*fd = call_next(call);
	if (*fd >= 0)
		return true;
	err = errno;
	ended = ended_by_window(call->fd, err, shim_milliseconds() - start);
	errno = err;
	return !ended;
}

/*
 * Emulate TCP's queue entry of a client that came and left: a socket at end of file that cannot be
 * written to. shutdown(2) on a new socket fails, as it was never connected, but has this effect.
 */
static int accept_gone(const struct call *call)
{
	int flags = call->flags < 0 ? 0 : call->flags, fd = -1;
	struct shim_sock sock;

	if (shim_is_smc(call->fd, &sock))
		fd = next_socket(sock.family, SOCK_STREAM | flags, 0);

	if (fd < 0) {
		errno = ECONNABORTED;
		return -1;
	}
	shutdown(fd, SHUT_RDWR);
	/* Fill in an address, which is empty; the kernel checks the caller's pointers. */
	if (call->addr && getsockname(fd, call->addr, call->len)) {
		shim_close(fd);
		return -1;
	}
	shim_log_fd(call->fd, "accept() of a client that is gone", "TCP, closed", 0);
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
 * that another one took the client.
 * @is_asked: the listener is known to be blocking
 */
static enum found look_alone(const struct call *call, int *fd, struct shim_window *window,
			     bool is_asked)
{
	if (!is_ready(call->fd))
		return NOBODY;
	if (!is_asked && is_nonblocking(call->fd))
		return NO_CARE;
	shim_window_open(window);
	*fd = call_next(call);
	shim_window_close(window);
	if (*fd >= 0 || (errno != EAGAIN && errno != EINTR))
		return RESULT;
	return is_ready(call->fd) ? AGAIN : GONE;
}

/*
 * Look into the queue, while other callers are locked out. For a listener that other processes may
 * have, O_NONBLOCK is queried first, so that callers are locked out only if needed. Cancellation is
 * blocked, as it would leave the window open.
 */
static enum found look(const struct call *call, int tries, int *fd)
{
	struct shim_window window;
	enum found found = BUSY;
	bool is_asked = !shim_fd_is_own(call->fd);
	int state;

	if (is_asked) {
		if (!is_ready(call->fd))
			return NOBODY;
		if (is_nonblocking(call->fd) || !shim_marked_is_smc(call->fd))
			return NO_CARE;
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (shim_window_enter(&window, call->fd, tries)) {
		found = look_alone(call, fd, &window, is_asked);
		shim_window_leave(&window);
	}
	pthread_setcancelstate(state, &state);
	return found;
}

/* Take a ready client within a window, and wait if there is none. */
static int accept_blocking(const struct call *call)
{
	int fd = -1, tries = 0;

	for (;;) {
		switch (look(call, tries++, &fd)) {
		case RESULT: return fd;
		case GONE: return accept_gone(call);
		case NO_CARE: return call_next(call);
		case AGAIN: tries = 0; continue;
		case BUSY:
			if (is_ready(call->fd)) {
				shim_nap();
				continue;
			}
			break;
		case NOBODY: break;
		}
		if (wait_for_client(call, &fd))
			return fd;
		tries = 0;
	}
}

/*
 * True if the wait ended by a client of shutdown(), which has replaced the listener. The mark of a
 * TCP listener is cleared, too.
 */
static bool was_shut_down(const struct call *call, int fd)
{
	return (fd >= 0 || errno == ECONNRESET) && !shim_fd_is_marked(call->fd) &&
	       !shim_int_option(call->fd, SOL_SOCKET, SO_ACCEPTCONN);
}

static int accept_marked(const struct call *call)
{
	int saved = errno, fd;

	if (!shim_repairs() || (was_nonblocking(call->fd) && is_nonblocking(call->fd)))
		fd = call_next(call);
	else
		fd = accept_blocking(call);
	if (was_shut_down(call, fd)) {
		shim_close(fd);
		errno = EINVAL;
		return -1;
	}
	if (fd < 0)
		return -1;
	shim_fd_mark_socket(fd);
	shim_accepted_buffers(call->fd, fd);
	if (!shim_is_locked)
		shim_inherit_options(call->fd, fd);
	errno = saved;
	return fd;
}

/*
 * Adds no system call for sockets other than SMC; one for a listener that is non-blocking or has an
 * empty queue, and one per client if buffer sizes are set.
 */
static int accept_any(const struct call *call)
{
	return shim_fd_is_marked(call->fd) ? accept_marked(call) : call_next(call);
}

/**
 * accept() - accept(2) that returns if poll(2) reported the listener ready
 *
 * A client that disconnects during its handshake makes an SMC listener ready; the kernel's
 * accept(2) drops the dead connection, and a blocking one then waits for the next client. TCP keeps
 * such connections, and so does this function: the caller gets a socket at end of file.
 *
 * Non-blocking listeners and sockets that are not SMC listeners: unchanged behaviour.
 *
 * Return: a file descriptor with errno untouched, or -1 with errno.
 */
int accept(int fd, struct sockaddr *addr, socklen_t *len)
{
	const struct call call = { .fd = fd, .addr = addr, .len = len, .flags = -1 };

	return accept_any(&call);
}

/** accept4() - accept4(2), as accept() */
int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	const struct call call = { .fd = fd, .addr = addr, .len = len, .flags = flags };

	/* Unknown flags fail before the listener is checked. */
	return flags < 0 ? next_accept4(fd, addr, len, flags) : accept_any(&call);
}
