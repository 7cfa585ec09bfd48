/* SPDX-License-Identifier: MIT */
/* Run other tools, from this program's directory or the installed ones; they may be missing. */
#pragma once

#include "base/err.h"

/* Remedy for a missing file of that package */
#define EXTRA_MISSING "install the package smc-tools-extra"

/** tool_find() - path of a tool. Return: false if it is missing */
bool tool_find(const char *name, char path[PATH_MAX]);

/**
 * extra_exec() - become a program of smc-tools-extra
 * @argv: its arguments; argv[0] is its name in error messages
 *
 * Return: -errno with a sentence: -ENOENT with the package if it is missing.
 */
int extra_exec(const char *name, char *const *argv, struct smc_err *err);

/**
 * tool_ask() - run a tool
 * @option, @value: arguments after @command, or NULL
 * @text: receives its output, to be freed; may be NULL
 *
 * Return: 0; -errno with a sentence: -EIO with the tool's sentence if it failed, -ENOENT with the
 * package if it is missing.
 */
int tool_ask(const char *name, const char *command, const char *option, const char *value,
	     char **text, struct smc_err *err);

/** bpf_ask() - tool_ask() for smc_bpf, without the output */
int bpf_ask(const char *command, const char *option, const char *value, struct smc_err *err);
