// SPDX-License-Identifier: MIT
/* Whose TCP sockets become SMC sockets: scopes of control groups, by smc_bpf. */
#include "smc_conf/smc_conf.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/memory.h"
#include "base/words.h"
#include "conf/scope.h"
#include "host/record.h"
#include "sys/cgroup.h"
#include "sys/library.h"
#include "sys/program.h"

#define MAX_WORDS 32

/* Its own sentence without its name, or why there is none. Return: its status as -errno */
static int failed(int status, const char *text, struct smc_err *err)
{
	const char *begin = text && !strncmp(text, "smc_bpf: ", 9) ? text + 9 : text;

	if (status == -ENOENT)
		return smc_err_say(err, ENOENT,
				   "scopes need smc_bpf, which is not installed: it "
				   "is in the package smc-tools-bpf");
	if (status < 0)
		return smc_err_set(err, -status, "cannot run smc_bpf");
	return smc_err_say(err, EIO, "smc_bpf: %.*s", begin ? (int)strcspn(begin, "\n") : 0, begin);
}

/* @text: receives what it wrote, to be freed; NULL for nobody wants it. */
static int smc_bpf(char **argv, char **text, struct smc_err *err)
{
	char path[PATH_MAX], *written;
	size_t size;
	int ret;

	argv[0] = self_find("smc_bpf", X_OK, path) ? path : (char *)"smc_bpf";
	ret = program_run(argv, &written, &size);
	if (ret)
		ret = failed(ret, written, err);
	if (!ret && text)
		*text = written;
	else
		free(written);
	return ret;
}

/* ---- what is attached ---- */

/* A scope that is not of a control group, or of one that has gone, is none. */
static int add_scope(struct sc_host *host, const json_t *json, struct smc_err *err)
{
	struct conf_item item = { .kind = CONF_SCOPE };
	struct conf_scope scope = { .only = NULL };
	struct out_text text = { 0 };
	const char *kind = "", *state = "";
	json_t *comms = NULL;
	json_int_t uid = -1;
	char user[24];
	int ret = 0;

	if (json_unpack((json_t *)json, "{s:s, s:s, s:s, s?s, s?I, s?o}", "scope", &kind, "state",
			&state, "name", &item.object, "only", &scope.only, "uid", &uid,
			"exclude_comms", &comms))
		return smc_err_say(err, EIO, "cannot read what 'smc_bpf status' says");
	if (strcmp(kind, "cgroup") || !strcmp(state, "gone"))
		return 0;
	snprintf(user, sizeof(user), "%" JSON_INTEGER_FORMAT, uid);
	scope.user = uid < 0 ? NULL : user;
	for (size_t i = 0; !ret && i < json_array_size(comms); i++)
		ret = conf_scope_rule(&scope, "exclude-comm",
				      json_string_value(json_array_get(comms, i)), err);
	conf_scope_text(&text, &scope);
	out_char(&text, '\0');
	item.value = text.data;
	if (!ret)
		conf_add(&host->now, &item);
	out_free(&text);
	return ret;
}

int sc_scopes_read(struct sc_host *host, struct smc_err *err)
{
	char *argv[] = { NULL, (char *)"status", (char *)"--json", NULL }, *text, *begin;
	json_t *doc, *scopes;
	int ret;

	if (record_root() || (access(SCOPE_DIR, F_OK) && errno == ENOENT))
		return 0;
	ret = smc_bpf(argv, &text, err);
	if (ret)
		return ret;
	/* What it notes stands before or behind it. */
	begin = strchr(text, '{');
	doc = json_loads(begin ? begin : "", JSON_DISABLE_EOF_CHECK, NULL);
	scopes = json_object_get(doc, "scopes");
	if (!scopes)
		ret = smc_err_say(err, EIO, "cannot read what 'smc_bpf status' says");
	for (size_t i = 0; !ret && i < json_array_size(scopes); i++)
		ret = add_scope(host, json_array_get(scopes, i), err);
	json_decref(doc);
	free(text);
	return ret;
}

/* ---- what is wanted ---- */

bool sc_scope_is_there(const char *path)
{
	const char *root = cgroup_mount();
	uint64_t id;

	return record_root() || (root && !cgroup_id(root, path, &id));
}

/* As smc_bpf --user takes it. Return: a number, -1 for nobody */
static int64_t find_user(const char *name)
{
	const struct passwd *entry = getpwnam(name);
	unsigned long long number;
	char *end;

	if (entry)
		return entry->pw_uid;
	number = strtoull(name, &end, 10);
	return *end || *name < '0' || *name > '9' || number >= UINT32_MAX ? -1 : (int64_t)number;
}

int sc_scope_user(struct conf *conf, struct conf_item *item, struct smc_err *err)
{
	char *words[MAX_WORDS], *copy = xstrdup(item->value), user[24], place[CONF_PLACE_SIZE];
	size_t count = words_split(copy, words, MAX_WORDS);
	struct conf_scope scope = { .only = NULL };
	struct out_text text = { 0 };
	int64_t uid = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i + 1 < count; i += 2)
		ret = conf_scope_rule(&scope, words[i], words[i + 1], err);
	/* A record does not have its host's users. */
	if (!ret && scope.user && !record_root()) {
		uid = find_user(scope.user);
		if (uid < 0)
			ret = smc_err_say(err, EINVAL, "%s: %.60s: no such user",
					  conf_place_text(place, &item->place), scope.user);
		snprintf(user, sizeof(user), "%" PRId64, uid);
		scope.user = user;
	}
	conf_scope_text(&text, &scope);
	out_char(&text, '\0');
	item->value = conf_keep(conf, text.data);
	out_free(&text);
	free(copy);
	return ret;
}

/* ---- changes ---- */

int sc_scopes_check(struct smc_err *err)
{
	char *argv[] = { NULL, (char *)"check", NULL };

	return smc_bpf(argv, NULL, err);
}

static int attach(const struct conf_item *item, struct smc_err *err)
{
	char *words[MAX_WORDS], *argv[MAX_WORDS + 8], *options[MAX_WORDS] = { NULL };
	char *copy = xstrdup(item->value);
	size_t count = words_split(copy, words, MAX_WORDS), argc = 1;
	int ret;

	argv[argc++] = (char *)"attach";
	argv[argc++] = (char *)"--cgroup";
	argv[argc++] = (char *)item->object;
	for (size_t i = 0; i + 1 < count; i += 2)
		argv[argc++] = options[i] = xprintf("--%s=%s", words[i], words[i + 1]);
	argv[argc] = NULL;
	ret = smc_bpf(argv, NULL, err);
	for (size_t i = 0; i < count; i++)
		free(options[i]);
	free(copy);
	return ret;
}

int sc_scope_set(const struct conf_item *to, const struct conf_item *from, struct smc_err *err)
{
	char *argv[] = { NULL, (char *)"detach", (char *)"--cgroup", NULL, NULL };

	if (to)
		return attach(to, err);
	argv[3] = (char *)from->object;
	return smc_bpf(argv, NULL, err);
}
