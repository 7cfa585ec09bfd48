// SPDX-License-Identifier: MIT
/* SMC_INCLUDE and SMC_EXCLUDE, applied to sockets. */
#include "ld_pre_smc/rules_apply.h"

#include <errno.h>
#include <string.h>
#include <netinet/in.h>

#include "ld_pre_smc/config.h"
#include "ld_pre_smc/swap.h"

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

	if (!rules_allow(shim_rules_get(&own), is_listen, addr, len) && shim_is_smc(fd, &sock) &&
	    shim_may_swap(fd))
		shim_swap_by_rule(fd, &sock,
				  is_listen ? "rules for listening" : "rules for connecting");
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
