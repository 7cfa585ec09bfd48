/* SPDX-License-Identifier: MIT */
/* SMC settings of a host, smc.conf(5): the same struct for those of a file and the kernel's. */
#pragma once

#include "base/err.h"
#include "cgroup/scope.h"
#include "out/text.h"
#include "settings/policy.h"

enum conf_kind {
	CONF_EID,
	CONF_SEID,
	CONF_LIMIT,
	CONF_KNOB,
	CONF_PNETID,
	CONF_SCOPE,
	CONF_POLICY, /* never an item: part of a section */
	CONF_KINDS,
};

/*
 * Kind of a CONF_PNETID object: name of a net device, its bus id, its MAC address, or name of an
 * RDMA or ISM device, for which the kernel also accepts that of its PCI function.
 */
enum conf_by { CONF_BY_NET, CONF_BY_BUS, CONF_BY_MAC, CONF_BY_DEVICE, CONF_BYS };

/** struct conf_place - origin of a setting; @file is NULL for the kernel, @line 0 if unknown */
struct conf_place {
	const char *file;
	size_t line;
};

/**
 * struct conf_item - one setting
 * @section: index of its network namespace
 * @object: an EID, the name of a knob, a device by @by, a control group; "" if there is only one
 * @value: "on" or "off", a number, a PNET ID, rules of a scope; "" for an EID
 * @port: for CONF_BY_DEVICE, from 1
 */
struct conf_item {
	enum conf_kind kind;
	enum conf_by by;
	uint8_t port;
	size_t section;
	const char *object, *value;
	struct conf_place place;
};

/**
 * struct conf_section - settings of a network namespace
 * @netns: "" for the caller's, a name of ip-netns(8), "*" for all
 * @exclusive: or-ed 1 << enum conf_kind: settings not in the file are removed
 * @policy: settled; @has_policy: the file has policy lines, the first of them at @policy_place
 */
struct conf_section {
	const char *netns;
	uint32_t exclusive;
	struct policy policy;
	bool has_policy;
	struct conf_place policy_place;
};

/** struct conf - zero-initialize; the first section is the caller's; @is_applied: of conf_read() */
struct conf {
	struct conf_section *sections;
	size_t n_sections;
	struct conf_item *items;
	size_t count;
	char **strings; /* storage of all strings above */
	size_t n_strings;
	bool is_applied;
};

/** conf_kind_name() - first word of its lines, "eid"; "sysctl" for CONF_KNOB */
const char *conf_kind_name(enum conf_kind kind);

/** conf_by_name() - the word before a device: "net", "bus", "mac", "device" */
const char *conf_by_name(enum conf_by by);

#define CONF_PLACE_SIZE 200

/** conf_place_text() - "FILE:LINE", truncated to fit. Return: @text */
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

/** conf_add() - append a setting; copies its strings, except its place */
void conf_add(struct conf *conf, const struct conf_item *item);

/**
 * struct conf_scope - rules of an eBPF scope, same as in smc_bpf: "only ipv4 user redis
 *	exclude-comm sshd"; NULL for a missing rule
 * @comms: sorted, so that equal rules have equal text
 */
struct conf_scope {
	const char *only, *user, *mptcp, *comms[SCOPE_COMMS];
};

/** conf_scope_rule() - parse a rule; its strings outlive @scope. Return: 0, -EINVAL with @err */
int conf_scope_rule(struct conf_scope *scope, const char *rule, const char *value,
		    struct smc_err *err);

/** conf_scope_text() - append the rules as words of a line */
void conf_scope_text(struct out_text *text, const struct conf_scope *scope);

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
 * @path: "-" for standard input, which cannot include files
 * @is_applied: the settings will be applied: as root, refuse files that other users can change
 *
 * Return: 0; -EINVAL for a wrong line; -EPERM for a file writable by others; another -errno.
 */
int conf_read(struct conf *conf, const char *path, bool is_applied, struct smc_err *err);

/** conf_read_directory() - add the settings of the files *.conf of a directory, sorted by name */
int conf_read_directory(struct conf *conf, const char *path, bool is_applied, struct smc_err *err);

/** conf_read_text() - lines of @text, @len bytes and a NUL, which is modified; without includes */
int conf_read_text(struct conf *conf, char *text, size_t len, const char *name,
		   struct smc_err *err);
