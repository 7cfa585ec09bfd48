/* SPDX-License-Identifier: MIT */
/*
 * Where "stats reset" keeps the numbers it started from: a file for each tool and network
 * namespace, which means nothing after the next boot. The kernel itself cannot reset its counters.
 */
#pragma once

#include "base/err.h"
#include "smc/stats.h"

/**
 * baseline_load() - read what the last reset noted
 * @tool: "smcd" or "smcr"
 *
 * Return: 0; -ENOENT when there is none for this boot and namespace; another -errno with a sentence
 * when there is one that cannot be trusted or read.
 */
int baseline_load(struct smc_stats *base, const char *tool, struct smc_err *err);

/** baseline_save() - note the numbers. Return: 0, -errno with a sentence */
int baseline_save(const struct smc_stats *stats, const char *tool, struct smc_err *err);

/** baseline_write() - as text. Return: malloc()ed string */
char *baseline_write(const struct smc_stats *stats, const char *boot_id);

/**
 * baseline_read() - from text
 *
 * Return: 0, -ENOENT when it is of another boot, -EBADMSG when it is anything but a whole baseline.
 */
int baseline_read(struct smc_stats *base, const char *text, const char *boot_id);
