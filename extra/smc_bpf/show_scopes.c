// SPDX-License-Identifier: MIT
/* Print the scopes as a table or JSON. */
#include "smc_bpf/smc_bpf.h"

#include <sys/socket.h>

#include "base/array.h"
#include "host/smc.h"
#include "out/list.h"
#include "out/metrics.h"

static const struct out_names kinds = OUT_NAMES(
	NULL, NULL, [SCOPE_CGROUP] = { "cgroup", "cgroup" }, [SCOPE_RUN] = { "run", "run" });
static const struct out_names states =
	OUT_NAMES(NULL, NULL, [STATE_GONE] = { "gone", "gone" },
		  [STATE_EMPTY] = { "empty", "empty" }, [STATE_ACTIVE] = { "active", "active" });
static const struct out_names families =
	OUT_NAMES(NULL, NULL, [SCOPE_NO_FAMILY] = { "none", "none" },
		  [AF_INET] = { "ipv4", "ipv4" }, [AF_INET6] = { "ipv6", "ipv6" });

static void text_rules(struct out_text *text, const void *value)
{
	const struct smc_scope *scope = &((const struct scope_entry *)value)->scope;
	size_t start = text->len;

	if (scope->family)
		out_str(text, families.names[scope->family].text);
	if (scope->keeps_mptcp)
		out_str(text, text->len > start ? " mptcp" : "mptcp");
	for (size_t i = 0; i < SCOPE_COMMS && scope->comms[i][0]; i++) {
		out_str(text, text->len > start ? " !" : "!");
		out_escaped(text, scope->comms[i], SCOPE_COMM_SIZE);
	}
}

static json_t *json_comms(const void *value)
{
	const struct smc_scope *scope = &((const struct scope_entry *)value)->scope;
	json_t *array = scope->comms[0][0] ? json_array() : NULL;

	for (size_t i = 0; array && i < SCOPE_COMMS && scope->comms[i][0]; i++)
		json_array_append_new(array, out_json_string(scope->comms[i], SCOPE_COMM_SIZE));
	return array;
}

static const struct out_col columns[] = {
	{ "scope", "Scope", "scope", 7, OUT_NAME(scope_entry, scope.kind, kinds) },
	{ NULL, NULL, "id", 0, OUT_DEC_STR(scope_entry, id, 1) },
	{ "state", "State", "state", 6, OUT_NAME(scope_entry, state, states) },
	{ "converted", "Converted", "converted", 9, OUT_RIGHT,
	  OUT_DEC(scope_entry, scope.converted, 1) },
	{ "excluded", "Excluded", "excluded", 8, OUT_RIGHT,
	  OUT_DEC(scope_entry, scope.excluded, 1) },
	{ "other", "Other", "other", 8, OUT_RIGHT, OUT_DEC(scope_entry, scope.other, 1) },
	{ "mptcp", "MPTCP", "mptcp", 5, OUT_RIGHT, OUT_DEC(scope_entry, scope.mptcp, 1) },
	{ "name", "Name", "name", 30, OUT_STR(scope_entry, scope.name) },
	{ "rules", "Rules", NULL, 0, .text = text_rules },
	{ NULL, NULL, "only", 0, OUT_NAME(scope_entry, scope.family, families), OUT_OPTIONAL },
	{ NULL, NULL, "allowed_gid", 0, OUT_DEC(scope_entry, scope.gid, 0),
	  OUT_IF(scope_entry, scope.has_gid, 1) },
	{ NULL, NULL, "keep_mptcp", 0, OUT_DEC(scope_entry, scope.keeps_mptcp, 0),
	  OUT_IF(scope_entry, scope.keeps_mptcp, 1) },
	{ NULL, NULL, "exclude_comms", 0, .json = json_comms },
	{ 0 },
};

static void append_json(struct out_text *text, const struct scope_list *list, bool has_smc)
{
	json_t *array = out_json_list(columns, list->entries, list->count, sizeof(*list->entries));

	out_json_document(text,
			  json_pack("{s:s, s:b, s:o}", "schema", "smc-tools/bpf/1", "smc", has_smc,
				    "scopes", array),
			  false);
}

/* Print the scopes with most sockets; the rest is summed up. */
#define MOST_SCOPES 100

static int by_converted(const void *one, const void *other)
{
	const struct smc_scope *a = &((const struct scope_entry *)one)->scope;
	const struct smc_scope *b = &((const struct scope_entry *)other)->scope;

	return (a->converted < b->converted) - (a->converted > b->converted);
}

static void append_sockets(struct out_text *text, const struct scope_list *list)
{
	static const char name[] = "smc_scope_sockets_total";
	static const char *const results[] = { "converted", "excluded", "other", "mptcp" };
	char label[SCOPE_NAME_SIZE + 1], id[24];
	uint64_t rest[ARRAY_SIZE(results)] = { 0 };

	metrics_head(text, name, "counter",
		     "Sockets of eBPF scopes: converted to SMC, excluded "
		     "by name, of another kind, or left as MPTCP.");
	for (size_t i = 0; i < list->count; i++) {
		const struct scope_entry *entry = &list->entries[i];
		const uint64_t values[] = { entry->scope.converted, entry->scope.excluded,
					    entry->scope.other, entry->scope.mptcp };

		snprintf(label, sizeof(label), "%.*s", SCOPE_NAME_SIZE, entry->scope.name);
		snprintf(id, sizeof(id), "%" PRIu64, entry->id);
		for (size_t j = 0; j < ARRAY_SIZE(results); j++) {
			if (i < MOST_SCOPES)
				metrics_sample(text, name, values[j], "scope", label, "id", id,
					       "result", results[j], NULL);
			else
				rest[j] += values[j];
		}
	}
	for (size_t j = 0; j < ARRAY_SIZE(results) && list->count > MOST_SCOPES; j++)
		metrics_sample(text, name, rest[j], "scope", "other", "result", results[j], NULL);
}

int status_metrics(struct scope_list *list, uint64_t hook_failures, struct smc_err *err)
{
	static const char name[] = "smc_scopes";
	size_t counts[STATE_ACTIVE + 1] = { 0 };
	struct out_text text = { 0 };

	if (list->count)
		qsort(list->entries, list->count, sizeof(*list->entries), by_converted);
	for (size_t i = 0; i < list->count; i++)
		counts[list->entries[i].state]++;
	metrics_head(&text, name, "gauge", "eBPF scopes by state.");
	for (size_t i = 0; i <= STATE_ACTIVE; i++)
		metrics_sample(&text, name, counts[i], "state", states.names[i].text, NULL);
	append_sockets(&text, list);
	metrics_head(&text, "smc_oci_hook_failures_total", "counter",
		     "Containers that the hook could not set up completely.");
	metrics_sample(&text, "smc_oci_hook_failures_total", hook_failures, NULL);
	out_str(&text, "# EOF\n");
	return out_finish(&text, err);
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
	int no_smc = kernel_ipproto_smc();
	uint64_t mptcp = 0;

	if (list->count)
		qsort(list->entries, list->count, sizeof(*list->entries), by_name);
	if (no_smc && list->count)
		cli_note(tool, "SMC is gone, so every TCP socket of these scopes fails: %s",
			 strerror(-no_smc));
	for_each(entry, list->entries, list->count)
		mptcp += entry->scope.mptcp;
	if (mptcp)
		cli_note(tool,
			 "%" PRIu64 " MPTCP sockets were left as they are; a Go program with "
			 "GODEBUG=multipathtcp=0 opens TCP sockets instead",
			 mptcp);
	if (is_json) {
		append_json(&text, list, !no_smc);
		return out_finish(&text, err);
	}
	out_view_add(&view, columns, "scope,state,converted,excluded,other");
	out_view_add(&view, columns, mptcp ? "mptcp,name,rules" : "name,rules");
	return out_print_list(&view, list->entries, list->count, sizeof(*list->entries),
			      "smc_bpf: nothing is attached", err);
}
