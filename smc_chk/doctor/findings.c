// SPDX-License-Identifier: MIT
/* Findings of the doctor: a list that the checks append to, and its output. */
#include "smc_chk/doctor/findings.h"

#include <stdarg.h>

#include "base/array.h"
#include "base/words.h"
#include "cli/screen.h"
#include "out/list.h"
#include "smc_chk/smc_chk.h"

static const struct out_names level_names = OUT_NAMES(
	NULL, NULL, [DOCTOR_OK] = { "ok", "ok" }, [DOCTOR_NOTE] = { "note", "note" },
	[DOCTOR_WARNING] = { "warning", "warning" }, [DOCTOR_PROBLEM] = { "problem", "problem" });

/* Move the text into a string, truncated to fit. */
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
	struct doctor_finding *finding = smc_array_add(&doc->findings, &doc->n_findings);
	char text[sizeof(finding->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding->level = level;
	finding->check = check;
	copy_escaped(finding->object, sizeof(finding->object), object);
	copy_escaped(finding->text, sizeof(finding->text), text);
	snprintf(finding->remedy, sizeof(finding->remedy), "%s", remedy ? remedy : "");
}

/* ---- judging ---- */

#define LEVELS (DOCTOR_PROBLEM + 1)

/**
 * struct doctor_result - the verdict
 * @least: lowest level to show; @counts: findings per level; @first: most urgent one, NULL for none
 * @status: chk_status
 */
struct doctor_result {
	enum doctor_level least;
	size_t counts[LEVELS];
	const struct doctor_finding *first;
	int status;
};

static struct doctor_result judge(const struct doctor *doc)
{
	struct doctor_result result = { .least = doc->req->is_brief ? DOCTOR_WARNING : DOCTOR_OK };

	for_each(finding, doc->findings, doc->n_findings) {
		result.counts[finding->level]++;
		if (finding->level >= DOCTOR_WARNING && finding->remedy[0] &&
		    (!result.first || finding->level > result.first->level))
			result.first = finding;
	}
	if (result.counts[DOCTOR_PROBLEM])
		result.status = doc->is_untestable ? CHK_UNTESTED : CHK_ERROR;
	return result;
}

/* ---- text ---- */

static const enum out_style styles[] = {
	[DOCTOR_OK] = OUT_GOOD, [DOCTOR_WARNING] = OUT_WARNING, [DOCTOR_PROBLEM] = OUT_BAD
};

static enum out_style style_level(const void *level)
{
	return styles[*(const enum doctor_level *)level];
}

static void append_string(struct out_text *text, const void *string)
{
	out_str(text, string);
}

#define ESCAPED(member) OUT_TEXT(append_string), OUT_ODD(doctor_finding, member)

static const struct out_col columns[] = {
	{ "level", "Level", "level", 7, OUT_NAME(doctor_finding, level, level_names),
	  .style = style_level },
	{ "check", "Check", "check", 0, OUT_PTR(doctor_finding, check) },
	{ "object", "Object", "object", 0, ESCAPED(object) },
	{ "text", "Finding", "text", 0, ESCAPED(text) },
	{ NULL, NULL, "remedy", 0, ESCAPED(remedy) },
	{ 0 },
};

static void append_count(struct out_text *text, const char *before, size_t count, const char *word)
{
	if (count)
		out_printf(text, "%s%zu %s%s", before, count, word, plural_s(count));
}

/* Append the verdict in words, without a full stop. Return: worst level. */
static enum doctor_level put_verdict(struct out_text *text, const struct doctor_result *result)
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
	if (problems)
		return DOCTOR_PROBLEM;
	return warnings ? DOCTOR_WARNING : DOCTOR_OK;
}

/* Put the worst last, where it stays visible. */
static void put_table(struct out_text *text, const struct doctor *doc,
		      const struct doctor_result *result)
{
	struct out_view view = { .is_colored = cli_has_color() };

	out_view_add(&view, columns, "level,check,object,text");
	for_each(finding, doc->findings, doc->n_findings) {
		out_view_widen(&view, "check", (uint8_t)strlen(finding->check));
		out_view_widen(&view, "object", (uint8_t)strlen(finding->object));
	}
	for (size_t level = result->least; level < LEVELS; level++) {
		for_each(finding, doc->findings, doc->n_findings) {
			if (finding->level != level)
				continue;
			out_row(text, &view, finding);
			if (finding->remedy[0])
				out_printf(text, "        -> %s\n", finding->remedy);
		}
	}
	put_verdict(text, result);
	out_char(text, '.');
	if (result->first)
		out_printf(text, " First: %s", result->first->remedy);
	out_char(text, '\n');
}

#define INDENT 9 /* on a terminal, for all columns after the level */

static void put_finding(struct out_text *text, const struct doctor_finding *finding, size_t width)
{
	const char *level = level_names.names[finding->level].text;
	struct out_text words AUTO(out_free) = { 0 };

	out_styled(text, styles[finding->level], level);
	out_blanks(text, INDENT - strlen(level));
	out_printf(&words, "%s%s%s: %s", finding->check, *finding->object ? " " : "",
		   finding->object, finding->text);
	out_char(&words, '\0');
	out_wrap(text, width, INDENT, INDENT, words.data);
	out_char(text, '\n');
	if (finding->remedy[0])
		out_printf(text, "%*s-> %s\n", INDENT, "", finding->remedy);
}

/* On a terminal the worst findings come first, and those that are ok are left out. */
static void put_list(struct out_text *text, const struct doctor *doc,
		     const struct doctor_result *result)
{
	size_t least = doc->req->is_verbose ? DOCTOR_OK : DOCTOR_NOTE;
	size_t ok = result->counts[DOCTOR_OK];
	struct out_text verdict AUTO(out_free) = { 0 };
	enum doctor_level worst;

	least = least < result->least ? result->least : least;
	for (size_t level = LEVELS; level-- > least;)
		for_each(finding, doc->findings, doc->n_findings)
			if (finding->level == level)
				put_finding(text, finding, doc->req->width);
	if (least == DOCTOR_NOTE && ok)
		out_printf(text, "%zu check%s ok (smc_chk doctor -v shows %s)\n", ok,
			   ok == 1 ? " is" : "s are", ok == 1 ? "it" : "them");
	worst = put_verdict(&verdict, result);
	out_str(&verdict, ".");
	out_char(&verdict, '\0');
	out_str(text, text->len ? "\n" : "");
	out_styled(text, styles[worst], verdict.data);
	out_str(text, result->first ? " First:\n" : "\n");
	if (result->first)
		out_printf(text, "-> %s\n", result->first->remedy);
}

/* ---- all of it ---- */

static int print_json(const struct doctor *doc, const struct doctor_result *result, json_t *about)
{
	const struct doctor_facts *facts = doc->facts;
	json_t *findings = json_array();

	for_each(finding, doc->findings, doc->n_findings)
		if (finding->level >= result->least)
			json_array_append_new(findings, out_json(columns, NULL, finding));
	return chk_print_json(json_pack(
		"{s:s, s:o*, s:o*, s:o*, s:o*, s:o*, s:i, s:i, s:i, s:o, s:s*, s:o*}", "schema",
		"smc-tools/doctor/1", "host", chk_json_optional(facts->host), "kernel",
		chk_json_optional(facts->release), "date", chk_json_optional(facts->when), "netns",
		chk_json_optional(doc->req->netns), "net_device",
		chk_json_optional(doc->req->iface), "status", result->status, "problems",
		(int)result->counts[DOCTOR_PROBLEM], "warnings",
		(int)result->counts[DOCTOR_WARNING], "findings", findings, "first",
		result->first ? result->first->remedy : NULL, "facts", about));
}

/* Statuses of Nagios' plugins; a | begins the performance data. */
static int print_monitor(const struct doctor_result *result)
{
	static const char *const words[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };
	const struct doctor_finding *first = result->first;
	struct out_text text = { 0 };
	int status = put_verdict(&text, result);

	if (status)
		status = result->status == CHK_UNTESTED ? DOCTOR_UNKNOWN : status - DOCTOR_NOTE;
	if (first)
		out_printf(&text, "; %s%s%s: %s", first->check, *first->object ? " " : "",
			   first->object, first->text);
	out_char(&text, '\0');
	for (char *bar = text.data; (bar = strchr(bar, '|'));)
		*bar = '/';
	printf("SMC %s: %s | problems=%zu warnings=%zu\n", words[status], text.data,
	       result->counts[DOCTOR_PROBLEM], result->counts[DOCTOR_WARNING]);
	out_free(&text);
	return status;
}

int doctor_print(const struct doctor *doc, json_t *about)
{
	struct doctor_result result = judge(doc);
	struct out_text text = { 0 };
	int ret;

	if (doc->req->is_monitor)
		return print_monitor(&result);
	if (doc->req->is_json) {
		ret = print_json(doc, &result, about);
	} else {
		(doc->req->width ? put_list : put_table)(&text, doc, &result);
		ret = chk_print(&text, doc->req->width, INDENT);
	}
	return ret ? ret : result.status;
}

bool doctor_is_in_scope(const struct doctor *doc, const struct pnet_row *row)
{
	const struct choice *choice;

	if (!doc->req->iface)
		return true;
	choice = choice_of(&doc->facts->choices, doc->req->iface);
	if (!choice)
		return false;
	if (row->type == PNET_NET)
		return row == choice->net || !strcmp(row->name, choice->net->net->base);
	return row == choice->port || row == choice->ism_v1 || row == choice->ism_v2 ||
	       (*row->pnetid && !strcmp(row->pnetid, choice->net->pnetid)) ||
	       (row->ib_port && !strcmp(row->ib_port->netdev, choice->net->net->base));
}

enum doctor_level doctor_unusable_level(const struct doctor *doc)
{
	return choice_is_any_usable(&doc->facts->choices, doc->req->iface) ? DOCTOR_WARNING :
									     DOCTOR_PROBLEM;
}

void doctor_each(struct doctor *doc, void (*check)(struct doctor *doc, const struct pnet_row *row))
{
	const struct pnet_rows *rows = &doc->facts->choices.rows;

	for_each(row, rows->rows, rows->count)
		if (doctor_is_in_scope(doc, row))
			check(doc, row);
}
