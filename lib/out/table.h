/* SPDX-License-Identifier: MIT */
/* One column table per kind of object: text rows, -o selection and JSON come from it. */
#ifndef SMC_OUT_TABLE_H
#define SMC_OUT_TABLE_H

#include <jansson.h>

#include "out/text.h"

/**
 * struct out_col - one column
 * @name: for -o, lower case; NULL for a value that only JSON has, and that comes with the column
 * before it
 * @head: header word(s) in text
 * @key: JSON key; NULL for a column that is part of the value of the nearest key before it
 * @width: least width of a cell, in characters
 * @is_right: numbers stand at the right edge
 * @text: append the cell; append nothing where the object has no such thing
 * @json: the value, or NULL to leave the key out
 */
struct out_col {
	const char *name;
	const char *head;
	const char *key;
	uint8_t width;
	bool is_right;
	void (*text)(struct out_text *text, const void *object);
	json_t *(*json)(const void *object);
};

#define OUT_MAX_COLS 48

/**
 * struct out_view - the chosen columns, in order
 * @widths: least width of each, from the table; a tool may widen them
 */
struct out_view {
	const struct out_col *cols[OUT_MAX_COLS];
	uint8_t widths[OUT_MAX_COLS];
	size_t count;
};

/**
 * out_view_add() - choose columns by name
 * @table: all columns, ended by an entry without any function
 * @names: names with commas between them
 *
 * Return: NULL, or the start of the first name that is unknown or is one too many.
 */
const char *out_view_add(struct out_view *view, const struct out_col *table, const char *names);

/** out_view_widen() - make a chosen column at least so wide */
void out_view_widen(struct out_view *view, const char *name, uint8_t width);

/** out_header() - append the header line */
void out_header(struct out_text *text, const struct out_view *view);

/**
 * out_row() - append one line
 *
 * An empty cell in the middle is "-", empty cells at the end are left out.
 */
void out_row(struct out_text *text, const struct out_view *view, const void *object);

/**
 * out_json() - one object as JSON
 * @view: only these columns, or NULL for all that have a key
 *
 * Return: new reference, NULL if memory ran out.
 */
json_t *out_json(const struct out_col *table, const struct out_view *view, const void *object);

/**
 * out_json_push() - add to an array that is being made
 * @array: set to NULL, and freed, when memory ran out; NULL stays NULL
 * @value: its reference is taken; NULL: memory ran out
 */
void out_json_push(json_t **array, json_t *value);

/**
 * out_json_list() - objects that lie in a row, as an array
 * @objects: the first of @count, each of @size bytes; NULL if there are none
 *
 * Return: new reference, NULL if memory ran out.
 */
json_t *out_json_list(const struct out_col *table, const void *objects, size_t count, size_t size);

/**
 * out_json_document() - append a document and a newline
 * @doc: its reference is taken; NULL: memory ran out
 * @is_repeated: one of many, for a program: one line each. Else it is indented if stdout is a
 *	terminal
 *
 * In ASCII: U+0080 to U+009F, in a name that a stranger chose, would drive a terminal.
 */
void out_json_document(struct out_text *text, json_t *doc, bool is_repeated);

/** out_json_string() - JSON string of foreign bytes: invalid UTF-8 is escaped as \xNN */
json_t *out_json_string(const char *str, size_t len);

/** out_json_str() - as out_json_string(), up to the NUL */
json_t *out_json_str(const char *str);

/** out_json_hex() - string of a number in hexadecimal with at least @digits digits, lower case */
json_t *out_json_hex(uint64_t value, int digits);

#endif
