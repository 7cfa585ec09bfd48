/* SPDX-License-Identifier: MIT */
/* ld_pre_smc.so in LD_PRELOAD. */
#pragma once

#include "base/err.h"
#include "process/library.h"

#define PRELOAD "LD_PRELOAD"

/**
 * preload_find() - the library for a program, with an entry that LD_PRELOAD can hold
 *
 * Return: 0; -ENOENT or -EINVAL with a sentence.
 */
int preload_find(const struct target *target, struct library *lib, struct smc_err *err);
