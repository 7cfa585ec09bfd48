/* SPDX-License-Identifier: MIT */
/* The eBPF programs of scopes: loaded once, pinned, unpinned. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/**
 * struct pins - what is pinned, open
 * @dir: the directory, locked while something is changed; -1 without a lock
 * @tasks: map of marks, -1 while closed
 * @scopes: map of scopes, -1 while closed
 */
struct pins {
	int dir, tasks, scopes;
};

/* clang-format off */
#define PINS_CLOSED { -1, -1, -1 }
/* clang-format on */

/** pins_check() - could something be attached? Return: 0, -errno with a sentence */
int pins_check(struct smc_err *err);

/** pins_read() - open it for reading. Return: 0; -ENOENT without any; -errno with a sentence */
int pins_read(struct pins *pins, struct smc_err *err);

/**
 * pins_change() - open it for changes, and keep others from changing it until pins_close()
 * @load: load and attach the programs if they are not; else -ENOENT
 *
 * The remains of a loader that died half-way are removed.
 *
 * Return: 0, -errno with a sentence.
 */
int pins_change(struct pins *pins, bool load, struct smc_err *err);

/** pins_remove() - unpin all: the kernel ends the programs. Return: 0, -errno with a sentence */
int pins_remove(struct smc_err *err);

void pins_close(struct pins *pins);
