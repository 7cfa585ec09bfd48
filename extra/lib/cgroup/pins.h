/* SPDX-License-Identifier: MIT */
/* Load, pin and unpin the eBPF programs of scopes. */
#pragma once

#include "base/err.h"

/**
 * struct pins - descriptors of pinned objects
 * @dir: the directory, locked during changes; -1 without a lock
 * @tasks: map of marks, -1 if not open; @scopes: map of scopes, -1 if not open
 */
struct pins {
	int dir, tasks, scopes;
};

/* clang-format off */
#define PINS_CLOSED { -1, -1, -1 }
/* clang-format on */

/** pins_check() - check that scopes can be attached */
int pins_check(struct smc_err *err);

/** pins_read() - open for reading. Return: 0; -ENOENT if nothing is pinned; -errno with @err */
int pins_read(struct pins *pins, struct smc_err *err);

/**
 * pins_change() - open for changes, locked until pins_close()
 * @load: load and attach the programs if they are not pinned; else -ENOENT
 *
 * Remains of a loader that was killed are removed.
 */
int pins_change(struct pins *pins, bool load, struct smc_err *err);

/** pins_remove() - unpin everything, which ends the programs */
int pins_remove(struct smc_err *err);

void pins_close(struct pins *pins);
