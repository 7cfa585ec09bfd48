// SPDX-License-Identifier: MIT
/* Settings from JSON: each becomes the words of a line, and goes through its checks. */
#include "conf/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "smc/knob.h"

#define MAX_WORDS 24

enum { STRING = 1, NUMBER = 2, SWITCH = 4, LIST = 8 };

/**
 * struct reader - where we are
 * @len: of @path
 * @inner: what conf_line() says
 */
struct reader {
	struct conf_source *source;
	struct conf_line line;
	struct smc_err inner;
	char *words[MAX_WORDS];
	char path[200];
	size_t len;
};

struct key;

typedef int (*read_fn)(struct reader *reader, const struct key *key, const json_t *value);

/**
 * struct key - of an object
 * @name: an _ stands between two words of a line
 * @is_host: only outside of "netns"
 * @types: that its value, or each of its values, may have
 * @members: keys of each of its objects: the first one's value follows @name in a line, the other
 *	ones' have their name before them
 */
struct key {
	const char *name;
	bool is_host;
	read_fn read;
	int types;
	const struct key *members;
};

/* ---- where, and what is wrong there ---- */

/* Return: for leave(). */
static size_t enter(struct reader *reader, const char *key, size_t index)
{
	size_t old = reader->len, room = sizeof(reader->path) - old;
	int len = key ? snprintf(reader->path + old, room, ".%s", key) :
			snprintf(reader->path + old, room, "[%zu]", index);

	reader->len = old + ((size_t)len < room ? (size_t)len : room - 1);
	return old;
}

static void leave(struct reader *reader, size_t old)
{
	reader->path[reader->len = old] = '\0';
}

/* Made harmless by whoever prints it. */
static int say(struct reader *reader, int code, const char *word, const char *what)
{
	return smc_err_say(reader->source->err, code, "%.100s:%.60s: %.40s: %.190s",
			   reader->source->name, *reader->path ? reader->path : ".", word, what);
}

/* This value is not what it should be. */
static int expected(struct reader *reader, const json_t *value, const char *what)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	int ret = text ? say(reader, EINVAL, text, what) : conf_no_memory(reader->source->err);

	free(text);
	return ret;
}

static bool is_host(const struct reader *reader)
{
	return !*reader->source->conf->sections[reader->line.section].netns;
}

static int unknown(struct reader *reader, const char *name, const struct key *keys)
{
	char what[200] = "expected";
	size_t len = strlen(what);

	for (const struct key *key = keys; key->name; key++)
		if (!key->is_host || is_host(reader))
			len += (size_t)snprintf(what + len, sizeof(what) - len, " %s,", key->name);
	what[len - 1] = '\0';
	return say(reader, EINVAL, name, what);
}

/* ---- words ---- */

static int add_word(struct reader *reader, const char *word)
{
	char *copy = (char *)conf_keep(reader->source->conf, word);

	if (!copy)
		return conf_no_memory(reader->source->err);
	if (reader->line.count == MAX_WORDS)
		return say(reader, EINVAL, word, "one too many");
	word_unescape(copy);
	reader->words[reader->line.count++] = copy;
	return 0;
}

static int add_value(struct reader *reader, const json_t *value, int types)
{
	char number[24];

	if (types & STRING && json_is_string(value) && *json_string_value(value))
		return add_word(reader, json_string_value(value));
	if (types & SWITCH && json_is_boolean(value))
		return add_word(reader, json_is_true(value) ? "on" : "off");
	if (!(types & NUMBER) || !json_is_integer(value))
		return expected(reader, value,
				types == STRING ? "expected a string" :
				types == NUMBER ? "expected a number" :
				types == SWITCH ? "expected true or false" :
						  "expected a number or a string");
	snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	return add_word(reader, number);
}

/* A new line: "deny_port" are two words. */
static int begin(struct reader *reader, const char *name)
{
	char copy[64], *save, *word;
	int ret = 0;

	snprintf(copy, sizeof(copy), "%s", name);
	reader->line.count = 0;
	for (word = strtok_r(copy, "_", &save); !ret && word; word = strtok_r(NULL, "_", &save))
		ret = add_word(reader, word);
	return ret;
}

/* The line is complete. */
static int take(struct reader *reader)
{
	struct conf_source *source = reader->source;
	struct conf_line *line = &reader->line;
	char name[CONF_PLACE_SIZE];
	int ret;

	snprintf(name, sizeof(name), "%.120s:%.49s", source->name, reader->path);
	line->place.file = conf_keep(source->conf, name);
	if (!line->place.file)
		return conf_no_memory(source->err);
	line->bad = 0;
	ret = strcmp(line->words[0], "include") ? conf_line(line) : source->include(source, line);
	if (!ret || line->bad == SIZE_MAX)
		return ret;
	if (reader->inner.code == ENOMEM)
		return conf_no_memory(source->err);
	return say(reader, reader->inner.code,
		   line->bad < line->count ? line->words[line->bad] : "nothing more",
		   reader->inner.text);
}

/* ---- values ---- */

static int read_value(struct reader *reader, const struct key *key, const json_t *value)
{
	int ret = begin(reader, key->name);

	if (!ret)
		ret = add_value(reader, value, key->types);
	return ret ? ret : take(reader);
}

static int each_value(struct reader *reader, const struct key *key, const json_t *list,
		      read_fn read)
{
	int ret = json_is_array(list) ? 0 : expected(reader, list, "expected a list");

	for (size_t i = 0; !ret && i < json_array_size(list); i++) {
		size_t old = enter(reader, NULL, i);

		ret = read(reader, key, json_array_get(list, i));
		leave(reader, old);
	}
	return ret;
}

static int read_list(struct reader *reader, const struct key *key, const json_t *value)
{
	return each_value(reader, key, value, read_value);
}

/* Each key of an object; one that has no read() is only known. */
static int read_keys(struct reader *reader, const struct key *keys, const json_t *object)
{
	int ret = json_is_object(object) ? 0 : expected(reader, object, "expected an object");

	for (void *at = json_object_iter((json_t *)object); !ret && at;
	     at = json_object_iter_next((json_t *)object, at)) {
		const char *name = json_object_iter_key(at);
		const struct key *key = keys;
		size_t old;

		while (key->name && (strcmp(key->name, name) || (key->is_host && !is_host(reader))))
			key++;
		if (!key->name)
			return unknown(reader, name, keys);
		old = enter(reader, name, 0);
		if (key->read)
			ret = key->read(reader, key, json_object_iter_value(at));
		leave(reader, old);
	}
	return ret;
}

static int without(struct reader *reader, const json_t *object, const char *name)
{
	char what[40];

	snprintf(what, sizeof(what), "expected \"%s\" in it", name);
	return expected(reader, object, what);
}

/* "exclude-comm" of two names is there twice. */
static int add_member(struct reader *reader, const struct key *member, const json_t *value)
{
	size_t count = member->types & LIST ? json_array_size(value) : 1;
	int ret = 0;

	if (member->types & LIST && !json_is_array(value))
		return expected(reader, value, "expected a list");
	for (size_t i = 0; !ret && i < count; i++) {
		ret = add_word(reader, member->name);
		if (!ret)
			ret = add_value(reader,
					member->types & LIST ? json_array_get(value, i) : value,
					member->types & ~LIST);
	}
	return ret;
}

/* An object that is a line. */
static int read_member(struct reader *reader, const struct key *key, const json_t *object)
{
	int ret = read_keys(reader, key->members, object);

	if (!ret)
		ret = begin(reader, key->name);
	for (const struct key *member = key->members; !ret && member->name; member++) {
		const json_t *value = json_object_get(object, member->name);
		size_t old = enter(reader, member->name, 0);

		if (value && member == key->members)
			ret = add_value(reader, value, member->types);
		else if (value)
			ret = add_member(reader, member, value);
		leave(reader, old);
		if (!value && member == key->members)
			return without(reader, object, member->name);
	}
	return ret ? ret : take(reader);
}

static int read_members(struct reader *reader, const struct key *key, const json_t *value)
{
	return each_value(reader, key, value, read_member);
}

/* ---- what is odd ---- */

static int read_schema(struct reader *reader, const struct key *key, const json_t *value)
{
	const char *text = json_string_value(value);

	(void)key;
	return text && !strcmp(text, CONF_JSON_SCHEMA) ?
		       0 :
		       expected(reader, value, "expected " CONF_JSON_SCHEMA);
}

/* Without a kind all of them are meant. */
static int read_exclusive(struct reader *reader, const struct key *key, const json_t *value)
{
	int ret;

	if (json_array_size(value))
		return read_list(reader, key, value);
	if (!json_is_true(value))
		return expected(reader, value, "expected true, or a list of eid, seid and so on");
	ret = begin(reader, key->name);
	return ret ? ret : take(reader);
}

static int read_sysctl(struct reader *reader, const struct key *key, const json_t *object)
{
	int ret = json_is_object(object) ? 0 : expected(reader, object, "expected an object");

	for (void *at = json_object_iter((json_t *)object); !ret && at;
	     at = json_object_iter_next((json_t *)object, at)) {
		const char *name = json_object_iter_key(at);
		size_t old = enter(reader, name, 0);

		reader->line.count = 0;
		if (strncmp(name, SMC_KNOB_PREFIX, strlen(SMC_KNOB_PREFIX)))
			ret = say(reader, EINVAL, name, "expected net.smc.rmem or the like");
		if (!ret)
			ret = add_word(reader, name);
		if (!ret)
			ret = add_value(reader, json_object_iter_value(at), key->types);
		if (!ret)
			ret = take(reader);
		leave(reader, old);
	}
	return ret;
}

static int read_netns(struct reader *reader, const struct key *key, const json_t *object);

static const struct key pnetid_keys[] = {
	{ .name = "id", .types = STRING },
	{ .name = "net", .types = STRING },
	{ .name = "bus", .types = STRING },
	{ .name = "mac", .types = STRING },
	{ .name = "device", .types = STRING },
	{ .name = "port", .types = NUMBER },
	{ .name = NULL },
};

static const struct key scope_keys[] = {
	{ .name = "cgroup", .types = STRING },
	{ .name = "only", .types = STRING },
	{ .name = "user", .types = STRING | NUMBER },
	{ .name = "exclude-comm", .types = STRING | LIST },
	{ .name = NULL },
};

static const struct key keys[] = {
	{ "schema", true, read_schema, STRING, NULL },
	{ "include", true, read_list, STRING, NULL },
	{ "exclusive", false, read_exclusive, STRING, NULL },
	{ "eid", true, read_list, STRING, NULL },
	{ "seid", true, read_value, SWITCH, NULL },
	{ "handshake-limit", false, read_value, SWITCH, NULL },
	{ "sysctl", false, read_sysctl, NUMBER, NULL },
	{ "pnetid", false, read_members, 0, pnetid_keys },
	{ "scope", true, read_members, 0, scope_keys },
	{ "allow", false, read_list, STRING, NULL },
	{ "allow_to", false, read_list, STRING, NULL },
	{ "allow_from", false, read_list, STRING, NULL },
	{ "deny", false, read_list, STRING, NULL },
	{ "deny_to", false, read_list, STRING, NULL },
	{ "deny_from", false, read_list, STRING, NULL },
	{ "deny_port", false, read_list, STRING | NUMBER, NULL },
	{ "learn", false, read_value, STRING, NULL },
	{ "by", false, read_value, STRING, NULL },
	{ "netns", true, read_netns, 0, NULL },
	{ NULL, false, NULL, 0, NULL },
};

static int read_netns(struct reader *reader, const struct key *key, const json_t *object)
{
	int ret = json_is_object(object) ? 0 : expected(reader, object, "expected an object");
	int host = reader->line.section;

	for (void *at = json_object_iter((json_t *)object); !ret && at;
	     at = json_object_iter_next((json_t *)object, at)) {
		const char *name = json_object_iter_key(at);
		size_t old = enter(reader, name, 0);

		ret = begin(reader, key->name);
		if (!ret)
			ret = add_word(reader, name);
		if (!ret)
			ret = take(reader);
		if (!ret)
			ret = read_keys(reader, keys, json_object_iter_value(at));
		reader->line.section = host;
		leave(reader, old);
	}
	return ret;
}

bool conf_is_json(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '{';
}

int conf_json_read(struct conf_source *source, const char *text, size_t len)
{
	struct reader reader = { .source = source };
	json_error_t error;
	json_t *doc;
	int ret;

	reader.line = (struct conf_line){ .conf = source->conf,
					  .words = reader.words,
					  .err = &reader.inner };
	/* Each file begins outside of all sections. */
	reader.line.section = conf_section(source->conf, "");
	if (reader.line.section < 0)
		return conf_no_memory(source->err);
	doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!doc && json_error_code(&error) == json_error_out_of_memory)
		return conf_no_memory(source->err);
	if (!doc)
		return smc_err_say(source->err, EINVAL, "%.150s:%d: not JSON: %.160s", source->name,
				   error.line, error.text);
	ret = read_keys(&reader, keys, doc);
	json_decref(doc);
	return ret;
}
