// SPDX-License-Identifier: MIT
/* Scopes: control groups whose TCP sockets become SMC sockets, with eBPF. */
#include <sys/socket.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/words.h"
#include "cgroup/attach.h"
#include "cgroup/cgroup.h"
#include "host/record.h"
#include "settings/setting.h"

#define MAX_WORDS (2 * SCOPE_COMMS + 8)

static const struct family {
	const char *name;
	uint32_t number;
} families[] = { { "ipv4", AF_INET }, { "ipv6", AF_INET6 }, { "none", SCOPE_NO_FAMILY } };

/* ---- text: "only ipv4 mptcp keep exclude-comm sshd" ---- */

/* Names are sorted, so that equal rules have equal text. */
static int add_comm(struct smc_scope *scope, const char *comm, struct smc_err *err)
{
	size_t at = 0, count = 0;

	if (!*comm || strlen(comm) >= SCOPE_COMM_SIZE)
		return smc_err_say(err, EINVAL, "expected a command name of at most %d characters",
				   SCOPE_COMM_SIZE - 1);
	while (count < SCOPE_COMMS && scope->comms[count][0])
		count++;
	while (at < count && strcmp(scope->comms[at], comm) < 0)
		at++;
	if (at < count && !strcmp(scope->comms[at], comm))
		return 0;
	if (count == SCOPE_COMMS)
		return smc_err_say(err, EINVAL, "more than %d names to exclude", SCOPE_COMMS);
	memmove(scope->comms[at + 1], scope->comms[at], (count - at) * SCOPE_COMM_SIZE);
	memset(scope->comms[at], 0, SCOPE_COMM_SIZE);
	strncpy(scope->comms[at], comm, SCOPE_COMM_SIZE - 1);
	return 0;
}

static int add_family(struct smc_scope *scope, const char *name, struct smc_err *err)
{
	uint32_t before = scope->family;

	scope->family = 0;
	for_each(family, families, ARRAY_SIZE(families)) {
		if (!strcmp(name, family->name))
			scope->family = family->number;
	}
	if (!scope->family)
		return smc_err_say(err, EINVAL, "expected ipv4, ipv6 or none");
	if (before && before != scope->family)
		return smc_err_say(err, EINVAL, "a different one was already given");
	return 0;
}

static int add_rule(struct smc_scope *scope, const char *rule, const char *value,
		    struct smc_err *err)
{
	if (!strcmp(rule, "exclude-comm"))
		return add_comm(scope, value, err);
	if (!strcmp(rule, "only"))
		return add_family(scope, value, err);
	scope->keeps_mptcp = !strcmp(value, "keep");
	return scope->keeps_mptcp ? 0 : smc_err_say(err, EINVAL, "expected keep");
}

static void append_rule(struct out_text *text, const char *rule, const char *value)
{
	out_str(text, text->len ? " " : "");
	out_str(text, rule);
	conf_append_word(text, value);
}

static void append_rules(struct out_text *text, const struct smc_scope *scope)
{
	for_each(family, families, ARRAY_SIZE(families)) {
		if (scope->family == family->number)
			append_rule(text, "only", family->name);
	}
	if (scope->keeps_mptcp)
		append_rule(text, "mptcp", "keep");
	for (size_t i = 0; i < SCOPE_COMMS && scope->comms[i][0]; i++)
		append_rule(text, "exclude-comm", scope->comms[i]);
	out_char(text, '\0');
}

/* Parse a value that was checked before. */
static struct smc_scope scope_of(const char *value)
{
	char *words[MAX_WORDS], *copy AUTO_FREE = xstrdup(value);
	struct smc_scope scope = { 0 };
	size_t count = words_split(copy, words, MAX_WORDS);

	for (size_t i = 0; i + 1 < count; i += 2)
		add_rule(&scope, words[i], words[i + 1], NULL);
	return scope;
}

/* ---- lines ---- */

/* A path as in /proc/PID/cgroup; the mount point may precede it. */
static const char *cgroup_of(const char *path)
{
	const char *inside = cgroup_below(CGROUP_DIR, path);

	path = inside ? inside : path;
	if (*path != '/' || strlen(path) >= SCOPE_NAME_SIZE)
		return NULL;
	for (const char *at = path; path[1] && *at; at += strcspn(at, "/")) {
		size_t name = strcspn(++at, "/");

		if (!name || (name <= 2 && !strncmp(at, "..", name)))
			return NULL;
	}
	return path;
}

int scopes_parse(struct conf_line *line)
{
	struct conf_item item = { .object = line->count > 1 ? cgroup_of(line->words[1]) : NULL };
	struct out_text text AUTO(out_free) = { 0 };
	struct smc_scope scope = { 0 };
	int ret = 0;

	if (!item.object)
		return conf_expected(line, 1,
				     "expected the path of a control group, "
				     "/system.slice/redis.service");
	for (size_t i = 2; !ret && i < line->count; i += 2) {
		const char *rule = line->words[i];

		if (!words_have("only mptcp exclude-comm", rule))
			return conf_expected(line, i, "expected only, mptcp or exclude-comm");
		line->bad = i + 1;
		if (line->bad == line->count)
			return conf_expected(line, line->bad, "expected a value after it");
		ret = add_rule(&scope, rule, line->words[i + 1], line->err);
	}
	append_rules(&text, &scope);
	item.value = text.data;
	return ret ? ret : conf_accept(line, &item, 1);
}

/* The parser removes the mount point, with which the path of a group may begin, too. */
void scopes_write(struct out_text *text, const struct conf_item *item)
{
	char *path AUTO_FREE = xprintf(
		"%s%s", cgroup_below(CGROUP_DIR, item->object) ? CGROUP_DIR : "", item->object);

	out_str(text, item->kind->name);
	conf_append_word(text, path);
	out_str(text, *item->value ? " " : "");
	out_str(text, item->value);
}

/* ---- this host ---- */

bool scopes_may_read(void)
{
	return !geteuid();
}

static void found(const struct settings_look *look, const struct smc_scope *scope)
{
	struct out_text text AUTO(out_free) = { 0 };
	struct smc_scope sorted = *scope;

	memset(sorted.comms, 0, sizeof(sorted.comms));
	for (size_t i = 0; i < SCOPE_COMMS && scope->comms[i][0]; i++)
		add_comm(&sorted, scope->comms[i], NULL);
	append_rules(&text, &sorted);
	settings_found(look, (struct conf_item){ .object = scope->name, .value = text.data });
}

int scopes_read(struct settings_look *look)
{
	struct scope_list list AUTO(scope_list_free) = { 0 };
	int ret;

	if (record_root() || (access(SCOPE_DIR, F_OK) && errno == ENOENT))
		return 0;
	ret = scope_list_load(&list, NULL, look->err);
	for (size_t i = 0; !ret && i < list.count; i++) {
		const struct scope_entry *entry = &list.entries[i];

		if (entry->scope.kind == SCOPE_CGROUP && entry->state != STATE_GONE)
			found(look, &entry->scope);
	}
	return ret;
}

int scopes_want(struct settings_wish *wish)
{
	const char *root = cgroup_mount();
	uint64_t id;

	if (!record_root() && (!root || cgroup_id(root, wish->item.object, &id)))
		return 1;
	return settings_add_wish(wish);
}

int scopes_set(struct settings_step *step, const struct conf_item *from, const struct conf_item *to)
{
	struct smc_scope scope = scope_of(to ? to->value : "");
	struct scope_target target = { 0 };
	int ret = scope_target_cgroup(&target, 'p', (to ? to : from)->object, step->err);

	if (ret)
		return ret;
	if (!to)
		return scope_detach(&target, step->err);
	return scope_attach(&target, &scope, step->err);
}
