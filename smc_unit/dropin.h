/* SPDX-License-Identifier: MIT */
/*
 * The drop-in file that smc_unit writes for a service. Foreign files are never touched. Functions
 * with @err return -errno with a sentence.
 */
#pragma once

#include "base/err.h"

/* Sorts last of all drop-ins, also after override.conf of systemctl edit. */
#define DROPIN_FILE "zz-smc-tools.conf"
/* First line. A file without it is foreign. */
#define DROPIN_MARK "# Written by smc_unit enable, removed by smc_unit disable. Do not edit.\n"

/**
 * struct dropin - paths of a drop-in
 * @keeps_dir: @dir is not removed if empty, as it may belong to others
 */
struct dropin {
	char dir[PATH_MAX], file[PATH_MAX];
	bool keeps_dir;
};

/**
 * dropin_locate() - set the paths for a unit by its full name, systemd.unit(5). Return: 0
 * @user: below $XDG_CONFIG_HOME or ~/.config instead of /etc
 */
int dropin_locate(bool user, const char *unit, struct dropin *out, struct smc_err *err);

/** unit_fn - is called with a unit's full name; a nonzero result ends the search */
typedef int unit_fn(const char *unit, void *arg);

/** units_each() - find each unit with a file "DIR/NAME.service..." of a glob(7) pattern */
int units_each(const char *pattern, unit_fn *fn, void *arg);

/** dropin_each() - find each unit with a drop-in of this name. Return: last result of @fn */
int dropin_each(bool user, unit_fn *fn, void *arg, struct smc_err *err);

/**
 * dropin_read() - read a drop-in; NULL if there is no file. Return: 0; -EEXIST if we did not write
 * it
 */
int dropin_read(const char *file, char **text, struct smc_err *err);

/** dropin_is_bpf() - does this text of ours attach by eBPF? False for NULL */
bool dropin_is_bpf(const char *text);

/** dropin_write() - write a text that begins with DROPIN_MARK. Return: 1; 0 if unchanged */
int dropin_write(const struct dropin *dropin, const char *text, struct smc_err *err);

/**
 * dropin_remove() - remove a drop-in, and its directory if empty. Return: 1; 0 if there was none
 */
int dropin_remove(const struct dropin *dropin, struct smc_err *err);
