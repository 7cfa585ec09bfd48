// SPDX-License-Identifier: MIT
/* Print tables, see out/list.h. */
#include "out/list.h"

#include "base/array.h"
#include "base/memory.h"
#include "cli/lines.h"
#include "cli/screen.h"

#define GAP 2	  /* blanks between columns */
#define HANG 4	  /* indent of a row's further lines */
#define NARROW 24 /* narrowest column of words, unless all are narrower */
#define LEFT_OUT UINT8_MAX

void out_wrap(struct out_text *text, size_t width, size_t at, size_t indent, const char *words)
{
	struct cli_piece rest = { words, strlen(words) }, line;

	if (!width) {
		out_str(text, words);
		return;
	}
	for (bool is_first = true; rest.len; is_first = false) {
		if (!is_first) {
			out_char(text, '\n');
			out_blanks(text, indent);
			at = indent;
		}
		line = cli_take_line(&rest, at < width ? width - at : 0, is_first && at > indent);
		out_mem(text, line.data, line.len);
	}
}

/* True for commands, which stay on one line for copying, and for data, which begin with a tab. */
static bool stays_whole(const char *line, size_t indent)
{
	const char *start = line + strspn(line, " ");

	return *line == '\t' || !strncmp(start, "-> ", 3) || !strncmp(start, "More: ", 6) ||
	       (strlen(line) > indent && !strncmp(line + indent, "-> ", 3));
}

void out_wrap_from(struct out_text *text, size_t start, size_t width, size_t indent)
{
	char *lines AUTO_FREE = NULL;

	if (!width || text->len == start)
		return;
	lines = xstrndup(text->data + start, text->len - start);
	text->len = start;
	for (char *line = lines, *next; *line; line = next) {
		size_t len = strcspn(line, "\n"), hang = *line == ' ' ? indent : HANG;
		size_t label =
			*line == ' ' && len > hang && hang && line[hang - 1] == ' ' ? hang : 0;

		next = line + len + (line[len] == '\n');
		line[len] = '\0';
		out_mem(text, line, label);
		out_wrap(text, stays_whole(line, indent) ? 0 : width, label, hang, line + label);
		out_char(text, '\n');
	}
}

static void append_styled(struct out_text *text, const char *sequence, struct cli_piece piece)
{
	if (sequence)
		out_str(text, sequence);
	out_mem(text, piece.data, piece.len);
	if (sequence)
		out_str(text, OUT_SEQUENCE_END);
}

void out_styled(struct out_text *text, enum out_style style, const char *str)
{
	append_styled(text, cli_has_color() ? out_sequence(style) : NULL,
		      (struct cli_piece){ str, strlen(str) });
}

/* ---- rows ---- */

void out_list_begin(struct out_list *list, const struct out_view *view, struct out_text *text,
		    size_t width, bool has_header)
{
	*list = (struct out_list){
		.width = width,
		.view = *view,
		.text = text,
		.has_header = has_header,
		.head = OUT_STRONG,
	};
	list->view.is_colored = cli_has_color();
	if (!width && has_header)
		out_header(text, view);
}

void out_list_row(struct out_list *list, const void *object)
{
	if (!list->width) {
		out_row(list->text, &list->view, object);
		return;
	}
	for (size_t i = 0; i < list->view.count; i++) {
		struct out_cell *cell = smc_array_add(&list->cells, &list->count);

		cell->style = out_read(&list->texts, list->view.cols[i], object);
		cell->end = list->texts.len;
	}
}

/* @row: from 1; 0 is the header */
static struct cli_piece text_of(const struct out_list *list, size_t row, size_t col)
{
	size_t place, start;

	if (!row)
		return (struct cli_piece){ list->view.cols[col]->head,
					   strlen(list->view.cols[col]->head) };
	place = (row - 1) * list->view.count + col;
	start = place ? list->cells[place - 1].end : 0;
	return (struct cli_piece){ list->texts.data + start, list->cells[place].end - start };
}

static enum out_style style_of(const struct out_list *list, size_t row, size_t col)
{
	return row ? list->cells[(row - 1) * list->view.count + col].style : list->head;
}

static size_t rows_of(const struct out_list *list)
{
	return list->view.count ? list->count / list->view.count : 0;
}

/* ---- the layout ---- */

static bool says_nothing(struct cli_piece piece)
{
	return !piece.len || (piece.len == 1 && *piece.data == '-') ||
	       (piece.len == 3 && !memcmp(piece.data, "n/a", 3));
}

static void measure(struct out_list *list)
{
	for (size_t col = 0; col < list->view.count; col++) {
		bool is_empty = true;

		list->widths[col] = 1;
		for (size_t row = !list->has_header; row <= rows_of(list); row++) {
			struct cli_piece piece = text_of(list, row, col);
			size_t width = cli_piece_columns(piece);

			is_empty &= !row || says_nothing(piece);
			if (list->widths[col] < width)
				list->widths[col] = width;
		}
		if (is_empty && !list->view.is_chosen && !list->keeps_empty)
			list->line_of[col] = LEFT_OUT;
	}
}

static size_t total(const struct out_list *list)
{
	size_t columns = 0;

	for (size_t col = 0; col < list->view.count; col++)
		if (list->line_of[col] != LEFT_OUT)
			columns += list->widths[col] + (columns ? GAP : 0);
	return columns;
}

/* Leave out the column with the highest rank. Return: false if there was none. */
static bool leave_one_out(struct out_list *list)
{
	size_t worst = 0;
	uint8_t rank = 0;

	for (size_t col = 0; col < list->view.count && !list->view.is_chosen; col++)
		if (list->line_of[col] != LEFT_OUT && list->view.ranks[col] > rank) {
			worst = col;
			rank = list->view.ranks[col];
		}
	if (rank)
		list->line_of[worst] = LEFT_OUT;
	return rank;
}

/* Return: true if the widest column of words can be made narrow enough. */
static bool narrow_one(struct out_list *list)
{
	size_t widest = 0, excess = total(list) - list->width;

	for (size_t col = 0; col < list->view.count; col++)
		if (list->view.cols[col]->is_wrapped && list->line_of[col] != LEFT_OUT &&
		    (!list->view.cols[widest]->is_wrapped ||
		     list->widths[widest] < list->widths[col]))
			widest = col;
	if (!list->view.count || !list->view.cols[widest]->is_wrapped ||
	    list->widths[widest] < excess + NARROW)
		return false;
	list->widths[widest] -= excess;
	return true;
}

static void break_rows(struct out_list *list)
{
	size_t at = 0;
	uint8_t line = 0;

	for (size_t col = 0; col < list->view.count; col++) {
		size_t *width = &list->widths[col];

		if (list->line_of[col] == LEFT_OUT)
			continue;
		if (at && at + *width > list->width) {
			line++;
			at = HANG;
		}
		if (at + *width > list->width)
			*width = list->width - at;
		list->line_of[col] = line;
		at += *width + GAP;
	}
	list->lines = line + 1U;
}

static void lay_out(struct out_list *list)
{
	list->lines = 1;
	measure(list);
	while (total(list) > list->width && leave_one_out(list))
		;
	if (total(list) > list->width && !narrow_one(list))
		break_rows(list);
}

/** struct pen - position of the next cell; columns to its left that are not written yet */
struct pen {
	struct out_text *text;
	size_t blanks;
};

static void put_cell(const struct out_list *list, struct pen *pen, size_t col, enum out_style style,
		     struct cli_piece piece)
{
	size_t padding = list->widths[col] - cli_piece_columns(piece);

	if (piece.len) {
		out_blanks(pen->text, pen->blanks + (list->view.cols[col]->is_right ? padding : 0));
		append_styled(pen->text, list->view.is_colored ? out_sequence(style) : NULL, piece);
		pen->blanks = list->view.cols[col]->is_right ? 0 : padding;
	} else {
		pen->blanks += list->widths[col];
	}
	pen->blanks += GAP;
}

static bool is_last(const struct out_list *list, size_t row, size_t col)
{
	while (++col < list->view.count)
		if (list->line_of[col] != LEFT_OUT && text_of(list, row, col).len)
			return false;
	return true;
}

/* Write a line of a row, and more below it if its cells need them. */
static void put_line(const struct out_list *list, size_t row, uint8_t line)
{
	struct cli_piece rest[OUT_MAX_COLS];
	bool has_rest = !line;

	for (size_t col = 0; col < list->view.count; col++) {
		rest[col] = text_of(list, row, col);
		if (row && !rest[col].len && (list->keeps_empty || !is_last(list, row, col)))
			rest[col] = (struct cli_piece){ "-", 1 };
		has_rest |= list->line_of[col] == line && rest[col].len;
	}
	while (has_rest) {
		struct pen pen = { list->text, line ? HANG : 0 };

		has_rest = false;
		for (size_t col = 0; col < list->view.count; col++) {
			if (list->line_of[col] != line)
				continue;
			put_cell(list, &pen, col, style_of(list, row, col),
				 cli_take_line(&rest[col], list->widths[col], false));
			has_rest |= rest[col].len > 0;
		}
		out_char(list->text, '\n');
	}
}

void out_list_end(struct out_list *list)
{
	if (list->width) {
		lay_out(list);
		for (size_t row = !list->has_header; list->count && row <= rows_of(list); row++)
			for (uint8_t line = 0; line < list->lines; line++)
				put_line(list, row, line);
	}
	out_list_free(list);
}

void out_list_free(struct out_list *list)
{
	free(list->cells);
	out_free(&list->texts);
	list->cells = NULL;
	list->count = 0;
}

int out_print_list(const struct out_view *view, const void *objects, size_t count, size_t size,
		   const char *none, struct smc_err *err)
{
	struct out_text text = { .len = 0 };
	struct out_list list;

	out_list_begin(&list, view, &text, cli_columns(), true);
	for (size_t i = 0; i < count; i++)
		out_list_row(&list, (const char *)objects + i * size);
	out_list_end(&list);
	if (!count)
		cli_none(none);
	return out_finish(&text, err);
}
