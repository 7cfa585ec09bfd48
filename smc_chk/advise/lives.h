/* SPDX-License-Identifier: MIT */
/* The eBPF program that sees each TCP connection begin and end. */
#pragma once

#include "base/err.h"
#include "smc_chk/advise/lists.h"

/** struct lives - @state: map of its state; @left: ends that may still be read this time */
struct lives {
	struct bpf_programs *programs;
	struct lists *lists;
	int state, left;
};

/**
 * lives_open() - load it, and watch this network namespace from now on
 * @lives: all zero, except @lists, which finds owners
 *
 * Return: 0; -errno with @err, without @programs.
 */
int lives_open(struct lives *lives, struct smc_err *err);

/** lives_read() - tell the tally of what ended. Return: 0, -errno with @err */
int lives_read(struct lives *lives, struct smc_err *err);

/** lives_lost() - were there more ends than it could keep? */
bool lives_lost(const struct lives *lives);

void lives_close(struct lives *lives);
