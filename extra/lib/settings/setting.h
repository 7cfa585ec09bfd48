/* SPDX-License-Identifier: MIT */
/* The table of settings: a row has all that is to be known about one kind. */
#pragma once

#include "base/array.h"
#include "settings/settings.h"

/* In RUN_DIR: PNET IDs that were in force before changes that are not finished. */
#define SETTINGS_UNFINISHED "unfinished.conf"

/**
 * struct conf_line - the current line of a file
 * @kind: row that its first word begins; NULL for a line about the file itself
 * @section: section of the line; "netns" changes it
 * @bad: receives the index of the wrong word; @count for a missing one
 * @err: receives the expectation, without file, line and word
 */
struct conf_line {
	struct conf *conf;
	const struct setting *kind;
	size_t section;
	struct conf_place place;
	char **words;
	size_t count, bad;
	struct smc_err *err;
};

/** conf_expected() - report word @bad as wrong, or missing. Return: -EINVAL */
int conf_expected(struct conf_line *line, size_t bad, const char *what);

/** conf_accept() - add a setting of the line; ignore a repeated one, refuse a contradiction */
int conf_accept(struct conf_line *line, struct conf_item *item, size_t bad);

/**
 * struct settings_look - namespace @at of a host that is being read
 * @is_all: read also what no file asks for; @nl: NULL on kernels before 5.11
 */
struct settings_look {
	struct settings *host;
	bool is_all;
	size_t at;
	const struct setting *kind;
	struct smc_genl *nl;
	struct smc_err *err;
};

/** settings_found() - add a current setting */
void settings_found(const struct settings_look *look, struct conf_item item);

/** struct settings_wish - a setting of the file, for the namespace of its section */
struct settings_wish {
	struct settings *host;
	struct conf_item item;
	struct smc_err *err;
};

/** settings_add_wish() - add a wish; two names of one device may contradict each other */
int settings_add_wish(struct settings_wish *wish);

/**
 * struct settings_step - changes of one kind and namespace, within which it runs
 * @is_back: from the new values to the old
 */
struct settings_step {
	struct settings *host;
	const struct settings_change *changes;
	size_t count;
	bool is_back;
	struct smc_err *err;
};

/**
 * struct setting - a row; functions return 0, or -errno with a sentence
 * @name: in JSON and after "exclusive"; @words: first words of its lines, patterns of glob(7)
 * @is_host: the same in all network namespaces
 * @is_whole: set() makes all changes of a namespace at once
 * @is_set: a file that has one for a namespace has all of them
 * @room: number of them that the kernel takes, 0 for any
 * @parse: reads a line of a file
 * @write: appends an item as a line; NULL for "NAME [VALUE] [BY] [OBJECT] [port PORT]"
 * @may_read: true if this process may read them, although no file asks for it; NULL for always
 * @read: reads those of a namespace
 * @want: finds what an item means on this host, for settings_add_wish(); returns 1 if its object,
 *	@waits_for, is missing; NULL if it means itself
 * @normal: default of a setting that always has a value, NULL for those that come and go
 * @normal_of: the same by item
 * @absent: value that it has if the kernel has none; @missing: the reason for that
 * @check: finds out if this host can have it; NULL for always
 * @set: from one value to another, one of which may be NULL; @toggle: of "on" and "off"
 */
struct setting {
	const char *name, *words;
	bool is_host, is_whole, is_set;
	size_t room;
	int (*parse)(struct conf_line *line);
	void (*write)(struct out_text *text, const struct conf_item *item);
	bool (*may_read)(void);
	int (*read)(struct settings_look *look);
	int (*want)(struct settings_wish *wish);
	const char *waits_for, *normal;
	const char *(*normal_of)(const struct conf_item *item);
	const char *absent, *missing;
	int (*check)(struct smc_err *err);
	int (*set)(struct settings_step *step, const struct conf_item *from,
		   const struct conf_item *to);
	int (*toggle)(struct smc_genl *nl, bool is_on, struct smc_err *err);
};

/** settings_rows - in the order in which they are applied; ended by one without a name */
extern const struct setting settings_rows[];

/** for_each_of() - walk the items of one kind and section of a conf, to read them */
#define for_each_of(item, conf, row, at)                                                           \
	for_each(item, (conf)->items, (conf)->count)                                               \
		if (item->kind == (row) && item->section == (at))

/** conf_has_kind() - true if a section has a setting of this kind */
static inline bool conf_has_kind(const struct conf *conf, const struct setting *kind,
				 size_t section)
{
	for_each_of(item, conf, kind, section) return true;
	return false;
}

/** settings_bit() - bit of a kind in struct conf_section.exclusive, which is UINT32_MAX for all */
static inline uint32_t settings_bit(const struct setting *kind)
{
	return 1U << (kind - settings_rows);
}

/* ---- functions of the rows: pnetids.c, scopes.c ---- */

int pnetids_parse(struct conf_line *line);
int pnetids_read(struct settings_look *look);
int pnetids_want(struct settings_wish *wish);
int pnetids_set(struct settings_step *step, const struct conf_item *from,
		const struct conf_item *to);

int scopes_parse(struct conf_line *line);
void scopes_write(struct out_text *text, const struct conf_item *item);
bool scopes_may_read(void);
int scopes_read(struct settings_look *look);
int scopes_want(struct settings_wish *wish);
int scopes_set(struct settings_step *step, const struct conf_item *from,
	       const struct conf_item *to);
