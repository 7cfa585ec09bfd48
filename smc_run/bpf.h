/* SPDX-License-Identifier: MIT */
/* smc_run --bpf: sockets turned into SMC sockets by the kernel, not by a library. */
#ifndef SMC_RUN_BPF_H
#define SMC_RUN_BPF_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "cli/cli.h"
#include "ld_pre_smc/variables.h"

/** bpf_loader() - the smc_bpf that was installed, or built, with this program. False: none */
bool bpf_loader(char path[PATH_MAX]);

/**
 * bpf_ask() - run smc_bpf
 * @option, @value: arguments behind @command, NULL for none
 *
 * Return: 0; -EIO with its sentence if it failed; -ENOENT with a sentence if there is none; -errno
 * with a sentence.
 */
int bpf_ask(const char *command, const char *option, const char *value, struct smc_err *err);

/**
 * bpf_mark_self() - the TCP sockets of this process, and of all it starts, become SMC sockets
 *
 * Whoever may write to the pinned map needs no privileges. Where nothing is pinned, smc_bpf is
 * asked to load the program, which needs them.
 *
 * Return: 0, -errno with a sentence; nothing has happened then.
 */
int bpf_mark_self(struct smc_err *err);

/**
 * bpf_warn_settings() - warn of options of the library that eBPF does not know
 * @settings: by enum smc_variable, NULL for what was not asked for
 * @name: the command or unit
 */
void bpf_warn_settings(const struct cli_tool *tool, bool quiet, const char *const *settings,
		       const char *name);

#endif
