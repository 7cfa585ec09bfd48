// SPDX-License-Identifier: MIT
/*
 * ld_pre_smc.so: TCP sockets of unmodified programs become SMC sockets.
 *
 * It lives inside other people's processes: it allocates nothing, takes no lock, uses no stdio, may
 * be called by any thread, in constructors and in signal handlers, from the first instruction on,
 * and leaves errno unchanged when a call succeeds. Calls that carry data only look at one byte,
 * unless they fail, end early or find the end of an SMC stream.
 *
 * socket() looks at its arguments. A request for anything but TCP goes to libc. The first TCP
 * socket of each family takes the slow path, map_socket(): it reads the environment, asks
 * state/choice.c which kinds of sockets may be used, tries them in order, TCP last, sets buffer
 * sizes and writes a debug line. Once it knows a kind that works, and no socket needs more, it
 * installs the fast path: one call of libc with other arguments, and one byte to mark the
 * descriptor (state/fd_table.h). The fast path ends when the kernel refuses, when the program locks
 * itself (calls/prctl.c), or when most connections go to TCP (state/choice.c): the next socket
 * takes the slow path again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/choice.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/sandbox.h"

#define RETRY_SECONDS 10

static int map_socket(int domain, int type, int protocol);

/*
 * A kernel without SMC looks for a module at each attempt, which may start modprobe: milliseconds
 * for a program that opens thousands of sockets. AppArmor and SELinux log each refusal. So it is
 * remembered for RETRY_SECONDS; then one socket tries again, in case a module was loaded. Contents:
 * second of the next attempt << 8 | errno, 0 for none. It wraps after 194 days, harmlessly.
 */
static atomic_uint refusals[KINDS][2];

/*
 * True for "no such sockets here"; EMFILE, ENOBUFS and EINVAL would affect TCP, too. The first
 * three are the kernel's, the others those of sandboxes: SELinux and seccomp filters (systemd's
 * RestrictAddressFamilies= answers EAFNOSUPPORT, containers EPERM or ENOSYS, firejail EOPNOTSUPP).
 */
static bool is_refusal(int err)
{
	return err == EAFNOSUPPORT || err == EPROTONOSUPPORT || err == ESOCKTNOSUPPORT ||
	       err == EPERM || err == EACCES || err == ENOSYS || err == EOPNOTSUPP;
}

/* errno of a remembered refusal, 0 if the kernel should be asked */
static int remembered_refusal(int kind, int v6)
{
	unsigned int seen = atomic_load_explicit(&refusals[kind][v6], memory_order_relaxed);
	unsigned int left = ((seen >> 8) - shim_seconds()) & 0xffffff;

	return seen && left && left <= RETRY_SECONDS ? (int)(seen & 0xff) : 0;
}

/* Return: @err */
static int remember(int kind, int v6, int err)
{
	unsigned int next = (shim_seconds() + RETRY_SECONDS) << 8;

	if (is_refusal(err))
		atomic_store_explicit(&refusals[kind][v6], next | (unsigned int)err,
				      memory_order_relaxed);
	return err;
}

/* Return: errno, 0 for success. */
static int ask_kernel(int *fd, int type, const struct shim_socket_args *args)
{
	*fd = next_socket(args->domain, type, args->protocol);
	return *fd < 0 ? errno : 0;
}

/*
 * AppArmor, in Linux 6.12 at least, treats the socket that accept(2) returns for IPPROTO_SMC as
 * AF_SMC, and a profile without "network smc" denies every use of it. So IPPROTO_SMC is used only
 * if AF_SMC is not denied. Most profiles do not allow reading which one applies: EACCES.
 */
static bool is_af_smc_denied(const struct socket_attempt *try, int type, int v6)
{
	static const char profile[] = "/proc/thread-self/attr/apparmor/current";
	static atomic_bool is_admitted;
	int err = try->refused[KIND_AF_SMC], has, fd;

	if (err || is_admitted || shim_is_locked)
		return err == EACCES;
	err = remembered_refusal(KIND_AF_SMC, v6);
	has = err ? 0 : shim_file_has(AT_FDCWD, profile, " (enforce)");
	if (has > 0 || has == -EACCES) {
		err = ask_kernel(&fd, type, &shim_sockets[KIND_AF_SMC][v6]);
		if (!err)
			shim_close(fd);
		remember(KIND_AF_SMC, v6, err);
	}
	is_admitted = !err;
	return err == EACCES;
}

/* Return: errno of the kernel, or of an earlier socket; 0 for success. */
static int open_smc(struct socket_attempt *try, int kind, int type, int v6)
{
	int err = remembered_refusal(kind, v6);

	try->remembered[kind] = err != 0;
	if (err)
		return err;
	if (kind == KIND_INET && is_af_smc_denied(try, type, v6))
		return remember(kind, v6, EACCES);
	return remember(kind, v6, ask_kernel(&try->fd, type, &shim_sockets[kind][v6]));
}

/* Open a socket of the first kind that may be used and is not refused. */
static void open_first(struct socket_attempt *try, const struct shim_config *cfg, int type,
		       const struct shim_socket_args *tcp)
{
	int v6 = tcp->domain == AF_INET6;
	unsigned int may = shim_choose_open(try, cfg, v6);

	for (int i = 0; i < cfg->nkinds; i++) {
		try->kind = cfg->kinds[i];
		if (!(may & SHIM_BIT(try->kind)))
			continue;
		try->err = open_smc(try, try->kind, type, v6);
		if (!is_refusal(try->err))
			return;
		try->refused[try->kind] = try->err;
		/* AF_SMC would bypass the control group's program that refused the socket. */
		if (try->kind == KIND_INET && try->err == EPERM)
			may &= ~SHIM_BIT(KIND_AF_SMC);
	}
	try->kind = KIND_TCP;
	if (may & SHIM_BIT(KIND_TCP))
		try->err = ask_kernel(&try->fd, type, tcp);
}

/* The fast path failed: a module was removed, or a seccomp filter installed. */
static __attribute__((noinline, cold)) int refused_late(int domain, int type, int saved, int err)
{
	if (!is_refusal(err))
		return -1;
	errno = saved;
	/* Protocol 0 is TCP as well. */
	return map_socket(domain, type, 0);
}

static int open_tcp(int domain, int type, int protocol)
{
	return shim_fd_new(next_known_socket(domain, type, protocol), FD_OWN);
}

/*
 * One function for each kind of socket, so that its arguments are constants, which need no register
 * during the call.
 */
static inline int open_known(int domain, int type, const struct shim_socket_args *args)
{
	int saved = errno;
	int fd = next_known_socket(args->domain, type, args->protocol);

	if (__builtin_expect(shim_fd_is_highest(fd) && fd < 0, 0))
		return refused_late(domain, type, saved, errno);
	return shim_fd_mark_plain(fd);
}

#define DEFINE_OPENER(name, family, kind, v6)                                                      \
	static int name(int domain __attribute__((unused)), int type,                              \
			int protocol __attribute__((unused)))                                      \
	{                                                                                          \
		return open_known(family, type, &shim_sockets[kind][v6]);                          \
	}
DEFINE_OPENER(open_af_smc4, AF_INET, KIND_AF_SMC, 0)
DEFINE_OPENER(open_af_smc6, AF_INET6, KIND_AF_SMC, 1)
DEFINE_OPENER(open_inet4, AF_INET, KIND_INET, 0)
DEFINE_OPENER(open_inet6, AF_INET6, KIND_INET, 1)

static const shim_open_fn short_openers[KINDS][2] = {
	[KIND_AF_SMC] = { open_af_smc4, open_af_smc6 },
	[KIND_INET] = { open_inet4, open_inet6 },
};

/* Choose the fast path for the next sockets. Return: NULL for the slow path, map_socket() */
static shim_open_fn choose_opener(const struct shim_config *cfg, int kind, int v6)
{
	shim_working_kinds[v6] = kind;
	if (cfg->debug)
		return NULL;
	if (shim_is_tcp_first && !cfg->strict)
		return open_tcp;
	return cfg->sndbuf.bytes || cfg->rcvbuf.bytes ? NULL : short_openers[kind][v6];
}

/* Slow path */
static __attribute__((noinline, cold)) int map_socket(int domain, int type, int protocol)
{
	const struct shim_socket_args tcp = { domain, protocol };
	struct socket_attempt try = { .fd = -1, .err = EPERM };
	int saved = errno, v6 = domain == AF_INET6;
	struct shim_config own;
	const struct shim_config *cfg = shim_config_get(&own);
	bool is_smc;

	open_first(&try, cfg, type, &tcp);
	is_smc = try.fd >= 0 && try.kind != KIND_TCP;
	if (is_smc)
		shim_give_buffers(try.fd, 0, try.buffer_errs);
	if (cfg->invalid)
		log_invalid(cfg);
	if (cfg->debug)
		log_socket(&try, cfg, domain, type, protocol);
	atomic_store_explicit(&shim_openers[v6], is_smc ? choose_opener(cfg, try.kind, v6) : NULL,
			      memory_order_release);
	if (is_smc)
		shim_fd_mark_plain(try.fd);
	else
		shim_fd_new(try.fd, 0); /* setsockopt() of a locked program relies on this mark */
	errno = try.fd >= 0 ? saved : try.err;
	return try.fd;
}

/* Not a TCP socket. A locked program relies on the mark that a number had before. */
static __attribute__((noinline)) int other_socket(int domain, int type, int protocol)
{
	int fd = next_socket(domain, type, protocol);

	if (shim_is_locked)
		shim_fd_new(fd, 0);
	return fd;
}

/* True for SOCK_STREAM with any flags, and protocol 0 or IPPROTO_TCP. One test usually decides. */
static inline bool is_tcp(int type, int protocol)
{
	int other_type = (int)((unsigned int)type - SOCK_STREAM) & SOCK_TYPE_BITS;

	return !(other_type | protocol) || !(other_type | (protocol ^ IPPROTO_TCP));
}

/**
 * socket() - socket(2), with TCP replaced by SMC
 * @domain: AF_INET and AF_INET6 are mapped, everything else goes to libc
 * @type: SOCK_STREAM is mapped; SOCK_NONBLOCK and SOCK_CLOEXEC go through as they are
 * @protocol: 0 and IPPROTO_TCP are mapped; MPTCP, SCTP and a program's own SMC sockets are not
 *
 * AF_INET becomes AF_SMC with protocol 0, AF_INET6 AF_SMC with protocol 1. If that is refused, or
 * first with SMC_SOCK_FAMILY inet or auto, the family is kept and the protocol becomes IPPROTO_SMC.
 * See net/smc/af_smc.c (smc_create) and net/smc/smc_inet.c in the kernel. Without SMC in the
 * kernel, or if a sandbox forbids it, the call returns a TCP socket, unless SMC_STRICT is set.
 * Return: a file descriptor with errno untouched, or -1 with the errno of the last attempt.
 */
int socket(int domain, int type, int protocol)
{
	shim_open_fn opener;

	if (__builtin_expect(domain == AF_INET, 1))
		opener = atomic_load_explicit(&shim_openers[0], memory_order_relaxed);
	else if (domain == AF_INET6)
		opener = atomic_load_explicit(&shim_openers[1], memory_order_relaxed);
	else
		return other_socket(domain, type, protocol);
	if (!is_tcp(type, protocol))
		return other_socket(domain, type, protocol);
	return opener ? opener(domain, type, protocol) : map_socket(domain, type, protocol);
}
