/* SPDX-License-Identifier: MIT */
/* Rows of ld_pre_smc/repairs. */
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum shim_repair {
#define REPAIR(id, name, end) REPAIR_##id,
#include "repairs.h"
#undef REPAIR
	REPAIRS,
};

#define SHIM_RELEASE(major, minor) ((major) << 16 | (minor))

/* First kernel release that does not need the repair, or 0, by enum shim_repair. */
static const int shim_repair_ends[REPAIRS] = {
#define REPAIR(id, name, end) end,
#include "repairs.h"
#undef REPAIR
};

/* Names, by enum shim_repair. */
extern const char *const shim_repair_names[REPAIRS];

/** shim_repairs_find() - get a bit for each name in a list. Return: false if one is unknown */
bool shim_repairs_find(const char *list, unsigned long long *bits);

#pragma GCC visibility pop
