/* SPDX-License-Identifier: MIT */
/* What the environment asks for: read once, when the library starts. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "launch/rules.h"
#include "launch/variables.h"
#include "ld_pre_smc/state/sandbox.h"
#include "ld_pre_smc/state/sock.h"

#pragma GCC visibility push(hidden)

/**
 * struct shim_config - the environment, understood
 * @kinds: what to try, best first
 * @nkinds: how many of @kinds
 * @invalid: bit 1 << VAR_x for each variable whose value is ignored
 * @strict: SMC_STRICT: rather no socket than TCP
 * @raw: SMC_RAW: new sockets become SMC sockets, nothing else is changed
 * @learn: not SMC_LEARN=0: see lives.h
 * @has_rules: SMC_INCLUDE or SMC_EXCLUDE has rules
 * @debug: SMC_DEBUG, and there is a standard error to write to
 * @sndbuf: SMC_SNDBUF
 * @rcvbuf: SMC_RCVBUF
 * @err_dev: device of standard error as the program was started with it
 * @err_ino: inode of it; a program may put something else at fd 2 later
 * @err_open: whether the program was started with fd 2 open
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
	struct smc_buffer sndbuf;
	struct smc_buffer rcvbuf;
	dev_t err_dev;
	ino_t err_ino;
	bool err_open;
};

/**
 * shim_config_get() - the configuration, read from the environment at the first call
 * @own: space for a caller that comes while another thread (or the code that this signal handler
 *	interrupted) is at it: it reads the environment for itself instead of waiting
 *
 * Uses secure_getenv(3): a program with raised privileges gets the defaults.
 *
 * Return: the configuration, shared or @own.
 */
const struct shim_config *shim_config_get(struct shim_config *own);

/** shim_rules_get() - SMC_INCLUDE and SMC_EXCLUDE, as shim_config_get() gives the rest */
const struct rules *shim_rules_get(struct rules *own);

/*
 * Whether SMC sockets are to behave as TCP sockets do: not for programs that know SMC (SMC_RAW), or
 * that would not survive it.
 */
static inline bool shim_repairs(void)
{
	struct shim_config own;

	return !shim_is_locked && !shim_config_get(&own)->raw;
}

#pragma GCC visibility pop
