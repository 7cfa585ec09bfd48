/* SPDX-License-Identifier: MIT */
/*
 * A table on its way to its reader. In a pipe rows go out as they come, in the layout of smc-tools
 * 1.8.5. On a terminal they are laid out together: as wide as their cells are, at most as wide as
 * the terminal, without columns that say nothing.
 */
#pragma once

#include "out/table.h"

/** struct out_cell - a cell: where its text ends in list->cells, and its style */
struct out_cell {
	size_t end;
	enum out_style style;
};

/**
 * struct out_list - a table being written; begin with out_list_begin()
 * @width: of the terminal; 0: none
 * @lines: lines of a row, once it is laid out, unless a cell wraps
 * @head: style of the header
 * @keeps_empty: a column that says nothing now may do so soon
 * The rest is for out/list.c.
 */
struct out_list {
	size_t width, lines;
	struct out_view view;
	size_t widths[OUT_MAX_COLS];
	struct out_text *text, texts;
	struct out_cell *cells;
	size_t count, size;
	uint8_t line_of[OUT_MAX_COLS];
	enum out_style head;
	bool has_header, keeps_empty;
};

/**
 * out_list_begin() - begin a table of the columns of @view
 * @width: cli_columns(), or less; 0 for the layout of pipes
 */
void out_list_begin(struct out_list *list, const struct out_view *view, struct out_text *text,
		    size_t width, bool has_header);

/** out_list_row() - a row */
void out_list_row(struct out_list *list, const void *object);

/**
 * out_list_end() - append what is not out yet
 *
 * On a terminal: a column without a value in any row is left out; then those with a rank to leave
 * out, the highest first, until a row fits into a line. If it does not fit even so, the widest cell
 * that may wrap does, or the row takes several lines. Nothing is cut. In a view that the user chose
 * all columns stay. A header without rows is not written.
 */
void out_list_end(struct out_list *list);

/** out_list_free() - drop the rows that are not out yet; a list of zeros has none */
void out_list_free(struct out_list *list);

/**
 * out_print_list() - print a whole table with its header: @count objects of @size bytes
 * @none: see cli_none()
 *
 * Return: 0, -errno with @err.
 */
int out_print_list(const struct out_view *view, const void *objects, size_t count, size_t size,
		   const char *none, struct smc_err *err);

/**
 * out_wrap() - append words, with line breaks between them so that no line is wider than @width
 * @at: column where the first line begins; @indent: where all others do
 * @width: 0: no breaks
 *
 * A word that is wider than a line is broken. No newline at the end.
 */
void out_wrap(struct out_text *text, size_t width, size_t at, size_t indent, const char *words);

/** out_styled() - append a string in a style, if there is color */
void out_styled(struct out_text *text, enum out_style style, const char *str);
