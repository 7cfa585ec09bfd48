/* SPDX-License-Identifier: MIT */
/* Kernel configuration, modules, and rules against loading them; kernels of distributions. */
#pragma once

#include "base/libc.h"

/** struct kconfig - @text: the configuration, to be freed, NULL if not found; @file: its path */
struct kconfig {
	char *text;
	char file[PATH_MAX];
};

/**
 * kconfig_load() - load the running kernel's configuration from the places of distributions
 * @release: as in uname(2)
 *
 * Return: true; false leaves @config->text NULL.
 */
bool kconfig_load(struct kconfig *config, const char *release);

/** kconfig_get() - get an option, "CONFIG_SMC". Return: 'y', 'm', or 'n', even if it is missing */
char kconfig_get(const char *text, const char *option);

/** kconfig_inflate() - decompress gzip data. Return: to be freed; NULL if damaged or > 16 MiB */
char *kconfig_inflate(const void *data, size_t len);

/** enum kmodule - kind of a module; unknown without the module lists, as in a container */
enum kmodule { KMODULE_UNKNOWN, KMODULE_ABSENT, KMODULE_FILE, KMODULE_BUILTIN };

/** kmodule_listed() - true if modules.builtin or modules.dep lists the module. '-' is '_' */
bool kmodule_listed(const char *text, const char *name);

/* ---- modprobe.d(5), the kernel's command line, two switches ---- */

/* Alias that the kernel requests for the modules "smc" and "smc_diag" */
#define MODPROBE_SMC_ALIAS "net-pf-43"
#define MODPROBE_DIAG_ALIAS "net-pf-16-proto-4-type-43"

/** enum modprobe_rule - a rule of modprobe.d(5) against a module */
enum modprobe_rule {
	MODPROBE_NO_RULE,
	MODPROBE_BLACKLIST, /* not loaded by alias, but by name */
	MODPROBE_INSTALL,   /* a command runs instead, "/bin/false" */
	MODPROBE_NO_ALIAS,  /* its alias is off */
};

/**
 * modprobe_parse() - search the text of one file for a rule against a module
 * @alias: of the module, "net-pf-43"; NULL for none
 *
 * Commands that run modprobe or insmod themselves do not count.
 */
enum modprobe_rule modprobe_parse(const char *text, const char *module, const char *alias);

/** modprobe_cmdline() - true if the kernel's command line forbids the module */
bool modprobe_cmdline(const char *cmdline, const char *module);

/**
 * struct module_facts - one module
 * @is_blocked: loading it by the alias would fail, by a @rule in @file; MODPROBE_NO_RULE if that is
 *	a file below /proc
 */
struct module_facts {
	const char *name, *alias;
	enum kmodule how;
	bool is_blocked;
	enum modprobe_rule rule;
	char file[PATH_MAX];
};

/** module_load() - find out about a module of the running kernel */
void module_load(struct module_facts *module, const char *release, const char *name,
		 const char *alias);

/* ---- the rows of smc_chk/doctor/distributions: SMC in the kernels of distributions ---- */

/** struct distribution - a row, as the file describes it */
struct distribution {
	const char *name, *id, *version, *machine, *kernel, *smc, *smcr, *smcd, *bpf, *known,
		*remedy;
};

/** struct distribution_name - of a system: ID=, and VERSION_ID= up to a dot */
struct distribution_name {
	char id[64], version[32];
};

/** distribution_name() - read @os_release. Pure. Return: true if there is a row with its ID */
bool distribution_name(struct distribution_name *name, const char *os_release);

/**
 * distribution_find() - find the row of a kernel. Pure.
 * @os_release: text of /etc/os-release; @machine: as uname(2) names it, "" if unknown
 * @release: of the kernel
 *
 * Return: NULL if nothing is known of it.
 */
const struct distribution *distribution_find(const char *os_release, const char *machine,
					     const char *release);
