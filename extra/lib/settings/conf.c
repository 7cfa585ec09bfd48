// SPDX-License-Identifier: MIT
/* Settings: add, find, and write as lines. */
#include "settings/conf.h"

#include "base/array.h"
#include "base/memory.h"
#include "cgroup/cgroup.h"

const char *conf_kind_name(enum conf_kind kind)
{
	static const char *const names[CONF_KINDS] = { "eid",	 "seid",   "handshake-limit",
						       "sysctl", "pnetid", "scope",
						       "policy" };

	return names[kind];
}

const char *conf_by_name(enum conf_by by)
{
	static const char *const names[CONF_BYS] = { "net", "bus", "mac", "device" };

	return names[by];
}

const char *conf_place_text(char text[CONF_PLACE_SIZE], const struct conf_place *place)
{
	int len = snprintf(text, CONF_PLACE_SIZE, "%.170s", place->file);

	if (place->line)
		snprintf(text + len, CONF_PLACE_SIZE - (size_t)len, ":%zu", place->line);
	return text;
}

const char *conf_keep(struct conf *conf, const char *text)
{
	char *copy = xstrdup(text);

	*smc_array_add(&conf->strings, &conf->n_strings) = copy;
	return copy;
}

size_t conf_section(struct conf *conf, const char *netns)
{
	struct conf_section section = { .exclusive = 0 };

	for (size_t i = 0; i < conf->n_sections; i++)
		if (!strcmp(conf->sections[i].netns, netns))
			return i;
	section.netns = conf_keep(conf, netns);
	*smc_array_add(&conf->sections, &conf->n_sections) = section;
	return conf->n_sections - 1;
}

/* True if both settings are about the same object. Value and section do not matter. */
static bool is_same(const struct conf_item *a, const struct conf_item *b)
{
	return a->kind == b->kind && (a->kind != CONF_PNETID || a->by == b->by) &&
	       !strcmp(a->object, b->object);
}

bool conf_has_value_of(const struct conf_item *a, const struct conf_item *b)
{
	return !strcmp(a->value, b->value) && a->port == b->port;
}

const struct conf_item *conf_find(const struct conf *conf, size_t section,
				  const struct conf_item *item)
{
	for (size_t i = 0; i < conf->count; i++)
		if (conf->items[i].section == section && is_same(&conf->items[i], item))
			return &conf->items[i];
	return NULL;
}

void conf_add(struct conf *conf, const struct conf_item *item)
{
	struct conf_item copy = *item;

	copy.object = conf_keep(conf, item->object);
	copy.value = conf_keep(conf, item->value);
	*smc_array_add(&conf->items, &conf->count) = copy;
}

/* A # would begin a comment, a blank another word. */
static void append_word(struct out_text *text, const char *word)
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

/* The reader removes the mount point, with which the path of a group may begin, too. */
static void append_cgroup(struct out_text *text, const char *path)
{
	struct out_text full AUTO(out_free) = { 0 };

	out_printf(&full, "%s%s", cgroup_below(CGROUP_DIR, path) ? CGROUP_DIR : "", path);
	append_word(text, full.data);
}

void conf_append_line(struct out_text *text, const struct conf_item *item)
{
	out_str(text, item->kind == CONF_KNOB ? item->object : conf_kind_name(item->kind));
	if (item->kind == CONF_SCOPE) {
		append_cgroup(text, item->object);
		if (*item->value)
			out_printf(text, " %s", item->value);
		return;
	}
	if (*item->value)
		append_word(text, item->value);
	if (item->kind == CONF_PNETID) {
		out_char(text, ' ');
		out_str(text, conf_by_name(item->by));
	}
	if (item->kind != CONF_KNOB && *item->object)
		append_word(text, item->object);
	if (item->kind == CONF_PNETID && item->by == CONF_BY_DEVICE)
		out_printf(text, " port %u", item->port);
}

static int add_comm(struct conf_scope *scope, const char *comm, struct smc_err *err)
{
	size_t at = 0, count = 0;

	if (!*comm || strlen(comm) >= SCOPE_COMM_SIZE)
		return smc_err_say(err, EINVAL, "expected a command name of at most %d characters",
				   SCOPE_COMM_SIZE - 1);
	while (count < SCOPE_COMMS && scope->comms[count])
		count++;
	while (at < count && strcmp(scope->comms[at], comm) < 0)
		at++;
	if (at < count && !strcmp(scope->comms[at], comm))
		return 0;
	if (count == SCOPE_COMMS)
		return smc_err_say(err, EINVAL, "more than %d names to exclude", SCOPE_COMMS);
	memmove(&scope->comms[at + 1], &scope->comms[at], (count - at) * sizeof(*scope->comms));
	scope->comms[at] = comm;
	return 0;
}

int conf_scope_rule(struct conf_scope *scope, const char *rule, const char *value,
		    struct smc_err *err)
{
	bool is_only = !strcmp(rule, "only"), is_mptcp = !strcmp(rule, "mptcp");
	const char **one = is_only ? &scope->only : &scope->user;

	if (!strcmp(rule, "exclude-comm"))
		return add_comm(scope, value, err);
	if (is_only && strcmp(value, "ipv4") && strcmp(value, "ipv6"))
		return smc_err_say(err, EINVAL, "expected ipv4 or ipv6");
	if (is_mptcp && strcmp(value, "keep"))
		return smc_err_say(err, EINVAL, "expected keep");
	if (is_mptcp)
		one = &scope->mptcp;
	if (*one && strcmp(*one, value))
		return smc_err_say(err, EINVAL, "a different one was already given");
	*one = value;
	return 0;
}

static void append_rule(struct out_text *text, const char *rule, const char *value)
{
	if (!value)
		return;
	out_str(text, text->len ? " " : "");
	out_str(text, rule);
	append_word(text, value);
}

void conf_scope_text(struct out_text *text, const struct conf_scope *scope)
{
	append_rule(text, "only", scope->only);
	append_rule(text, "user", scope->user);
	append_rule(text, "mptcp", scope->mptcp);
	for (size_t i = 0; i < SCOPE_COMMS; i++)
		append_rule(text, "exclude-comm", scope->comms[i]);
}

static void append_exclusive(struct out_text *text, uint32_t exclusive)
{
	if (!exclusive)
		return;
	out_str(text, "exclusive");
	for (int kind = 0; kind < CONF_KINDS && exclusive + 1 != 1U << CONF_KINDS; kind++)
		if (exclusive & 1U << kind)
			append_word(text, conf_kind_name(kind));
	out_char(text, '\n');
}

static void append_section(struct out_text *text, const struct conf *conf, size_t section)
{
	for (int kind = 0; kind < CONF_KINDS; kind++) {
		for (size_t i = 0; i < conf->count; i++) {
			if (conf->items[i].section != section || (int)conf->items[i].kind != kind)
				continue;
			conf_append_line(text, &conf->items[i]);
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
			append_word(text, conf->sections[i].netns);
			out_char(text, '\n');
		}
		filled = text->len;
		append_exclusive(text, conf->sections[i].exclusive);
		append_section(text, conf, i);
		policy_write(text, &conf->sections[i].policy);
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
	for (size_t i = 0; i < conf->n_sections; i++)
		policy_free(&conf->sections[i].policy);
	free(conf->sections);
	*conf = (struct conf){ 0 };
}
