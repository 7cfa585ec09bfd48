// SPDX-License-Identifier: MIT
/*
 * Choose SMC or TCP for a socket.
 *
 * socket(), connect(), bind() to a port and listen() ask here. Each collects its facts, the cheap
 * ones first. reasons[] has the kinds of sockets that a fact excludes, and its text in the debug
 * line. socket() opens one of the kinds that are left. In the other calls, actions[] says what to
 * do with a socket of another kind: it is replaced, unless it is in use, or is a TCP socket without
 * FD_OWN, because others may have it, or SMC lacks its options.
 *
 * A process whose last sockets needed TCP opens TCP sockets first, until they need SMC again.
 */
#include "ld_pre_smc/state/choice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <netinet/in.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/program_memory.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "process/sockopt_numbers.h"

#define ONLY_AF_SMC SHIM_BIT(KIND_AF_SMC)
#define SMC (ONLY_AF_SMC | SHIM_BIT(KIND_INET))
#define TCP SHIM_BIT(KIND_TCP)

/* Facts: four for socket(), three for connect(), one for bind() and listen(). */
enum fact { STRICT, LOCKED, STEERED, REFUSED, NOT_TO, BROKEN, SHORT, NOT_AT };

/* A set of facts has a bit for each. */
#define FACT(fact) (1U << (fact))

static const struct reason {
	unsigned int excludes; /* kinds of sockets */
	const char *why;       /* for the debug line */
} reasons[] = {
	[STRICT] = { TCP, NULL },
	[LOCKED] = { SMC, NULL },
	[STEERED] = { ONLY_AF_SMC, "a control group sets a device or a mark: no AF_SMC" },
	[REFUSED] = { SMC | TCP, "a TCP socket is refused" },
	[NOT_TO] = { SMC, "rules for connecting" },
	[BROKEN] = { SMC, "an SMC handshake broke before" },
	[SHORT] = { SMC, "connections there are too short for SMC" },
	[NOT_AT] = { SMC, "rules for listening" },
};

/* Return: the kinds of sockets that are left. @why: set by a reason that has one */
static unsigned int choose(unsigned int facts, const char **why)
{
	const struct reason *reason;
	unsigned int left = SMC | TCP;

	for (; facts; facts &= facts - 1) {
		reason = &reasons[__builtin_ctz(facts)];
		left &= ~reason->excludes;
		*why = reason->why ? reason->why : *why;
	}
	return left;
}

/* ---- socket() ---- */

/*
 * A filter that the process was started with may kill it for getsockopt(2), so under such a filter
 * only the control group of "ip vrf exec" is checked.
 */
static bool has_device_or_mark(int fd)
{
	int mark;

	if (shim_in_sandbox)
		return shim_file_has(AT_FDCWD, "/proc/thread-self/cgroup", "/vrf/") > 0;
	mark = shim_int_option(fd, SOL_SOCKET, SO_MARK);
	return (mark && mark != -1) || shim_int_option(fd, SOL_SOCKET, SO_BINDTOIFINDEX) > 0;
}

/*
 * Programs of the control group may forbid a socket of AF_INET or AF_INET6, or give it a device, as
 * "ip vrf exec" does, or a mark (BPF_CGROUP_INET_SOCK_CREATE). They do not see AF_SMC, so open a
 * TCP socket to learn what they do: once for each family, as long as none is refused.
 */
static unsigned int facts_of_group(int v6, int *err)
{
	static atomic_bool is_known[2], is_steered[2];
	int fd;

	if (!is_known[v6]) {
		shim_fd_prepare();
		fd = shim_new_socket(v6 ? AF_INET6 : AF_INET, KIND_TCP);
		if (fd < 0) {
			*err = errno;
			return FACT(REFUSED);
		}
		is_steered[v6] = has_device_or_mark(fd);
		if (is_steered[v6])
			shim_has_device = true;
		is_known[v6] = true;
		shim_close(fd);
	}
	return is_steered[v6] ? FACT(STEERED) : 0;
}

unsigned int shim_choose_open(struct socket_attempt *try, const struct shim_config *cfg, int v6)
{
	unsigned int facts = cfg->strict ? FACT(STRICT) : 0;

	if (!shim_is_locked)
		facts |= facts_of_group(v6, &try->err);
	else if (!cfg->strict)
		facts |= FACT(LOCKED);
	return choose(facts, &try->why);
}

/* ---- the last choices ---- */

_Atomic(shim_open_fn) shim_openers[2];
atomic_bool shim_is_tcp_first;
atomic_int shim_working_kinds[2];

void shim_look_again(void)
{
	atomic_store_explicit(&shim_openers[0], NULL, memory_order_release);
	atomic_store_explicit(&shim_openers[1], NULL, memory_order_release);
}

void shim_open_tcp_first(bool yes)
{
	if (shim_is_tcp_first == yes)
		return;
	shim_is_tcp_first = yes;
	shim_look_again();
}

/*
 * Goes up for each socket that needs TCP, down for each that needs SMC. The first socket moves it
 * to an end, as a program may have few; then six others move it back.
 */
enum { NO_CHOICE, ALL_SMC, MOST_SMC = 3, MOST_TCP = 7, ALL_TCP = 9 };

static atomic_int choices;

static void remember(bool is_tcp)
{
	int end = is_tcp ? ALL_TCP : ALL_SMC, now = choices;

	if (now != end)
		now = now ? now + (is_tcp ? 1 : -1) : end;
	atomic_store_explicit(&choices, now, memory_order_relaxed);
	if (now <= MOST_SMC || now >= MOST_TCP)
		shim_open_tcp_first(now >= MOST_TCP);
}

/* The socket already is of the chosen kind, like all recent ones: keeps the usual case cheap. */
static bool is_as_before(const struct shim_fd *fd, bool is_tcp)
{
	return choices == (is_tcp ? ALL_TCP : ALL_SMC) && shim_fd_is_tcp_first(fd) == is_tcp;
}

/* ---- connect(), bind(), listen() ---- */

/*
 * Turn an unused TCP socket of socket() into an SMC socket, if that accepts its options. If the
 * kernel no longer has SMC, socket() finds out, and remembers it: each attempt may start modprobe.
 */
static void make_smc(struct shim_fd *fd, const char *why)
{
	if (!shim_fd_is_any_tcp(fd) || !shim_may_replace(fd->number))
		return;
	if (shim_replace(fd, (enum shim_kind)shim_working_kinds[fd->sock.family == AF_INET6],
			 why)) {
		shim_open_tcp_first(false);
		return;
	}
	shim_fd_mark_socket(fd->number);
	shim_fd_became(fd, fd->sock.kind);
	shim_give_buffers(fd->number, shim_int_option(fd->number, SOL_SOCKET, SO_BUF_LOCK),
			  (int[2]){ 0 });
}

static void make_tcp(struct shim_fd *fd, const char *why)
{
	if (shim_fd_is_smc(fd) && shim_may_replace(fd->number))
		shim_replace(fd, KIND_TCP, why);
}

/* The step if SMC may be used, and the one if not. Both leave sockets in use as they are. */
static void (*const actions[2][2])(struct shim_fd *fd, const char *why) = {
	{ NULL, make_tcp }, /* an SMC socket, or a TCP socket that stays */
	{ make_smc, NULL }, /* a TCP socket of socket(), see shim_fd_is_tcp() */
};

static __attribute__((noinline)) void apply_facts(struct shim_fd *fd, unsigned int facts)
{
	AUTO_ERRNO();
	const char *why = "no reason for TCP";
	bool is_tcp = choose(facts, &why) == TCP, was_tcp = shim_fd_is_tcp_first(fd);

	if (shim_fd_has(fd, FD_OWN))
		remember(is_tcp);
	if (actions[was_tcp][is_tcp])
		actions[was_tcp][is_tcp](fd, why);
}

static bool has_rules(void)
{
	struct shim_config own;

	return shim_config_get(&own)->has_rules;
}

static __attribute__((noinline)) bool is_forbidden(bool is_listen, const struct sockaddr *addr,
						   socklen_t len)
{
	struct rules own;

	return !rules_allow(shim_rules_get(&own), is_listen, addr, len);
}

void shim_choose_connect(struct shim_fd *fd, const struct sockaddr *addr, socklen_t len)
{
	static const unsigned char learned[] = {
		[ADVICE_SHORT] = FACT(SHORT),
		[ADVICE_BROKE] = FACT(BROKEN),
	};
	struct learned_place timed = { NULL, 0 };
	unsigned int facts = FACT(NOT_TO);

	if (len < sizeof(struct sockaddr_in) ||
	    (addr->sa_family != AF_INET && addr->sa_family != AF_INET6)) {
		/* AF_UNSPEC disconnects. */
		shim_fd_lose(fd, FD_TIMED);
		return;
	}
	if (!has_rules() || !is_forbidden(false, addr, len))
		facts = learned[shim_lives_advice(fd->number, addr, len, &timed)];
	if (!is_as_before(fd, facts))
		apply_facts(fd, facts);
	if (timed.entry)
		shim_lives_begin(fd->number, timed);
}

static __attribute__((noinline)) void choose_at(struct shim_fd *fd, const struct sockaddr *addr,
						socklen_t len)
{
	struct sockaddr_storage room;
	struct sockaddr *at = (struct sockaddr *)&room;
	AUTO_ERRNO();
	bool is_known;

	if (addr) {
		is_known = len >= sizeof(struct sockaddr_in) && len <= sizeof(room) &&
			   shim_read(at, fd->number, addr, len, SYS_bind) &&
			   ((struct sockaddr_in *)at)->sin_port; /* same offset in IPv6 */
	} else {
		len = sizeof(room);
		is_known = !getsockname(fd->number, at, &len);
	}
	if (is_known)
		apply_facts(fd, is_forbidden(true, at, len) ? FACT(NOT_AT) : 0);
}

/* Without rules, if all sockets are SMC sockets, there is no choice. */
void shim_choose_listen(struct shim_fd *fd, const struct sockaddr *addr, socklen_t len)
{
	if (!shim_is_locked && (has_rules() || shim_fd_is_tcp_first(fd)))
		choose_at(fd, addr, len);
}
