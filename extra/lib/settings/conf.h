/* SPDX-License-Identifier: MIT */
/* SMC settings of a host, smc.conf(5): the same struct for those of a file and the kernel's. */
#pragma once

#include "base/err.h"
#include "base/index.h"
#include "out/text.h"

struct setting;

/** struct conf_place - origin of a setting; @file is NULL for the kernel, @line 0 if unknown */
struct conf_place {
	const char *file;
	size_t line;
};

/**
 * struct conf_item - one setting
 * @kind: row of settings_rows
 * @by: how a PNET ID names its device: "net", "bus", "mac", or "device" for an RDMA or ISM device,
 *	for which the kernel also accepts the name of its PCI function; else NULL
 * @port: of "device", from 1; else 0
 * @section: index of its network namespace
 * @object: an EID, the name of a sysctl, a device, a control group, an item of a policy; "" if
 *	there is only one
 * @value: "on" or "off", a number, a PNET ID, rules of a scope; "" for an EID and a policy
 */
struct conf_item {
	const struct setting *kind;
	const char *by;
	uint8_t port;
	size_t section;
	const char *object, *value;
	struct conf_place place;
};

/**
 * struct conf_section - settings of a network namespace
 * @netns: "" for the caller's, a name of ip-netns(8), "*" for all
 * @exclusive: or-ed settings_bit(): settings not in the file are removed
 */
struct conf_section {
	const char *netns;
	uint32_t exclusive;
};

/** struct conf - zero-initialize; the first section is the caller's; @is_applied: of conf_read() */
struct conf {
	struct conf_section *sections;
	size_t n_sections;
	struct conf_item *items;
	size_t count;
	struct smc_index index; /* of the items */
	char **strings;		/* storage of all strings above */
	size_t n_strings;
	bool is_applied;
};

#define CONF_PLACE_SIZE 200

/** conf_place_text() - "FILE:LINE", truncated to fit; "" for the kernel. Return: @text */
const char *conf_place_text(char text[CONF_PLACE_SIZE], const struct conf_place *place);

/** conf_keep() - copy a string; the copy lives as long as @conf */
const char *conf_keep(struct conf *conf, const char *text);

/** conf_section() - find or add the section of a network namespace. Return: index */
size_t conf_section(struct conf *conf, const char *netns);

/** conf_has_value_of() - true if both set the same object to the same value, and port */
bool conf_has_value_of(const struct conf_item *a, const struct conf_item *b);

/** conf_find() - a section's setting for the object of @item. Return: NULL for none */
const struct conf_item *conf_find(const struct conf *conf, size_t section,
				  const struct conf_item *item);

/** conf_add() - append a setting; copies its object and value */
void conf_add(struct conf *conf, const struct conf_item *item);

/** conf_append_word() - append a blank and a word, escaped as in a file */
void conf_append_word(struct out_text *text, const char *word);

/** conf_append_line() - append "eid MYCLUSTER", without the end of the line */
void conf_append_line(struct out_text *text, const struct conf_item *item);

/**
 * conf_write() - append everything as a file, which conf_read_text() can read back
 *
 * A namespace without settings is left out. Text appended later belongs to the host's section.
 */
void conf_write(struct out_text *text, const struct conf *conf);

void conf_free(struct conf *conf);

/* ---- files, smc.conf(5) ---- */

/*
 * An error is one sentence, "FILE:LINE: WORD: what was expected", and leaves @conf empty. A
 * repeated line counts once; another value for the same object in the same section is an error.
 */

/**
 * conf_read() - read a file and its includes
 * @path: "-" for standard input
 * @is_applied: the settings will be applied: as root, refuse files that other users can change
 *
 * Return: 0; -EINVAL for a wrong line; -EPERM for a file writable by others; another -errno.
 */
int conf_read(struct conf *conf, const char *path, bool is_applied, struct smc_err *err);

/** conf_read_directory() - add the settings of the files *.conf of a directory, sorted by name */
int conf_read_directory(struct conf *conf, const char *path, bool is_applied, struct smc_err *err);

/**
 * conf_read_default() - read CONF_FILE and the files in CONF_DIR
 * @needs_one: one of both must exist
 */
int conf_read_default(struct conf *conf, bool needs_one, bool is_applied, struct smc_err *err);

/** conf_read_text() - lines of @text, @len bytes and a NUL, which is modified; without includes */
int conf_read_text(struct conf *conf, char *text, size_t len, const char *name,
		   struct smc_err *err);
