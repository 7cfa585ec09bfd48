/* SPDX-License-Identifier: MIT */
/* What a kernel was built with: its configuration, and the lists of its modules. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "out/text.h"

/** struct kconfig - @text: the configuration, NULL if it is nowhere; @file: where it was found */
struct kconfig {
	char *text;
	char file[PATH_MAX];
};

/**
 * kconfig_load() - the configuration of the running kernel
 * @release: as uname(2) tells it
 *
 * From the places where distributions put it: /proc/config.gz, /boot, the kernel's directory in
 * /lib/modules.
 *
 * Return: true; false leaves @config->text NULL.
 */
bool kconfig_load(struct kconfig *config, const char *release);

void kconfig_free(struct kconfig *config);

/** kconfig_get() - an option, "CONFIG_SMC". Return: 'y', 'm', 'n' also for one that is not there */
char kconfig_get(const char *text, const char *option);

/**
 * kconfig_is_about() - does a line of it set or leave out an option of these words?
 * @words: such as "SMC", which is in CONFIG_SMC_DIAG and CONFIG_TCP_SMC; ends with NULL
 */
bool kconfig_is_about(const char *line, const char *const *words);

/**
 * kconfig_inflate() - unpack what gzip packed
 *
 * Return: a string to be freed; NULL if it is damaged or above 16 MiB.
 */
char *kconfig_inflate(const void *data, size_t len);

/** kconfig_deflate() - append what gzip would make of it */
void kconfig_deflate(struct out_text *packed, const void *data, size_t len);

/**
 * enum kmodule - how a kernel has a module
 * @KMODULE_UNKNOWN: its lists are not there, as in a container
 */
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
