// SPDX-License-Identifier: MIT
/* What the environment asks for: read once, when the library starts. */
#include "ld_pre_smc/config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ld_pre_smc/choice.h"
#include "ld_pre_smc/size.h"

enum { CONFIG_NONE, CONFIG_WRITING, CONFIG_READY };

static struct shim_config shared;
static atomic_int state;

/* On if set, not empty and not starting with 0. */
static bool flag(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value && *value != '0';
}

static int read_size(struct shim_config *cfg, const char *name, enum shim_junk junk)
{
	const char *value = secure_getenv(name);
	int bytes = 0;

	if (value && *value && smc_parse_size(value, &bytes))
		cfg->junk |= 1U << junk;
	return bytes;
}

/*
 * auto takes IPPROTO_SMC where the kernel has it (6.11 and later): it keeps SO_DOMAIN and
 * SO_REUSEPORT as programs know them and passes sandboxes that admit AF_INET only. Its price is
 * small: sock_diag shows no addresses (smcss finds them elsewhere), and a late SO_KEEPALIVE does
 * not reach the hidden TCP connection, whose end would not end the SMC connection anyway.
 * The default stays AF_SMC, which smc-tools always used.
 */
static void choose_kinds(struct shim_config *cfg)
{
	const char *value = secure_getenv("SMC_SOCK_FAMILY");
	bool inet = value && (!strcmp(value, "inet") || !strcmp(value, "auto"));

	if (inet)
		cfg->kinds[cfg->nkinds++] = KIND_INET;
	cfg->kinds[cfg->nkinds++] = KIND_AF_SMC;
	if (value && *value && !inet && strcmp(value, "smc"))
		cfg->junk |= 1U << JUNK_FAMILY;
}

static void read_environment(struct shim_config *cfg)
{
	struct stat err;

	*cfg = (struct shim_config){ .strict = flag("SMC_STRICT"), .raw = flag("SMC_RAW") };
	if (!fstat(STDERR_FILENO, &err)) {
		cfg->err_open = true;
		cfg->err_dev = err.st_dev;
		cfg->err_ino = err.st_ino;
	}
	cfg->debug = cfg->err_open && flag("SMC_DEBUG");
	cfg->sndbuf = read_size(cfg, "SMC_SNDBUF", JUNK_SNDBUF);
	cfg->rcvbuf = read_size(cfg, "SMC_RCVBUF", JUNK_RCVBUF);
	choose_kinds(cfg);
	shim_choice_check(cfg);
}

const struct shim_config *shim_config_get(struct shim_config *own)
{
	int none = CONFIG_NONE, saved = errno;

	if (atomic_load_explicit(&state, memory_order_acquire) == CONFIG_READY)
		return &shared;
	read_environment(own);
	if (atomic_compare_exchange_strong(&state, &none, CONFIG_WRITING)) {
		shared = *own;
		atomic_store_explicit(&state, CONFIG_READY, memory_order_release);
	}
	errno = saved;
	return own;
}
