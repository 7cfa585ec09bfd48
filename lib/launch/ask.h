/* SPDX-License-Identifier: MIT */
/* Other tools of ours that are started: those beside this program, or else the installed ones. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

/** bpf_loader() - where smc_bpf is. False: there is none */
bool bpf_loader(char path[PATH_MAX]);

/**
 * tool_ask() - run a tool
 * @option, @value: arguments after @command, NULL for none
 * @text: receives what it printed, to be freed; may be NULL
 *
 * Return: 0; -errno with a sentence: -EIO with its own if it failed, -ENOENT if there is none.
 */
int tool_ask(const char *name, const char *command, const char *option, const char *value,
	     char **text, struct smc_err *err);

/** bpf_ask() - the same of smc_bpf, without its text */
int bpf_ask(const char *command, const char *option, const char *value, struct smc_err *err);
