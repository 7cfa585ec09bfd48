// SPDX-License-Identifier: MIT
/* Scopes: control groups whose TCP sockets become SMC sockets, with eBPF. */
#include "settings/settings.h"

#include <sys/socket.h>

#include "base/memory.h"
#include "base/words.h"
#include "cgroup/attach.h"
#include "cgroup/cgroup.h"
#include "host/record.h"

#define MAX_WORDS 32

/* Return: NULL for both families */
static const char *family_name(uint32_t family)
{
	switch (family) {
	case AF_INET: return "ipv4";
	case AF_INET6: return "ipv6";
	case SCOPE_NO_FAMILY: return "none";
	default: return NULL;
	}
}

static int scope_text(struct out_text *text, const struct smc_scope *scope, struct smc_err *err)
{
	struct conf_scope rules = { .only = family_name(scope->family) };
	char user[24];
	int ret = 0;

	snprintf(user, sizeof(user), "%u", scope->uid);
	rules.user = scope->has_uid ? user : NULL;
	rules.mptcp = scope->keeps_mptcp ? "keep" : NULL;
	for (size_t i = 0; !ret && i < SCOPE_COMMS && scope->comms[i][0]; i++)
		ret = conf_scope_rule(&rules, "exclude-comm", scope->comms[i], err);
	conf_scope_text(text, &rules);
	out_char(text, '\0');
	return ret;
}

int scopes_read(struct settings *host, struct smc_err *err)
{
	struct scope_list list AUTO(scope_list_free) = { 0 };
	int ret;

	if (record_root() || (access(SCOPE_DIR, F_OK) && errno == ENOENT))
		return 0;
	ret = scope_list_load(&list, NULL, err);
	for (size_t i = 0; !ret && i < list.count; i++) {
		const struct scope_entry *entry = &list.entries[i];
		struct conf_item item = { .kind = CONF_SCOPE, .object = entry->scope.name };
		struct out_text text = { 0 };

		if (entry->scope.kind != SCOPE_CGROUP || entry->state == STATE_GONE)
			continue;
		ret = scope_text(&text, &entry->scope, err);
		item.value = text.data;
		if (!ret)
			conf_add(&host->now, &item);
		out_free(&text);
	}
	return ret;
}

bool scope_is_there(const char *path)
{
	const char *root = cgroup_mount();
	uint64_t id;

	return record_root() || (root && !cgroup_id(root, path, &id));
}

int scope_user_number(struct conf *conf, struct conf_item *item, struct smc_err *err)
{
	char *words[MAX_WORDS], *copy AUTO_FREE = xstrdup(item->value), user[24];
	char place[CONF_PLACE_SIZE];
	size_t count = words_split(copy, words, MAX_WORDS);
	struct conf_scope scope = { .only = NULL };
	struct out_text text AUTO(out_free) = { 0 };
	int64_t uid;

	for (size_t i = 0; i + 1 < count; i += 2)
		conf_scope_rule(&scope, words[i], words[i + 1], NULL); /* checked before */
	/* A record lacks the users of its host. */
	if (scope.user && !record_root()) {
		uid = scope_user(scope.user);
		if (uid < 0)
			return smc_err_say(err, EINVAL, "%s: %.60s: no such user",
					   conf_place_text(place, &item->place), scope.user);
		snprintf(user, sizeof(user), "%" PRId64, uid);
		scope.user = user;
	}
	conf_scope_text(&text, &scope);
	out_char(&text, '\0');
	item->value = conf_keep(conf, text.data);
	return 0;
}

/* Parse a setting whose rules were checked before. */
static struct smc_scope scope_rules(const char *value)
{
	char *words[MAX_WORDS], *copy AUTO_FREE = xstrdup(value);
	size_t count = words_split(copy, words, MAX_WORDS), comms = 0;
	struct smc_scope scope = { 0 };

	for (size_t i = 0; i + 1 < count; i += 2) {
		const char *word = words[i + 1];

		if (!strcmp(words[i], "only")) {
			scope.family = !strcmp(word, "ipv4") ? AF_INET : SCOPE_NO_FAMILY;
			if (!strcmp(word, "ipv6"))
				scope.family = AF_INET6;
		} else if (!strcmp(words[i], "user")) {
			scope.has_uid = 1;
			scope.uid = (uint32_t)strtoul(word, NULL, 10);
		} else if (!strcmp(words[i], "mptcp")) {
			scope.keeps_mptcp = 1;
		} else if (comms < SCOPE_COMMS) {
			strncpy(scope.comms[comms++], word, SCOPE_COMM_SIZE - 1);
		}
	}
	return scope;
}

int scope_set(const struct conf_item *to, const struct conf_item *from, struct smc_err *err)
{
	const struct smc_scope rules = scope_rules(to ? to->value : "");
	struct scope_target target = { 0 };
	int ret = scope_target_cgroup(&target, 'p', (to ? to : from)->object, err);

	if (ret)
		return ret;
	return to ? scope_attach(&target, &rules, err) : scope_detach(&target, err);
}
