// SPDX-License-Identifier: MIT
/* SMC_INCLUDE and SMC_EXCLUDE, applied to sockets. */
#include "ld_pre_smc/state/choice.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <netinet/in.h>

#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "ld_pre_smc/state/ways.h"

/*
 * The last choices between SMC and TCP for sockets of this process, a bit each, 1 for TCP. When
 * most were TCP, the next sockets are TCP sockets from the start; when most were SMC, SMC sockets.
 */
#define CHOICES 8
#define MOST 6

static atomic_uint choices;

static void remember(bool is_tcp)
{
	unsigned int seen = atomic_load_explicit(&choices, memory_order_relaxed);
	int n_tcp;

	seen = (seen << 1 | is_tcp) & ((1U << CHOICES) - 1);
	atomic_store_explicit(&choices, seen, memory_order_relaxed);
	n_tcp = __builtin_popcount(seen);
	if (n_tcp >= MOST)
		shim_open_tcp_first(true);
	else if (n_tcp <= CHOICES - MOST)
		shim_open_tcp_first(false);
}

/*
 * A TCP socket of socket() that is as new becomes an SMC socket, if that takes its options. Where
 * the kernel no longer has SMC, socket() finds out, and remembers it: each attempt may start
 * modprobe.
 */
static void make_smc(int fd, const char *why)
{
	struct shim_sock tcp = { .kind = KIND_TCP };

	if (shim_int_option(fd, SOL_SOCKET, SO_PROTOCOL) != IPPROTO_TCP || !shim_may_swap(fd))
		return;
	tcp.family = shim_int_option(fd, SOL_SOCKET, SO_DOMAIN);
	if (shim_swap(fd, &tcp, shim_working_kind(tcp.family), why)) {
		shim_open_tcp_first(false);
		return;
	}
	shim_fd_mark_socket(fd);
	shim_give_buffers(fd);
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

static bool broke_before(const struct sockaddr *addr, socklen_t len)
{
	struct shim_route route;

	return shim_route_to(&route, addr, len) && shim_broken_has(&route.to);
}

static __attribute__((noinline)) void apply(int fd, bool is_listen, const struct sockaddr *addr,
					    socklen_t len)
{
	const char *why = is_listen ? "rules for listening" : "rules for connecting";
	bool forbidden = is_forbidden(is_listen, addr, len);
	bool is_tcp = forbidden || (!is_listen && broke_before(addr, len));
	struct shim_sock sock;
	int saved = errno;

	if (shim_fd_is_own(fd))
		remember(is_tcp);
	if (shim_fd_is_tcp(fd)) {
		if (!is_tcp)
			make_smc(fd, why);
	} else if (forbidden && shim_is_smc(fd, &sock) && shim_may_swap(fd)) {
		if (!shim_swap_by_rule(fd, &sock, why))
			shim_fd_clear(FD_SMC, fd);
	}
	errno = saved;
}

/* Without rules, and without broken handshakes, there is none. */
static bool has_choice(int fd)
{
	return !shim_is_locked && (has_rules() || shim_fd_is_tcp(fd) || shim_broken_any());
}

static bool is_address(const struct sockaddr *addr, socklen_t len)
{
	return addr && len >= sizeof(struct sockaddr_in) &&
	       (addr->sa_family == AF_INET || addr->sa_family == AF_INET6);
}

/* The port has the same place in a struct sockaddr_in6. */
static bool has_port(const struct sockaddr *addr)
{
	struct sockaddr_in in;

	memcpy(&in, addr, sizeof(in));
	return in.sin_port != 0;
}

void shim_rules_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (is_address(addr, len) && has_choice(fd))
		apply(fd, false, addr, len);
}

void shim_rules_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (is_address(addr, len) && has_port(addr) && has_choice(fd))
		apply(fd, true, addr, len);
}

void shim_rules_listen(int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int saved = errno;

	if (has_choice(fd) && !getsockname(fd, (struct sockaddr *)&addr, &len))
		apply(fd, true, (struct sockaddr *)&addr, len);
	errno = saved;
}
