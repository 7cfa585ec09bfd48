/* SPDX-License-Identifier: MIT */
/* The eBPF program that sees each TCP connection begin and end. */
#pragma once

#include "base/err.h"
#include "smc_chk/advise/lists.h"

struct lives;

/** lives_open() - load it, and watch this network namespace from now on. Return: 0, -errno, @err */
int lives_open(struct lives **lives, struct lists *lists, struct smc_err *err);

/** lives_read() - tell the tally of what ended. Return: 0, -errno with @err */
int lives_read(struct lives *lives, struct smc_err *err);

/** lives_lost() - were there more ends than it could keep? */
bool lives_lost(const struct lives *lives);

/** lives_close() - NULL is allowed */
void lives_close(struct lives *lives);
