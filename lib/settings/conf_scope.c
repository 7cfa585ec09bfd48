// SPDX-License-Identifier: MIT
/* Lines of eBPF scopes. */
#include "settings/conf_scope.h"

#include <errno.h>
#include <string.h>

#define MOUNT "/sys/fs/cgroup"

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
	bool is_only = !strcmp(rule, "only");
	const char **one = is_only ? &scope->only : &scope->user;

	if (!strcmp(rule, "exclude-comm"))
		return add_comm(scope, value, err);
	if (is_only && strcmp(value, "ipv4") && strcmp(value, "ipv6"))
		return smc_err_say(err, EINVAL, "expected ipv4 or ipv6");
	if (*one && strcmp(*one, value))
		return smc_err_say(err, EINVAL, "another one was given before");
	*one = value;
	return 0;
}

static void append_rule(struct out_text *text, const char *rule, const char *value)
{
	if (!value)
		return;
	out_str(text, text->len ? " " : "");
	out_str(text, rule);
	conf_append_word(text, value);
}

void conf_scope_text(struct out_text *text, const struct conf_scope *scope)
{
	append_rule(text, "only", scope->only);
	append_rule(text, "user", scope->user);
	for (size_t i = 0; i < SCOPE_COMMS; i++)
		append_rule(text, "exclude-comm", scope->comms[i]);
}

/* As /proc/PID/cgroup has it; where control groups are mounted may stand before it. */
static const char *check_path(const char *path)
{
	size_t len = strlen(MOUNT);

	if (!strncmp(path, MOUNT, len) && (path[len] == '/' || !path[len]))
		path += len;
	if (*path != '/' || strlen(path) >= SCOPE_NAME_SIZE)
		return NULL;
	for (const char *at = path; path[1] && *at; at += strcspn(at, "/")) {
		size_t name = strcspn(++at, "/");

		if (!name || (name <= 2 && !strncmp(at, "..", name)))
			return NULL;
	}
	return path;
}

int conf_scope_line(char *const *words, size_t count, size_t *bad, const char **path,
		    struct out_text *rules, struct smc_err *err)
{
	struct conf_scope scope = { .only = NULL };
	int ret = 0;

	*bad = 1;
	*path = count > 1 ? check_path(words[1]) : NULL;
	if (!*path)
		return smc_err_say(err, EINVAL,
				   "expected the path of a control group, "
				   "/system.slice/redis.service");
	for (size_t i = 2; !ret && i < count; i += 2) {
		*bad = i;
		if (strcmp(words[i], "only") && strcmp(words[i], "user") &&
		    strcmp(words[i], "exclude-comm"))
			return smc_err_say(err, EINVAL, "expected only, user or exclude-comm");
		*bad = i + 1;
		if (*bad == count)
			return smc_err_say(err, EINVAL, "expected what is meant by it");
		ret = conf_scope_rule(&scope, words[i], words[i + 1], err);
	}
	conf_scope_text(rules, &scope);
	out_char(rules, '\0');
	return ret;
}
