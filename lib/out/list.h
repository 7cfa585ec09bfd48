/* SPDX-License-Identifier: MIT */
/*
 * Print tables. In a pipe rows are written at once, in the layout of smc-tools 1.8.5. On a terminal
 * they are collected and laid out together: columns as wide as their cells, the table at most as
 * wide as the terminal, without empty columns.
 */
#pragma once

#include "out/table.h"

/** struct out_cell - end of its text in list->cells, and its style */
struct out_cell {
	size_t end;
	enum out_style style;
};

/**
 * struct out_list - a table being written; begin with out_list_begin()
 * @width: of the terminal; 0: none
 * @lines: lines per row after layout, unless a cell wraps
 * @head: style of the header
 * @keeps_empty: keep empty columns, which may soon have values; trailing empty cells are "-", too
 * Other members are private to out/list.c.
 */
struct out_list {
	size_t width, lines;
	struct out_view view;
	size_t widths[OUT_MAX_COLS];
	struct out_text *text, texts;
	struct out_cell *cells;
	size_t count;
	uint8_t line_of[OUT_MAX_COLS];
	enum out_style head;
	bool has_header, keeps_empty;
};

/** out_list_begin() - begin a table; @width: cli_columns(), or less; 0: layout of pipes */
void out_list_begin(struct out_list *list, const struct out_view *view, struct out_text *text,
		    size_t width, bool has_header);

void out_list_row(struct out_list *list, const void *object);

/**
 * out_list_end() - append the remaining rows
 *
 * On a terminal empty columns are left out, then columns with a rank, highest first, until rows fit
 * into a line. If they still do not fit, the widest cell that may be wrapped is wrapped, or rows
 * take several lines. Nothing is cut. A view chosen by the user keeps all its columns. A header
 * without rows is not written.
 */
void out_list_end(struct out_list *list);

/** out_list_free() - drop the remaining rows; harmless on a zeroed list */
void out_list_free(struct out_list *list);

/** out_print_list() - a whole table with its header; @none: see cli_none(). Return: 0, -errno */
int out_print_list(const struct out_view *view, const void *objects, size_t count, size_t size,
		   const char *none, struct smc_err *err);

/**
 * out_wrap() - append words, with line breaks so that no line is wider than @width
 * @at: column of the first line; @indent: of all others
 * @width: 0: no breaks
 *
 * A word wider than a line is broken. No newline at the end.
 */
void out_wrap(struct out_text *text, size_t width, size_t at, size_t indent, const char *words);

/**
 * out_wrap_from() - wrap the lines from @start on, each by out_wrap()
 * @start: earlier length of @text; @width: 0: change nothing
 * @indent: of continuation lines after a label; labels begin with a blank
 *
 * Commands after "-> " or "More: " and lines that begin with a tab stay whole.
 */
void out_wrap_from(struct out_text *text, size_t start, size_t width, size_t indent);

/** out_styled() - append a string in a style, if colors are on */
void out_styled(struct out_text *text, enum out_style style, const char *str);
