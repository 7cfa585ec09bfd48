// SPDX-License-Identifier: MIT
/* Print settings and changes, as text and JSON. */
#include "smc_conf/smc_conf.h"

#include "base/array.h"
#include "base/memory.h"
#include "cli/screen.h"
#include "out/list.h"
#include "settings/setting.h"

/** struct row - a setting; @state: in words, or NULL; @place: file and line, or NULL */
struct row {
	const char *netns;
	const struct conf_item *item;
	const char *state;
	const struct conf_place *place;
};

/** struct output - pending output; @array: for JSON */
struct output {
	const struct settings *host;
	struct out_text text;
	struct out_list rows;
	json_t *array;
};

static const void *item_of(const void *row)
{
	return ((const struct row *)row)->item;
}

static const void *kind_of(const void *row)
{
	return ((const struct row *)row)->item->kind->name;
}

static void text_setting(struct out_text *text, const void *row)
{
	conf_append_line(text, item_of(row));
}

static const void *place_of(const void *row)
{
	const struct conf_place *place = ((const struct row *)row)->place;

	return place && place->file ? place : NULL;
}

static void text_place(struct out_text *text, const void *place)
{
	char source[CONF_PLACE_SIZE];

	out_escaped(text, conf_place_text(source, place), SIZE_MAX);
}

static json_t *json_place(const void *place)
{
	char source[CONF_PLACE_SIZE];

	return out_json_str(conf_place_text(source, place));
}

static const struct out_col columns[] = {
	{ "netns", "Netns", "netns", 5, OUT_PTR(row, netns), OUT_OPTIONAL },
	{ "setting", "Setting", "setting", 40, OUT_TEXT(text_setting) },
	{ "state", "State", "state", 7, OUT_PTR(row, state), OUT_OPTIONAL },
	{ "source", "Source", "source", 0, .find = place_of, .text = text_place,
	  .json = json_place },
	{ NULL, NULL, "kind", 0, OUT_STR_OF(kind_of) },
	{ NULL, NULL, "name", 0, .find = item_of, OUT_PTR(conf_item, object), OUT_OPTIONAL },
	{ NULL, NULL, "by", 0, .find = item_of, OUT_PTR(conf_item, by), OUT_OPTIONAL },
	{ NULL, NULL, "port", 0, .find = item_of, OUT_DEC(conf_item, port, 0), OUT_OPTIONAL },
	{ NULL, NULL, "value", 0, .find = item_of, OUT_PTR(conf_item, value), OUT_OPTIONAL },
	{ 0 },
};

/* ---- export ---- */

void sc_export(struct out_text *text, const struct conf *conf)
{
	out_str(text, "# smc.conf(5), for smc_conf apply\n");
	conf_write(text, conf);
}

static json_t *json_change(const struct output *out, const char *line,
			   const struct settings_change *change)
{
	const struct conf_item *any = settings_any(change);
	const struct row row = { out->host->netns[change->netns].name, any, NULL, &any->place };
	json_t *json = out_json(columns, NULL, &row);

	json_object_set_new(json, "setting", json_string(line));
	return json;
}

static void put_setting(void *arg, char sign, const char *line,
			const struct settings_change *change)
{
	const struct output *out = arg;

	(void)sign;
	json_array_append_new(out->array, json_change(out, line, change));
}

/* On a host without settings, all settings would be changes. */
static json_t *json_settings(const struct conf *conf)
{
	struct settings host AUTO(settings_free) = { 0 };
	struct output out = { .host = &host, .array = json_array() };

	for_each(section, conf->sections, conf->n_sections)
		smc_array_add(&host.netns, &host.n_netns)->name = xstrdup(section->netns);
	for_each(item, conf->items, conf->count)
		*smc_array_add(&host.changes, &host.n_changes) =
			(struct settings_change){ .new = item, .netns = item->section };
	settings_each(&host, put_setting, &out);
	return out.array;
}

int sc_print_export(const struct conf *conf, bool is_json, struct smc_err *err)
{
	struct out_text text = { 0 };

	if (is_json)
		return out_print_json(json_pack("{s:s, s:o}", "schema", "smc-tools/conf/1",
						"settings", json_settings(conf)),
				      err);
	sc_export(&text, conf);
	return out_finish(&text, err);
}

/* ---- diff ---- */

static void put_change(void *arg, char sign, const char *line, const struct settings_change *change)
{
	const struct output *out = arg;
	json_t *json = json_change(out, line, change);
	const char *verb = sign == '+' ? "add" : "remove";

	json_object_set_new(json, "change", json_string(sign == '~' ? "change" : verb));
	if (sign == '~')
		json_object_set_new(json, "is", json_string(change->old->value));
	json_array_append_new(out->array, json);
}

int sc_print_changes(const struct settings *host, bool is_json, struct smc_err *err)
{
	struct output out = { .host = host, .array = is_json ? json_array() : NULL };

	if (is_json)
		settings_each(host, put_change, &out);
	if (is_json)
		return out_print_json(json_pack("{s:s, s:o}", "schema", "smc-tools/conf-diff/1",
						"changes", out.array),
				      err);
	settings_diff(&out.text, host);
	return out_finish(&out.text, err);
}

/* ---- show ---- */

static void put_row(struct output *out, const char *netns, const struct conf_item *item,
		    const char *state, const struct conf_place *place)
{
	const struct row row = { netns, item, state, place };

	if (out->array)
		json_array_append_new(out->array, out_json(columns, NULL, &row));
	else
		out_list_row(&out->rows, &row);
}

static void put_wanted(struct output *out, const char *netns, const struct conf_item *item)
{
	const struct conf_item *now = conf_find(&out->host->now, item->section, item);
	bool is_set = now && conf_has_value_of(now, item);
	const char *state = now ? "differs" : "not set";

	put_row(out, netns, item, is_set ? "set" : state, &item->place);
	if (now && !is_set)
		put_row(out, netns, now, "is", NULL);
}

static void put_rows(struct output *out)
{
	const struct conf *wanted = &out->host->wanted, *now = &out->host->now;

	for (size_t at = 0; at < out->host->n_netns; at++) {
		const char *netns = out->host->netns[at].name;

		for (size_t i = 0; i < wanted->count; i++)
			if (wanted->items[i].section == at)
				put_wanted(out, netns, &wanted->items[i]);
		for_each(item, now->items, now->count) {
			if (item->section != at || conf_find(wanted, at, item))
				continue;
			put_row(out, netns, item, settings_is_normal(item) ? "default" : "by hand",
				NULL);
		}
	}
	for (size_t i = 0; i < out->host->n_waiting; i++) {
		const struct conf_item *item = out->host->waiting[i];

		put_row(out, out->host->file->sections[item->section].netns, item, "waits",
			&item->place);
	}
}

static json_t *json_policies(const struct settings *host)
{
	json_t *array = json_array();

	for (size_t at = 0; at < host->n_netns; at++) {
		const struct policy *policy = &host->netns[at].policy;
		json_t *json;

		if (policy_is_empty(policy))
			continue;
		json = policy_json(policy);
		if (at)
			json_object_set_new(json, "netns", out_json_str(host->netns[at].name));
		json_array_append_new(array, json);
	}
	return array;
}

int sc_print_state(const struct settings *host, bool is_json, struct smc_err *err)
{
	struct output out = { .host = host, .array = is_json ? json_array() : NULL };
	bool has_netns = host->n_netns > 1 || host->n_waiting;
	struct out_view view = { .count = 0 };

	out_view_add(&view, columns,
		     has_netns ? "netns,setting,state,source" : "setting,state,source");
	if (!is_json)
		out_list_begin(&out.rows, &view, &out.text, cli_columns(), true);
	put_rows(&out);
	out_list_end(&out.rows);
	for (size_t at = 0; !is_json && at < host->n_netns; at++)
		sc_policy_text(&out.text, host, at);
	if (is_json)
		return out_print_json(json_pack("{s:s, s:o, s:o}", "schema",
						"smc-tools/conf-show/1", "settings", out.array,
						"policies", json_policies(host)),
				      err);
	return out_finish(&out.text, err);
}
