/* SPDX-License-Identifier: MIT */
/* Configuration from the environment, read once when the library starts. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "launch/rules.h"
#include "launch/variables.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/sandbox.h"

#pragma GCC visibility push(hidden)

/**
 * struct shim_config - parsed environment
 * @kinds: kinds to try, in this order; @nkinds: number of @kinds
 * @invalid: bit 1 << VAR_x for each variable whose value is ignored
 * @strict: SMC_STRICT: fail rather than use TCP
 * @raw: SMC_RAW: new sockets become SMC sockets, without any other change
 * @off: SMC_NO_REPAIRS: a bit for each repair that is off
 * @learn: false for SMC_LEARN=0: see lives.h; @has_rules: SMC_INCLUDE or SMC_EXCLUDE has rules
 * @debug: SMC_DEBUG is on, and there is a standard error; @sndbuf: SMC_SNDBUF; @rcvbuf: SMC_RCVBUF
 * @err: standard error at program start; a program may open something else as fd 2 later
 * @err_open: fd 2 was open, and there may be something to write
 */
struct shim_config {
	unsigned char kinds[KINDS];
	unsigned char nkinds;
	unsigned int invalid;
	bool strict;
	bool raw;
	bool learn;
	bool has_rules;
	bool debug;
	unsigned long long off;
	struct smc_buffer sndbuf;
	struct smc_buffer rcvbuf;
	struct stat err;
	bool err_open;
};

/**
 * shim_config_get() - get the configuration; the first call reads the environment
 * @own: storage for a caller that arrives while another thread (or the code interrupted by this
 *	signal handler) is reading: it reads the environment for itself instead of waiting
 *
 * Uses secure_getenv(3): a program with raised privileges gets the defaults.
 * Return: the configuration, shared or @own.
 */
const struct shim_config *shim_config_get(struct shim_config *own);

/** shim_rules_get() - SMC_INCLUDE and SMC_EXCLUDE, in the same way as shim_config_get() */
const struct rules *shim_rules_get(struct rules *own);

/*
 * True if SMC sockets should behave like TCP sockets; false in programs that know SMC (SMC_RAW), or
 * would be killed for it.
 */
static inline bool shim_repairs(void)
{
	struct shim_config own;

	return !shim_is_locked && !shim_config_get(&own)->raw;
}

#pragma GCC visibility pop
