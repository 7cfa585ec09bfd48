// SPDX-License-Identifier: MIT
/* Print settings as JSON: the words of their lines. */
#include "smc_conf/smc_conf.h"

#include "base/array.h"
#include "base/words.h"
#include "settings/setting.h"

#define MAX_WORDS 64

static json_t *word(const char *text)
{
	struct out_text escaped AUTO(out_free) = { 0 };

	out_escaped(&escaped, text, strlen(text));
	return json_stringn(escaped.data ? escaped.data : "", escaped.len);
}

static void append(json_t *object, const char *key, json_t *value)
{
	if (!json_object_get(object, key))
		json_object_set_new(object, key, json_array());
	json_array_append_new(json_object_get(object, key), value);
}

/* The words of a PNET ID or scope are pairs of a key and its value, after the first two. */
static json_t *pairs(const struct conf_item *item, char *words[], size_t count)
{
	json_t *json = item->by ? json_pack("{s:o}", "id", word(item->value)) :
				  json_pack("{s:o}", "cgroup", word(item->object));

	for (size_t i = 2; i + 1 < count; i += 2) {
		if (!strcmp(words[i], "exclude-comm"))
			append(json, words[i], word(words[i + 1]));
		else if (!strcmp(words[i], "port"))
			json_object_set_new(json, words[i], json_integer(atoi(words[i + 1])));
		else
			json_object_set_new(json, words[i], word(words[i + 1]));
	}
	return json;
}

/* "deny port 22" becomes "deny_port": [22]; other words become lists, too. */
static void put_policy(json_t *section, char *next)
{
	char *words[4], *line, *end = next, key[32];

	while ((line = strsep(&next, "\n"))) {
		size_t count = words_split(line, words, ARRAY_SIZE(words));
		long port = count > 1 ? strtol(words[count - 1], &end, 10) : 0;

		if (count < 2)
			continue;
		snprintf(key, sizeof(key), count > 2 ? "%s_%s" : "%s", words[0], words[1]);
		append(section, key, *end ? json_string(words[count - 1]) : json_integer(port));
	}
}

static void put(json_t *section, const struct conf_item *item)
{
	struct out_text line AUTO(out_free) = { 0 };
	const char *key = item->kind->name;
	char *words[MAX_WORDS];
	size_t count;

	if (item->kind->is_text) {
		out_printf(&line, "%s%c", item->value, 0);
		put_policy(section, line.data);
		return;
	}
	conf_append_line(&line, item);
	out_char(&line, '\0');
	count = words_split(line.data, words, MAX_WORDS);
	if (item->kind->toggle)
		json_object_set_new(section, key, json_boolean(!strcmp(item->value, "on")));
	else if (item->kind->waits_for)
		append(section, key, pairs(item, words, count));
	else if (!*item->value)
		append(section, key, word(item->object));
	else
		json_object_set_new(out_json_inside(section, key), item->object,
				    json_integer(atoll(item->value)));
}

static void put_section(json_t *json, const struct conf *conf, size_t at)
{
	uint32_t kinds = conf->sections[at].exclusive;

	if (kinds == UINT32_MAX)
		json_object_set_new(json, "exclusive", json_true());
	for (const struct setting *kind = settings_rows; kind->name; kind++)
		if (kinds != UINT32_MAX && kinds & settings_bit(kind))
			append(json, "exclusive", json_string(kind->name));
	for (const struct setting *kind = settings_rows; kind->name; kind++)
		for_each_of(item, conf, kind, at) put(json, item);
}

static void set_unless_empty(json_t *object, const char *key, json_t *value)
{
	if (json_object_size(value))
		json_object_set(object, key, value);
	json_decref(value);
}

json_t *sc_json(const struct conf *conf)
{
	json_t *doc = json_pack("{s:s}", "schema", "smc-tools/conf/1"), *all = json_object();

	for (size_t at = 0; at < conf->n_sections; at++) {
		const char *netns = conf->sections[at].netns;
		json_t *name = word(netns), *section = *netns ? json_object() : json_incref(doc);

		put_section(section, conf, at);
		if (*netns)
			set_unless_empty(all, json_string_value(name), section);
		else
			json_decref(section);
		json_decref(name);
	}
	set_unless_empty(doc, "netns", all);
	return doc;
}
