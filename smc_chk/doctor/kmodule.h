/* SPDX-License-Identifier: MIT */
/* What a kernel was built with, its modules, and what forbids loading them. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "out/text.h"

/** struct kconfig - @text: the configuration, to be freed, NULL if it is nowhere; @file: of it */
struct kconfig {
	char *text;
	char file[PATH_MAX];
};

/**
 * kconfig_load() - the configuration of the running kernel, from where distributions put it
 * @release: as uname(2) tells it
 *
 * Return: true; false leaves @config->text NULL.
 */
bool kconfig_load(struct kconfig *config, const char *release);

/** kconfig_get() - an option, "CONFIG_SMC". Return: 'y', 'm', 'n' also for one that is not there */
char kconfig_get(const char *text, const char *option);

/** kconfig_inflate() - unpack what gzip packed. Return: to be freed; NULL if damaged or > 16 MiB */
char *kconfig_inflate(const void *data, size_t len);

/** kconfig_deflate() - append what gzip would make of it */
void kconfig_deflate(struct out_text *packed, const void *data, size_t len);

/** enum kmodule - how a kernel has a module; unknown without its lists, as in a container */
enum kmodule {
	KMODULE_UNKNOWN,
	KMODULE_ABSENT,
	KMODULE_FILE,
	KMODULE_BUILTIN,
};

/** kmodule_find() - how the running kernel has a module, by modules.builtin and modules.dep */
enum kmodule kmodule_find(const char *release, const char *name);

/** kmodule_listed() - is the module in the text of modules.builtin or modules.dep? '-' is '_' */
bool kmodule_listed(const char *text, const char *name);

/* ---- modprobe.d(5), the kernel's command line, two switches ---- */

/* By which the kernel asks for modules "smc" and "smc_diag". */
#define MODPROBE_SMC_ALIAS "net-pf-43"
#define MODPROBE_DIAG_ALIAS "net-pf-16-proto-4-type-43"

/** enum modprobe_rule - what a configuration says about a module */
enum modprobe_rule {
	MODPROBE_NO_RULE,
	MODPROBE_BLACKLIST, /* aliases do not load it; by its name it loads */
	MODPROBE_INSTALL,   /* a command runs in its place, "/bin/false" */
	MODPROBE_NO_ALIAS,  /* an alias of it is switched off */
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
