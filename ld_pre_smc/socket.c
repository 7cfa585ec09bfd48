// SPDX-License-Identifier: MIT
/*
 * ld_pre_smc.so: TCP sockets of unmodified programs become SMC sockets.
 *
 * It lives inside strangers' processes: it allocates nothing, takes no lock, uses no stdio, may be
 * called by any thread, in constructors and in signal handlers, from the first instruction on, and
 * leaves errno as it was when a call succeeds.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "ld_pre_smc/buffers.h"
#include "ld_pre_smc/config.h"
#include "ld_pre_smc/fds.h"
#include "ld_pre_smc/keeper.h"
#include "ld_pre_smc/log.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/sandbox.h"
#include "ld_pre_smc/sock.h"

#define RETRY_SECONDS 10

/*
 * How sockets of each family are opened now. map_socket() does all there is to do; once it has seen
 * what works and nothing else remains to be done with a new socket (no buffer size, no debug line),
 * it puts the shortest way there.
 */
typedef int (*open_fn)(int domain, int type, int protocol);

static int map_socket(int domain, int type, int protocol);

static _Atomic(open_fn) ways[2] = { map_socket, map_socket };

/*
 * Kernels without SMC look for a module at each attempt, which may start modprobe: milliseconds for
 * a program that opens thousands of sockets. So a refusal that plain TCP does not share counts for
 * RETRY_SECONDS; after that one socket asks again, and a module loaded meanwhile is found.
 * Contents: second of the next attempt << 8 | errno, 0 for none; wraps after 194 days, harmlessly.
 */
static atomic_uint refusals[KINDS][2];

/*
 * "No such sockets here", as opposed to EMFILE, ENOBUFS or EINVAL, which TCP would not escape.
 * The first three are the kernel's, the others those of sandboxes: SELinux and seccomp filters
 * (systemd's RestrictAddressFamilies= answers EAFNOSUPPORT, containers EPERM or ENOSYS, firejail
 * EOPNOTSUPP).
 */
static bool is_refusal(int err)
{
	switch (err) {
	case EAFNOSUPPORT:
	case EPROTONOSUPPORT:
	case ESOCKTNOSUPPORT:
	case EPERM:
	case EACCES:
	case ENOSYS:
	case EOPNOTSUPP: return true;
	default: return false;
	}
}

/* errno of a refusal that still counts, 0 if the kernel is to be asked. */
static int remembered_refusal(atomic_uint *refusal)
{
	unsigned int seen = atomic_load_explicit(refusal, memory_order_relaxed);
	unsigned int left = ((seen >> 8) - shim_seconds()) & 0xffffff;

	return seen && left && left <= RETRY_SECONDS ? (int)(seen & 0xff) : 0;
}

/* What the kernel itself lacks. A sandbox answers at once: it can be asked every time. */
static void remember_refusals(const struct socket_attempt *try, int v6)
{
	int kind, err;

	for (kind = 0; kind < KINDS; kind++) {
		err = try->refused[kind];
		if (try->remembered[kind] ||
		    (err != EAFNOSUPPORT && err != EPROTONOSUPPORT && err != ESOCKTNOSUPPORT))
			continue;
		atomic_store_explicit(&refusals[kind][v6],
				      (shim_seconds() + RETRY_SECONDS) << 8 | (unsigned int)err,
				      memory_order_relaxed);
	}
}

/* What a socket gets that really became an SMC socket. */
static void set_buffers(struct socket_attempt *try, const struct shim_config *cfg)
{
	int sndbuf = smc_buffer_of(&cfg->sndbuf, try->fd);
	int rcvbuf = smc_buffer_of(&cfg->rcvbuf, try->fd);

	if ((!sndbuf && !rcvbuf) || shim_is_locked)
		return;
	try->sndbuf_err = shim_set_buffer(try->fd, SO_SNDBUF, sndbuf);
	try->rcvbuf_err = shim_set_buffer(try->fd, SO_RCVBUF, rcvbuf);
	shim_unlock_buffers(try->fd);
}

static bool is_plain(const struct shim_config *cfg)
{
	return !cfg->debug && !cfg->sndbuf.bytes && !cfg->rcvbuf.bytes;
}

/* One SMC socket, the first kind that works. False if all were refused. */
static bool try_smc(struct socket_attempt *try, const struct shim_config *cfg, int type, int v6)
{
	int i, kind;

	for (i = 0; i < cfg->nkinds; i++) {
		kind = cfg->kinds[i];
		try->kind = kind;
		try->err = remembered_refusal(&refusals[kind][v6]);
		try->remembered[kind] = try->err != 0;
		if (!try->err) {
			const struct shim_socket_args *args = &shim_sockets[kind][v6];

			try->fd = next_socket(args->domain, type, args->protocol);
			try->err = try->fd < 0 ? errno : 0;
		}
		if (try->fd >= 0)
			set_buffers(try, cfg);
		if (!is_refusal(try->err))
			return true;
		try->refused[kind] = try->err;
	}
	return false;
}

static void try_tcp(struct socket_attempt *try, int domain, int type, int protocol)
{
	try->kind = KIND_TCP;
	try->fd = next_socket(domain, type, protocol);
	try->err = try->fd < 0 ? errno : 0;
}

/* The shortest way came to an end: a module removed, a seccomp filter installed. */
static __attribute__((noinline, cold)) int refused_late(int domain, int type, int saved)
{
	if (!is_refusal(errno))
		return -1;
	errno = saved;
	/* TCP is TCP by protocol 0, too. */
	return map_socket(domain, type, 0);
}

/* One function for each kind of socket: constants need no register that lives across the call. */
static inline int open_known(int domain, int type, const struct shim_socket_args *args)
{
	int saved = errno;
	int fd = next_known_socket(args->domain, type, args->protocol);

	if (__builtin_expect(fd < 0, 0))
		return refused_late(domain, type, saved);
	shim_fd_mark_plain(fd);
	return fd;
}

#define DEFINE_WAY(name, family, kind, v6)                                                         \
	static int name(int domain __attribute__((unused)), int type,                              \
			int protocol __attribute__((unused)))                                      \
	{                                                                                          \
		return open_known(family, type, &shim_sockets[kind][v6]);                          \
	}
DEFINE_WAY(open_af_smc4, AF_INET, KIND_AF_SMC, 0)
DEFINE_WAY(open_af_smc6, AF_INET6, KIND_AF_SMC, 1)
DEFINE_WAY(open_inet4, AF_INET, KIND_INET, 0)
DEFINE_WAY(open_inet6, AF_INET6, KIND_INET, 1)

static const open_fn short_ways[KINDS][2] = {
	[KIND_AF_SMC] = { open_af_smc4, open_af_smc6 },
	[KIND_INET] = { open_inet4, open_inet6 },
};

/* Everything there is to do. */
static __attribute__((noinline, cold)) int map_socket(int domain, int type, int protocol)
{
	struct socket_attempt try = { .fd = -1 };
	int saved = errno, v6 = domain == AF_INET6;
	struct shim_config own;
	const struct shim_config *cfg = shim_config_get(&own);
	bool smc = (cfg->strict || !shim_is_locked) && try_smc(&try, cfg, type, v6);

	if (!smc && !cfg->strict)
		try_tcp(&try, domain, type, protocol);
	if (try.fd >= 0)
		remember_refusals(&try, v6);
	if (cfg->invalid)
		log_invalid(cfg);
	if (cfg->debug)
		log_socket(&try, cfg, domain, type, protocol);
	if (!smc || try.fd >= 0)
		atomic_store_explicit(&ways[v6],
				      is_plain(cfg) && smc ? short_ways[try.kind][v6] : map_socket,
				      memory_order_release);
	if (smc)
		shim_fd_mark_plain(try.fd);
	errno = try.fd >= 0 ? saved : try.err;
	return try.fd;
}

/* True for SOCK_STREAM with any flags and protocol 0 or IPPROTO_TCP; both in one test, mostly. */
static inline bool is_tcp(int type, int protocol)
{
	int other_type = (int)((unsigned int)type - SOCK_STREAM) & SOCK_TYPE_BITS;

	return !(other_type | protocol) || !(other_type | (protocol ^ IPPROTO_TCP));
}

/**
 * socket() - socket(2), with TCP replaced by SMC
 * @domain: AF_INET and AF_INET6 are mapped, everything else goes through
 * @type: SOCK_STREAM is mapped; SOCK_NONBLOCK and SOCK_CLOEXEC go through as they are
 * @protocol: 0 and IPPROTO_TCP are mapped; MPTCP, SCTP and a program's own SMC sockets are not
 *
 * AF_INET becomes AF_SMC with protocol 0, AF_INET6 AF_SMC with protocol 1; where that is refused,
 * or first with SMC_SOCK_FAMILY inet or auto, the same family with IPPROTO_SMC. What the kernel
 * does with these calls is in net/smc/af_smc.c (smc_create) and net/smc/smc_inet.c. Without SMC in
 * the kernel, or forbidden by a sandbox, the call gives an ordinary TCP socket, unless SMC_STRICT
 * is on.
 *
 * Return: a file descriptor with errno untouched, or -1 with the errno of the last attempt.
 */
int socket(int domain, int type, int protocol)
{
	open_fn way;

	if (__builtin_expect(domain == AF_INET, 1))
		way = atomic_load_explicit(&ways[0], memory_order_relaxed);
	else if (domain == AF_INET6)
		way = atomic_load_explicit(&ways[1], memory_order_relaxed);
	else
		return next_socket(domain, type, protocol);
	return is_tcp(type, protocol) ? way(domain, type, protocol) :
					next_socket(domain, type, protocol);
}

/* The next socket() looks at everything again. */
static void look_again(void)
{
	atomic_store_explicit(&ways[0], map_socket, memory_order_release);
	atomic_store_explicit(&ways[1], map_socket, memory_order_release);
}

/**
 * prctl() - prctl(2), which says that a seccomp filter is there, or is to come
 *
 * libseccomp sets its filter by syscall(2), which nobody sees, and always asks for
 * PR_SET_NO_NEW_PRIVS first.
 *
 * Return: as prctl(2).
 */
int prctl(int option, ...)
{
	unsigned long args[4];
	va_list ap;
	int ret;

	/* As libc does: whatever was not passed is not looked at by the kernel. */
	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		args[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)
		shim_in_sandbox = true;
	ret = next_prctl(option, args[0], args[1], args[2], args[3]);
	/* Programs pass an invalid filter to ask whether the kernel has seccomp. */
	if ((option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS) && !ret) {
		shim_is_locked = true;
		look_again();
	}
	return ret;
}

SHIM_TIME64(prctl, __prctl_time64);

/* Before main(), so that no signal handler has to: see shim_resolve(). */
static __attribute__((constructor)) void prepare(void)
{
	struct shim_config own;
	int fn;

	shim_has_started = true;
	for (fn = 0; fn < SHIM_FNS; fn++)
		shim_next(fn);
	shim_config_get(&own);
	shim_sandbox_look();
	shim_fd_start();
	shim_keeper_find();
}
