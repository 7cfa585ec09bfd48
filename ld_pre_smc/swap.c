// SPDX-License-Identifier: MIT
/* Another socket in the place of an unconnected one: same file descriptor, same options. */
#include "ld_pre_smc/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ld_pre_smc/epoll.h"
#include "ld_pre_smc/line.h"
#include "ld_pre_smc/next.h"

/* <asm-generic/socket.h>, newer than some libcs; the older architectures number differently. */
#ifndef SO_BINDTOIFINDEX
#define SO_BINDTOIFINDEX 62
#endif
#ifndef SO_PREFER_BUSY_POLL
#define SO_PREFER_BUSY_POLL 69
#endif
#ifndef SO_BUSY_POLL_BUDGET
#define SO_BUSY_POLL_BUDGET 70
#endif
#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK 72
#endif
#ifndef SO_RESERVE_MEM
#define SO_RESERVE_MEM 73
#endif
#ifndef SO_TXREHASH
#define SO_TXREHASH 74
#endif
#ifndef SO_RCVMARK
#define SO_RCVMARK 75
#endif
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif
/* <linux/in.h> since 6.3. */
#ifndef IP_LOCAL_PORT_RANGE
#define IP_LOCAL_PORT_RANGE 51
#endif
/* Bits of SO_BUF_LOCK: include/linux/socket.h. */
#define SNDBUF_LOCK 1
#define RCVBUF_LOCK 2

struct option {
	short level;
	short name;
};

/*
 * What setsockopt(2) takes and getsockopt(2) gives back in the same form, for stream sockets. Not
 * here: the numbers 23, 30, 33 and 34 of levels other than SOL_SOCKET, which end SMC, see options.c.
 */
static const struct option options[] = {
	{ SOL_SOCKET, SO_DEBUG }, { SOL_SOCKET, SO_REUSEADDR }, { SOL_SOCKET, SO_DONTROUTE },
	{ SOL_SOCKET, SO_BROADCAST }, { SOL_SOCKET, SO_KEEPALIVE }, { SOL_SOCKET, SO_OOBINLINE },
	{ SOL_SOCKET, SO_NO_CHECK }, { SOL_SOCKET, SO_PRIORITY }, { SOL_SOCKET, SO_LINGER },
	{ SOL_SOCKET, SO_REUSEPORT }, { SOL_SOCKET, SO_PASSCRED }, { SOL_SOCKET, SO_RCVLOWAT },
	{ SOL_SOCKET, SO_RCVTIMEO }, { SOL_SOCKET, SO_SNDTIMEO }, { SOL_SOCKET, SO_PASSSEC },
	{ SOL_SOCKET, SO_TIMESTAMP }, { SOL_SOCKET, SO_TIMESTAMPNS },
	{ SOL_SOCKET, SO_TIMESTAMPING }, { SOL_SOCKET, SO_MARK }, { SOL_SOCKET, SO_RXQ_OVFL },
	{ SOL_SOCKET, SO_SELECT_ERR_QUEUE }, { SOL_SOCKET, SO_BUSY_POLL },
	{ SOL_SOCKET, SO_MAX_PACING_RATE }, { SOL_SOCKET, SO_INCOMING_CPU },
	{ SOL_SOCKET, SO_BINDTOIFINDEX }, { SOL_SOCKET, SO_TXTIME },
	{ SOL_SOCKET, SO_PREFER_BUSY_POLL }, { SOL_SOCKET, SO_BUSY_POLL_BUDGET },
	{ SOL_SOCKET, SO_RESERVE_MEM }, { SOL_SOCKET, SO_TXREHASH }, { SOL_SOCKET, SO_RCVMARK },
	{ SOL_SOCKET, SO_PASSPIDFD },
	{ IPPROTO_TCP, TCP_NODELAY }, { IPPROTO_TCP, TCP_MAXSEG }, { IPPROTO_TCP, TCP_CORK },
	{ IPPROTO_TCP, TCP_KEEPIDLE }, { IPPROTO_TCP, TCP_KEEPINTVL },
	{ IPPROTO_TCP, TCP_KEEPCNT }, { IPPROTO_TCP, TCP_SYNCNT }, { IPPROTO_TCP, TCP_LINGER2 },
	{ IPPROTO_TCP, TCP_DEFER_ACCEPT }, { IPPROTO_TCP, TCP_WINDOW_CLAMP },
	{ IPPROTO_TCP, TCP_QUICKACK }, { IPPROTO_TCP, TCP_CONGESTION },
	{ IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS }, { IPPROTO_TCP, TCP_USER_TIMEOUT },
	{ IPPROTO_TCP, TCP_NOTSENT_LOWAT }, { IPPROTO_TCP, TCP_SAVE_SYN },
	{ IPPROTO_TCP, TCP_INQ }, { IPPROTO_TCP, TCP_TX_DELAY },
	{ IPPROTO_IP, IP_TOS }, { IPPROTO_IP, IP_TTL }, { IPPROTO_IP, IP_OPTIONS },
	{ IPPROTO_IP, IP_RECVOPTS }, { IPPROTO_IP, IP_RETOPTS }, { IPPROTO_IP, IP_PKTINFO },
	{ IPPROTO_IP, IP_MTU_DISCOVER }, { IPPROTO_IP, IP_RECVERR }, { IPPROTO_IP, IP_RECVTTL },
	{ IPPROTO_IP, IP_RECVTOS }, { IPPROTO_IP, IP_FREEBIND }, { IPPROTO_IP, IP_TRANSPARENT },
	{ IPPROTO_IP, IP_RECVORIGDSTADDR }, { IPPROTO_IP, IP_MINTTL }, { IPPROTO_IP, IP_NODEFRAG },
	{ IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT }, { IPPROTO_IP, IP_UNICAST_IF },
	{ IPPROTO_IP, IP_LOCAL_PORT_RANGE },
};

static const struct option options6[] = {
	{ IPPROTO_IPV6, IPV6_V6ONLY }, { IPPROTO_IPV6, IPV6_UNICAST_HOPS },
	{ IPPROTO_IPV6, IPV6_TCLASS }, { IPPROTO_IPV6, IPV6_MTU }, { IPPROTO_IPV6, IPV6_RECVERR },
	{ IPPROTO_IPV6, IPV6_RECVPKTINFO }, { IPPROTO_IPV6, IPV6_RECVHOPLIMIT },
	{ IPPROTO_IPV6, IPV6_RECVTCLASS }, { IPPROTO_IPV6, IPV6_DONTFRAG },
	{ IPPROTO_IPV6, IPV6_AUTOFLOWLABEL }, { IPPROTO_IPV6, IPV6_ADDR_PREFERENCES },
	{ IPPROTO_IPV6, IPV6_MINHOPCOUNT }, { IPPROTO_IPV6, IPV6_UNICAST_IF },
	{ IPPROTO_IPV6, IPV6_RECVORIGDSTADDR }, { IPPROTO_IPV6, IPV6_FREEBIND },
	{ IPPROTO_IPV6, IPV6_TRANSPARENT },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void shim_close(int fd)
{
	int saved = errno;

	syscall(SYS_close, fd);
	errno = saved;
}

/* "fd 3: WHAT", "fd 3: WHAT -> BECAME", "fd 3: WHAT -> BECAME, bind: EADDRINUSE" */
static void tell(int fd, const char *what, const char *became, int bind_err)
{
	struct shim_config own;
	const struct shim_config *cfg = shim_config_get(&own);
	struct line line;

	if (!cfg->debug)
		return;
	line_start(&line);
	line_text(&line, "fd ");
	line_number(&line, fd);
	line_text(&line, ": ");
	line_text(&line, what);
	line_text(&line, became ? " -> " : "");
	line_text(&line, became ? became : "");
	if (bind_err) {
		line_text(&line, ", bind: ");
		line_errno(&line, bind_err);
	}
	line_send(&line, cfg);
}

void shim_tell(int fd, const char *text)
{
	tell(fd, text, NULL, 0);
}

bool shim_may_swap(int fd)
{
	return shim_tcp_state(fd) == TCP_CLOSE && !shim_is_connected(fd);
}

/* What fails here was allowed when the program set it: a right given up since then. It is lost. */
static void copy_options(int from, int to, const struct option *opts, size_t n)
{
	char old[64], new[64];
	socklen_t old_len, new_len;

	for (; n; n--, opts++) {
		old_len = sizeof(old);
		new_len = sizeof(new);
		if (next_getsockopt(from, opts->level, opts->name, old, &old_len) ||
		    next_getsockopt(to, opts->level, opts->name, new, &new_len))
			continue;
		if (old_len != new_len || memcmp(old, new, old_len))
			next_setsockopt(to, opts->level, opts->name, old, old_len);
	}
}

/* getsockopt() gives twice what setsockopt() took. A size of ours is nothing for a TCP socket. */
static void copy_buffer(int from, int to, int name, int locked, int own)
{
	int bytes = shim_int_option(from, SOL_SOCKET, name) / 2;

	if (locked && !own && bytes > 0)
		next_setsockopt(to, SOL_SOCKET, name, &bytes, sizeof(bytes));
}

static void copy_buffers(int from, int to, enum shim_kind kind)
{
	struct shim_config own;
	const struct shim_config *cfg = shim_config_get(&own);
	int locks = shim_int_option(from, SOL_SOCKET, SO_BUF_LOCK);

	if (locks <= 0)
		return;
	copy_buffer(from, to, SO_SNDBUF, locks & SNDBUF_LOCK, kind == KIND_TCP ? cfg->sndbuf : 0);
	copy_buffer(from, to, SO_RCVBUF, locks & RCVBUF_LOCK, kind == KIND_TCP ? cfg->rcvbuf : 0);
}

static void copy_flags(int from, int to)
{
	struct f_owner_ex owner;
	int flags = fcntl(from, F_GETFL), number = fcntl(from, F_GETSIG);

	if (!fcntl(from, F_GETOWN_EX, &owner) && owner.pid)
		fcntl(to, F_SETOWN_EX, &owner);
	if (number > 0)
		fcntl(to, F_SETSIG, number);
	if (flags >= 0)
		fcntl(to, F_SETFL, flags);
}

static int open_like(int fd, const struct shim_sock *sock, enum shim_kind kind)
{
	int saved = errno, fresh = shim_new_socket(sock->family, kind);

	if (fresh < 0)
		return -1;
	copy_options(fd, fresh, options, COUNT(options));
	if (sock->family == AF_INET6)
		copy_options(fd, fresh, options6, COUNT(options6));
	copy_buffers(fd, fresh, kind);
	copy_flags(fd, fresh);
	errno = saved;
	return fresh;
}

int shim_swap_open(int fd, const struct shim_sock *sock, enum shim_kind kind)
{
	struct shim_config own;

	if (kind == KIND_TCP && shim_config_get(&own)->strict) {
		errno = EPERM;
		return -1;
	}
	return open_like(fd, sock, kind);
}

static bool is_zero(const void *bytes, size_t n)
{
	const char *byte = bytes;

	while (n && !*byte)
		n--, byte++;
	return !n;
}

/* The address that a program gave by bind(2), length 0 for none. */
static socklen_t bound_address(int fd, struct sockaddr_storage *addr)
{
	const struct sockaddr_in *in = (void *)addr;
	const struct sockaddr_in6 *in6 = (void *)addr;
	socklen_t len = sizeof(*addr);

	if (shim_is_connected(fd) || getsockname(fd, (struct sockaddr *)addr, &len))
		return 0;
	if (addr->ss_family == AF_INET6 && !in6->sin6_port &&
	    is_zero(&in6->sin6_addr, sizeof(in6->sin6_addr)))
		return 0;
	if (addr->ss_family == AF_INET && !in->sin_port && !in->sin_addr.s_addr)
		return 0;
	return len;
}

/* Two sockets cannot have one address, so the old one goes first. */
int shim_swap_in(int fd, int fresh, enum shim_kind kind, const char *why)
{
	int saved = errno, cloexec = fcntl(fd, F_GETFD), err = 0;
	struct sockaddr_storage addr;
	socklen_t len = bound_address(fd, &addr);
	struct shim_watches watches;

	shim_watches_find(&watches, fd, fresh);
	if (dup3(fresh, fd, cloexec & FD_CLOEXEC ? O_CLOEXEC : 0) < 0) {
		shim_close(fresh);
		return -1;
	}
	shim_close(fresh);
	shim_watches_restore(&watches);
	if (len && next_bind(fd, (struct sockaddr *)&addr, len))
		err = errno;
	tell(fd, why, shim_kind_names[kind], err);
	errno = err ? err : saved;
	return err ? -1 : 0;
}

int shim_swap(int fd, const struct shim_sock *sock, enum shim_kind kind, const char *why)
{
	int fresh = shim_swap_open(fd, sock, kind);

	return fresh < 0 ? -1 : shim_swap_in(fd, fresh, kind, why);
}

int shim_swap_by_rule(int fd, const struct shim_sock *sock, const char *why)
{
	int fresh = open_like(fd, sock, KIND_TCP);

	return fresh < 0 ? -1 : shim_swap_in(fd, fresh, KIND_TCP, why);
}
