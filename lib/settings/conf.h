/* SPDX-License-Identifier: MIT */
/*
 * What a host does with SMC, as lines of a file: smc.conf(5). Settings are the same struct whether
 * a file or the kernel has them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	CONF_POLICY, /* never an item: a section has one */
	CONF_KINDS,
};

/* What the object of CONF_PNETID is: the name of a net device, its bus id, its MAC address, or the
 * name of an RDMA or ISM device, for which the kernel also takes that of its PCI function. */
enum conf_by { CONF_BY_NET, CONF_BY_BUS, CONF_BY_MAC, CONF_BY_DEVICE, CONF_BYS };

/** struct conf_place - where a setting is from; @file is NULL for the kernel, @line 0 if unknown */
struct conf_place {
	const char *file;
	size_t line;
};

/**
 * struct conf_item - one setting
 * @section: its network namespace, an index
 * @object: an EID, the name of a knob, a device by @by, a control group; "" where there is only one
 * @value: "on" or "off", a number, a PNET ID, rules of a scope; "" for an EID
 * @port: of CONF_BY_DEVICE, from 1
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
 * struct conf_section - a network namespace
 * @netns: "" for that of the caller, a name of ip-netns(8), "*" for every one
 * @exclusive: or-ed 1 << enum conf_kind: what the file does not name goes
 * @policy: settled; @has_policy: it says something of it, first in @policy_place
 */
struct conf_section {
	const char *netns;
	uint32_t exclusive;
	struct policy policy;
	bool has_policy;
	struct conf_place policy_place;
};

/**
 * struct conf - settings; begin with all zero. The first section is the caller's
 * @is_applied: while it is read, as for conf_read()
 */
struct conf {
	struct conf_section *sections;
	size_t n_sections, sections_size;
	struct conf_item *items;
	size_t count, size;
	char **strings; /* what the rest points to */
	size_t n_strings, strings_size;
	bool is_applied;
};

/** conf_kind_name() - first word of its lines, "eid"; of CONF_KNOB "sysctl" */
const char *conf_kind_name(enum conf_kind kind);

/** conf_by_name() - the word before a device: "net", "bus", "mac", "device" */
const char *conf_by_name(enum conf_by by);

#define CONF_PLACE_SIZE 200

/** conf_place_text() - "FILE:LINE", cut to what fits. Return: @text */
const char *conf_place_text(char text[CONF_PLACE_SIZE], const struct conf_place *place);

/** conf_keep() - a copy that lives as long as @conf */
const char *conf_keep(struct conf *conf, const char *text);

/** conf_section() - of a network namespace, added if there is none. Return: index */
size_t conf_section(struct conf *conf, const char *netns);

/** conf_has_value_of() - do both set the same thing to the same value, port included? */
bool conf_has_value_of(const struct conf_item *a, const struct conf_item *b);

/** conf_find() - what a section has about the same thing as @item. Return: NULL for none */
const struct conf_item *conf_find(const struct conf *conf, size_t section,
				  const struct conf_item *item);

/** conf_add() - append a setting; its strings are copied, except its place */
void conf_add(struct conf *conf, const struct conf_item *item);

/**
 * struct conf_scope - rules of an eBPF scope, which are those of smc_bpf: "only ipv4 user redis
 *	exclude-comm sshd"; NULL where there is no such rule
 * @comms: sorted: as the value of a setting the rules have one order, to be compared
 */
struct conf_scope {
	const char *only, *user, *comms[SCOPE_COMMS];
};

/** conf_scope_rule() - take one rule, whose strings must stay. Return: 0, -EINVAL with @err */
int conf_scope_rule(struct conf_scope *scope, const char *rule, const char *value,
		    struct smc_err *err);

/** conf_scope_text() - append the rules as words of a line */
void conf_scope_text(struct out_text *text, const struct conf_scope *scope);

/** conf_append_line() - append "eid MYCLUSTER", without the end of the line */
void conf_append_line(struct out_text *text, const struct conf_item *item);

/**
 * conf_write() - append all of it as a file; conf_read_text() makes the same of that
 *
 * A namespace that has no settings is left out. What is appended to it is the host's.
 */
void conf_write(struct out_text *text, const struct conf *conf);

void conf_free(struct conf *conf);
