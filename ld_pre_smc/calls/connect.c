// SPDX-License-Identifier: MIT
/*
 * connect(2), with the behaviour of a TCP socket. In order:
 * The policy chooses SMC or TCP (state/choice.c), and replaces a socket of the other kind. A TCP
 * socket connects, and that is all. A plain socket, on which nothing was set since socket(), simply
 * connects, too; only if that fails is it treated like the others.
 *
 * AF_UNSPEC disconnects: a new socket replaces a used one. Other SMC sockets wait like TCP: at most
 * SO_SNDTIMEO, and even after a signal; SO_LINGER keeps its time. After a failure: if only the SMC
 * handshake broke, a TCP socket replaces the SMC one and connects (state/broken_handshake.c). A
 * socket that could not connect again is replaced by a new one.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/param.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/broken_handshake.h"
#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/choice.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/program_memory.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "ld_pre_smc/state/unsent_data.h"

/* A call, with the address that was read. The functions that take it return 0 or an errno value. */
struct attempt {
	struct shim_fd fd;
	const struct sockaddr *addr;
	socklen_t len;
	struct shim_route route;
};

static int call_kernel(const struct attempt *try)
{
	return next_connect(try->fd.number, try->addr, try->len) ? errno : 0;
}

/* Call connect() in non-blocking mode: then the kernel's worker continues in any case. */
static int start(const struct attempt *try)
{
	int flags = fcntl(try->fd.number, F_GETFL), err;

	fcntl(try->fd.number, F_SETFL, flags | O_NONBLOCK);
	err = call_kernel(try);
	fcntl(try->fd.number, F_SETFL, flags);
	return err;
}

/*
 * Get the result of an attempt that has ended. Some failures leave only a closed socket; a
 * connection that the peer has already closed is not a failure. Only another connect() makes the
 * socket connected; it returns EALREADY for a moment while the socket falls back to TCP.
 */
static int get_result(const struct attempt *try, int revents)
{
	int err = shim_int_option(try->fd.number, SOL_SOCKET, SO_ERROR);

	if (err > 0)
		return err;
	if (!(revents & ~POLLHUP))
		return shim_lost_error(try->fd.number) ?: ETIMEDOUT;
	for (int i = 0; i < 100 && start(try) == EALREADY; i++)
		shim_nap();
	return 0;
}

/*
 * Wait until an attempt has ended, if @err of connect() says that it has not. @timeout:
 * milliseconds, -1 for none; with one, TCP is not restarted after a signal: socket(7).
 */
static int wait_for_result(const struct attempt *try, int err, int timeout)
{
	struct pollfd poll_fd = { .fd = try->fd.number, .events = POLLIN | POLLOUT };
	int n;

	if (err != EINPROGRESS && err != EALREADY)
		return err;
	do
		n = poll(&poll_fd, 1, timeout);
	while (n < 0 && errno == EINTR && timeout < 0 && shim_would_restart());
	if (n > 0)
		return get_result(try, poll_fd.revents);
	return n ? errno : err;
}

/* Give up the port if it is still in use: the kernel usually chose it for the failed attempt. */
static int replace_used(struct attempt *try, const char *why)
{
	int err = shim_replace(&try->fd, try->fd.sock.kind, why);

	return err == EADDRINUSE ? 0 : err;
}

/* Wait as TCP does after a blocking connect() that returned @err. */
static int wait_as_tcp(struct attempt *try, int err)
{
	int restarts = 4;

	/* The kernel lost the refusal when a signal restarted the call: the socket is like new. */
	while (err == ECONNABORTED && restarts-- && !(shim_events(try->fd.number, 0) & POLLHUP))
		err = call_kernel(try);
	if (err == EINTR && shim_mends(try->fd.number, REPAIR_CONNECT_SIGNAL)) {
		/* The socket is unusable now. Even if this call ends, a new one connects. */
		if (replace_used(try, "connect() after a signal"))
			return EINTR;
		err = start(try);
		if (err == EINPROGRESS && !shim_would_restart())
			return EINTR;
	}
	return wait_for_result(try, err, -1);
}

/*
 * Connect within SO_SNDTIMEO, which is hidden: otherwise the kernel's worker would also give up
 * after that time, for good. The value is hidden such that other threads can still read it.
 */
static int connect_blocking(struct attempt *try)
{
	struct timeval time = { 0 }, hidden;
	int fd = try->fd.number, timeout = shim_send_timeout(fd, &time), err;

	if (timeout < 0 || !shim_mends(fd, REPAIR_CONNECT_TIME))
		return wait_as_tcp(try, call_kernel(try));
	hidden = time;
	hidden.tv_sec = SHIM_HIDDEN + MIN(time.tv_sec, INT_MAX / 1000);
	next_setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &hidden, sizeof(hidden));
	err = wait_for_result(try, start(try), timeout);
	next_setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
	return err;
}

/*
 * Find the cause of EINVAL. Besides an address that is too short (IPv6: below 24 bytes), it means a
 * socket in use or another family; in Linux 5.10, also an earlier failure.
 */
static int explain_refusal(const struct attempt *try)
{
	int fd = try->fd.number, state = shim_tcp_state(fd), to = try->route.to.any.sa_family;
	socklen_t least = try->fd.sock.family == AF_INET6 ? 24 : sizeof(struct sockaddr_in);
	int events = shim_events(fd, POLLRDHUP), err;

	if (!shim_mends(fd, REPAIR_CONNECT_USED))
		return EINVAL;
	if ((state > 0 && state != TCP_CLOSE) || events & POLLRDHUP)
		return EISCONN;
	if (try->len < least)
		return EINVAL;
	if (to != AF_INET && to != AF_INET6)
		return EAFNOSUPPORT;
	if (!(events & POLLHUP))
		return EINVAL;
	err = shim_int_option(fd, SOL_SOCKET, SO_ERROR);
	return err > 0 ? err : ECONNABORTED;
}

/*
 * Return: TCP's errno after a connect() that returned @err. The socket can then connect again,
 * unlike SMC sockets that are closed or had a TCP connection.
 */
static int recover(struct attempt *try, int err)
{
	int fd = try->fd.number, state;

	if (err == EINVAL && !shim_is_locked)
		err = explain_refusal(try);
	if (err == EALREADY || err == EISCONN || err == EINTR || err == EINVAL ||
	    err == EAFNOSUPPORT || shim_is_locked)
		return err;
	if (err == EINPROGRESS)
		shim_route_keep(fd, &try->route);
	else
		err = shim_retry_tcp(&try->fd, &try->route, err);
	if (!err || err == EINPROGRESS || !shim_fd_is_smc(&try->fd))
		return err;
	state = shim_tcp_state(fd);
	if ((shim_events(fd, 0) & POLLHUP ||
	     (state > 0 && state != TCP_CLOSE && state != TCP_LISTEN && state != TCP_SYN_SENT)) &&
	    shim_mends(fd, REPAIR_CONNECT_AGAIN))
		replace_used(try, "connect() failed");
	shim_keep_address(fd, &try->route.from);
	return err;
}

/* Connect a socket without checks. It may turn out not to be an SMC socket. */
static int connect_plain(struct attempt *try)
{
	int err = call_kernel(try);

	if (!err)
		return 0;
	shim_fd_lose(&try->fd, FD_PLAIN);
	if (err != EINPROGRESS && !shim_fd_is_smc(&try->fd))
		return err;
	if (err != EINPROGRESS && !(fcntl(try->fd.number, F_GETFL) & O_NONBLOCK))
		err = wait_as_tcp(try, err);
	return err ? recover(try, err) : 0;
}

/* Return: the error of the previous attempt, which a non-blocking connect() fetches; 0 for none. */
static int get_last_error(struct attempt *try)
{
	struct shim_route route;
	int fd = try->fd.number, events, err;

	if (!shim_route_find(fd, &route) || route.is_shut)
		return 0;
	events = shim_events(fd, 0);
	if (events == POLLHUP && shim_events(fd, POLLIN | POLLOUT) == POLLHUP &&
	    shim_mends(fd, REPAIR_LATE_ERROR))
		return shim_lost_error(fd);
	if (events != POLLERR)
		return 0;
	try->route = route;
	err = shim_int_option(fd, SOL_SOCKET, SO_ERROR);
	return err > 0 ? err : 0;
}

static int connect_smc(struct attempt *try)
{
	int fd = try->fd.number, last = 0, err;
	struct linger kept = { 0 };

	shim_route_from(&try->route, fd);
	shim_linger_hide(fd, &kept);
	if (fcntl(fd, F_GETFL) & O_NONBLOCK) {
		last = get_last_error(try);
		err = last ? last : call_kernel(try);
	} else {
		err = connect_blocking(try);
	}
	if (err)
		err = recover(try, err);
	shim_linger_show(fd, &kept);
	return last && (!err || err == EINPROGRESS) ? EALREADY : err;
}

/*
 * After a fallback, the socket uses TCP, but offers SMC when it connects again, without continuing
 * the handshake, so the peer waits and gives up. Only a new socket avoids that, but it lacks keys
 * that another process may have set, so the descriptor must be this process's own.
 */
static int disconnect_tcp(struct attempt *try)
{
	int number = try->fd.number, err = call_kernel(try), copy = -1;
	bool is_own = shim_fd_has(&try->fd, FD_OWN);
	struct stat file;

	if (err || shim_has_protection || !shim_fd_is_marked(number) ||
	    shim_stat(number, "", &file))
		return err;
	while (!is_own && (copy = shim_next_copy(number, &file, copy + 1)) >= 0)
		is_own = shim_fd_is_own(copy);
	if (is_own && shim_fd_is_any_tcp(&try->fd) && shim_mends(number, REPAIR_RECONNECT))
		shim_replace(&try->fd, KIND_TCP, "connect(AF_UNSPEC)");
	return 0;
}

/* TCP can drop its connection and be used again; SMC cannot. */
static int disconnect(struct attempt *try)
{
	int fd = try->fd.number, state = shim_tcp_state(fd);

	if (!shim_mends(fd, REPAIR_DISCONNECT))
		return call_kernel(try);
	if (state == TCP_LISTEN)
		return shim_replace_listener(&try->fd) ? call_kernel(try) : 0;
	if (state == TCP_CLOSE && !shim_is_connected(fd) && !shim_events(fd, 0))
		return 0;
	return replace_used(try, "connect(AF_UNSPEC)");
}

static int connect_any(struct attempt *try)
{
	int err;

	switch (try->route.to.any.sa_family) {
	case AF_UNSPEC: return shim_fd_is_smc(&try->fd) ? disconnect(try) : disconnect_tcp(try);
	case AF_INET:
	case AF_INET6:
		if (shim_fd_has(&try->fd, FD_PLAIN))
			return connect_plain(try);
		return shim_fd_is_smc(&try->fd) ? connect_smc(try) : call_kernel(try);
	default:
		err = call_kernel(try);
		return err == EINVAL && shim_fd_is_smc(&try->fd) ? explain_refusal(try) : err;
	}
}

/** connect() - connect(2), see above. Return: 0 with errno untouched, or -1 with errno */
int connect(int number, const struct sockaddr *addr, socklen_t len)
{
	struct attempt try = { .fd = shim_fd_enter(number), .addr = addr, .len = len };
	int saved = errno, err;

	if (len < sizeof(addr->sa_family) || len > sizeof(struct sockaddr_storage) ||
	    shim_is_locked ||
	    !shim_read(&try.route.to, number, addr, MIN(len, sizeof(try.route.to)), SYS_connect))
		return next_connect(number, addr, len);
	shim_choose_connect(&try.fd, &try.route.to.any, len);
	err = shim_fd_is_tcp_first(&try.fd) || !shim_repairs() ? call_kernel(&try) :
								 connect_any(&try);
	shim_lives_connected(number, err);
	/* After a call that waited, the kernel does not report that the socket is writable. */
	if (!err && shim_has_epoll && shim_fd_has(&try.fd, FD_SMC) && shim_repairs() &&
	    !(fcntl(number, F_GETFL) & O_NONBLOCK) && shim_mends(number, REPAIR_CONNECT_WAKES))
		shim_wake(number, shim_marked_is_smc(number));
	errno = err ? err : saved;
	return err ? -1 : 0;
}
