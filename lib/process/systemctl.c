// SPDX-License-Identifier: MIT
#include "process/systemctl.h"

#include <ctype.h>

#include "base/array.h"
#include "base/words.h"
#include "process/program.h"

#define SERVICE ".service"
#define PROBE "smc-tools" /* dummy instance used to query a template unit */

static bool has_other_type(const char *name)
{
	static const char *const types[] = {
		".socket", ".target", ".timer",	    ".slice", ".scope",
		".path",   ".mount",  ".automount", ".swap",  ".device",
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (word_ends_with(name, types[i]))
			return true;
	return false;
}

int unit_name(const char *typed, char name[UNIT_NAME_SIZE], struct smc_err *err)
{
	const char *end = word_ends_with(typed, SERVICE) ? "" : SERVICE;
	const char *c;

	for (c = typed; isalnum((unsigned char)*c) || (*c && strchr(":-_.\\@", *c)); c++)
		;
	/* Probably an option instead of a unit. */
	if (*c || !*typed || *typed == '@' || *typed == '.' || !strncmp(typed, "--", 2) ||
	    strlen(typed) + strlen(end) >= UNIT_NAME_SIZE - sizeof(PROBE))
		return smc_err_say(err, EINVAL, "'%s' is not the name of a unit", typed);
	if (has_other_type(typed))
		return smc_err_say(err, EINVAL, "'%s' is not a service", typed);
	snprintf(name, UNIT_NAME_SIZE, "%s%s", typed, end);
	return 0;
}

bool unit_is_template(const char *name)
{
	return word_ends_with(name, "@" SERVICE);
}

bool unit_instances(const char *name, char pattern[UNIT_NAME_SIZE])
{
	if (!unit_is_template(name))
		return false;
	snprintf(pattern, UNIT_NAME_SIZE, "%.*s?*" SERVICE, (int)strcspn(name, "@") + 1, name);
	return true;
}

void unit_shown_name(const char *name, char shown[UNIT_NAME_SIZE])
{
	int stem = (int)(strlen(name) - strlen(SERVICE));

	snprintf(shown, UNIT_NAME_SIZE, "%.*s%s" SERVICE, stem, name,
		 unit_is_template(name) ? PROBE : "");
}

void unit_file_name(char *name, const char *asked)
{
	if (unit_is_template(asked) && word_ends_with(name, "@" PROBE SERVICE))
		strcpy(name + strlen(name) - strlen(PROBE SERVICE), SERVICE);
}

static int systemctl(bool user, const char *verb, const char *option, const char *unit,
		     struct unit_props *out, struct smc_err *err)
{
	const char *argv[] = { "systemctl", user ? "--user" : "--system", "--no-pager", verb,
			       option,	    unit ? "--" : NULL,		  unit,		NULL };
	int status;

	*out = (struct unit_props){ 0 };
	status = program_run((char *const *)argv, &out->text, &out->size);
	if (!status)
		return 0;
	if (status == -ENOENT)
		smc_err_say(err, ENOENT, "no systemctl here: services need systemd");
	else if (status < 0)
		smc_err_set(err, -status, "cannot run systemctl");
	else
		smc_err_say(err, EIO, "systemctl %s failed: %.*s", verb,
			    (int)strcspn(out->text, "\n"), out->text);
	unit_props_free(out);
	out->text = NULL;
	return status < 0 ? status : -EIO;
}

int systemctl_show(bool user, const char *pattern, const char *names, struct unit_props *props,
		   struct smc_err *err)
{
	char option[512];
	int ret;

	snprintf(option, sizeof(option), "--property=%s", names);
	ret = systemctl(user, "show", option, pattern, props, err);
	for (size_t i = 0; !ret && i < props->size; i++)
		if (props->text[i] == '\n')
			props->text[i] = '\0';
	return ret;
}

int systemctl_reload(bool user, struct smc_err *err)
{
	struct unit_props none AUTO(unit_props_free) = { 0 };

	return systemctl(user, "daemon-reload", NULL, NULL, &none, err);
}

/* Units are separated by an empty line. */
bool unit_next_props(struct unit_props *all, struct unit_props *one)
{
	char *end = all->text + all->size, *line;

	while (all->text < end && !*all->text)
		all->text++;
	for (line = all->text; line < end && *line; line += strlen(line) + 1)
		;
	line = line < end ? line : end;
	*one = (struct unit_props){ all->text, (size_t)(line - all->text) };
	*all = (struct unit_props){ line, (size_t)(end - line) };
	return one->size > 0;
}

const char *unit_prop(const struct unit_props *props, const char *name, const char *after)
{
	const char *end = props->text + props->size, *line = after ? after : props->text;
	size_t len = strlen(name);

	if (after)
		line += strlen(line) + 1;
	for (; line < end; line += strlen(line) + 1)
		if (!strncmp(line, name, len) && line[len] == '=')
			return line + len + 1;
	return NULL;
}

const char *unit_prop_text(const struct unit_props *props, const char *name)
{
	const char *value = unit_prop(props, name, NULL);

	return value ? value : "";
}

/* "{ path=/usr/bin/redis-server ; argv[]=... }" */
void unit_program(const struct unit_props *props, char path[PATH_MAX])
{
	const char *exec = strstr(unit_prop_text(props, "ExecStart"), "path=");
	const char *end = exec ? strstr(exec, " ; ") : NULL;

	path[0] = '\0';
	if (end)
		snprintf(path, PATH_MAX, "%.*s", (int)(end - exec - 5), exec + 5);
}

/* One escape of C or of a shell, after the backslash. */
static char unescape(const char **at)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *found = strchr(letters, **at);
	unsigned int byte;
	int len;

	if (**at && found) {
		(*at)++;
		return values[found - letters];
	}
	if (sscanf(*at, "x%2x%n", &byte, &len) == 1 || sscanf(*at, "%3o%n", &byte, &len) == 1) {
		*at += len;
		return (char)byte;
	}
	return **at ? *(*at)++ : '\\';
}

/* systemd quotes items by "..." until 253 and by $'...' since, if a shell would split them. */
bool unit_next_word(const char **rest, char word[PATH_MAX])
{
	const char *at = *rest + strspn(*rest, " ");
	size_t len = 0;
	char quote = '\0', c;

	if (!*at)
		return false;
	if (at[0] == '$' && at[1] == '\'')
		at++;
	if (*at == '"' || *at == '\'')
		quote = *at++;
	while (*at && *at != (quote ? quote : ' ')) {
		c = *at++;
		if (c == '\\' && quote)
			c = unescape(&at);
		if (len < PATH_MAX - 1)
			word[len++] = c;
	}
	word[len] = '\0';
	*rest = at + (*at != '\0');
	return true;
}

bool unit_has_word(const char *list, const char *word)
{
	char item[PATH_MAX];

	while (unit_next_word(&list, item))
		if (!strcmp(item, word))
			return true;
	return false;
}
