// SPDX-License-Identifier: MIT
/* Choose SMC or TCP for a socket by SMC_INCLUDE, SMC_EXCLUDE and learned destinations. */
#include "ld_pre_smc/state/choice.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <netinet/in.h>

#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/lives.h"
#include "ld_pre_smc/state/openers.h"
#include "ld_pre_smc/state/program_memory.h"
#include "ld_pre_smc/state/replace_socket.h"

/*
 * The last choices between SMC and TCP for sockets of this process, one bit each, 1 for TCP. If
 * most were TCP, new sockets begin as TCP sockets; if most were SMC, as SMC sockets. The first
 * choice fills all bits, as a program may have only a few sockets.
 */
#define CHOICES 8
#define MOST 6
#define ANY (1U << CHOICES)
#define ALL_TCP (ANY | (ANY - 1))

static atomic_uint choices;

static void remember(bool is_tcp)
{
	unsigned int seen = atomic_load_explicit(&choices, memory_order_relaxed);
	int n_tcp;

	if (seen & ANY)
		seen = ANY | ((seen << 1 | is_tcp) & (ANY - 1));
	else
		seen = is_tcp ? ALL_TCP : ANY;
	atomic_store_explicit(&choices, seen, memory_order_relaxed);
	n_tcp = __builtin_popcount(seen & (ANY - 1));
	if (n_tcp >= MOST)
		shim_open_tcp_first(true);
	else if (n_tcp <= CHOICES - MOST)
		shim_open_tcp_first(false);
}

/*
 * Turn an unused TCP socket of socket() into an SMC socket, if that accepts its options. If the
 * kernel no longer has SMC, socket() finds out, and remembers it: each attempt may start modprobe.
 */
static void make_smc(struct shim_fd *fd, const char *why)
{
	if (!shim_fd_is_any_tcp(fd) || !shim_may_swap(fd->number))
		return;
	if (shim_swap(fd, shim_working_kind(fd->sock.family), why)) {
		shim_open_tcp_first(false);
		return;
	}
	shim_fd_mark_socket(fd->number);
	shim_fd_became(fd, fd->sock.kind);
	shim_give_buffers(fd->number);
}

static bool has_rules(void)
{
	struct shim_config own;

	return shim_config_get(&own)->has_rules;
}

static bool is_forbidden(bool is_listen, const struct sockaddr *addr, socklen_t len)
{
	struct rules own;

	return has_rules() && !rules_allow(shim_rules_get(&own), is_listen, addr, len);
}

/* @tcp: reason to use TCP, NULL for SMC. @smc: reason for which a TCP socket becomes SMC. */
static __attribute__((noinline)) void apply(struct shim_fd *fd, const char *tcp, const char *smc)
{
	AUTO_ERRNO();

	if (shim_fd_has(fd, FD_OWN))
		remember(tcp);
	if (shim_fd_is_tcp_first(fd)) {
		if (!tcp)
			make_smc(fd, smc);
	} else if (tcp && shim_fd_is_smc(fd) && shim_may_swap(fd->number)) {
		shim_swap_by_rule(fd, tcp);
	}
}

/* Without rules, if all sockets are SMC sockets, there is no choice. */
static bool has_choice(const struct shim_fd *fd)
{
	return !shim_is_locked && (has_rules() || shim_fd_is_tcp_first(fd));
}

static void apply_rules(struct shim_fd *fd, bool is_listen, const struct sockaddr *addr,
			socklen_t len)
{
	const char *why = is_listen ? "rules for listening" : "rules for connecting";

	apply(fd, is_forbidden(is_listen, addr, len) ? why : NULL, why);
}

static bool is_address(const struct sockaddr *addr, socklen_t len)
{
	return len >= sizeof(struct sockaddr_in) &&
	       (addr->sa_family == AF_INET || addr->sa_family == AF_INET6);
}

/* The socket is of the chosen kind already, as were all recent ones: keeps the usual case cheap. */
static bool is_as_before(const struct shim_fd *fd, bool is_tcp)
{
	if (is_tcp)
		return choices == ALL_TCP && shim_fd_is_tcp_first(fd);
	return !(choices & ~ANY) && !has_choice(fd);
}

void shim_choose_connect(struct shim_fd *fd, const struct sockaddr *addr, socklen_t len)
{
	static const char *const whys[] = {
		[ADVICE_SHORT] = "connections there are too short for SMC",
		[ADVICE_BROKE] = "an SMC handshake broke before",
	};
	struct learned_place timed = { NULL, 0 };
	const char *tcp;

	if (shim_is_locked)
		return;
	if (!is_address(addr, len)) { /* AF_UNSPEC disconnects */
		shim_fd_lose(fd, FD_TIMED);
		return;
	}
	if (has_rules() && is_forbidden(false, addr, len))
		tcp = "rules for connecting";
	else
		tcp = whys[shim_lives_advice(fd->number, addr, len, &timed)];
	if (!is_as_before(fd, tcp))
		apply(fd, tcp, "rules for connecting");
	if (timed.entry)
		shim_lives_begin(fd->number, timed);
}

void shim_rules_bind(struct shim_fd *fd, const struct sockaddr *addr, socklen_t len)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in; /* the port is at the same place as in struct sockaddr_in6 */
		struct sockaddr_storage room;
	} copy;

	if (has_choice(fd) && len && len <= sizeof(copy) &&
	    shim_read(&copy, fd->number, addr, len, SYS_bind) && is_address(&copy.any, len) &&
	    copy.in.sin_port)
		apply_rules(fd, true, &copy.any, len);
}

void shim_rules_listen(struct shim_fd *fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	AUTO_ERRNO();

	if (has_choice(fd) && !getsockname(fd->number, (struct sockaddr *)&addr, &len))
		apply_rules(fd, true, (struct sockaddr *)&addr, len);
}
