// SPDX-License-Identifier: MIT
/* setsockopt(2) and getsockopt(2), with the behaviour of a TCP socket. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "ld_pre_smc/calls/connect.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/accept_window.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "process/sockopt_numbers.h"

/* <linux/socket.h>: level of SMC's own options. */
#define SOL_SMC_286 286

/*
 * smc_setsockopt() in net/smc/af_smc.c checks the number only, whatever the level: these options
 * end SMC, and connections of a listener with one of them never wake their readers. SMC connections
 * have no use for them: fast open needs TCP's handshake, the others (IP_CHECKSUM,
 * IPV6_MTU_DISCOVER, IPV6_FLOWINFO_SEND, IP_MULTICAST_LOOP) affect packets.
 */
static bool ends_smc(int level, int name)
{
	if (level == SOL_SOCKET || level == SOL_SMC_286)
		return false;
	switch (name) {
	case TCP_FASTOPEN:
	case TCP_FASTOPEN_CONNECT:
	case TCP_FASTOPEN_KEY:
	case TCP_FASTOPEN_NO_COOKIE: return true;
	default: return false;
	}
}

/* Options that SMC accepts but that break connect(): the handshake waits for that many bytes. */
static bool needs_tcp(int level, int name, const void *value, socklen_t len)
{
	int number;

	if (!(level == SOL_SOCKET && name == SO_RCVLOWAT) &&
	    !(level == IPPROTO_TCP && name == TCP_REPAIR))
		return false;
	if (len < sizeof(number))
		return false;
	memcpy(&number, value, sizeof(number));
	return name == SO_RCVLOWAT ? number > 1 : number > 0;
}

static const char *why(int level, int name)
{
	if (level != SOL_SOCKET)
		return "a TCP option";
	switch (name) {
	case SO_REUSEPORT: return "SO_REUSEPORT";
	case SO_RCVLOWAT: return "SO_RCVLOWAT";
	case SO_ZEROCOPY: return "SO_ZEROCOPY";
	case SO_PEEK_OFF: return "SO_PEEK_OFF";
	case SO_TXREHASH: return "SO_TXREHASH";
	default: return "an option that SMC refuses";
	}
}

/* Does a new socket already have the value? Then nothing need be set. */
static bool has_value(int fd, int level, int name, const void *value, socklen_t len)
{
	char now[64];
	socklen_t now_len = sizeof(now);

	return !next_getsockopt(fd, level, name, now, &now_len) && now_len == len &&
	       !memcmp(now, value, len);
}

/* Return: 0, or -1 with errno; 1 if no such socket could be opened. */
static int set_on_other(int fd, const struct shim_sock *sock, enum shim_kind kind, int level,
			int name, const void *value, socklen_t len)
{
	int fresh = shim_swap_open(fd, sock, kind);

	if (fresh < 0)
		return 1;
	if (has_value(fresh, level, name, value, len)) {
		shim_close(fresh);
		return 0;
	}
	if (!next_setsockopt(fresh, level, name, value, len))
		return shim_swap_in(fd, fresh, kind, why(level, name));
	shim_close(fresh);
	return -1;
}

/*
 * IPPROTO_SMC supports SO_REUSEPORT (Linux 6.11 and later); TCP supports all others that SMC
 * refuses.
 */
static int set_by_swap(int fd, int level, int name, const void *value, socklen_t len)
{
	int saved = errno, ret = 1;
	struct shim_sock sock;

	if (!shim_is_smc(fd, &sock) || !shim_may_swap(fd))
		return -1;
	if (name == SO_REUSEPORT && sock.kind != KIND_INET)
		ret = set_on_other(fd, &sock, KIND_INET, level, name, value, len);
	if (ret)
		ret = set_on_other(fd, &sock, KIND_TCP, level, name, value, len);
	if (ret <= 0)
		return ret;
	errno = saved;
	return -1;
}

/*
 * net/smc/af_smc.c refuses values of less than four bytes, after TCP has accepted them: one byte
 * for IP options, a congestion control name of three letters, an empty value to remove IP_OPTIONS.
 */
static int set_short(int fd, int level, int name, const void *value, socklen_t len)
{
	bool is_name = level == IPPROTO_TCP && name == TCP_CONGESTION;
	char text[sizeof(int)] = { 0 };
	int number;

	if ((!is_name && level != IPPROTO_IP) || !shim_is_smc(fd, NULL))
		return -1;
	if (level == IPPROTO_IP && name == IP_OPTIONS)
		return len ? -1 : 0;
	if (len)
		memcpy(text, value, len);
	number = (unsigned char)text[0];
	return is_name ? next_setsockopt(fd, level, name, text, sizeof(text)) :
			 next_setsockopt(fd, level, name, &number, sizeof(number));
}

static bool is_ulp_smc(int level, int name, const void *value, socklen_t len)
{
	return level == IPPROTO_TCP && name == TCP_ULP && len >= 3 && len <= 4 &&
	       !memcmp(value, "smc", 3);
}

static int repair_set(int fd, int level, int name, const void *value, socklen_t len)
{
	if (errno == EINVAL && len < sizeof(int))
		return set_short(fd, level, name, value, len);
	if (errno != EOPNOTSUPP)
		return -1;
	if (is_ulp_smc(level, name, value, len))
		return shim_is_smc(fd, NULL) ? 0 : -1;
	return level == SOL_SOCKET ? set_by_swap(fd, level, name, value, len) : -1;
}

static bool is_receive_time(int level, int name)
{
	return level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_RCVTIMEO_NEW);
}

/*
 * Does a value of SO_RCVTIMEO look like accept()'s marker? It is two numbers: 64 bits each, except
 * with the older name in 32-bit programs.
 */
static bool is_mark(int name, const void *value, socklen_t len)
{
	long long wide[2];
	long time[2];

	if (name != SO_RCVTIMEO_NEW && len >= sizeof(time)) {
		memcpy(time, value, sizeof(time));
		return shim_is_mark(time[0], time[1]);
	}
	if (name != SO_RCVTIMEO_NEW || len < sizeof(wide))
		return false;
	memcpy(wide, value, sizeof(wide));
	return shim_is_mark(wide[0], wide[1]);
}

/* Round up by a tick so the program's timeout differs from our accept marker. */
static int set_receive_time(int fd, int name, const void *value, socklen_t len)
{
	static const struct timeval least = { .tv_usec = SHIM_MARK_MOST + 1 };

	shim_window_wait(fd);
	if (is_mark(name, value, len) && shim_is_smc(fd, NULL) && !shim_is_connected(fd))
		return next_setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &least, sizeof(least));
	return next_setsockopt(fd, SOL_SOCKET, name, value, len);
}

/* Options whose values matter to connect(). */
static bool concerns_connect(int level, int name)
{
	return level == SOL_SOCKET &&
	       (name == SO_LINGER || name == SO_SNDTIMEO || name == SO_SNDTIMEO_NEW);
}

/**
 * setsockopt() - setsockopt(2), with options that SMC refuses or misinterprets
 *
 * Only differs from the next function for SMC sockets without fallback: an option that SMC refuses,
 * or that would break connect(), turns an unused socket into an IPPROTO_SMC one (SO_REUSEPORT) or a
 * TCP one; options that would end SMC are accepted and ignored; values of one to three bytes are
 * padded; TCP_ULP "smc" succeeds without effect.
 *
 * Return: 0 with errno untouched, or -1 with the errno of the last attempt.
 */
int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	int saved = errno, ret;

	shim_option_note(level, name);
	if (concerns_connect(level, name))
		shim_fd_drop(FD_PLAIN, fd);
	if (shim_fd_is_tcp(fd) && (needs_tcp(level, name, value, len) ||
				   (!ends_smc(level, name) && !shim_swap_copies(level, name))))
		shim_fd_drop(FD_OWN, fd); /* stays TCP */
	if (!shim_repairs() || shim_fd_is_tcp(fd))
		return next_setsockopt(fd, level, name, value, len);
	if (is_receive_time(level, name))
		return set_receive_time(fd, name, value, len);
	if (ends_smc(level, name) && shim_is_smc(fd, NULL)) {
		shim_log_fd(fd, "an option that ends SMC is ignored", NULL, 0);
		return 0;
	}
	if (needs_tcp(level, name, value, len) && !set_by_swap(fd, level, name, value, len)) {
		errno = saved;
		return 0;
	}
	ret = next_setsockopt(fd, level, name, value, len);
	if (ret)
		ret = repair_set(fd, level, name, value, len);
	if (!ret)
		errno = saved;
	return ret;
}

SHIM_TIME64(setsockopt, __setsockopt64);

/*
 * A timed-out non-blocking connect() leaves SO_ERROR at 0 (fixed in 7.2): the socket is closed and
 * hung up without an error, and TCP has sent its SYN more than once. The cause may also have been
 * the route, which is not reported.
 */
static int lost_error(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);
	int saved = errno, lost = 0, events = shim_events(fd, POLLIN | POLLOUT);

	if (events == POLLOUT)
		shim_lives_connected(fd, 0);
	if (events == POLLHUP && shim_is_smc(fd, NULL) &&
	    !next_getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) &&
	    info.tcpi_state == TCP_CLOSE && info.tcpi_total_retrans)
		lost = ETIMEDOUT;
	errno = saved;
	return lost;
}

/* Value that replaces an SMC socket's value for the program. */
static int repair_get(int fd, int name, int value)
{
	struct shim_sock sock;

	switch (name) {
	case SO_DOMAIN: return value == AF_SMC && shim_is_smc(fd, &sock) ? sock.family : value;
	case SO_PROTOCOL:
		return value != IPPROTO_TCP && shim_is_smc(fd, NULL) ? IPPROTO_TCP : value;
	default: return value ? shim_connect_verdict(fd, value) : lost_error(fd);
	}
}

/* Hide accept()'s marker; one that is still set later is stale. */
static void hide_mark(int fd, int name, void *value, socklen_t *len)
{
	int saved = errno;

	if (!is_mark(name, value, *len) || !shim_repairs() ||
	    shim_int_option(fd, SOL_SOCKET, SO_ACCEPTCONN) <= 0 || !shim_is_smc(fd, NULL))
		return;
	shim_window_wait(fd);
	if (next_getsockopt(fd, SOL_SOCKET, name, value, len) || is_mark(name, value, *len))
		memset(value, 0, *len);
	errno = saved;
}

/**
 * getsockopt() - getsockopt(2), with SO_DOMAIN, SO_PROTOCOL and SO_ERROR of a TCP socket
 *
 * Return: 0, or -1 with the errno of the next function.
 */
int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	int ret = next_getsockopt(fd, level, name, value, len), number;

	if (!ret && is_receive_time(level, name))
		hide_mark(fd, name, value, len);
	if (ret || level != SOL_SOCKET || *len != sizeof(number) ||
	    (name != SO_DOMAIN && name != SO_PROTOCOL && name != SO_ERROR) || !shim_repairs())
		return ret;
	memcpy(&number, value, sizeof(number));
	if (name == SO_ERROR)
		shim_lives_error(fd, number);
	if (shim_fd_is_tcp(fd))
		return ret;
	number = repair_get(fd, name, number);
	memcpy(value, &number, sizeof(number));
	return ret;
}

SHIM_TIME64(getsockopt, __getsockopt64);
