/* SPDX-License-Identifier: MIT */
/* What forbids loading a module: modprobe.d(5), the kernel's command line, two switches. */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* By which the kernel asks for modules "smc" and "smc_diag". */
#define MODPROBE_SMC_ALIAS "net-pf-43"
#define MODPROBE_DIAG_ALIAS "net-pf-16-proto-4-type-43"

/**
 * enum modprobe_rule - what a configuration says about a module
 * @MODPROBE_BLACKLIST: aliases do not load it; by its name it loads
 * @MODPROBE_INSTALL: a command runs in its place, "/bin/false"
 * @MODPROBE_NO_ALIAS: an alias of it is switched off
 */
enum modprobe_rule {
	MODPROBE_NO_RULE,
	MODPROBE_BLACKLIST,
	MODPROBE_INSTALL,
	MODPROBE_NO_ALIAS,
};

/**
 * modprobe_parse() - look for a rule against a module in the text of one file
 * @alias: of the module, "net-pf-43"; NULL for none
 *
 * Commands that run modprobe or insmod themselves are no obstacle.
 */
enum modprobe_rule modprobe_parse(const char *text, const char *module, const char *alias);

/** modprobe_cmdline() - does the kernel's command line forbid the module? */
bool modprobe_cmdline(const char *cmdline, const char *module);

/**
 * struct modprobe_block - what stands in the way
 * @rule: MODPROBE_NO_RULE if @file is not configuration
 * @file: the file, of the configuration or below /proc
 */
struct modprobe_block {
	enum modprobe_rule rule;
	char file[PATH_MAX];
};

/**
 * modprobe_blocked() - would the kernel fail to load a module by its alias?
 *
 * Files in earlier directories hide those of the same name in later ones, as kmod does it.
 */
bool modprobe_blocked(struct modprobe_block *block, const char *module, const char *alias);
