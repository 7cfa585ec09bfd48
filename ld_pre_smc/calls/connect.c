// SPDX-License-Identifier: MIT
/*
 * connect(2), with the behaviour of a TCP socket.
 *
 * First the rules are applied: a socket that must use TCP is replaced by a TCP socket, or has been
 * one from the start (state/choice.c). A socket untouched since socket() then simply connects; its
 * state is only queried if that fails.
 *
 * Other SMC sockets get missing behaviour of TCP: SO_SNDTIMEO limits the time, a signal restarts
 * the wait, SO_LINGER keeps its time, AF_UNSPEC resets the socket, and a failed socket is replaced,
 * as it could not be used again.
 *
 * If TCP was connected but the SMC handshake broke, a TCP socket replaces the SMC one and connects
 * once more; the peer is remembered for an hour (state/lives.c). A non-blocking program triggers
 * that when it reads SO_ERROR.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/param.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "ld_pre_smc/calls/connect.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/choice.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/program_memory.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "ld_pre_smc/state/unsent_data.h"

/* Maximum number of consecutive calls of connect(). */
#define RESTARTS 4

struct attempt {
	struct shim_fd fd;
	const struct sockaddr *addr;
	socklen_t len;
	struct shim_route route;
	bool has_route;
};

static void set_send_timeout(int fd, const struct timeval *time)
{
	AUTO_ERRNO();

	next_setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, time, sizeof(*time));
}

/* Start connect() in non-blocking mode: then the kernel's worker continues in any case. */
static int start(const struct attempt *try)
{
	int flags = fcntl(try->fd.number, F_GETFL), ret, err;

	fcntl(try->fd.number, F_SETFL, flags | O_NONBLOCK);
	ret = next_connect(try->fd.number, try->addr, try->len);
	err = errno;
	fcntl(try->fd.number, F_SETFL, flags);
	errno = err;
	return ret;
}

/*
 * Call connect() again: only this changes the socket's state to connected. While the socket falls
 * back to TCP, connect() returns EALREADY for a moment: repeat it until the TCP socket is connected
 * as well.
 */
static void tell_connected(const struct attempt *try)
{
	for (int i = 0; i < 100 && start(try) && errno == EALREADY; i++)
		shim_nap();
}

/*
 * Result of a finished connection attempt. A timeout leaves no error, only a closed socket; a
 * connection already closed by the peer is not a failure.
 */
static int finish(const struct attempt *try, int revents)
{
	int err = shim_int_option(try->fd.number, SOL_SOCKET, SO_ERROR);

	if (err <= 0 && revents & ~POLLHUP) {
		tell_connected(try);
		return 0;
	}
	errno = err > 0 ? err : ETIMEDOUT;
	return -1;
}

/**
 * wait_connected() - wait until a connection attempt has succeeded or failed
 * @timeout: milliseconds, -1 for none
 * @late: errno after the timeout
 */
static int wait_connected(const struct attempt *try, int timeout, int late)
{
	struct pollfd poll_fd = { .fd = try->fd.number, .events = POLLIN | POLLOUT };
	long long end = shim_milliseconds() + timeout, left;
	int n;

	for (;;) {
		left = MAX(end - shim_milliseconds(), 0);
		n = poll(&poll_fd, 1, timeout < 0 ? -1 : (int)left);
		if (n > 0)
			return finish(try, poll_fd.revents);
		if (!n) {
			errno = late;
			return -1;
		}
		/* TCP is not restarted if it has a timeout: socket(7). */
		if (errno != EINTR || timeout >= 0 || !shim_would_restart())
			return -1;
	}
}

/*
 * Restore the socket's state before connect(). It is unbound if the port is still in use: then the
 * kernel usually chose it for the failed attempt.
 */
static int swap_fresh(struct attempt *try, const char *why)
{
	return shim_swap(&try->fd, try->fd.sock.kind, why) && errno != EADDRINUSE ? -1 : 0;
}

/* A signal during the handshake leaves an unusable socket. */
static int again_after_signal(struct attempt *try)
{
	int ret;

	if (swap_fresh(try, "connect() after a signal")) {
		errno = EINTR;
		return -1;
	}
	ret = start(try);
	if (!ret || errno != EINPROGRESS)
		return ret;
	if (shim_would_restart())
		return wait_connected(try, -1, 0);
	errno = EINTR; /* the connection continues, as with TCP */
	return -1;
}

/*
 * Connect while SO_SNDTIMEO is hidden: otherwise the kernel's worker would also give up after that
 * time, for good. Other threads that connect the same socket need it.
 */
static int connect_in_time(const struct attempt *try, int timeout, const struct timeval *time)
{
	const struct timeval hidden = { SHIM_HIDDEN + MIN(time->tv_sec, INT_MAX / 1000),
					time->tv_usec };
	int ret;

	set_send_timeout(try->fd.number, &hidden);
	ret = start(try);
	if (ret && (errno == EINPROGRESS || errno == EALREADY))
		ret = wait_connected(try, timeout, errno);
	set_send_timeout(try->fd.number, time);
	return ret;
}

/* Complete connect() of a blocking socket. @err: its errno, 0 for success. */
static int settle(struct attempt *try, int err)
{
	int tries;

	/* The kernel lost a refusal when a signal restarted the call: the socket is as new. */
	for (tries = 0;
	     err == ECONNABORTED && tries < RESTARTS && !(shim_events(try->fd.number, 0) & POLLHUP);
	     tries++)
		err = next_connect(try->fd.number, try->addr, try->len) ? errno : 0;
	if (!err)
		return 0;
	if (err == EINTR)
		return again_after_signal(try);
	if (err == EALREADY)
		return wait_connected(try, -1, 0);
	errno = err;
	return -1;
}

static int connect_blocking(struct attempt *try)
{
	struct timeval time = { 0 };
	int timeout = shim_send_timeout(try->fd.number, &time);

	if (timeout >= 0)
		return connect_in_time(try, timeout, &time);
	return settle(try, next_connect(try->fd.number, try->addr, try->len) ? errno : 0);
}

/*
 * TCP sockets can be used again after a failure. SMC sockets cannot once they are closed, or if TCP
 * was connected and the handshake failed. Return: @err, or TCP's error for a socket in use.
 */
static int renew(struct attempt *try, int err)
{
	bool is_used;
	int state;

	if (err == EINPROGRESS || err == EALREADY || err == EISCONN || err == EINTR)
		return err;
	state = shim_tcp_state(try->fd.number);
	/* SMC's answer also for a listener, and when an end of the connection is closed. */
	if (err == EINVAL) {
		is_used = (state > 0 && state != TCP_CLOSE) ||
			  shim_events(try->fd.number, POLLRDHUP) & POLLRDHUP;
		return is_used ? EISCONN : err;
	}
	if (shim_events(try->fd.number, 0) & POLLHUP ||
	    (state > 0 && state != TCP_CLOSE && state != TCP_LISTEN && state != TCP_SYN_SENT))
		swap_fresh(try, "connect() failed");
	return err;
}

/* First port that the kernel chooses itself: net.ipv4.ip_local_port_range. */
#define FIRST_OWN_PORT 32768

/*
 * Bind to the address that the program had bound. If the failed connection still uses the port,
 * take another one, unless the program must have chosen it.
 */
static int bind_again(int fd, const union shim_address *from)
{
	union shim_address any_port = *from;

	if (!from->any.sa_family || !next_bind(fd, &from->any, shim_address_len(from)))
		return 0;
	if (errno != EADDRINUSE || ntohs(from->in.sin_port) < FIRST_OWN_PORT)
		return -1;
	any_port.in.sin_port = 0; /* same offset in IPv6 */
	return next_bind(fd, &any_port.any, shim_address_len(from));
}

/* Return: as connect(2) of a TCP socket; -1 with @err as errno if no TCP socket can replace it. */
static int connect_as_tcp(struct shim_fd *fd, int err, const struct shim_route *route)
{
	shim_lives_broke(fd->number, &route->to.any);
	if (shim_swap_unbound(fd, KIND_TCP, "the SMC handshake broke") ||
	    bind_again(fd->number, &route->from)) {
		errno = err;
		return -1;
	}
	return next_connect(fd->number, &route->to.any, shim_address_len(&route->to));
}

int shim_connect_verdict(struct shim_fd *fd, int err)
{
	AUTO_ERRNO();
	int verdict = err;
	struct shim_route route;
	struct shim_config own;

	if (!shim_config_get(&own)->strict && shim_route_find(fd->number, &route) &&
	    shim_fd_is_smc(fd) && shim_handshake_broke(fd->number, err))
		verdict = connect_as_tcp(fd, err, &route) ? errno : 0;
	return verdict == EINPROGRESS ? 0 : verdict;
}

/* Return: errno for a connect() that asks for the result of the previous one; 0 for another. */
static int previous_error(struct shim_fd *fd)
{
	struct shim_route route;
	int err;

	if (!shim_route_find(fd->number, &route) || route.is_shut ||
	    shim_events(fd->number, 0) != POLLERR)
		return 0;
	err = shim_int_option(fd->number, SOL_SOCKET, SO_ERROR);
	if (err <= 0)
		return 0;
	err = shim_connect_verdict(fd, err);
	return err ? err : EALREADY;
}

static int connect_nonblocking(struct attempt *try)
{
	int err = previous_error(&try->fd);

	if (!err) {
		if (!next_connect(try->fd.number, try->addr, try->len))
			return 0;
		err = errno;
		if (err == EINPROGRESS && try->has_route)
			shim_route_keep(try->fd.number, &try->route);
		err = renew(try, err);
	}
	errno = err;
	return -1;
}

/* After a blocking connect() that failed with @err. */
static int conclude(struct attempt *try, int err)
{
	struct shim_config own;

	if (!shim_is_locked && try->has_route && shim_handshake_broke(try->fd.number, err) &&
	    !shim_config_get(&own)->strict)
		return connect_as_tcp(&try->fd, err, &try->route);
	errno = shim_is_locked ? err : renew(try, err);
	return -1;
}

static bool is_nonblocking(int fd)
{
	return fcntl(fd, F_GETFL) & O_NONBLOCK;
}

static int connect_smc(struct attempt *try)
{
	struct linger kept = { 0 };
	int ret;

	if (try->has_route)
		shim_route_from(&try->route, try->fd.number);
	shim_linger_hide(try->fd.number, &kept);
	if (is_nonblocking(try->fd.number)) {
		ret = connect_nonblocking(try);
	} else {
		ret = connect_blocking(try);
		if (ret)
			ret = conclude(try, errno);
	}
	shim_linger_show(try->fd.number, &kept);
	return ret;
}

/* TCP can drop its connection and be reused; SMC cannot. */
static int disconnect(struct attempt *try)
{
	if (shim_tcp_state(try->fd.number) == TCP_LISTEN)
		return shim_swap_listener(&try->fd) ?
			       next_connect(try->fd.number, try->addr, try->len) :
			       0;
	if (shim_may_swap(try->fd.number) && !shim_events(try->fd.number, 0))
		return 0;
	return swap_fresh(try, "connect(AF_UNSPEC)");
}

/* True if one of its descriptors in this process is: others may have been passed. */
static bool is_own(int fd)
{
	struct stat file;
	int copy = fd;

	if (!shim_fd_is_own(fd) && shim_fd_is_marked(fd) && !shim_stat(fd, "", &file)) {
		copy = shim_next_copy(fd, &file, 0);
		while (copy >= 0 && !shim_fd_is_own(copy))
			copy = shim_next_copy(fd, &file, copy + 1);
	}
	return shim_fd_is_own(copy);
}

/*
 * After a fallback, the socket uses TCP, but still offers SMC when it connects again, and then does
 * not continue the handshake: the peer waits, and gives up. That is better than a new socket
 * without the keys that this or another process has set.
 */
static int disconnect_tcp(struct attempt *try)
{
	int ret = next_connect(try->fd.number, try->addr, try->len);

	if (ret || shim_has_protection || !is_own(try->fd.number) || !shim_fd_is_any_tcp(&try->fd))
		return ret;
	shim_swap(&try->fd, KIND_TCP, "connect(AF_UNSPEC)");
	return 0;
}

/*
 * Connect a socket without checks; its state is queried only on failure, see shim_fd_mark_plain(). It
 * may turn out not to be an SMC socket.
 */
static int connect_plain(struct attempt *try)
{
	int ret = next_connect(try->fd.number, try->addr, try->len), err = errno;

	if (!ret)
		return 0;
	shim_fd_lose(&try->fd, FD_PLAIN);
	if (err == EINPROGRESS) {
		if (try->has_route)
			shim_route_keep(try->fd.number, &try->route);
	} else if (shim_fd_is_smc(&try->fd)) {
		if (!is_nonblocking(try->fd.number))
			return settle(try, err) ? conclude(try, errno) : 0;
		err = renew(try, err);
	}
	errno = err;
	return ret;
}

static int connect_any(struct attempt *try)
{
	bool is_unspec = try->route.to.any.sa_family == AF_UNSPEC;

	try->has_route = try->len >= shim_address_len(&try->route.to);
	if (shim_fd_has(&try->fd, FD_PLAIN) && !is_unspec)
		return connect_plain(try);
	if (shim_fd_is_smc(&try->fd))
		return is_unspec ? disconnect(try) : connect_smc(try);
	return is_unspec ? disconnect_tcp(try) : next_connect(try->fd.number, try->addr, try->len);
}

/* SMC refuses other families before it looks at the state and the length: IPv6 allows 24 bytes. */
static int connect_other(struct attempt *try)
{
	int ret = next_connect(try->fd.number, try->addr, try->len);

	if (!ret || errno != EINVAL || !shim_fd_is_smc(&try->fd))
		return ret;
	errno = renew(try, EINVAL);
	if (errno == EINVAL &&
	    try->len >= (try->fd.sock.family == AF_INET6 ? 24 : sizeof(struct sockaddr_in)))
		errno = EAFNOSUPPORT;
	return ret;
}

/**
 * connect() - connect(2), with the behaviour of TCP sockets
 *
 * Repaired differences of SMC sockets: SO_SNDTIMEO limits the time; signals do not abort it; the
 * socket can be used again after a failure; AF_UNSPEC disconnects it; SO_LINGER keeps its time;
 * after a broken handshake TCP is tried once, unless SMC_STRICT is on.
 *
 * Return: 0 with errno untouched, or -1 with errno.
 */
int connect(int number, const struct sockaddr *addr, socklen_t len)
{
	struct attempt try = { .fd = shim_fd_enter(number), .addr = addr, .len = len };
	const struct sockaddr *to = &try.route.to.any;
	int saved = errno, ret;

	if (len < sizeof(addr->sa_family) || len > sizeof(struct sockaddr_storage) ||
	    shim_is_locked ||
	    !shim_read(&try.route.to, number, addr, MIN(len, sizeof(try.route.to)), SYS_connect))
		return next_connect(number, addr, len);
	shim_choose_connect(&try.fd, to, len);
	if (shim_fd_is_tcp_first(&try.fd) || !shim_repairs())
		ret = next_connect(number, addr, len);
	else if (to->sa_family == AF_INET || to->sa_family == AF_INET6 ||
		 to->sa_family == AF_UNSPEC)
		ret = connect_any(&try);
	else
		ret = connect_other(&try);
	shim_lives_connected(number, ret ? errno : 0);
	if (!ret)
		errno = saved;
	return ret;
}
