// SPDX-License-Identifier: MIT
/* --events --journal: an event as an entry of systemd's journal. */
#include "journal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sys/journal.h"

/* Of a field. */
#define NAME_SIZE 65

static void add_text(struct out_text *entry, const char *name, const char *value)
{
	journal_field(entry, name, value, strlen(value));
}

static void add_number(struct out_text *entry, const char *name, const json_t *value)
{
	char text[32];

	if (json_is_integer(value))
		snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else
		snprintf(text, sizeof(text), "%.9f", json_real_value(value));
	add_text(entry, name, text);
}

static void add(struct out_text *entry, const char *name, const json_t *value)
{
	if (json_is_string(value))
		journal_field(entry, name, json_string_value(value), json_string_length(value));
	else if (json_is_number(value))
		add_number(entry, name, value);
}

/* SMC_, a key, and for what is in an object its own key behind it. */
static void name_field(char name[NAME_SIZE], const char *prefix, const char *key)
{
	size_t len = (size_t)snprintf(name, NAME_SIZE, "%s_%s", prefix, key);

	for (size_t i = 0; i < len && i < NAME_SIZE - 1; i++)
		if (name[i] >= 'a' && name[i] <= 'z')
			name[i] = (char)(name[i] - 'a' + 'A');
}

static void add_keys(struct out_text *entry, json_t *json)
{
	char name[NAME_SIZE], inner[NAME_SIZE];
	const char *key, *inner_key;
	json_t *value, *inner_value;

	json_object_foreach(json, key, value) {
		name_field(name, "SMC", key);
		if (strcmp(key, "schema"))
			add(entry, name, value);
		json_object_foreach(value, inner_key, inner_value) {
			name_field(inner, name, inner_key);
			add(entry, inner, inner_value);
		}
	}
}

/* 4 is a warning, 6 information: <syslog.h>. */
static const char *priority_of(const struct event *event)
{
	return event->kind == EVENT_FALLBACK || event->kind == EVENT_LINK_DOWN ||
			       event->kind == EVENT_LOST ?
		       "4" :
		       "6";
}

int journal_entry(struct out_text *entry, const struct event *event)
{
	struct out_text text = { .len = 0 };
	json_t *json = event_json(event, false);

	event_said(&text, event);
	if (!json || text.is_failed) {
		json_decref(json);
		out_free(&text);
		return -ENOMEM;
	}
	journal_field(entry, "MESSAGE", text.data, text.len);
	add_text(entry, "PRIORITY", priority_of(event));
	add_text(entry, "SYSLOG_IDENTIFIER", "smcss");
	add_keys(entry, json);
	json_decref(json);
	out_free(&text);
	return entry->is_failed ? -ENOMEM : 0;
}
