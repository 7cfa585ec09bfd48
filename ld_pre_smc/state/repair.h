/* SPDX-License-Identifier: MIT */
/*
 * Repairs: what makes SMC sockets behave as TCP sockets, by row of ld_pre_smc/repairs.
 *
 * A repair that the kernel no longer needs is off. Its release decides: a probe would cost every
 * program sockets, a peer and the time of the symptom, and a filter may forbid it. An error of the
 * release is harmless: where a distribution has fixed an older kernel, the repair finds nothing to
 * do. No row has an end that a distribution is known to have reverted.
 */
#pragma once

#include "ld_pre_smc/state/config.h"

#pragma GCC visibility push(hidden)

enum shim_repair {
#define REPAIR(id, name, end) REPAIR_##id,
#include "repairs.h"
#undef REPAIR
	REPAIRS,
};

#define SHIM_RELEASE(major, minor) ((major) << 16 | (minor))

/* First release that does not need it, or 0, by enum shim_repair. */
static const int shim_repair_ends[REPAIRS] = {
#define REPAIR(id, name, end) end,
#include "repairs.h"
#undef REPAIR
};

/* Names, by enum shim_repair. */
extern const char *const shim_repair_names[REPAIRS];

/** shim_release() - SHIM_RELEASE() of the kernel: one system call per process; 0 in a sandbox */
int shim_release(void);

/** shim_repairs_find() - get a bit for each name in a list. Return: false if one is unknown */
bool shim_repairs_find(const char *list, unsigned long long *bits);

/** shim_needs() - true if the kernel needs this repair, and nobody has switched it off */
static inline bool shim_needs(enum shim_repair repair)
{
	struct shim_config own;

	return shim_repairs() && !(shim_config_get(&own)->off >> repair & 1) &&
	       (!shim_repair_ends[repair] || shim_release() < shim_repair_ends[repair]);
}

/** shim_mends() - shim_needs(), and a debug line with the name: the repair acts on @fd */
bool shim_mends(int fd, enum shim_repair repair);

#pragma GCC visibility pop
