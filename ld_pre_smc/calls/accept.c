// SPDX-License-Identifier: MIT
/* accept(2) and accept4(2), as a TCP socket would. */
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

/* Milliseconds: a window, and what a busy machine makes of it. */
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

/* True if there is no telling. What was found decides what is asked first the next time. */
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

/* Whether accept(2) began in the window of another caller, and so ended although TCP would not. */
static bool ended_by_window(int fd, long long passed)
{
	int err = errno;
	struct timeval time;
	long long limit;
	bool ended;

	if ((err != EAGAIN && err != EINTR) || shim_is_locked || is_nonblocking(fd) ||
	    !shim_is_smc(fd, NULL)) {
		errno = err;
		return false;
	}
	shim_window_time(fd, &time);
	limit = time.tv_sec * 1000LL + time.tv_usec / 1000;
	if (err == EAGAIN)
		ended = !limit || passed < limit - WINDOW;
	else /* with a time-out of its own TCP is not restarted: socket(7) */
		ended = !limit && passed < WINDOW && shim_would_restart();
	errno = err;
	return ended;
}

/* Wait as the program wants it. Return: false if that was cut short. */
static bool wait_for_client(const struct call *call, int *fd)
{
	long long start = shim_milliseconds();

	*fd = call_next(call);
	return *fd >= 0 || !ended_by_window(call->fd, shim_milliseconds() - start);
}

/*
 * What TCP has in its queue for a client that came and went: a socket that is at its end, and
 * cannot be written to. shutdown(2) fails, as there never was a connection, and does that.
 */
static int accept_gone(const struct call *call)
{
	int flags = call->flags < 0 ? 0 : call->flags, fd = -1, err;
	struct shim_sock sock;

	if (shim_is_smc(call->fd, &sock))
		fd = next_socket(sock.family, SOCK_STREAM | flags, 0);

	if (fd < 0) {
		errno = ECONNABORTED;
		return -1;
	}
	shutdown(fd, SHUT_RDWR);
	/* Nobody's address, and it is the kernel who finds pointers wrong. */
	if (call->addr && getsockname(fd, call->addr, call->len)) {
		err = errno;
		shim_close(fd);
		errno = err;
		return -1;
	}
	shim_log_fd(call->fd, "accept() of a client that is gone", "TCP, closed", 0);
	return fd;
}

/*
 * Results of a look into the queue: a client or an error; a client that is gone; a client that
 * came meanwhile; another thread is looking; nobody; a listener that needs no such care.
 */
enum found { RESULT, GONE, AGAIN, BUSY, NOBODY, NO_CARE };

/*
 * Only one looks at a time: who then finds the queue empty has lost a client to another one.
 * @is_asked: the listener is known to wait
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

/* Other sockets lose their mark, and are not asked again. */
static bool is_smc(int fd)
{
	if (shim_is_smc(fd, NULL))
		return true;
	shim_fd_clear(FD_SMC, fd);
	return false;
}

/*
 * A listener that others may have, too, is asked before they are locked out. Nobody is cancelled
 * here, as others would find the window open.
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
		if (is_nonblocking(call->fd) || !is_smc(call->fd))
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

/* Takes a client that is ready in a window, and waits when there is none. */
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

static int accept_marked(const struct call *call)
{
	int saved = errno, fd;

	if (!shim_repairs() || (was_nonblocking(call->fd) && is_nonblocking(call->fd)))
		fd = call_next(call);
	else
		fd = accept_blocking(call);
	if (fd < 0)
		return -1;
	shim_fd_mark_socket(fd);
	shim_accepted_buffers(call->fd, fd);
	errno = saved;
	return fd;
}

/*
 * No system call more for what is not an SMC socket; one more for a listener that does not wait or
 * has nobody in its queue, and for a client if buffers have sizes.
 */
static int accept_any(const struct call *call)
{
	return shim_fd_is_marked(call->fd) ? accept_marked(call) : call_next(call);
}

/**
 * accept() - accept(2), which returns when poll(2) called the listener ready
 *
 * A client that goes away during its handshake makes an SMC listener ready; the kernel's accept(2)
 * throws the dead connection away, and a blocking one then waits for the next client. TCP keeps
 * such connections. So does this: the caller gets a socket that is at its end.
 *
 * Non-blocking listeners and sockets that are not SMC listeners: nothing is changed.
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

	/* What is not known fails before anybody is asked. */
	return flags < 0 ? next_accept4(fd, addr, len, flags) : accept_any(&call);
}
