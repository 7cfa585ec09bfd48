// SPDX-License-Identifier: MIT
/* setsockopt(2) and getsockopt(2), with the behaviour of a TCP socket. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/array.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/accept_window.h"
#include "ld_pre_smc/state/broken_handshake.h"
#include "ld_pre_smc/state/fd.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/program_memory.h"
#include "ld_pre_smc/state/repair.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "ld_pre_smc/state/unsent_data.h"
#include "process/sockopt_numbers.h"
#include "process/tcpguard.h"

/* <linux/socket.h>: level of SMC's own options. */
#define SOL_SMC_286 286

/* The effect of an option on an SMC socket. */
enum effect {
	WORKS,		  /* if SMC refuses it: an unused socket is replaced */
	CONCERNS_CONNECT, /* works, but connect() depends on the value */
	IS_RECEIVE_TIME,  /* which accept() uses for its windows */
	ENDS_SMC,	  /* accepted without effect */
	HOLDS_BACK,	  /* delays data or clients while set: only set for a moment */
	/* A socket with one of these stays TCP. */
	PROTECTS,      /* TCP only, see process/tcpguard.h: replaced, or refused */
	NEVER_ANSWERS, /* TCP sends control messages: refused, so that programs do without */
	IS_REFUSED,    /* programs do without; or options of SMC itself, on TCP */
	IS_LOST,       /* a later replacement would lose it: replaced now; disturbs connect() */
};

/*
 * The kernel checks only the number, so these are affected, too: IP_CHECKSUM, IPV6_MTU_DISCOVER,
 * IPV6_FLOWINFO_SEND and IP_MULTICAST_LOOP, which concern packets.
 */
static bool ends_smc(int level, int name)
{
	return level != SOL_SOCKET && level != SOL_SMC_286 &&
	       (name == TCP_FASTOPEN || name == TCP_FASTOPEN_CONNECT || name == TCP_FASTOPEN_KEY ||
		name == TCP_FASTOPEN_NO_COOKIE);
}

/* @name: after shim_option_name() */
static enum effect effect_of(int level, int name)
{
	if (tcpguard_is(level, name))
		return PROTECTS;
	if (ends_smc(level, name))
		return ENDS_SMC;
	switch (TCPGUARD(level, name)) {
	case TCPGUARD(SOL_SOCKET, SO_LINGER):
	case TCPGUARD(SOL_SOCKET, SO_SNDTIMEO): return CONCERNS_CONNECT;
	case TCPGUARD(SOL_SOCKET, SO_RCVTIMEO): return IS_RECEIVE_TIME;
	case TCPGUARD(IPPROTO_TCP, TCP_CORK):
	case TCPGUARD(IPPROTO_TCP, TCP_DEFER_ACCEPT): return HOLDS_BACK;
	case TCPGUARD(IPPROTO_TCP, TCP_INQ):
	case TCPGUARD(SOL_SOCKET, SO_TIMESTAMP):
	case TCPGUARD(SOL_SOCKET, SO_TIMESTAMPNS):
	case TCPGUARD(SOL_SOCKET, SO_TIMESTAMPING): return NEVER_ANSWERS;
	case TCPGUARD(IPPROTO_TCP, TCP_ULP):
	case TCPGUARD(SOL_SOCKET, SO_ZEROCOPY): return IS_REFUSED;
	case TCPGUARD(SOL_SOCKET, SO_RCVLOWAT): return IS_LOST;
	default: break;
	}
	if (level == SOL_SMC_286)
		return IS_REFUSED;
	return shim_replace_copies(level, name) ? WORKS : IS_LOST;
}

/* An option of a program's setsockopt(2). */
struct option {
	int level, name;
	const void *value;
	socklen_t len;
};

/* The repair that replaces the socket. */
static enum shim_repair repair_of(const struct option *opt)
{
	if (tcpguard_is(opt->level, opt->name))
		return REPAIR_KEYS;
	switch (TCPGUARD(opt->level, opt->name)) {
	case TCPGUARD(SOL_SOCKET, SO_REUSEPORT): return REPAIR_REUSEPORT;
	case TCPGUARD(SOL_SOCKET, SO_RCVLOWAT): return REPAIR_RCVLOWAT;
	default: return REPAIR_OPTIONS;
	}
}

/* Return: length of the value, 0 if it cannot be read. */
static socklen_t read_option(int fd, const struct option *opt, char value[64])
{
	socklen_t len = 64;

	/* SO_GET_FILTER counts instructions, not bytes. */
	if (opt->level == SOL_SOCKET && opt->name == SO_ATTACH_FILTER)
		return 0;
	return next_getsockopt(fd, opt->level, opt->name, value, &len) ? 0 : len;
}

/* Return: 0 or errno, like those below. */
static int set_next(int fd, const struct option *opt)
{
	return next_setsockopt(fd, opt->level, opt->name, opt->value, opt->len) ? errno : 0;
}

/* Instead of an errno: no such socket could be opened, or it cannot replace this one. */
#define NO_SOCKET (-1)

/*
 * Set the option on a new socket, which could replace @fd. @fresh: that socket; -1 if the option is
 * refused, or changes nothing.
 */
static int set_on_fresh(const struct shim_fd *fd, enum shim_kind kind, const struct option *opt,
			int *fresh)
{
	char old[64], new[64];
	socklen_t old_len;
	int err;

	*fresh = shim_replace_open(fd, kind);
	if (*fresh < 0)
		return NO_SOCKET;
	old_len = read_option(*fresh, opt, old);
	err = set_next(*fresh, opt);
	if (err ||
	    (old_len && read_option(*fresh, opt, new) == old_len && !memcmp(old, new, old_len))) {
		shim_close(*fresh);
		*fresh = -1;
	}
	return err;
}

/* Replace a socket by one that has the option; a TCP socket then stays TCP. */
static int replace_with_option(struct shim_fd *fd, int fresh, enum shim_kind kind,
			       const struct option *opt)
{
	if (shim_replace_by(fd, fresh, kind, shim_repair_names[repair_of(opt)]))
		return errno;
	if (kind == KIND_TCP)
		shim_fd_lose(fd, FD_OWN);
	return 0;
}

static int set_on_other(struct shim_fd *fd, enum shim_kind kind, const struct option *opt)
{
	int fresh, err = set_on_fresh(fd, kind, opt, &fresh);

	return fresh < 0 ? err : replace_with_option(fd, fresh, kind, opt);
}

/* IPPROTO_SMC supports SO_REUSEPORT (since Linux 6.11), TCP also the others that SMC refuses. */
static int set_by_replacing(struct shim_fd *fd, const struct option *opt)
{
	int err = NO_SOCKET;

	if (!shim_fd_is_smc(fd) || !shim_may_replace(fd->number) || !shim_needs(repair_of(opt)))
		return NO_SOCKET;
	if (opt->level == SOL_SOCKET && opt->name == SO_REUSEPORT && fd->sock.kind != KIND_INET)
		err = set_on_other(fd, KIND_INET, opt);
	return err ? set_on_other(fd, KIND_TCP, opt) : 0;
}

/* Clients in the queue of the old listener are reset. */
static int protect_listener(struct shim_fd *fd, int fresh, const struct option *opt)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);
	int err;

	/* tcpi_unacked and tcpi_sacked of a listener: the length of its queue, and its backlog */
	next_getsockopt(fd->number, IPPROTO_TCP, TCP_INFO, &info, &len);
	err = replace_with_option(fd, fresh, KIND_TCP, opt);
	if (!err && next_listen(fd->number, (int)info.tcpi_sacked))
		err = errno;
	return err;
}

/* Errno of an option that TCP sets on a new socket, but not in the state of @fd; or 0. */
static int refused_late(int fd, const struct option *opt)
{
	switch (TCPGUARD(opt->level, opt->name)) {
	case TCPGUARD(IPPROTO_TCP, TCP_FASTOPEN):
	case TCPGUARD(IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE):
		return shim_is_tcp_active(fd) ? EINVAL : 0;
	case TCPGUARD(IPPROTO_TCP, TCP_FASTOPEN_CONNECT):
	case TCPGUARD(IPPROTO_IPV6, IPV6_V6ONLY):
		return shim_tcp_state(fd) != TCP_CLOSE ? EINVAL : 0;
	case TCPGUARD(IPPROTO_TCP, 38): /* TCP_AO_ADD_KEY */
	case TCPGUARD(IPPROTO_TCP, 39): /* TCP_AO_DEL_KEY */
	case TCPGUARD(IPPROTO_TCP, 40): /* TCP_AO_INFO */
		return shim_is_tcp_active(fd) ? EISCONN : 0;
	default: return 0;
	}
}

/*
 * Set an option that protects only TCP: the socket becomes a TCP socket. Connections, and sockets
 * that another process or descriptor may have, cannot, and refuse the option.
 */
static int protect(struct shim_fd *fd, const struct option *opt)
{
	int fresh, err = set_on_fresh(fd, KIND_TCP, opt, &fresh);
	bool is_alone =
		fresh >= 0 && shim_fd_has(fd, FD_OWN) && !shim_is_used_elsewhere(fd->number);
	int late = 0;

	/* TCP looks for an unknown option and for a number before it looks at its state. */
	if (err != ENOPROTOOPT && err != EFAULT && (int)opt->len >= (int)sizeof(int))
		late = refused_late(fd->number, opt);
	if (err != NO_SOCKET && fresh < 0)
		return late ? late : err;
	if (is_alone && shim_may_replace(fd->number))
		return replace_with_option(fd, fresh, KIND_TCP, opt);
	if (is_alone && shim_tcp_state(fd->number) == TCP_LISTEN)
		return protect_listener(fd, fresh, opt);
	if (fresh >= 0)
		shim_close(fresh);
	shim_log_fd(fd->number, "an option that protects TCP only is refused", NULL, 0);
	return late ? late : ENOPROTOOPT;
}

/* Like setsockopt(2) of a TCP socket in the state of @fd. */
static int ask_tcp(const struct shim_fd *fd, const struct option *opt)
{
	int tcp = shim_new_socket(fd->sock.family, KIND_TCP), err;

	if (tcp < 0)
		return NO_SOCKET;
	err = set_next(tcp, opt);
	shim_close(tcp);
	return err ? err : refused_late(fd->number, opt);
}

/* "smc" is no change. */
static int set_ulp(struct shim_fd *fd, const struct option *opt)
{
	char name[4] = "";
	int err;

	if (!shim_fd_is_smc(fd) || !shim_mends(fd->number, REPAIR_ULP))
		return EOPNOTSUPP;
	if (opt->len >= 3 && opt->len <= sizeof(name) &&
	    shim_read(name, fd->number, opt->value, opt->len, SYS_connect) &&
	    !memcmp(name, "smc", 3))
		return 0;
	err = ask_tcp(fd, opt);
	/* A new socket is not connected. */
	return err <= 0 || (err == ENOTCONN && shim_tcp_state(fd->number) == TCP_ESTABLISHED) ?
		       EOPNOTSUPP :
		       err;
}

/* @err: of the setsockopt() that was refused. */
static int repair_set(struct shim_fd *fd, int err, enum effect effect, const struct option *opt)
{
	int other = NO_SOCKET;

	if (opt->level != SOL_SOCKET &&
	    (err == EFAULT || (err == EINVAL && opt->len < sizeof(int)))) {
		if (shim_fd_is_smc(fd) && shim_mends(fd->number, REPAIR_VALUES))
			other = ask_tcp(fd, opt);
	} else if (err == EOPNOTSUPP && effect == IS_REFUSED) {
		other = opt->level == IPPROTO_TCP ? set_ulp(fd, opt) : err;
	} else if (err == EOPNOTSUPP && opt->level == SOL_SOCKET) {
		/* The option has no effect on a connection. */
		if (opt->name == SO_REUSEPORT && shim_is_tcp_active(fd->number))
			return 0;
		other = set_by_replacing(fd, opt);
	}
	return other == NO_SOCKET ? err : other;
}

/*
 * True if a value of SO_RCVTIMEO looks like accept()'s marker. The value is two numbers: 64 bits
 * each, except with the older name in 32-bit programs.
 */
static bool is_mark(int name, const void *value, socklen_t len)
{
	long long wide[2];
	long time[2];

	if (len < (name == SO_RCVTIMEO_NEW ? sizeof(wide) : sizeof(time)))
		return false;
	memcpy(time, value, sizeof(time));
	if (name != SO_RCVTIMEO_NEW)
		return shim_is_mark(time[0], time[1]);
	memcpy(wide, value, sizeof(wide));
	return shim_is_mark(wide[0], wide[1]);
}

/* Round up by a tick so the program's timeout differs from our accept marker. */
static int set_receive_time(struct shim_fd *fd, const struct option *opt)
{
	static const struct timeval least = { .tv_usec = SHIM_MARK_MOST + 1 };
	const struct option rounded = { SOL_SOCKET, SO_RCVTIMEO, &least, sizeof(least) };
	int err;

	shim_window_wait(fd->number);
	err = set_next(fd->number, opt);
	if (!err && is_mark(opt->name, opt->value, opt->len) && shim_fd_is_any_smc(fd) &&
	    !shim_is_connected(fd->number))
		err = set_next(fd->number, &rounded);
	return err;
}

/* The kernel checks the option by setting it for a moment. A value of 0 needs no undoing. */
static int set_and_undo(struct shim_fd *fd, enum effect effect, const struct option *opt)
{
	static const int off;
	int number = 0, err = set_next(fd->number, opt);

	if (err)
		return err;
	if (opt->len >= sizeof(number))
		memcpy(&number, opt->value, sizeof(number));
	if (!number || !shim_fd_is_any_smc(fd) ||
	    !shim_mends(fd->number, effect == HOLDS_BACK ? REPAIR_CORK : REPAIR_CONTROL))
		return 0;
	next_setsockopt(fd->number, opt->level, opt->name, &off, sizeof(off));
	return effect == HOLDS_BACK ? 0 : ENOPROTOOPT;
}

/* Set an option on a socket that may be an SMC socket without fallback. */
static int set_on_smc(struct shim_fd *fd, enum effect effect, const struct option *opt)
{
	int err = NO_SOCKET;

	switch (effect) {
	case IS_RECEIVE_TIME: return set_receive_time(fd, opt);
	case HOLDS_BACK:
	case NEVER_ANSWERS: return set_and_undo(fd, effect, opt);
	case PROTECTS:
		if (shim_fd_is_smc(fd) && shim_needs(REPAIR_KEYS))
			return protect(fd, opt);
		break;
	case ENDS_SMC: /* ignored, but fails as on a TCP socket */
		if (shim_fd_is_smc(fd) && shim_mends(fd->number, REPAIR_FAST_OPEN)) {
			err = ask_tcp(fd, opt);
			return err == NO_SOCKET ? 0 : err;
		}
		break;
	case WORKS:
		if (opt->level == SOL_SOCKET && opt->name == SO_REUSEPORT &&
		    shim_fd_has(fd, FD_SMC) && shim_needs(REPAIR_REUSEPORT_BIND))
			err = set_by_replacing(fd, opt);
		break;
	case IS_LOST: err = set_by_replacing(fd, opt); break;
	default: break;
	}
	if (err != NO_SOCKET)
		return err;
	err = set_next(fd->number, opt);
	return err ? repair_set(fd, err, effect, opt) : 0;
}

/* The reason for a refusal that no library can hide, from the rows of ld_pre_smc/differences. */
static void log_difference(struct shim_fd *fd, const struct option *opt)
{
	static const struct {
		int level, name;
		const char *text;
	} rows[] = {
#include "differences.h"
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].level == opt->level && rows[i].name == opt->name &&
		    shim_fd_is_any_smc(fd))
			shim_log_fd(fd->number, rows[i].text, NULL, 0);
}

/**
 * setsockopt() - setsockopt(2) that handles options that SMC refuses or misinterprets
 *
 * Only differs from the next function for SMC sockets without fallback, by enum effect. Errors and
 * short values are as on TCP.
 * Return: 0 with errno untouched, or -1 with the errno of the last attempt.
 */
int setsockopt(int number, int level, int name, const void *value, socklen_t len)
{
	struct shim_fd fd = shim_fd_enter(number);
	const struct option opt = { level, name, value, len };
	int saved = errno, copied = shim_option_name(level, name), err;
	enum effect effect = effect_of(level, copied);

	shim_option_note(level, copied);
	if (level == SOL_SOCKET)
		shim_fd_note_options(number, true);
	if (level == SOL_SOCKET && copied == SO_BINDTOIFINDEX)
		shim_has_device = true;
	if (effect == PROTECTS)
		shim_has_protection = true;
	if (effect == CONCERNS_CONNECT)
		shim_fd_lose(&fd, FD_PLAIN);
	if (effect >= PROTECTS && shim_fd_is_tcp_first(&fd))
		shim_fd_lose(&fd, FD_OWN); /* stays TCP */
	if (shim_is_locked && effect == PROTECTS && shim_fd_has(&fd, FD_SMC)) {
		errno = ENOPROTOOPT;
		return -1;
	}
	if (!shim_repairs() || shim_fd_is_tcp_first(&fd))
		return next_setsockopt(number, level, name, value, len);
	err = set_on_smc(&fd, effect, &opt);
	if (err)
		log_difference(&fd, &opt);
	errno = err ? err : saved;
	return err ? -1 : 0;
}

SHIM_TIME64(setsockopt, __setsockopt64);

static int lost_error(struct shim_fd *fd)
{
	AUTO_ERRNO();
	int events = shim_events(fd->number, POLLIN | POLLOUT), err = 0;

	if (events == POLLOUT)
		shim_lives_connected(fd->number, 0);
	if (events == POLLHUP && shim_fd_is_any_smc(fd))
		err = shim_lost_error(fd->number);
	return err && shim_mends(fd->number, REPAIR_LATE_ERROR) ? err : 0;
}

/* SO_DOMAIN, SO_PROTOCOL or SO_ERROR: TCP's value, where the kernel returned @value. */
static int repair_get(struct shim_fd *fd, int name, int value)
{
	if (name != SO_ERROR) {
		if ((name == SO_DOMAIN ? value != AF_SMC : value == IPPROTO_TCP) ||
		    !shim_fd_is_smc(fd) || !shim_mends(fd->number, REPAIR_IDENTITY))
			return value;
		return name == SO_DOMAIN ? fd->sock.family : IPPROTO_TCP;
	}
	shim_lives_error(fd->number, value);
	if (shim_fd_is_tcp_first(fd))
		return value;
	value = value ? shim_retry_tcp_late(fd, value) : lost_error(fd);
	return value == ECONNABORTED && shim_fd_is_any_smc(fd) ? ETIMEDOUT : value;
}

/* Hide accept()'s marker; if it is still set later, it is stale. */
static void hide_mark(int fd, int name, void *value, socklen_t *len)
{
	AUTO_ERRNO();

	if (!is_mark(name, value, *len) || shim_int_option(fd, SOL_SOCKET, SO_ACCEPTCONN) <= 0 ||
	    !shim_is_smc(fd, NULL))
		return;
	shim_window_wait(fd);
	if (next_getsockopt(fd, SOL_SOCKET, name, value, len) || is_mark(name, value, *len))
		memset(value, 0, *len);
}

/**
 * getsockopt() - getsockopt(2) that returns SO_DOMAIN, SO_PROTOCOL and SO_ERROR of a TCP socket
 *
 * Return: 0, or -1 with the errno of the next function.
 */
int getsockopt(int number, int level, int name, void *value, socklen_t *len)
{
	int ret = next_getsockopt(number, level, name, value, len), said;
	struct shim_fd fd;

	if (ret || level != SOL_SOCKET || !shim_repairs())
		return ret;
	if (name == SO_RCVTIMEO || name == SO_RCVTIMEO_NEW)
		hide_mark(number, name, value, len);
	if (name != SO_DOMAIN && name != SO_PROTOCOL && (name != SO_ERROR || *len != sizeof(said)))
		return 0;
	if (*len == sizeof(said))
		memcpy(&said, value, sizeof(said));
	else
		said = shim_int_option(number, level, name);
	fd = shim_fd_enter(number);
	said = repair_get(&fd, name, said);
	memcpy(value, &said, *len);
	return 0;
}

SHIM_TIME64(getsockopt, __getsockopt64);
