// SPDX-License-Identifier: MIT
/* Options and flags of one socket given to another. */
#include "ld_pre_smc/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

#include "ld_pre_smc/config.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/sockopt_numbers.h"

/* Bits of SO_BUF_LOCK: include/linux/socket.h. */
#define SNDBUF_LOCK 1
#define RCVBUF_LOCK 2

struct option {
	short level;
	short name;
};

/*
 * What setsockopt(2) takes and getsockopt(2) gives back in the same form, for stream sockets. Not
 * here: the numbers 23, 30, 33 and 34 of levels other than SOL_SOCKET, which end SMC: see sockopt.c.
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

void shim_copy_settings(int from, int to, int family, enum shim_kind kind)
{
	int saved = errno;

	copy_options(from, to, options, COUNT(options));
	if (family == AF_INET6)
		copy_options(from, to, options6, COUNT(options6));
	copy_buffers(from, to, kind);
	copy_flags(from, to);
	errno = saved;
}
