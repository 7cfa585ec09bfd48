// SPDX-License-Identifier: MIT
/* The scopes as a table or JSON. */
#include "smc_bpf/smc_bpf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/smc.h"
#include "out/table.h"

static const char *kind_name(const struct scope_entry *entry)
{
	switch (entry->scope.kind) {
	case SCOPE_CGROUP: return "cgroup";
	case SCOPE_PROCESS: return "process";
	default: return "run";
	}
}

static const char *state_name(const struct scope_entry *entry)
{
	static const char *const names[] = { "gone", "empty", "active" };

	return names[entry->state];
}

static const char *family_name(const struct smc_scope *scope)
{
	return scope->family == AF_INET ? "ipv4" : scope->family == AF_INET6 ? "ipv6" : NULL;
}

static void text_kind(struct out_text *text, const void *object)
{
	out_str(text, kind_name(object));
}

static json_t *json_kind(const void *object)
{
	return json_string(kind_name(object));
}

static void text_name(struct out_text *text, const void *object)
{
	const struct scope_entry *entry = object;

	out_escaped(text, entry->scope.name, sizeof(entry->scope.name));
}

static json_t *json_name(const void *object)
{
	const struct scope_entry *entry = object;

	return out_json_string(entry->scope.name, strlen(entry->scope.name));
}

static json_t *json_id(const void *object)
{
	char id[24];

	snprintf(id, sizeof(id), "%" PRIu64, ((const struct scope_entry *)object)->id);
	return json_string(id);
}

static void text_state(struct out_text *text, const void *object)
{
	out_str(text, state_name(object));
}

static json_t *json_state(const void *object)
{
	return json_string(state_name(object));
}

#define COUNTER(member) \
	static void text_##member(struct out_text *text, const void *object) \
	{ \
		out_dec(text, ((const struct scope_entry *)object)->scope.member, 1); \
	} \
	static json_t *json_##member(const void *object) \
	{ \
		return json_integer((json_int_t)((const struct scope_entry *)object)->scope.member); \
	}

COUNTER(converted)
COUNTER(excluded)
COUNTER(other)

static void text_rules(struct out_text *text, const void *object)
{
	const struct smc_scope *scope = &((const struct scope_entry *)object)->scope;
	const char *family = family_name(scope), *gap = "";

	if (family) {
		out_str(text, family);
		gap = " ";
	}
	if (scope->has_uid) {
		out_str(text, gap);
		out_str(text, "uid=");
		out_dec(text, scope->uid, 1);
		gap = " ";
	}
	for (size_t i = 0; i < SCOPE_COMMS && scope->comms[i][0]; i++) {
		out_str(text, gap);
		out_char(text, '!');
		out_escaped(text, scope->comms[i], SCOPE_COMM_SIZE);
		gap = " ";
	}
}

static json_t *json_only(const void *object)
{
	const char *family = family_name(&((const struct scope_entry *)object)->scope);

	return family ? json_string(family) : NULL;
}

static json_t *json_uid(const void *object)
{
	const struct smc_scope *scope = &((const struct scope_entry *)object)->scope;

	return scope->has_uid ? json_integer(scope->uid) : NULL;
}

static json_t *json_comms(const void *object)
{
	const struct smc_scope *scope = &((const struct scope_entry *)object)->scope;
	json_t *array = scope->comms[0][0] ? json_array() : NULL;

	for (size_t i = 0; array && i < SCOPE_COMMS && scope->comms[i][0]; i++)
		json_array_append_new(array, out_json_string(scope->comms[i],
							     strnlen(scope->comms[i], SCOPE_COMM_SIZE)));
	return array;
}

static const struct out_col columns[] = {
	{ "scope", "Scope", "scope", 7, .text = text_kind, .json = json_kind },
	{ NULL, NULL, "id", 0, .json = json_id },
	{ "state", "State", "state", 6, .text = text_state, .json = json_state },
	{ "converted", "Converted", "converted", 9,
	  OUT_RIGHT, .text = text_converted, .json = json_converted },
	{ "excluded", "Excluded", "excluded", 8,
	  OUT_RIGHT, .text = text_excluded, .json = json_excluded },
	{ "other", "Other", "other", 8, OUT_RIGHT, .text = text_other, .json = json_other },
	{ "name", "Name", "name", 30, .text = text_name, .json = json_name },
	{ "rules", "Rules", "only", 0, .text = text_rules, .json = json_only },
	{ NULL, NULL, "uid", 0, .json = json_uid },
	{ NULL, NULL, "exclude_comms", 0, .json = json_comms },
	{ 0 },
};

static void append_json(struct out_text *text, const struct scope_list *list, bool has_smc)
{
	json_t *array = out_json_list(columns, list->entries, list->count, sizeof(*list->entries));

	out_json_document(text, json_pack("{s:s, s:b, s:o}", "schema", "smc-tools/bpf/1", "smc",
					  has_smc, "scopes", array), false);
}

static int by_name(const void *one, const void *other)
{
	const struct scope_entry *a = one, *b = other;

	return strcmp(a->scope.name, b->scope.name);
}

int status_print(const struct cli_tool *tool, const struct scope_list *list, bool is_json,
		 struct smc_err *err)
{
	struct out_text text = { 0 };
	struct out_view view = { 0 };
	int no_smc = kernel_ipproto_smc(), ret;

	if (list->count)
		qsort(list->entries, list->count, sizeof(*list->entries), by_name);
	if (is_json) {
		append_json(&text, list, !no_smc);
	} else {
		out_view_add(&view, columns, "scope,state,converted,excluded,other,name,rules");
		out_header(&text, &view);
		for (size_t i = 0; i < list->count; i++)
			out_row(&text, &view, &list->entries[i]);
	}
	if (no_smc && list->count)
		cli_note(tool, "SMC is gone: every TCP socket of these scopes fails: %s",
			 strerror(-no_smc));
	ret = text.is_failed ? -ENOMEM : out_flush(&text, STDOUT_FILENO);
	out_free(&text);
	return ret ? smc_err_set(err, -ret, "cannot write to standard output") : 0;
}
