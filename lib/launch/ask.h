/* SPDX-License-Identifier: MIT */
/* Run other tools of smc-tools: from this program's directory, or else the installed ones. */
#pragma once

#include "base/err.h"

/** bpf_loader() - path of smc_bpf. Return: false if there is none */
bool bpf_loader(char path[PATH_MAX]);

/**
 * tool_ask() - run a tool
 * @option, @value: arguments after @command, or NULL
 * @text: receives its output, to be freed; may be NULL
 *
 * Return: 0; -errno with a sentence: -EIO with the tool's own if it failed, -ENOENT if it is
 * missing.
 */
int tool_ask(const char *name, const char *command, const char *option, const char *value,
	     char **text, struct smc_err *err);

/** bpf_ask() - tool_ask() for smc_bpf, without the output */
int bpf_ask(const char *command, const char *option, const char *value, struct smc_err *err);
