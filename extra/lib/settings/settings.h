/* SPDX-License-Identifier: MIT */
/*
 * Settings of this host: read those of the kernel, compare them with files of smc.conf(5), apply
 * the differences or none of them. Functions return 0, or -errno with @err.
 */
#pragma once

#include "net/pairing.h"
#include "settings/conf.h"
#include "settings/conf_files.h"
#include "settings/eids.h"
#include "settings/pnet_table.h"
#include "settings/policy.h"

/**
 * struct settings_netns - current state of a network namespace
 * @name: "" for the caller's, which comes first
 * @table: the PNET table that the namespace sees; @world: its devices
 * @policy: in force, with counters
 * @exclusive: kinds of settings that are exclusive in the file
 */
struct settings_netns {
	char *name;
	struct smc_pnet_table table;
	struct pnet_world world;
	struct policy policy;
	uint32_t exclusive;
};

/** struct settings_change - from one value to another; one of them may be NULL */
struct settings_change {
	const struct conf_item *old, *new;
	size_t netns;
};

/** settings_any() - a value of the change, for what both have in common */
static inline const struct conf_item *settings_any(const struct settings_change *change)
{
	return change->new ? change->new : change->old;
}

/**
 * struct settings - current and wanted settings; zero-initialize
 * @is_one: only one namespace was requested
 * @first: index in @netns of the requested one: 1 if it is not the caller's
 * @file: whose settings are wanted; settings_plan() sets it
 * @device: set before settings_plan() to want its PNET IDs only, again: it was just named, and the
 *	kernel binds an entry to the device that has the name when it is added
 * @now, @wanted: sections are indexes of @netns. PNET IDs in @wanted belong to net devices by name,
 *	or to RDMA and ISM devices
 * @waiting: settings of @file for missing devices and namespaces
 * @gone: settings to remove, if no file has them; @changes: in the order that the kernel requires
 * @lock: held against other processes that change settings; 0 for none
 */
struct settings {
	struct settings_netns *netns;
	size_t n_netns, first;
	bool is_one;
	const struct conf *file;
	const char *device;
	struct conf now, wanted, gone;
	const struct conf_item **waiting;
	size_t n_waiting;
	struct settings_change *changes;
	size_t n_changes;
	int lock;
};

/**
 * settings_lock() - wait for other processes that change settings, until settings_free()
 *
 * Then add PNET IDs that a process has deleted, but not added again, before it was killed.
 */
void settings_lock(struct settings *host);

/** settings_write_file() - write a file below /etc/smc-tools; with @len 0 remove it */
int settings_write_file(const char *directory, const char *name, const char *text, size_t len,
			struct smc_err *err);

/** settings_remove_left() - remove files that smc_replace_file() has left in killed processes */
void settings_remove_left(const char *pattern);

/**
 * settings_plan() - read the kernel's settings, and compute the changes that a file asks for
 * @file: read by conf_read() or conf_read_text(); must outlive @host
 * @netns: only this namespace, as in smc_netns_enter(); NULL for all that the file names
 *
 * Call settings_lock() before, and settings_apply() after it. @host is to be freed also on failure.
 */
int settings_plan(struct settings *host, const struct conf *file, const char *netns,
		  struct smc_err *err);

/**
 * typedef settings_change_fn - takes a change as a line
 * @sign: '+' added, '-' removed, '~' changed
 */
typedef void (*settings_change_fn)(void *arg, char sign, const char *line,
				   const struct settings_change *change);

/** settings_each() - call a function for each line of the changes */
void settings_each(const struct settings *host, settings_change_fn fn, void *arg);

/** settings_diff() - append the changes as lines: "+ eid A", "- pnetid N net eth0", "~ seid off" */
void settings_diff(struct out_text *text, const struct settings *host);

/** settings_apply() - apply all @changes, or none: what was changed goes back on failure */
int settings_apply(struct settings *host, struct smc_err *err);

/** settings_check() - check, as far as this needs root, that the changes can be applied */
int settings_check(const struct settings *host, struct smc_err *err);

/** settings_waits() - append a line for each setting whose device or namespace is missing */
void settings_waits(struct out_text *text, const struct settings *host);

void settings_free(struct settings *host);

/* ---- parts of settings_plan() ---- */

/** typedef settings_note_fn - takes the reason why a namespace was left out */
typedef void (*settings_note_fn)(const struct smc_err *err);

/**
 * settings_read() - read the state of the kernel: namespaces of @file, without one the caller's
 * @netns: only this one, as in smc_netns_enter(); named namespaces keep the name; NULL for all
 * @note: all named network namespaces are read; receives what makes one unreadable; or NULL
 */
int settings_read(struct settings *host, const char *netns, settings_note_fn note,
		  struct smc_err *err);

/** settings_want() - compute @wanted and @waiting from @file */
int settings_want(struct settings *host, struct smc_err *err);

/**
 * settings_compare() - compute the changes from @now to @wanted
 *
 * Return: -EOPNOTSUPP for settings that kernel or machine do not support; -ERANGE for too many.
 */
int settings_compare(struct settings *host, struct smc_err *err);

/** settings_is_normal() - true if the value is the kernel's default */
bool settings_is_normal(const struct conf_item *item);

/* ---- added.c ---- */

/** settings_enable() - apply the files at each boot. Return: 0; 1 if systemd does not run */
int settings_enable(struct smc_err *err);

/**
 * settings_add() - add lines to a file of their own in CONF_DIR, enable it at boot, apply all files
 * @is_removed: take the lines out instead, and remove their settings; all of them for NULL
 *
 * All or nothing, also for the file. Does not add a line that the file has already.
 */
int settings_add(const char *lines, bool is_removed, struct smc_err *err);
