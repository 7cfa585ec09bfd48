// SPDX-License-Identifier: MIT
/* One column table per kind of object: text rows, -o selection and JSON come from it. */
#include "out/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct out_col *find(const struct out_col *table, const char *name, size_t len)
{
	for (; table->text || table->json; table++)
		if (table->name && !strncmp(table->name, name, len) && !table->name[len])
			return table;
	return NULL;
}

const char *out_view_add(struct out_view *view, const struct out_col *table, const char *names)
{
	while (*names) {
		size_t len = strcspn(names, ",");
		const struct out_col *col = find(table, names, len);

		if (!col || view->count == OUT_MAX_COLS)
			return names;
		view->widths[view->count] = col->width;
		view->cols[view->count++] = col;
		names += len;
		if (*names == ',' && !*++names)
			return names - 1;
	}
	return NULL;
}

void out_view_widen(struct out_view *view, const char *name, uint8_t width)
{
	for (size_t i = 0; i < view->count; i++)
		if (!strcmp(view->cols[i]->name, name) && view->widths[i] < width)
			view->widths[i] = width;
}

/* Bring what was appended since @start to the column's width, and one blank beyond. */
static void pad(struct out_text *text, const struct out_view *view, size_t i, size_t start)
{
	size_t len = text->len - start, missing = 0;

	if (len < view->widths[i])
		missing = view->widths[i] - len;
	out_blanks(text, missing + 1);
	if (!missing || !view->cols[i]->is_right || text->is_failed)
		return;
	memmove(text->data + start + missing, text->data + start, len);
	memset(text->data + start, ' ', missing);
}

static void end_line(struct out_text *text, size_t start)
{
	while (text->len > start && text->data[text->len - 1] == ' ')
		text->len--;
	out_char(text, '\n');
}

void out_header(struct out_text *text, const struct out_view *view)
{
	size_t line = text->len;

	for (size_t i = 0; i < view->count; i++) {
		size_t start = text->len;

		out_str(text, view->cols[i]->head);
		pad(text, view, i, start);
	}
	end_line(text, line);
}

static size_t room(const struct out_view *view, size_t i)
{
	return (view->widths[i] ? view->widths[i] : 1) + 1U;
}

/* Empty cells turned out not to be the last ones: move what follows them, write "-" into each. */
static void fill_gap(struct out_text *text, const struct out_view *view, size_t from, size_t to,
		     size_t start)
{
	size_t len = text->len - start, gap = 0;

	for (size_t i = from; i < to; i++)
		gap += room(view, i);
	out_fill(text, ' ', gap);
	if (text->is_failed)
		return;
	memmove(text->data + start + gap, text->data + start, len);
	memset(text->data + start, ' ', gap);
	for (; from < to; from++) {
		text->data[start + (view->cols[from]->is_right ? room(view, from) - 2 : 0)] = '-';
		start += room(view, from);
	}
}

void out_row(struct out_text *text, const struct out_view *view, const void *object)
{
	size_t line = text->len, next = 0; /* first column that is not written yet */

	for (size_t i = 0; i < view->count; i++) {
		size_t start = text->len;

		view->cols[i]->text(text, object);
		if (text->len == start)
			continue;
		if (next < i) {
			size_t len = text->len - start;

			fill_gap(text, view, next, i, start);
			start = text->len - len;
		}
		pad(text, view, i, start);
		next = i + 1;
	}
	end_line(text, line);
}

static bool set(json_t *json, const struct out_col *col, const void *object)
{
	json_t *value = col->key && col->json ? col->json(object) : NULL;

	return !value || !json_object_set_new(json, col->key, value);
}

/* A chosen column brings its whole value: its own key, or that of the group it belongs to. */
static bool set_chosen(json_t *json, const struct out_col *table, const struct out_col *col,
		       const void *object)
{
	const struct out_col *keyed = col;
	bool is_good;

	while ((!keyed->key || !keyed->name) && keyed > table)
		keyed--;
	is_good = set(json, keyed, object);
	for (col++; is_good && !col->name && col->json; col++)
		is_good = set(json, col, object);
	return is_good;
}

json_t *out_json(const struct out_col *table, const struct out_view *view, const void *object)
{
	json_t *json = json_object();
	bool is_good = json;

	if (view) {
		for (size_t i = 0; is_good && i < view->count; i++)
			is_good = set_chosen(json, table, view->cols[i], object);
	} else {
		for (; is_good && (table->text || table->json); table++)
			is_good = set(json, table, object);
	}
	if (is_good)
		return json;
	json_decref(json);
	return NULL;
}

void out_json_push(json_t **array, json_t *value)
{
	if (!json_array_append_new(*array, value))
		return;
	json_decref(*array);
	*array = NULL;
}

json_t *out_json_list(const struct out_col *table, const void *objects, size_t count, size_t size)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < count; i++)
		out_json_push(&array, out_json(table, NULL, (const char *)objects + i * size));
	return array;
}

void out_json_document(struct out_text *text, json_t *doc, bool is_repeated)
{
	bool is_read = !is_repeated && isatty(STDOUT_FILENO);
	size_t layout = is_read ? JSON_INDENT(2) : JSON_COMPACT;
	char *dump = doc ? json_dumps(doc, layout | JSON_ENSURE_ASCII) : NULL;

	json_decref(doc);
	if (!dump) {
		text->is_failed = true;
		return;
	}
	out_str(text, dump);
	out_char(text, '\n');
	free(dump);
}

json_t *out_json_string(const char *str, size_t len)
{
	struct out_text text = { 0 };
	json_t *json;

	len = strnlen(str, len);
	json = json_stringn(str, len);
	if (json)
		return json;
	out_escaped(&text, str, len);
	json = text.is_failed ? NULL : json_stringn(text.data, text.len);
	out_free(&text);
	return json;
}

json_t *out_json_str(const char *str)
{
	return out_json_string(str, strlen(str));
}

json_t *out_json_hex(uint64_t value, int digits)
{
	char hex[24];

	snprintf(hex, sizeof(hex), "%0*" PRIx64, digits, value);
	return json_string(hex);
}
