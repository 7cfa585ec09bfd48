// SPDX-License-Identifier: MIT
/* The doctor: what the distribution's kernels have. */
#include "base/array.h"
#include "base/words.h"
#include "smc_chk/doctor/kmodule.h"

static const struct distribution rows[] = {
#include "distributions.h"
};

/* Copy the value of a line NAME=value or NAME="value", up to @end; empty if there is none. */
static void get_value(char *value, size_t size, const char *text, const char *name, char end)
{
	size_t len = strlen(name);

	*value = '\0';
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const char stop[] = { '"', '\'', '\n', end, '\0' };

		if (strncmp(text, name, len))
			continue;
		text += len;
		text += *text == '"' || *text == '\'';
		snprintf(value, size, "%.*s", (int)strcspn(text, stop), text);
		return;
	}
}

static bool is_any(const char *field)
{
	return !strcmp(field, "-");
}

bool distribution_name(struct distribution_name *name, const char *os_release)
{
	get_value(name->id, sizeof(name->id), os_release, "ID=", '\n');
	get_value(name->version, sizeof(name->version), os_release, "VERSION_ID=", '.');
	for_each(row, rows, ARRAY_SIZE(rows))
		if (*name->id && words_have(row->id, name->id))
			return true;
	return false;
}

const struct distribution *distribution_find(const char *os_release, const char *machine,
					     const char *release)
{
	struct distribution_name name;

	if (!distribution_name(&name, os_release))
		return NULL;
	for_each(row, rows, ARRAY_SIZE(rows))
		if (words_have(row->id, name.id) &&
		    (is_any(row->version) || !strcmp(row->version, name.version)) &&
		    (is_any(row->machine) || !strcmp(row->machine, machine)) &&
		    (is_any(row->kernel) || !strncmp(row->kernel, release, strlen(row->kernel))))
			return row;
	return NULL;
}
