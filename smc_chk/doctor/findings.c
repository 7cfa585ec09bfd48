// SPDX-License-Identifier: MIT
/* What the doctor found: a list of findings, and how it is printed. */
#include "smc_chk/doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "out/table.h"
#include "smc_chk/print.h"

#define N_LEVELS (DOCTOR_PROBLEM + 1)

static const struct out_names level_names = OUT_NAMES(
	NULL, NULL, [DOCTOR_OK] = { "ok", "ok" }, [DOCTOR_NOTE] = { "note", "note" },
	[DOCTOR_WARNING] = { "warning", "warning" }, [DOCTOR_PROBLEM] = { "problem", "problem" });

/* The text as a string, cut to what fits. */
static void take(char *out, size_t size, struct out_text *text)
{
	snprintf(out, size, "%.*s", (int)text->len, text->data ? text->data : "");
	out_free(text);
}

static void copy_escaped(char *out, size_t size, const char *str)
{
	struct out_text text = { 0 };

	out_escaped(&text, str ? str : "", size);
	take(out, size, &text);
}

const char *doctor_take(struct doctor *doc, struct out_text *text, bool is_typable)
{
	if (!is_typable || text->len >= sizeof(doc->remedy)) {
		out_reset(text);
		out_str(text, "no command is shown: a name in it cannot be typed, "
			      "or it is too long");
	}
	take(doc->remedy, sizeof(doc->remedy), text);
	return doc->remedy;
}

const char *doctor_remedy(struct doctor *doc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(doc->remedy, sizeof(doc->remedy), fmt, ap);
	va_end(ap);
	return doc->remedy;
}

const char *doctor_command(struct doctor *doc, const char *before, const char *name,
			   const char *after)
{
	struct out_text text = { 0 };
	bool is_typable;

	out_str(&text, before);
	is_typable = out_shell_word(&text, name);
	out_str(&text, after);
	return doctor_take(doc, &text, is_typable);
}

void doctor_say(struct doctor *doc, enum doctor_level level, const char *check, const char *object,
		const char *remedy, const char *fmt, ...)
{
	struct doctor_finding *finding =
		smc_array_add(&doc->findings, &doc->n_findings, &doc->size, sizeof(*finding));
	char text[sizeof(finding->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding->level = level;
	copy_escaped(finding->check, sizeof(finding->check), check);
	copy_escaped(finding->object, sizeof(finding->object), object);
	copy_escaped(finding->text, sizeof(finding->text), text);
	snprintf(finding->remedy, sizeof(finding->remedy), "%s", remedy ? remedy : "");
}

bool doctor_has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; list && *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strcspn(list, " ") == len && !strncmp(list, word, len))
			return true;
	return false;
}

/* ---- printing ---- */

/** struct result - @first: what to do first, NULL for nothing */
struct result {
	size_t counts[N_LEVELS];
	const struct doctor_finding *first;
	int status;
};

static struct result judge(const struct doctor *doc)
{
	struct result result = { .status = CHK_OK };

	for (size_t i = 0; i < doc->n_findings; i++) {
		const struct doctor_finding *finding = &doc->findings[i];

		result.counts[finding->level]++;
		if (finding->level >= DOCTOR_WARNING && finding->remedy[0] &&
		    (!result.first || finding->level > result.first->level))
			result.first = finding;
	}
	if (result.counts[DOCTOR_PROBLEM])
		result.status = doc->is_untestable ? CHK_UNTESTED : CHK_ERROR;
	return result;
}

/* Each string is escaped already. */
static void append_string(struct out_text *text, const void *string)
{
	out_str(text, string);
}

#define ESCAPED(member) OUT_TEXT(append_string), OUT_ODD(doctor_finding, member)

static const struct out_col columns[] = {
	{ "level", "Level", "level", 7, OUT_NAME(doctor_finding, level, level_names) },
	{ "check", "Check", "check", 0, ESCAPED(check) },
	{ "object", "Object", "object", 0, ESCAPED(object) },
	{ "text", "Finding", "text", 0, ESCAPED(text) },
	{ NULL, NULL, "remedy", 0, ESCAPED(remedy) },
	{ 0 },
};

static void append_count(struct out_text *text, const char *before, size_t count, const char *word)
{
	if (count)
		out_printf(text, "%s%zu %s%s", before, count, word, count == 1 ? "" : "s");
}

static void append_verdict(struct out_text *text, const struct result *result)
{
	size_t problems = result->counts[DOCTOR_PROBLEM], warnings = result->counts[DOCTOR_WARNING];

	if (result->status == CHK_UNTESTED) {
		out_str(text, "SMC cannot be tested here");
	} else {
		out_str(text,
			problems ? "SMC does not work here as it should" : "SMC can work here");
		append_count(text, ": ", problems, "problem");
		append_count(text, problems ? ", " : ": ", warnings, "warning");
	}
	out_char(text, '.');
	if (result->first)
		out_printf(text, " First: %s", result->first->remedy);
	out_char(text, '\n');
}

/* The least that is shown. */
static enum doctor_level first_level(const struct doctor *doc)
{
	return doc->req->is_brief ? DOCTOR_WARNING : DOCTOR_OK;
}

/* The worst stands last, where a terminal shows it without scrolling. */
static void append_text(struct out_text *text, const struct doctor *doc,
			const struct result *result)
{
	struct out_view view = { 0 };

	out_view_add(&view, columns, "level,check,object,text");
	for (size_t i = 0; i < doc->n_findings; i++) {
		out_view_widen(&view, "check", (uint8_t)strlen(doc->findings[i].check));
		out_view_widen(&view, "object", (uint8_t)strlen(doc->findings[i].object));
	}
	for (size_t level = first_level(doc); level < N_LEVELS; level++) {
		for (size_t i = 0; i < doc->n_findings; i++) {
			const struct doctor_finding *finding = &doc->findings[i];

			if (finding->level != level)
				continue;
			out_row(text, &view, finding);
			if (finding->remedy[0])
				out_printf(text, "        -> %s\n", finding->remedy);
		}
	}
	append_verdict(text, result);
}

static void append_json(struct out_text *text, const struct doctor *doc,
			const struct result *result)
{
	json_t *findings = json_array();

	for (size_t i = 0; i < doc->n_findings; i++)
		if (doc->findings[i].level >= first_level(doc))
			json_array_append_new(findings, out_json(columns, NULL, &doc->findings[i]));
	out_json_document(text,
			  json_pack("{s:s, s:i, s:i, s:i, s:o, s:s*}", "schema",
				    "smc-tools/doctor/1", "status", result->status, "problems",
				    (int)result->counts[DOCTOR_PROBLEM], "warnings",
				    (int)result->counts[DOCTOR_WARNING], "findings", findings,
				    "first", result->first ? result->first->remedy : NULL),
			  false);
}

int doctor_print(const struct doctor *doc)
{
	struct result result = judge(doc);
	struct out_text text = { 0 };
	int ret;

	if (doc->req->is_json)
		append_json(&text, doc, &result);
	else
		append_text(&text, doc, &result);
	ret = chk_print(&text);
	return ret ? ret : result.status;
}
