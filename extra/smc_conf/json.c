// SPDX-License-Identifier: MIT
/* Print settings as JSON. */
#include "smc_conf/smc_conf.h"

#include "base/memory.h"
#include "base/words.h"

#define POLICY_WORDS 64 /* limit for a line of 80 */
#define SCOPE_WORDS 24

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

static json_t *pnetid(const struct conf_item *item)
{
	json_t *json = json_pack("{s:o, s:o}", "id", word(item->value), conf_by_name(item->by),
				 word(item->object));

	if (item->by == CONF_BY_DEVICE)
		json_object_set_new(json, "port", json_integer(item->port));
	return json;
}

static json_t *scope(const struct conf_item *item)
{
	json_t *json = json_pack("{s:o}", "cgroup", word(item->object));
	char *text AUTO_FREE = xstrdup(item->value), *words[SCOPE_WORDS];
	size_t count = words_split(text, words, SCOPE_WORDS);

	for (size_t i = 0; i + 1 < count; i += 2) {
		if (strcmp(words[i], "exclude-comm"))
			json_object_set_new(json, words[i], word(words[i + 1]));
		else
			append(json, words[i], word(words[i + 1]));
	}
	return json;
}

static void put(json_t *section, const struct conf_item *item)
{
	const char *key = conf_kind_name(item->kind);

	switch (item->kind) {
	case CONF_EID: append(section, key, word(item->object)); break;
	case CONF_PNETID: append(section, key, pnetid(item)); break;
	case CONF_SCOPE: append(section, key, scope(item)); break;
	case CONF_KNOB:
		json_object_set_new(out_json_inside(section, key), item->object,
				    json_integer(strtoll(item->value, NULL, 10)));
		break;
	default: json_object_set_new(section, key, json_boolean(!strcmp(item->value, "on")));
	}
}

static json_t *exclusive(uint32_t kinds)
{
	json_t *array;

	if (kinds + 1 == 1U << CONF_KINDS)
		return json_true();
	array = json_array();
	for (int kind = 0; kind < CONF_KINDS; kind++)
		if (kinds & 1U << kind)
			json_array_append_new(array, json_string(conf_kind_name(kind)));
	return array;
}

/* "deny port 22,443" becomes "deny_port": [22, 443]; other words become lists, too. */
static void put_policy_line(json_t *section, char *line)
{
	static const char *const sides[] = { "to", "from", "port", NULL };
	char *words[POLICY_WORDS], key[32], *end;
	size_t count = words_split(line, words, POLICY_WORDS), first = 1;
	long port;

	snprintf(key, sizeof(key), "%s", words[0]);
	for (int i = 0; sides[i]; i++)
		if (!strcmp(words[1], sides[i]))
			snprintf(key, sizeof(key), "%s_%s", words[0], words[first++]);
	for (; first < count; first++) {
		for (char *word; (word = strsep(&words[first], ","));) {
			port = strtol(word, &end, 10);
			append(section, key, *end ? json_string(word) : json_integer(port));
		}
	}
}

static void put_policy(json_t *section, const struct policy *policy)
{
	struct out_text text AUTO(out_free) = { 0 };
	char *next, *line;

	policy_write(&text, policy);
	out_char(&text, '\0');
	next = text.data;
	while ((line = strsep(&next, "\n")))
		if (*line)
			put_policy_line(section, line);
}

static void put_section(json_t *json, const struct conf *conf, size_t at)
{
	const struct conf_section *section = &conf->sections[at];

	if (section->exclusive)
		json_object_set_new(json, "exclusive", exclusive(section->exclusive));
	for (int kind = 0; kind < CONF_KINDS; kind++)
		for (size_t i = 0; i < conf->count; i++)
			if (conf->items[i].section == at && (int)conf->items[i].kind == kind)
				put(json, &conf->items[i]);
	put_policy(json, &section->policy);
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
