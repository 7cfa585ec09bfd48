/* SPDX-License-Identifier: MIT */
/* The one file that smc_unit writes for a service, and nobody else's. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

/* Read last of all drop-ins, also after override.conf, which systemctl edit makes. */
#define DROPIN_FILE "zz-smc-tools.conf"
/* First line. A file without it is somebody else's. */
#define DROPIN_MARK "# Written by smc_unit enable, removed by smc_unit disable. Do not edit.\n"

/**
 * struct dropin - where it is
 * @base: directory of the administrator's or the user's units
 * @dir: UNIT.service.d in @base
 * @file: DROPIN_FILE in @dir
 * @keeps_dir: @dir stays, even empty: others may name it
 */
struct dropin {
	char base[PATH_MAX];
	char dir[PATH_MAX];
	char file[PATH_MAX];
	bool keeps_dir;
};

/**
 * dropin_locate() - the places for a unit, systemd.unit(5)
 * @user: below $XDG_CONFIG_HOME or ~/.config instead of /etc
 * @unit: full name; NULL for @base only
 *
 * Return: 0, or -errno with a sentence.
 */
int dropin_locate(bool user, const char *unit, struct dropin *out, struct smc_err *err);

/**
 * dropin_each() - every unit that has a drop-in of this name
 * @fn: is given the unit's full name; anything but 0 ends the search
 *
 * Return: what @fn returned last, or -errno with a sentence.
 */
int dropin_each(bool user, int (*fn)(const char *unit, void *arg), void *arg, struct smc_err *err);

/**
 * dropin_read() - its text
 * @text: free() it; NULL if there is no such file
 *
 * Return: 0; -EEXIST with a sentence if the file is not ours; -errno with a sentence.
 */
int dropin_read(const char *file, char **text, struct smc_err *err);

/** dropin_is_bpf() - does this text of ours attach by eBPF? False for NULL */
bool dropin_is_bpf(const char *text);

/**
 * dropin_write() - put it there at once, or change nothing
 * @text: begins with DROPIN_MARK
 *
 * Return: 1 if written, 0 if it was already there; -errno with a sentence.
 */
int dropin_write(const struct dropin *dropin, const char *text, struct smc_err *err);

/**
 * dropin_remove() - remove it, and its directory if that is then empty
 *
 * Return: 1 if removed, 0 if it was not there; -errno with a sentence.
 */
int dropin_remove(const struct dropin *dropin, struct smc_err *err);
