// SPDX-License-Identifier: MIT
/* Settings and changes, as text and JSON. */
#include "smc_conf/smc_conf.h"

#include <stdlib.h>

#include "base/array.h"
#include "out/table.h"
#include "smc_conf/policy_json.h"

/**
 * struct row - a setting, and what the file makes of it
 * @setting: the line in a file
 * @state: in words; NULL where nothing compares it
 * @source: "FILE:LINE", or NULL
 */
struct row {
	const char *netns, *kind, *name, *by, *value, *setting, *state, *source;
	uint8_t port;
};

/** struct rows - @strings keeps what they point to */
struct rows {
	struct row *rows;
	size_t count, size;
	struct conf strings;
};

#define ROW(name, head, key, width, member)                                                        \
	{                                                                                          \
		name, head, key, width, OUT_PTR(row, member), OUT_OPTIONAL                         \
	}

static const struct out_col columns[] = {
	ROW("netns", "Netns", "netns", 5, netns),
	{ "setting", "Setting", "setting", 40, OUT_ESCAPED(row, setting) },
	ROW("state", "State", "state", 7, state),
	ROW("source", "Source", "source", 0, source),
	{ NULL, NULL, "kind", 0, OUT_PTR(row, kind) },
	{ NULL, NULL, "name", 0, OUT_PTR(row, name), OUT_OPTIONAL },
	{ NULL, NULL, "by", 0, OUT_PTR(row, by), OUT_OPTIONAL },
	{ NULL, NULL, "port", 0, OUT_DEC(row, port, 0), OUT_OPTIONAL },
	{ NULL, NULL, "value", 0, OUT_PTR(row, value), OUT_OPTIONAL },
	{ 0 },
};

static int print(struct out_text *text, struct smc_err *err)
{
	int ret = out_print(text, err);

	out_free(text);
	return ret;
}

static int print_document(json_t *doc, struct smc_err *err)
{
	struct out_text text = { 0 };

	out_json_document(&text, doc, false);
	return print(&text, err);
}

/* ---- export ---- */

void sc_export(struct out_text *text, const struct conf *conf)
{
	out_str(text, "# smc.conf(5), for smc_conf apply\n");
	conf_write(text, conf);
}

int sc_print_export(const struct conf *conf, bool is_json, struct smc_err *err)
{
	struct out_text text = { 0 };

	if (is_json)
		return print_document(sc_json(conf), err);
	sc_export(&text, conf);
	return print(&text, err);
}

/* ---- rows ---- */

static const char *keep_line(struct rows *rows, const struct conf_item *item)
{
	struct out_text text = { 0 };
	const char *line;

	conf_append_line(&text, item);
	out_char(&text, '\0');
	line = conf_keep(&rows->strings, text.data);
	out_free(&text);
	return line;
}

/* @item: of @conf, by which the name of its namespace is known. */
static void add_row(struct rows *rows, const char *netns, const struct conf_item *item,
		    const char *state, const struct conf_place *place)
{
	struct row row = { .netns = netns,
			   .kind = conf_kind_name(item->kind),
			   .name = item->object,
			   .value = item->value,
			   .port = item->port,
			   .setting = keep_line(rows, item),
			   .state = state };
	char source[CONF_PLACE_SIZE];

	if (item->kind == CONF_PNETID)
		row.by = conf_by_name(item->by);
	if (place && place->file)
		row.source = conf_keep(&rows->strings, conf_place_text(source, place));
	smc_array_append(&rows->rows, &rows->count, &rows->size, &row, sizeof(row));
}

static void rows_free(struct rows *rows)
{
	free(rows->rows);
	conf_free(&rows->strings);
}

static json_t *json_policies(const struct sc_host *host)
{
	json_t *array = json_array();

	for (size_t at = 0; at < host->n_netns; at++) {
		const struct policy *policy = &host->now.sections[at].policy;
		json_t *json;

		if (!policy->by)
			continue;
		json = policy_json(policy);
		if (json && at &&
		    json_object_set_new(json, "netns", out_json_str(host->netns[at].name)))
			json = NULL;
		json_array_append_new(array, json);
	}
	return array;
}

static json_t *json_rows(const struct rows *rows)
{
	return out_json_list(columns, rows->rows, rows->count, sizeof(*rows->rows));
}

/* ---- diff ---- */

/** struct lines - of a policy that differs; @text or @array */
struct lines {
	const struct sc_host *host;
	size_t netns;
	struct out_text *text;
	json_t **array;
};

static void append_begin(struct out_text *text, const struct sc_host *host, size_t netns, char sign)
{
	out_printf(text, "%c ", sign);
	if (!netns)
		return;
	out_str(text, "netns ");
	out_escaped(text, host->netns[netns].name, SIZE_MAX);
	out_str(text, ": ");
}

static int on_policy_line(void *arg, char sign, const char *line)
{
	struct lines *lines = arg;
	const char *netns = lines->host->netns[lines->netns].name;
	json_t *json;

	if (!lines->array) {
		append_begin(lines->text, lines->host, lines->netns, sign);
		out_str(lines->text, line);
		out_char(lines->text, '\n');
		return 0;
	}
	json = json_pack("{s:s, s:s, s:s}", "change", sign == '+' ? "add" : "remove", "kind",
			 conf_kind_name(CONF_POLICY), "setting", line);
	if (json && *netns && json_object_set_new(json, "netns", out_json_str(netns)))
		json = NULL;
	json_array_append_new(*lines->array, json);
	return 0;
}

static void put_policy(const struct sc_host *host, size_t netns, struct out_text *text,
		       json_t **array)
{
	struct lines lines = { host, netns, text, array };

	if (sc_policy_is_unread(host, netns))
		on_policy_line(&lines, '-', "policy # inherited");
	policy_diff(&host->now.sections[netns].policy, sc_policy_wanted(&host->netns[netns]),
		    on_policy_line, &lines);
}

static void append_change(struct out_text *text, const struct sc_host *host,
			  const struct sc_change *change)
{
	const struct conf_item *old = change->old, *new = change->new;

	append_begin(text, host, change->netns, old && new ? '~' : new ? '+' : '-');
	conf_append_line(text, new ? new : old);
	if (old && new) {
		out_str(text, " # is ");
		out_escaped(text, *old->value ? old->value : "without rules", SIZE_MAX);
		if (old->port != new->port)
			out_printf(text, ", port %u", old->port);
	}
	out_char(text, '\n');
}

static json_t *json_change(const struct sc_host *host, const struct sc_change *change)
{
	const struct conf_item *any = change->new ? change->new : change->old;
	struct rows rows = { 0 };
	json_t *json;

	add_row(&rows, host->netns[change->netns].name, any, NULL, &any->place);
	json = out_json(columns, NULL, &rows.rows[0]);
	json_object_set_new(json, "change",
			    json_string(!change->new ? "remove" :
					change->old  ? "change" :
						       "add"));
	if (change->new && change->old)
		json_object_set_new(json, "is", json_string(change->old->value));
	rows_free(&rows);
	return json;
}

int sc_print_changes(const struct sc_host *host, const struct sc_changes *changes, bool is_json,
		     struct smc_err *err)
{
	json_t *array = is_json ? json_array() : NULL;
	struct out_text text = { 0 };

	for (size_t i = 0; i < changes->count; i++) {
		const struct sc_change *change = &changes->changes[i];

		if (change->old == change->new) /* again, as another change may undo it */
			continue;
		if (change->new && change->new->kind == CONF_POLICY)
			put_policy(host, change->netns, &text, is_json ? &array : NULL);
		else if (is_json)
			json_array_append_new(array, json_change(host, change));
		else
			append_change(&text, host, change);
	}
	if (is_json)
		return print_document(json_pack("{s:s, s:o}", "schema", "smc-tools/conf-diff/1",
						"changes", array),
				      err);
	return print(&text, err);
}

/* ---- show ---- */

static void add_wanted(struct rows *rows, const struct sc_host *host, const struct conf_item *item)
{
	const struct conf_item *now = conf_find(&host->now, item->section, item);
	bool is_set = now && conf_has_value_of(now, item);
	const char *state = is_set ? "set" : now ? "differs" : "not set";
	const char *netns = host->netns[item->section].name;

	add_row(rows, netns, item, state, &item->place);
	if (now && !is_set)
		add_row(rows, netns, now, "is", NULL);
}

static void add_other(struct rows *rows, const struct sc_host *host, const struct conf_item *item)
{
	if (!conf_find(&host->wanted, item->section, item))
		add_row(rows, host->netns[item->section].name, item,
			sc_is_normal(item) ? "default" : "by hand", NULL);
}

/* One row for all of a policy. */
static void add_policy(struct rows *rows, const struct sc_host *host, size_t at)
{
	const struct sc_netns *netns = &host->netns[at];
	bool differs = sc_policy_differs(host, at), is_set = host->now.sections[at].policy.by;
	char source[CONF_PLACE_SIZE];
	struct row row = { .netns = netns->name,
			   .kind = conf_kind_name(CONF_POLICY),
			   .setting = conf_kind_name(CONF_POLICY),
			   .state = differs	 ? "differs" :
				    netns->wants ? "set" :
						   "by hand" };

	if (!is_set && !netns->wants)
		return;
	if (netns->wants)
		row.source = conf_keep(&rows->strings,
				       conf_place_text(source, &netns->wants->policy_place));
	smc_array_append(&rows->rows, &rows->count, &rows->size, &row, sizeof(row));
}

static void make_rows(struct rows *rows, const struct sc_host *host, const struct conf *file)
{
	for (size_t at = 0; at < host->n_netns; at++) {
		for (size_t i = 0; i < host->wanted.count; i++)
			if (host->wanted.items[i].section == at)
				add_wanted(rows, host, &host->wanted.items[i]);
		for (size_t i = 0; i < host->now.count; i++)
			if (host->now.items[i].section == at)
				add_other(rows, host, &host->now.items[i]);
		add_policy(rows, host, at);
	}
	for (size_t i = 0; i < host->waiting.count; i++) {
		const struct conf_item *item = &host->waiting.items[i];

		add_row(rows, file->sections[item->section].netns, item, "waits", &item->place);
	}
}

int sc_print_state(const struct sc_host *host, const struct conf *file, bool is_json,
		   struct smc_err *err)
{
	struct out_text text = { 0 };
	struct out_view view = { 0 };
	struct rows rows = { 0 };
	int ret = 0;

	make_rows(&rows, host, file);
	if (is_json)
		ret = print_document(json_pack("{s:s, s:o, s:o}", "schema", "smc-tools/conf-show/1",
					       "settings", json_rows(&rows), "policies",
					       json_policies(host)),
				     err);
	out_view_add(&view, columns,
		     host->n_netns > 1 || host->waiting.count ? "netns,setting,state,source" :
								"setting,state,source");
	if (!is_json) {
		out_header(&text, &view);
		for (size_t i = 0; i < rows.count; i++)
			out_row(&text, &view, &rows.rows[i]);
		for (size_t at = 0; at < host->n_netns; at++)
			sc_policy_text(&text, host, at);
		ret = print(&text, err);
	}
	rows_free(&rows);
	return ret;
}
