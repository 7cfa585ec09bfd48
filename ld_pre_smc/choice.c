// SPDX-License-Identifier: MIT
/* SMC_INCLUDE and SMC_EXCLUDE at work. */
#include "ld_pre_smc/choice.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>

#include "ld_pre_smc/swap.h"

enum { RULES_NONE, RULES_WRITING, RULES_READY };

static struct rules shared;
static atomic_int state;

static const struct {
	const char *variable;
	enum shim_junk junk;
} lists[] = { { "SMC_INCLUDE", JUNK_INCLUDE }, { "SMC_EXCLUDE", JUNK_EXCLUDE } };

/* Return: a bit 1 << JUNK_x for each list that nobody understands. */
static unsigned int read_lists(struct rules *rules)
{
	unsigned int junk = 0;
	const char *value, *bad;

	*rules = (struct rules){ 0 };
	for (int is_exclude = 0; is_exclude < 2; is_exclude++) {
		value = secure_getenv(lists[is_exclude].variable);
		if (value && rules_parse(rules, is_exclude, value, &bad))
			junk |= 1U << lists[is_exclude].junk;
	}
	return junk;
}

void shim_choice_check(struct shim_config *cfg)
{
	struct rules rules;

	cfg->junk |= (unsigned char)read_lists(&rules);
	cfg->ruled = rules.count > 0;
}

/* As shim_config_get() does it. */
static const struct rules *get_rules(struct rules *own)
{
	int none = RULES_NONE;

	if (atomic_load_explicit(&state, memory_order_acquire) == RULES_READY)
		return &shared;
	read_lists(own);
	if (atomic_compare_exchange_strong(&state, &none, RULES_WRITING)) {
		shared = *own;
		atomic_store_explicit(&state, RULES_READY, memory_order_release);
	}
	return own;
}

static bool is_ruled(void)
{
	struct shim_config own;

	return !shim_is_locked() && shim_config_get(&own)->ruled;
}

static __attribute__((noinline)) void choose(int fd, bool is_listen, const struct sockaddr *addr,
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

void shim_choose_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (is_ruled() && is_address(addr, len))
		choose(fd, false, addr, len);
}

void shim_choose_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (is_ruled() && is_address(addr, len) && has_port(addr))
		choose(fd, true, addr, len);
}

void shim_choose_listen(int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int saved = errno;

	if (is_ruled() && !getsockname(fd, (struct sockaddr *)&addr, &len))
		choose(fd, true, (struct sockaddr *)&addr, len);
	errno = saved;
}
