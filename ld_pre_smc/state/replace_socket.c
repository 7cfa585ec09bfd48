// SPDX-License-Identifier: MIT
/* Replace an unconnected socket: same file descriptor, same options. */
#include "ld_pre_smc/state/replace_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/array.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/accept_window.h"
#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/epoll_watches.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/unsent_data.h"
#include "process/sockopt_numbers.h"

/*
 * Maximum of clients, a millisecond apart, that wake threads waiting on a listener; the small one
 * if others may have the listener, or its address (SO_REUSEPORT). Then attempts to bind its
 * address.
 */
#define MOST_CLIENTS 1000
#define FEW_CLIENTS 64
#define BIND_TRIES 20

/*
 * Options of stream sockets that getsockopt(2) returns in the form accepted by setsockopt(2).
 * Excluded: TCP_CORK, TCP_DEFER_ACCEPT, and the numbers 23, 30, 33 and 34 of levels other than
 * SOL_SOCKET: see sockopt.c.
 */
/* clang-format off */
static const short socket_options[] = {
	SO_DEBUG, SO_REUSEADDR, SO_DONTROUTE, SO_BROADCAST, SO_KEEPALIVE, SO_OOBINLINE,
	SO_NO_CHECK, SO_PRIORITY, SO_LINGER, SO_REUSEPORT, SO_PASSCRED, SO_RCVLOWAT, SO_RCVTIMEO,
	SO_SNDTIMEO, SO_PASSSEC, SO_TIMESTAMP, SO_TIMESTAMPNS, SO_TIMESTAMPING, SO_MARK,
	SO_RXQ_OVFL, SO_SELECT_ERR_QUEUE, SO_BUSY_POLL, SO_MAX_PACING_RATE, SO_INCOMING_CPU,
	SO_BINDTOIFINDEX, SO_TXTIME, SO_PREFER_BUSY_POLL, SO_BUSY_POLL_BUDGET, SO_RESERVE_MEM,
	SO_TXREHASH, SO_RCVMARK, SO_PASSPIDFD,
};

static const short tcp_options[] = {
	TCP_NODELAY, TCP_MAXSEG, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_SYNCNT,
	TCP_LINGER2, TCP_WINDOW_CLAMP, TCP_QUICKACK, TCP_CONGESTION,
	TCP_THIN_LINEAR_TIMEOUTS, TCP_USER_TIMEOUT, TCP_NOTSENT_LOWAT, TCP_SAVE_SYN, TCP_INQ,
	TCP_TX_DELAY, TCP_RTO_MAX_MS, TCP_RTO_MIN_US, TCP_DELACK_MAX_US,
};

static const short ip_options[] = {
	IP_TOS, IP_TTL, IP_OPTIONS, IP_RECVOPTS, IP_RETOPTS, IP_PKTINFO, IP_MTU_DISCOVER,
	IP_RECVERR, IP_RECVTTL, IP_RECVTOS, IP_FREEBIND, IP_TRANSPARENT, IP_RECVORIGDSTADDR,
	IP_NODEFRAG, IP_BIND_ADDRESS_NO_PORT, IP_UNICAST_IF, IP_LOCAL_PORT_RANGE,
};

static const short ipv6_options[] = {
	IPV6_V6ONLY, IPV6_UNICAST_HOPS, IPV6_TCLASS, IPV6_MTU, IPV6_RECVERR, IPV6_RECVPKTINFO,
	IPV6_RECVHOPLIMIT, IPV6_RECVTCLASS, IPV6_DONTFRAG, IPV6_AUTOFLOWLABEL,
	IPV6_ADDR_PREFERENCES, IPV6_UNICAST_IF, IPV6_RECVORIGDSTADDR,
	IPV6_FREEBIND, IPV6_TRANSPARENT,
};

/* Excluded: SO_REUSEADDR and SO_REUSEPORT, which most servers set, and clients do not need. */
static const short inherited_options[] = {
	SO_DEBUG, SO_DONTROUTE, SO_BROADCAST, SO_KEEPALIVE, SO_OOBINLINE, SO_NO_CHECK,
	SO_LINGER, SO_RCVLOWAT, SO_SNDTIMEO, SO_MARK, SO_RXQ_OVFL, SO_SELECT_ERR_QUEUE,
	SO_BUSY_POLL, SO_MAX_PACING_RATE, SO_BINDTOIFINDEX, SO_TXTIME, SO_PREFER_BUSY_POLL,
	SO_RCVMARK, SO_LOCK_FILTER, SO_NOFCS, SO_WIFI_STATUS, SO_RCVPRIORITY,
};
/* clang-format on */

static const struct {
	int level;
	const short *names;
	size_t n;
} copied[] = {
	{ SOL_SOCKET, socket_options, ARRAY_SIZE(socket_options) },
	{ IPPROTO_TCP, tcp_options, ARRAY_SIZE(tcp_options) },
	{ IPPROTO_IP, ip_options, ARRAY_SIZE(ip_options) },
	{ IPPROTO_IPV6, ipv6_options, ARRAY_SIZE(ipv6_options) },
};

/* Return: 0 if the options are equal or cannot be read, 1 if copied, -1 if refused. */
static int copy_option(int from, int to, int level, int name)
{
	char old[64], new[64];
	socklen_t old_len = sizeof(old), new_len = sizeof(new);

	if (next_getsockopt(from, level, name, old, &old_len) ||
	    next_getsockopt(to, level, name, new, &new_len) ||
	    (old_len == new_len && !memcmp(old, new, old_len)))
		return 0;
	return next_setsockopt(to, level, name, old, old_len) ? -1 : 1;
}

/*
 * A socket of this process alone can only have options that the process has ever set. Return: true
 * if @to accepted all. If the program has since dropped the right to set an option, a TCP socket
 * refuses it, and the setting is lost.
 */
static bool copy_options(int from, int to, int level, const short *names, size_t n)
{
	bool all = true, is_own = shim_fd_is_own(from);

	for (; n; n--, names++)
		if ((!is_own || shim_option_was_set(level, *names)) &&
		    copy_option(from, to, level, *names) < 0)
			all = false;
	return all;
}

/* SO_RCVTIMEO of a listener may be accept()'s mark. */
static int copy_receive_time(int listener, int fd)
{
	struct timeval time, had = { 0 };
	socklen_t len = sizeof(had);

	shim_window_time(listener, &time);
	if (next_getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &had, &len) ||
	    (time.tv_sec == had.tv_sec && time.tv_usec == had.tv_usec))
		return 0;
	return next_setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) ? -1 : 1;
}

void shim_inherit_options(int listener, int fd)
{
	AUTO_ERRNO();
	int differ = 0;

	if (!shim_fd_has_options(listener) || !shim_is_smc(listener, NULL) ||
	    !shim_mends(listener, REPAIR_INHERIT))
		return;
	shim_fd_note_options(listener, false);
	for (size_t i = 0; i < ARRAY_SIZE(inherited_options); i++)
		if (shim_option_was_set(SOL_SOCKET, inherited_options[i]))
			differ |= copy_option(listener, fd, SOL_SOCKET, inherited_options[i]);
	if (shim_option_was_set(SOL_SOCKET, SO_RCVTIMEO))
		differ |= copy_receive_time(listener, fd);
	if (differ)
		shim_fd_note_options(listener, true);
}

static void copy_flags(int from, int to)
{
	struct f_owner_ex owner;
	bool may_have_owner = shim_has_owners || !shim_fd_is_own(from);
	int flags = fcntl(from, F_GETFL), number = may_have_owner ? fcntl(from, F_GETSIG) : 0;

	if (may_have_owner && !fcntl(from, F_GETOWN_EX, &owner) && owner.pid)
		fcntl(to, F_SETOWN_EX, &owner);
	if (number > 0)
		fcntl(to, F_SETSIG, number);
	if (flags >= 0)
		fcntl(to, F_SETFL, flags);
}

/*
 * Copy the program's settings. Copied: options that differ from those of a new socket, O_NONBLOCK,
 * O_ASYNC, owner and signal; only for SMC, the sizes of SMC_SNDBUF and SMC_RCVBUF. Keys, filters,
 * memberships and the like cannot be copied: setsockopt(2) sets them on TCP sockets only, which are
 * not replaced. Return: true if the new socket accepted all options. Preserves errno.
 */
static bool copy_settings(int from, int to, int family, bool are_both_smc)
{
	AUTO_ERRNO();
	bool all = true;

	for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
		if (copied[i].level != IPPROTO_IPV6 || family == AF_INET6)
			all &= copy_options(from, to, copied[i].level, copied[i].names,
					    copied[i].n);
	shim_copy_buffers(from, to, are_both_smc);
	copy_flags(from, to);
	return all;
}

bool shim_replace_copies(int level, int name)
{
	for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
		for (size_t n = 0; copied[i].level == level && n < copied[i].n; n++)
			if (copied[i].names[n] == name)
				return true;
	return level == SOL_SOCKET && (name == SO_SNDBUF || name == SO_RCVBUF ||
				       name == SO_SNDBUFFORCE || name == SO_RCVBUFFORCE);
}

bool shim_may_replace(int fd)
{
	return shim_tcp_state(fd) == TCP_CLOSE && !shim_is_connected(fd);
}

static int open_like(const struct shim_fd *fd, enum shim_kind kind)
{
	int saved = errno, fresh = shim_new_socket(fd->sock.family, kind);
	bool was_tcp = fd->sock.kind == KIND_TCP, is_tcp = kind == KIND_TCP;

	if (fresh < 0)
		return -1;
	/* SMC would fall back to TCP for an option that it refuses: keep this TCP socket. */
	if (!copy_settings(fd->number, fresh, fd->sock.family, !was_tcp && !is_tcp) && was_tcp &&
	    !is_tcp) {
		shim_close(fresh);
		errno = EOPNOTSUPP;
		return -1;
	}
	errno = saved;
	return fresh;
}

int shim_replace_open(const struct shim_fd *fd, enum shim_kind kind)
{
	struct shim_config own;

	if (kind == KIND_TCP && shim_config_get(&own)->strict) {
		errno = EPERM;
		return -1;
	}
	return open_like(fd, kind);
}

static int replace_one(int fd, int fresh)
{
	int cloexec = fcntl(fd, F_GETFD), ret;
	struct shim_watches watches;

	shim_fd_drop(FD_PLAIN, fd);
	shim_watches_find(&watches, fd, fresh);
	ret = next_dup3(fresh, fd, cloexec & FD_CLOEXEC ? O_CLOEXEC : 0);
	shim_watches_restore(&watches);
	return ret < 0 ? -1 : 0;
}

static int replace_all(struct shim_fd *fd, int fresh, enum shim_kind kind)
{
	struct stat old;
	bool has_copies = shim_has_copies && !shim_stat(fd->number, "", &old);
	int ret = replace_one(fd->number, fresh), copy = -1;

	while (!ret && has_copies && (copy = shim_next_copy(fd->number, &old, copy + 1)) >= 0)
		replace_one(copy, fresh);
	shim_close(fresh);
	if (ret)
		return -1;
	if (kind == KIND_TCP)
		shim_fd_clear(FD_SMC, fd->number);
	shim_fd_became(fd, kind);
	return 0;
}

/* A failed connect(2) releases a port that the kernel had chosen, but still reports it. */
static bool has_lost_port(int fd, union shim_address addr)
{
	addr.in.sin_port = 0; /* same offset in IPv6 */
	return !next_bind(fd, &addr.any, shim_address_len(&addr));
}

/* Two sockets cannot have the same address, so the old one is closed first. */
static int replace(struct shim_fd *fd, int fresh, enum shim_kind kind, const char *why,
		   bool is_bound)
{
	struct shim_route old = { 0 };
	int saved = errno, err = 0;
	bool is_lost;

	if (fresh < 0)
		return errno;
	if (is_bound && !shim_is_connected(fd->number))
		shim_route_from(&old, fd->number);
	is_lost = old.from.any.sa_family && has_lost_port(fd->number, old.from);
	if (replace_all(fd, fresh, kind))
		return errno;
	if (old.from.any.sa_family &&
	    next_bind(fd->number, &old.from.any, shim_address_len(&old.from)) &&
	    !(is_lost && errno == EADDRINUSE))
		err = errno;
	shim_log_fd(fd->number, why, shim_kind_names[kind], err);
	errno = err ? err : saved;
	return err;
}

int shim_replace_by(struct shim_fd *fd, int fresh, enum shim_kind kind, const char *why)
{
	return replace(fd, fresh, kind, why, !shim_fd_has(fd, FD_PLAIN));
}

int shim_replace(struct shim_fd *fd, enum shim_kind kind, const char *why)
{
	return shim_replace_by(fd, open_like(fd, kind), kind, why);
}

int shim_replace_unbound(struct shim_fd *fd, enum shim_kind kind, const char *why)
{
	return replace(fd, open_like(fd, kind), kind, why, false);
}

/*
 * Only a client ends accept(2) and poll(2) on an SMC listener: connect one, which leaves at once.
 * @how: by SO_LINGER, for a reset, which leaves no socket that has the port
 * Return: true if the listener is still there
 */
static bool knock(const union shim_address *addr, const struct linger *how)
{
	static const struct timeval limit = { .tv_usec = 200000 };
	int fd = shim_new_socket(addr->any.sa_family, KIND_TCP);
	bool is_there;

	next_setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	next_setsockopt(fd, SOL_SOCKET, SO_LINGER, how, sizeof(*how));
	/* Do not use libc's function, which is a cancellation point. */
	is_there = !syscall(SYS_connect, fd, addr, shim_address_len(addr));
	shim_close(fd);
	return is_there;
}

static void end_waits(const union shim_address *addr, bool is_alone)
{
	const struct linger how = { .l_onoff = is_alone };
	int tries = is_alone ? MOST_CLIENTS : FEW_CLIENTS;

	while (tries-- && knock(addr, &how))
		shim_nap();
}

int shim_bind_again(int fd, const union shim_address *addr, int tries, int first)
{
	union shim_address any_port = *addr;
	int ret = 0;

	while (addr->any.sa_family && (ret = next_bind(fd, &addr->any, shim_address_len(addr))) &&
	       errno == EADDRINUSE && tries--)
		shim_nap();
	if (!ret || errno != EADDRINUSE || ntohs(addr->in.sin_port) < first)
		return ret;
	any_port.in.sin_port = 0; /* same offset in IPv6 */
	return next_bind(fd, &any_port.any, shim_address_len(addr));
}

int shim_replace_listener(struct shim_fd *fd)
{
	bool is_own = shim_fd_has(fd, FD_OWN);
	bool is_alone = is_own && shim_int_option(fd->number, SOL_SOCKET, SO_REUSEPORT) <= 0 &&
			!shim_is_used_elsewhere(fd->number);
	AUTO_ERRNO();
	int fresh = -1, err;
	struct shim_signals signals = { 0 };
	struct shim_route old;

	shim_route_from(&old, fd->number);
	/* listen() makes only a socket of this process an SMC socket again. */
	if (shim_fd_is_smc(fd))
		fresh = is_own ? open_like(fd, KIND_TCP) : shim_replace_open(fd, KIND_TCP);
	if (fresh < 0 || replace_all(fd, fresh, KIND_TCP))
		return -1;
	shim_signals_block(&signals);
	end_waits(&old.from, is_alone);
	/* The last thread that waited closes the old socket. */
	err = shim_bind_again(fd->number, &old.from, BIND_TRIES, 0) ? errno : 0;
	shim_signals_restore(&signals);
	shim_log_fd(fd->number, "shutdown() of a listener", shim_kind_names[KIND_TCP], err);
	return 0;
}
