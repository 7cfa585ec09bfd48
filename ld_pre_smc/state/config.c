// SPDX-License-Identifier: MIT
/* Configuration from the environment, read once when the library starts. */
#include "ld_pre_smc/state/config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "ld_pre_smc/state/repair_rows.h"

enum { CONFIG_NONE, CONFIG_WRITING, CONFIG_READY };

static struct shim_config shared;
static struct rules shared_rules;
static atomic_int state;

static const char *value_of(enum smc_variable variable)
{
	return getauxval(AT_SECURE) ? NULL : getenv(smc_variables[variable]);
}

static bool is_on(enum smc_variable variable)
{
	return smc_is_on(value_of(variable));
}

static struct smc_buffer read_buffer(struct shim_config *cfg, enum smc_variable variable)
{
	const char *value = value_of(variable);
	struct smc_buffer buffer = { 0 };

	if (value && *value && smc_parse_buffer(value, &buffer))
		cfg->invalid |= 1U << variable;
	return buffer;
}

/* Return: a bit 1 << VAR_x for each invalid list. */
static unsigned int read_rules(struct rules *rules)
{
	static const enum smc_variable lists[] = { VAR_INCLUDE, VAR_EXCLUDE };
	unsigned int invalid = 0;
	const char *value, *bad;

	*rules = (struct rules){ 0 };
	for (int is_exclude = 0; is_exclude < 2; is_exclude++) {
		value = value_of(lists[is_exclude]);
		if (value && rules_parse(rules, is_exclude, value, &bad))
			invalid |= 1U << lists[is_exclude];
	}
	return invalid;
}

/*
 * auto uses IPPROTO_SMC if the kernel has it (6.11 and later): it keeps SO_DOMAIN and SO_REUSEPORT
 * as programs expect, and passes sandboxes that only allow AF_INET. The drawbacks are small:
 * sock_diag shows no addresses (smcss finds them elsewhere), and SO_KEEPALIVE, if set late, does
 * not reach the inner TCP connection, whose end would not end the SMC connection anyway. The
 * default remains AF_SMC, which smc-tools always used. Either way the other kind is tried next: a
 * unit with RestrictAddressFamilies=AF_INET refuses AF_SMC, but permits IPPROTO_SMC.
 */
static void choose_kinds(struct shim_config *cfg)
{
	const char *value = value_of(VAR_FAMILY);
	bool is_inet = smc_wants_inet(value);

	cfg->kinds[0] = is_inet ? KIND_INET : KIND_AF_SMC;
	cfg->kinds[1] = is_inet ? KIND_AF_SMC : KIND_INET;
	cfg->nkinds = 2;
	if (value && *value && !smc_is_family(value))
		cfg->invalid |= 1U << VAR_FAMILY;
}

static void read_repairs(struct shim_config *cfg)
{
	const char *value = value_of(VAR_REPAIRS);

	if (value && !shim_repairs_find(value, &cfg->off))
		cfg->invalid |= 1U << VAR_REPAIRS;
}

static void read_environment(struct shim_config *cfg, struct rules *rules)
{
	const char *learn = value_of(VAR_LEARN);

	*cfg = (struct shim_config){
		.strict = is_on(VAR_STRICT),
		.raw = is_on(VAR_RAW),
		.learn = !learn || !*learn || smc_is_on(learn),
	};
	read_repairs(cfg);
	cfg->sndbuf = read_buffer(cfg, VAR_SNDBUF);
	cfg->rcvbuf = read_buffer(cfg, VAR_RCVBUF);
	choose_kinds(cfg);
	cfg->invalid |= read_rules(rules);
	cfg->has_rules = rules->count;
	if (cfg->invalid || is_on(VAR_DEBUG))
		cfg->err_open = !shim_stat(STDERR_FILENO, "", &cfg->err);
	cfg->debug = cfg->err_open && is_on(VAR_DEBUG);
}

/* A separate function, as the rules need stack space, which signal handlers may not have. */
static __attribute__((noinline, cold)) void read_first(struct shim_config *own)
{
	AUTO_ERRNO();
	int none = CONFIG_NONE;
	struct rules rules;

	read_environment(own, &rules);
	if (atomic_compare_exchange_strong(&state, &none, CONFIG_WRITING)) {
		shared = *own;
		shared_rules = rules;
		atomic_store_explicit(&state, CONFIG_READY, memory_order_release);
	}
}

const struct shim_config *shim_config_get(struct shim_config *own)
{
	if (atomic_load_explicit(&state, memory_order_acquire) == CONFIG_READY)
		return &shared;
	read_first(own);
	return own;
}

const struct rules *shim_rules_get(struct rules *own)
{
	if (atomic_load_explicit(&state, memory_order_acquire) == CONFIG_READY)
		return &shared_rules;
	read_rules(own);
	return own;
}
