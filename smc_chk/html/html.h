/* SPDX-License-Identifier: MIT */
/*
 * --html: commands whose result is a page. It stands alone: no script, nothing from elsewhere; XML
 * can read it, too.
 */
#pragma once

#include "out/text.h"
#include "smc_chk/doctor/facts.h"
#include "smc_chk/smc_chk.h"

int html_doctor(const struct chk_request *req);

/* ---- sections of a host's page ---- */

/** html_sockets() - append all SMC sockets and their state */
int html_sockets(struct out_text *page, const struct doctor_facts *facts, struct smc_err *err);

/** html_devices() - append the devices as pictures, one for each PNET ID, and as a table */
int html_devices(struct out_text *page, const struct doctor_facts *facts, struct smc_err *err);

/* ---- where the page goes ---- */

/**
 * html_save() - run a command that prints a page, and put that into the file @req->html
 *
 * A process of its own runs it, as it may give up the right to write files. A new file is private;
 * a regular one is replaced in one step and keeps its mode. Unless the page is complete, nothing
 * changes. "-" is standard output.
 *
 * Return: chk_status of @fn, or of an error that was printed.
 */
int html_save(const struct chk_request *req, int (*fn)(const struct chk_request *req));

/* ---- parts of a page ---- */

#define HTML_END "</html>\n"

/* Classes for colors. Words with the same meaning stand beside each color. */
#define HTML_BAD "bad"
#define HTML_WARN "warn"
#define HTML_NOTE "note"
#define HTML_OK "ok"

/** html_text() - append printable text: our own words, or what out_escaped() made */
void html_text(struct out_text *page, const char *text);

/** html_put() - append printable text between two pieces of HTML */
void html_put(struct out_text *page, const char *before, const char *text, const char *after);

/** html_printf() - as html_text(), formatted as by printf(3) */
void html_printf(struct out_text *page, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** html_name() - append what a stranger chose, up to a NUL and @len bytes at most */
void html_name(struct out_text *page, const char *name, size_t len);

/**
 * html_begin() - begin a page with its verdict
 * @kind: HTML_OK, ...
 * @about: what it is about, printable: the name of a host
 */
void html_begin(struct out_text *page, const char *kind, const char *about, const char *verdict);

/** html_first() - what to do first, NULL for nothing; @where: printable, "" for here */
void html_first(struct out_text *page, const char *remedy, const char *where);

/** struct html_fact - a pair under the verdict; @value: as html_name(), "" leaves it out */
struct html_fact {
	const char *name, *value;
};

/** html_facts() - append pairs; an entry without a name ends the array */
void html_facts(struct out_text *page, const struct html_fact *facts);

void html_section(struct out_text *page, const char *heading);
void html_section_end(struct out_text *page);

/** html_end() - end the page */
void html_end(struct out_text *page);

/** struct html_count - a part of a whole; @kind: of the picture's colors, "r", "d", "tcp" */
struct html_count {
	const char *kind, *name;
	size_t count;
};

/** html_bar() - parts of a whole as a picture, with their numbers in words below it */
void html_bar(struct out_text *page, const char *title, const struct html_count *parts,
	      size_t count);

/**
 * struct html_table - a table being written
 * @heads: names of its columns, NULL-terminated
 * @column: of the next cell
 */
struct html_table {
	struct out_text *page;
	const char *const *heads;
	size_t column;
};

/** html_table_begin() - begin a table; @caption describes it to users who cannot see it */
void html_table_begin(struct html_table *table, struct out_text *page, const char *caption,
		      const char *const *heads);

/**
 * html_cell() - begin the next cell, and a row before its first cell; @kind: class, NULL for none
 */
void html_cell(struct html_table *table, const char *kind);

/** html_cell_end() - end a cell, and the row after its last cell */
void html_cell_end(struct html_table *table);

/** html_cell_text() - a cell of printable text */
void html_cell_text(struct html_table *table, const char *kind, const char *text);

/** html_cell_name() - a cell with what a stranger chose, as html_name() */
void html_cell_name(struct html_table *table, const char *name, size_t len);

void html_table_end(struct html_table *table);

/** html_more() - "and COUNT more: COMMAND lists them", unless none are left out */
void html_more(struct out_text *page, size_t count, const char *command);
