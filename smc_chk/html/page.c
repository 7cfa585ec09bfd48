// SPDX-License-Identifier: MIT
/* A page of HTML that stands alone: its head, sections, tables; and how text gets into it. */
#include "smc_chk/html/html.h"

#include <stdarg.h>

#include "base/array.h"
#include "version.h"

/* The style sheet of every page. */
static const char style[] = {
#include "style.css.h"
};

/* Nothing is loaded or run, whatever a name in the page might have become. */
#define POLICY "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

static void put(struct out_text *page, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		switch (text[i]) {
		case '&': out_str(page, "&amp;"); break;
		case '<': out_str(page, "&lt;"); break;
		case '>': out_str(page, "&gt;"); break;
		case '"': out_str(page, "&quot;"); break;
		case '\'': out_str(page, "&#39;"); break;
		default: out_char(page, text[i]);
		}
}

void html_text(struct out_text *page, const char *text)
{
	put(page, text, strlen(text));
}

void html_put(struct out_text *page, const char *before, const char *text, const char *after)
{
	out_str(page, before);
	html_text(page, text);
	out_str(page, after);
}

void html_printf(struct out_text *page, const char *fmt, ...)
{
	struct out_text text AUTO(out_free) = { 0 };
	va_list args;

	va_start(args, fmt);
	out_vprintf(&text, fmt, args);
	va_end(args);
	put(page, text.data, text.len);
}

void html_name(struct out_text *page, const char *name, size_t len)
{
	struct out_text text AUTO(out_free) = { 0 };

	out_escaped(&text, name, len);
	put(page, text.data, text.len);
}

/* ---- head and end ---- */

/* Symbols beside words of the same meaning. */
static const struct mark {
	const char *kind, *path;
} marks[] = {
	{ HTML_OK, "M24 4a20 20 0 1 0 0 40 20 20 0 0 0 0-40zM14 25l7 7 13-15" },
	{ HTML_WARN, "M24 5 3 43h42zM24 18v13M24 36v2" },
	{ HTML_BAD, "M24 4a20 20 0 1 0 0 40 20 20 0 0 0 0-40zM16 16l16 16M32 16 16 32" },
};

void html_begin(struct out_text *page, const char *kind, const char *about, const char *verdict)
{
	out_str(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\"/>\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
	html_printf(page, "%s%s%s", about, *about ? ": " : "", verdict);
	out_str(page, "</title>\n<style>\n");
	out_mem(page, style, sizeof(style));
	out_printf(page, "</style>\n</head>\n<body>\n<main>\n<header class=\"%s\">\n", kind);
	for_each(mark, marks, ARRAY_SIZE(marks))
		if (!strcmp(mark->kind, kind))
			html_put(page,
				 "<svg class=\"mark\" viewBox=\"0 0 48 48\" aria-hidden=\"true\">"
				 "<path d=\"",
				 mark->path, "\"/></svg>\n");
	out_str(page, "<div>\n");
	if (*about)
		html_put(page, "<p class=\"about\">", about, "</p>\n");
	html_put(page, "<h1>", verdict, "</h1>\n</div>\n</header>\n");
}

void html_first(struct out_text *page, const char *remedy, const char *where)
{
	if (!remedy)
		return;
	html_put(page, "<section class=\"first\">\n<h2>Do this first", where, "</h2>\n");
	html_put(page, "<pre>", remedy, "</pre>\n</section>\n");
}

void html_facts(struct out_text *page, const struct html_fact *facts)
{
	out_str(page, "<dl class=\"facts\">\n");
	for (; facts->name; facts++) {
		if (!*facts->value)
			continue;
		html_put(page, "<div><dt>", facts->name, "</dt>");
		out_str(page, "<dd>");
		html_name(page, facts->value, strlen(facts->value));
		out_str(page, "</dd></div>\n");
	}
	out_str(page, "</dl>\n");
}

void html_section(struct out_text *page, const char *heading)
{
	html_put(page, "<section>\n<h2>", heading, "</h2>\n");
}

void html_section_end(struct out_text *page)
{
	out_str(page, "</section>\n");
}

void html_end(struct out_text *page)
{
	out_str(page, "<footer><p>Written by smc_chk of smc-tools " SMC_TOOLS_VERSION ". "
		      "This page is complete: it loads nothing and runs nothing."
		      "</p></footer>\n</main>\n</body>\n" HTML_END);
}

/* ---- numbers and tables ---- */

void html_bar(struct out_text *page, const char *title, const struct html_count *parts,
	      size_t count)
{
	double at = 0;
	size_t all = 0;

	for_each(part, parts, count)
		all += part->count;
	out_printf(page,
		   "<svg class=\"bar\" role=\"img\" viewBox=\"0 0 400 20\" "
		   "preserveAspectRatio=\"none\"><title>%s</title>\n<desc>",
		   title);
	for_each(part, parts, count)
		html_printf(page, "%zu %s. ", part->count, part->name);
	out_str(page, "</desc>\n");
	for_each(part, parts, count) {
		double width = all ? (double)part->count * 400.0 / (double)all : 0;

		if (part->count)
			out_printf(page,
				   "<rect class=\"%s\" x=\"%.2f\" y=\"0\" width=\"%.2f\" "
				   "height=\"20\"/>\n",
				   part->kind, at, width > 2 ? width - 1 : width);
		at += width;
	}
	out_str(page, "</svg>\n<ul class=\"legend\">\n");
	for_each(part, parts, count)
		out_printf(page, "<li class=\"%s\"><b>%zu</b> %s</li>\n", part->kind, part->count,
			   part->name);
	out_str(page, "</ul>\n");
}

/* Roles are set because browsers drop them when the style sheet shows rows as cards. */
void html_table_begin(struct html_table *table, struct out_text *page, const char *caption,
		      const char *const *heads)
{
	*table = (struct html_table){ page, heads, 0 };
	out_printf(page,
		   "<table role=\"table\">\n<caption>%s</caption>\n"
		   "<thead role=\"rowgroup\"><tr role=\"row\">",
		   caption);
	for (; *heads; heads++)
		out_printf(page, "<th role=\"columnheader\" scope=\"col\">%s</th>", *heads);
	out_str(page, "</tr></thead>\n<tbody role=\"rowgroup\">\n");
}

void html_cell(struct html_table *table, const char *kind)
{
	if (!table->column)
		out_str(table->page, "<tr role=\"row\">");
	out_printf(table->page, "<td role=\"cell\" data-th=\"%s\"", table->heads[table->column]);
	if (kind)
		out_printf(table->page, " class=\"%s\"", kind);
	out_str(table->page, "><div>");
}

void html_cell_end(struct html_table *table)
{
	out_str(table->page, "</div></td>");
	if (table->heads[++table->column])
		return;
	table->column = 0;
	out_str(table->page, "</tr>\n");
}

void html_cell_text(struct html_table *table, const char *kind, const char *text)
{
	html_cell(table, kind);
	html_text(table->page, text);
	html_cell_end(table);
}

void html_cell_name(struct html_table *table, const char *name, size_t len)
{
	html_cell(table, NULL);
	html_name(table->page, name, len);
	html_cell_end(table);
}

void html_table_end(struct html_table *table)
{
	out_str(table->page, "</tbody>\n</table>\n");
}

void html_more(struct out_text *page, size_t count, const char *command)
{
	if (!count)
		return;
	out_printf(page, "<p class=\"more\">And %zu more: ", count);
	html_put(page, "<code>", command, "</code> lists them.</p>\n");
}
