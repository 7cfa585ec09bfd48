// SPDX-License-Identifier: MIT
/* The text of a drop-in. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smc_run/preload.h"
#include "smc_run/unit.h"

/* A part of a word in double quotes, as systemd.syntax(7) reads it; % begins a specifier. */
static void put_quoted(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\"\\", *text))
			fputc('\\', out);
		if (*text == '%')
			fputc('%', out);
		if ((unsigned char)*text < ' ')
			fprintf(out, "\\x%02x", (unsigned int)*text);
		else
			fputc(*text, out);
	}
}

static void put_variable(FILE *out, const char *name, const char *value)
{
	fprintf(out, "Environment=\"%s=", name);
	put_quoted(out, value);
	fputs("\"\n", out);
}

/* A command of smc_bpf for the unit, outside its sandbox; "-": its failure does not stop the unit. */
static void put_loader(FILE *out, const char *when, const char *prefix, const struct unit *unit,
		       const char *command)
{
	fprintf(out, "%s=\"%s+", when, prefix);
	put_quoted(out, unit->loader);
	fprintf(out, "\" %s --unit %%n\n", command);
}

/* A variable's assignment replaces the unit's own, so that its entries are repeated here. */
static void put_preload(FILE *out, const struct unit *unit)
{
	const char *list = unit_prop_of(unit, "Environment");
	char word[PATH_MAX], value[2 * PATH_MAX] = "", *rest, *entry;
	size_t len = 0;

	while (unit_next_word(&list, word)) {
		if (strncmp(word, PRELOAD "=", sizeof(PRELOAD)))
			continue;
		rest = word + sizeof(PRELOAD);
		len = 0;	/* the last one counts */
		while ((entry = strsep(&rest, ": ")))
			if (*entry && !preload_is_ours(entry))
				len += (size_t)sprintf(value + len, "%s:", entry);
	}
	memcpy(value + len, unit->lib.entry, strlen(unit->lib.entry) + 1);
	put_variable(out, PRELOAD, value);
}

/*
 * Lists are merged. All families are there, because AF_SMC alone would forbid all others once
 * the unit loses its own list.
 */
static void put_families(FILE *out, const struct unit *unit)
{
	const char *list = unit_prop_of(unit, "RestrictAddressFamilies");
	char word[PATH_MAX];

	if (!*list || *list == '~' || unit_uses_inet(unit))
		return;
	fputs("RestrictAddressFamilies=", out);
	while (unit_next_word(&list, word))
		if (strcmp(word, "AF_SMC"))
			fprintf(out, "%s ", word);
	fputs("AF_SMC\n", out);
}

char *unit_dropin_text(const struct unit *unit)
{
	const char *const *settings = unit->req->settings;
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(DROPIN_MARK "[Service]\n", out);
	if (unit->way == UNIT_WAY_BPF) {
		put_loader(out, "ExecStartPre", settings[VAR_STRICT] ? "" : "-", unit, "attach");
		put_loader(out, "ExecStopPost", "-", unit, "detach");
	} else {
		put_preload(out, unit);
		for (i = 0; i < VARIABLES; i++)
			if (settings[i])
				put_variable(out, smc_variables[i], settings[i]);
		put_families(out, unit);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
