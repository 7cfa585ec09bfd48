// SPDX-License-Identifier: MIT
/* SMC_INCLUDE and SMC_EXCLUDE, applied to sockets. */
#include "ld_pre_smc/rules_apply.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <netinet/in.h>

#include "ld_pre_smc/config.h"
#include "ld_pre_smc/swap.h"

enum { RULES_NONE, RULES_WRITING, RULES_READY };

static struct rules shared;
static atomic_int state;

/* As shim_config_get() does it. */
static const struct rules *get_rules(struct rules *own)
{
	int none = RULES_NONE;

	if (atomic_load_explicit(&state, memory_order_acquire) == RULES_READY)
		return &shared;
	shim_read_rules(own);
	if (atomic_compare_exchange_strong(&state, &none, RULES_WRITING)) {
		shared = *own;
		atomic_store_explicit(&state, RULES_READY, memory_order_release);
	}
	return own;
}

static bool has_rules(void)
{
	struct shim_config own;

	return !shim_is_locked && shim_config_get(&own)->has_rules;
}

static __attribute__((noinline)) void apply(int fd, bool is_listen, const struct sockaddr *addr,
					    socklen_t len)
{
	struct shim_sock sock;
	struct rules own;
	int saved = errno;

	if (!rules_allow(get_rules(&own), is_listen, addr, len) && shim_is_smc(fd, &sock) &&
	    shim_may_swap(fd))
		shim_swap_by_rule(fd, &sock, is_listen ? "rules for listening" :
				  "rules for connecting");
	errno = saved;
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
	if (has_rules() && is_address(addr, len))
		apply(fd, false, addr, len);
}

void shim_rules_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (has_rules() && is_address(addr, len) && has_port(addr))
		apply(fd, true, addr, len);
}

void shim_rules_listen(int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int saved = errno;

	if (has_rules() && !getsockname(fd, (struct sockaddr *)&addr, &len))
		apply(fd, true, (struct sockaddr *)&addr, len);
	errno = saved;
}
