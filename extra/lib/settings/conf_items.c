// SPDX-License-Identifier: MIT
/* Settings: add, find, and write as lines. */
#include "settings/conf.h"

#include "base/array.h"
#include "base/memory.h"
#include "settings/setting.h"

const char *conf_place_text(char text[CONF_PLACE_SIZE], const struct conf_place *place)
{
	int len = snprintf(text, CONF_PLACE_SIZE, "%.170s", place->file ? place->file : "");

	if (place->line)
		snprintf(text + len, CONF_PLACE_SIZE - (size_t)len, ":%zu", place->line);
	return text;
}

const char *conf_keep(struct conf *conf, const char *text)
{
	return *smc_array_add(&conf->strings, &conf->n_strings) = xstrdup(text);
}

size_t conf_section(struct conf *conf, const char *netns)
{
	size_t at = 0;

	while (at < conf->n_sections && strcmp(conf->sections[at].netns, netns))
		at++;
	if (at == conf->n_sections)
		smc_array_add(&conf->sections, &conf->n_sections)->netns = conf_keep(conf, netns);
	return at;
}

bool conf_has_value_of(const struct conf_item *a, const struct conf_item *b)
{
	return !strcmp(a->value, b->value) && a->port == b->port;
}

/** struct key - what a setting is about; the value does not matter */
struct key {
	const struct conf_item *item;
	size_t section;
};

static uint64_t hash_of(const struct key *key)
{
	return smc_index_hash(key->item->object, strlen(key->item->object),
			      (uintptr_t)key->item->kind + key->section);
}

/* Items may have been dropped from the end. */
static bool is_it(const void *arg, size_t place, const void *of)
{
	const struct conf *conf = arg;
	const struct conf_item *item = &conf->items[place];
	const struct key *key = of;

	return place < conf->count && item->section == key->section &&
	       item->kind == key->item->kind && !strcmp(item->object, key->item->object) &&
	       (!item->by || !strcmp(item->by, key->item->by));
}

const struct conf_item *conf_find(const struct conf *conf, size_t section,
				  const struct conf_item *item)
{
	const struct key key = { item, section };
	size_t place = smc_index_find(&conf->index, hash_of(&key), is_it, conf, &key);

	return place == SMC_INDEX_NONE ? NULL : &conf->items[place];
}

void conf_add(struct conf *conf, const struct conf_item *item)
{
	struct conf_item copy = *item;

	copy.object = conf_keep(conf, item->object);
	copy.value = conf_keep(conf, item->value);
	smc_index_add(&conf->index, hash_of(&(struct key){ item, item->section }), conf->count);
	*smc_array_add(&conf->items, &conf->count) = copy;
}

/* A # would begin a comment, a blank another word. */
void conf_append_word(struct out_text *text, const char *word)
{
	struct out_text escaped AUTO(out_free) = { 0 };

	out_escaped(&escaped, word, strlen(word));
	out_char(text, ' ');
	for (size_t i = 0; i < escaped.len; i++) {
		if (strchr("# ", escaped.data[i]))
			out_printf(text, "\\x%02x", escaped.data[i]);
		else
			out_char(text, escaped.data[i]);
	}
}

void conf_append_line(struct out_text *text, const struct conf_item *item)
{
	if (item->kind->write) {
		item->kind->write(text, item);
		return;
	}
	out_str(text, item->kind->name);
	if (*item->value)
		conf_append_word(text, item->value);
	if (item->by)
		conf_append_word(text, item->by);
	if (*item->object)
		conf_append_word(text, item->object);
	if (item->port)
		out_printf(text, " port %u", item->port);
}

static void append_section(struct out_text *text, const struct conf *conf, size_t section)
{
	uint32_t exclusive = conf->sections[section].exclusive;

	if (exclusive)
		out_str(text, "exclusive");
	for (const struct setting *kind = settings_rows; kind->name; kind++)
		if (exclusive & settings_bit(kind) && exclusive != UINT32_MAX)
			conf_append_word(text, kind->name);
	if (exclusive)
		out_char(text, '\n');
	for (const struct setting *kind = settings_rows; kind->name; kind++) {
		for_each_of(item, conf, kind, section)
		{
			conf_append_line(text, item);
			out_char(text, '\n');
		}
	}
}

void conf_write(struct out_text *text, const struct conf *conf)
{
	bool has_netns = false;

	for (size_t i = 0; i < conf->n_sections; i++) {
		size_t begin = text->len, filled;

		if (*conf->sections[i].netns) {
			out_str(text, "\nnetns");
			conf_append_word(text, conf->sections[i].netns);
			out_char(text, '\n');
		}
		filled = text->len;
		append_section(text, conf, i);
		if (text->len == filled)
			text->len = begin;
		else
			has_netns |= *conf->sections[i].netns;
	}
	if (has_netns)
		out_str(text, "\nhost\n");
}

void conf_free(struct conf *conf)
{
	for (size_t i = 0; i < conf->n_strings; i++)
		free(conf->strings[i]);
	free(conf->strings);
	free(conf->items);
	smc_index_free(&conf->index);
	free(conf->sections);
	*conf = (struct conf){ 0 };
}
