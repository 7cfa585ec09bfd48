/* SPDX-License-Identifier: MIT */
/*
 * The one file that smc_unit writes for a service, and nobody else's. Functions with @err return
 * -errno with a sentence.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

/* Read last of all drop-ins, also after override.conf, which systemctl edit makes. */
#define DROPIN_FILE "zz-smc-tools.conf"
/* First line. A file without it is somebody else's. */
#define DROPIN_MARK "# Written by smc_unit enable, removed by smc_unit disable. Do not edit.\n"

/** struct dropin - where it is; @keeps_dir: @dir stays, even empty, as others may name it */
struct dropin {
	char dir[PATH_MAX], file[PATH_MAX];
	bool keeps_dir;
};

/**
 * dropin_locate() - the places for a unit by its full name, systemd.unit(5). Return: 0
 * @user: below $XDG_CONFIG_HOME or ~/.config instead of /etc
 */
int dropin_locate(bool user, const char *unit, struct dropin *out, struct smc_err *err);

/** unit_fn - is given a unit's full name; all but 0 ends the search */
typedef int unit_fn(const char *unit, void *arg);

/** units_each() - each unit with a file "DIR/NAME.service..." of a pattern of glob(7) */
int units_each(const char *pattern, unit_fn *fn, void *arg);

/** dropin_each() - each unit with a drop-in of this name. Return: what @fn returned last */
int dropin_each(bool user, unit_fn *fn, void *arg, struct smc_err *err);

/** dropin_read() - its text, NULL for no file. Return: 0; -EEXIST if it is not ours */
int dropin_read(const char *file, char **text, struct smc_err *err);

/** dropin_is_bpf() - does this text of ours attach by eBPF? False for NULL */
bool dropin_is_bpf(const char *text);

/** dropin_write() - put a text there that begins with DROPIN_MARK. Return: 1; 0 if it was there */
int dropin_write(const struct dropin *dropin, const char *text, struct smc_err *err);

/** dropin_remove() - and its directory, if that is then empty. Return: 1; 0 if it was not there */
int dropin_remove(const struct dropin *dropin, struct smc_err *err);
