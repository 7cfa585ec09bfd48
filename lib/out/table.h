/* SPDX-License-Identifier: MIT */
/* One column table per kind of object, used for text rows, -o and JSON. */
#pragma once

#include <jansson.h>

#include "out/text.h"

/* Kind of a column's value, which defines its form in text and in JSON. */
enum out_kind {
	OUT_KIND_ODD,	  /* written by the functions text() and json(); empty without them */
	OUT_KIND_TEXT,	  /* text(); JSON: the same as a string, left out if empty */
	OUT_KIND_DEC,	  /* 80; JSON: a number */
	OUT_KIND_DEC_STR, /* the same; JSON: a string, as JSON numbers may be limited to 53 bits */
	OUT_KIND_BYTES,	  /* "65536 B"; JSON: a number */
	OUT_KIND_HEX,	  /* 00ff; JSON: a number */
	OUT_KIND_HEX_STR, /* the same; JSON: the same as a string */
	OUT_KIND_HEX_0X,  /* the same; JSON: a string with 0x */
	OUT_KIND_STR,	  /* char array, escaped; JSON: a string */
	OUT_KIND_PTR,	  /* pointer to a string, escaped; JSON: a string */
	OUT_KIND_FLAG,	  /* second of the names if not 0, else the first; JSON: a boolean */
	OUT_KIND_NAME,	  /* one of the names; JSON: a number, as for a value without a name */
};

/** enum out_style - highlighting of a cell on a terminal with color; never the only information */
enum out_style {
	OUT_PLAIN,
	OUT_GOOD,    /* green */
	OUT_WARNING, /* yellow */
	OUT_BAD,     /* red */
	OUT_MINOR,   /* dim */
	OUT_STRONG,  /* bold */
};

/** struct out_name - word for a value; @text NULL: none; @json NULL: a number, or a boolean */
struct out_name {
	const char *text, *json;
};

/**
 * struct out_names - words for values from 0 on; may have gaps
 * @before, @after: text around the hexadecimal number of an unnamed value; NULL: decimal only
 */
struct out_names {
	const struct out_name *names;
	size_t count;
	const char *before, *after;
};

#define OUT_NAMES(unknown_before, unknown_after, ...)                                              \
	{                                                                                          \
		.names = (const struct out_name[]){ __VA_ARGS__ },                                 \
		.count = sizeof((const struct out_name[]){ __VA_ARGS__ }) /                        \
			 sizeof(struct out_name),                                                  \
		.before = (unknown_before), .after = (unknown_after),                              \
	}

/**
 * struct out_col - one column
 * @name: for -o, lower case; NULL for a JSON-only column that follows the column before it
 * @head: header word(s) in text
 * @key: JSON key; NULL if the column is part of the value of the nearest key before it
 * @width: minimum width of a cell; @gap: blanks after the column, in addition to the usual one
 * @is_right: align right, for numbers
 * @text, @json: functions for values not covered by a kind: append the cell (nothing if there is no
 *	value), make the JSON value (NULL omits the key), both from the address of the value. The
 *	form without a function follows the kind
 * @find: returns the struct that has the value, if it is not the object itself; NULL: no value
 * @group: key of the JSON object that contains @key; in JSON, -o with one column of it includes all
 * @none: text of a missing value; NULL: an empty cell
 * @read: replaces text() on a terminal; @style: style of the value there
 * @rank: if the columns do not fit on a terminal, the highest rank is dropped first; 0: never
 * @is_wrapped: words, which may continue on the next line
 * @more: of the entry that ends a table: another table whose columns follow
 * @names: of OUT_KIND_FLAG and OUT_KIND_NAME
 * @kind, @size (bytes; of a string 0: up to the NUL), @digits (at least): how to read @offset
 * @is_optional: 0 and "" mean that there is no value
 * @has, @bit: the value is there if this bit of the uint32_t at @has is set; 0: always
 *
 * The macros below fill in the last eight; they do not compile for a member of another type.
 */
struct out_col {
	const char *name, *head, *key;
	uint8_t width;
	bool is_right;
	void (*text)(struct out_text *text, const void *value);
	json_t *(*json)(const void *value);
	const void *(*find)(const void *object);
	const char *group, *none;
	void (*read)(struct out_text *text, const void *value);
	enum out_style (*style)(const void *value);
	uint8_t rank;
	bool is_wrapped;
	uint8_t gap;
	const struct out_col *more;
	const struct out_names *names;
	enum out_kind kind;
	uint8_t digits;
	bool is_optional;
	uint16_t size, offset, has;
	uint32_t bit;
};

#define OUT_MEMBER(tag, member) (((const struct tag *)0)->member)
#define OUT_NUMBER_SIZE(number)                                                                    \
	_Generic((number), bool : 1, unsigned char : 1, unsigned short : 2, unsigned int : 4,      \
		 unsigned long                                                                     \
		 : sizeof(long), unsigned long long : 8)
#define OUT_AT(k, tag, member)                                                                     \
	.kind = (k), .offset = offsetof(struct tag, member),                                       \
	.size = OUT_NUMBER_SIZE(OUT_MEMBER(tag, member))
#define OUT_NUMBER(k, tag, member, n) OUT_AT(k, tag, member), .digits = (n)

/*
 * End of a row: the kind with struct tag and member, then the condition of the value. Example:
 *
 *	{ "conns", "#Conns", "connections", 7, OUT_RIGHT, OUT_DEC(smc_lgr, conns, 0),
 *	  OUT_IF(smc_lgr, has, SMC_LGR_HAS_CONNS) },
 */
#define OUT_DEC(tag, member, n) OUT_NUMBER(OUT_KIND_DEC, tag, member, n)
#define OUT_DEC_STR(tag, member, n) OUT_NUMBER(OUT_KIND_DEC_STR, tag, member, n)
#define OUT_BYTES(tag, member) OUT_AT(OUT_KIND_BYTES, tag, member)
#define OUT_HEX(tag, member, n) OUT_NUMBER(OUT_KIND_HEX, tag, member, n)
#define OUT_HEX_STR(tag, member, n) OUT_NUMBER(OUT_KIND_HEX_STR, tag, member, n)
#define OUT_HEX_0X(tag, member, n) OUT_NUMBER(OUT_KIND_HEX_0X, tag, member, n)
#define OUT_FLAG(tag, member, words) OUT_AT(OUT_KIND_FLAG, tag, member), .names = &(words)
#define OUT_NAME(tag, member, words) OUT_AT(OUT_KIND_NAME, tag, member), .names = &(words)
#define OUT_STR(tag, member)                                                                       \
	.kind = OUT_KIND_STR, .offset = offsetof(struct tag, member),                              \
	.size = _Generic(&OUT_MEMBER(tag, member), const char(*)[sizeof(OUT_MEMBER(tag, member))]  \
			 : sizeof(OUT_MEMBER(tag, member)))
#define OUT_PTR(tag, member)                                                                       \
	.kind = OUT_KIND_PTR, .offset = offsetof(struct tag, member),                              \
	.size = _Generic(&OUT_MEMBER(tag, member), const char *const * : 0, char *const * : 0)
/* A string of any length, found by a function. */
#define OUT_STR_OF(function) .kind = OUT_KIND_STR, .find = (function)
/* Text appended by a function, and the same as a JSON string. */
#define OUT_TEXT(function) .kind = OUT_KIND_TEXT, .text = (function)
/* A member of any type, for text() and json(). */
#define OUT_ODD(tag, member) .offset = offsetof(struct tag, member)

/* Text that is already escaped. */
#define OUT_ESCAPED(tag, member) OUT_PTR(tag, member), .text = out_as_is

#define OUT_RIGHT .is_right = true
#define OUT_OPTIONAL .is_optional = true
#define OUT_GAP .gap = 1
#define OUT_RANK(n) .rank = (n)
#define OUT_IF(tag, member, mask)                                                                  \
	.has = offsetof(struct tag, member) + _Generic(OUT_MEMBER(tag, member), uint32_t : 0),     \
	.bit = (mask)

#define OUT_MAX_COLS 48

/**
 * struct out_view - the chosen columns, in order, with their minimum widths
 * @ranks: see out_col; @is_chosen: by the user, who gets all of them
 * @is_colored: cells have styles
 */
struct out_view {
	const struct out_col *cols[OUT_MAX_COLS];
	uint8_t widths[OUT_MAX_COLS], ranks[OUT_MAX_COLS];
	size_t count;
	bool is_chosen, is_colored;
};

/** out_view_add() - choose columns by "a,b". Return: NULL, or the first name unknown or too many */
const char *out_view_add(struct out_view *view, const struct out_col *table, const char *names);

/** out_col_names() - append all names for -o, in indented lines of at most 79 characters */
void out_col_names(struct out_text *text, const struct out_col *table);

/** out_as_is() - the text of OUT_ESCAPED: @value is the address of a string */
void out_as_is(struct out_text *text, const void *value);

/** out_cell() - append one cell without padding; nothing, or @none, if there is no value */
void out_cell(struct out_text *text, const struct out_col *col, const void *object);

/** out_read() - out_cell() for terminals: uses read(), no leading zeros. Return: the style */
enum out_style out_read(struct out_text *text, const struct out_col *col, const void *object);

/** out_sequence() - escape sequence of a style, NULL for plain text */
const char *out_sequence(enum out_style style);

/* Ends every style. */
#define OUT_SEQUENCE_END "\033[m"

/** out_view_widen() - set the minimum width of a chosen column to at least @width */
void out_view_widen(struct out_view *view, const char *name, uint8_t width);

/** out_view_rank() - change the rank of a chosen column in this view */
void out_view_rank(struct out_view *view, const char *name, uint8_t rank);

/** out_fit() - fit the widths of chosen columns to @count rows, up to 255 characters */
void out_fit(struct out_view *view, const void *objects, size_t count, size_t size);

/** out_header() - append the header line */
void out_header(struct out_text *text, const struct out_view *view);

/** out_row() - append one line: "-" for an empty cell, nothing for trailing ones */
void out_row(struct out_text *text, const struct out_view *view, const void *object);

/** out_json() - one object as JSON: these columns, or for NULL all columns with a key */
json_t *out_json(const struct out_col *table, const struct out_view *view, const void *object);

/** out_json_list() - @count consecutive objects of @size bytes, as an array */
json_t *out_json_list(const struct out_col *table, const void *objects, size_t count, size_t size);

/**
 * out_json_document() - append a document and a newline; takes over the reference
 * @is_repeated: one of many: a single line. Else it is indented if stdout is a terminal
 *
 * In ASCII: U+0080 to U+009F in an untrusted name could control a terminal.
 */
void out_json_document(struct out_text *text, json_t *doc, bool is_repeated);

/** out_print_json() - print the only document of a tool. Return: 0, -errno with @err */
int out_print_json(json_t *doc, struct smc_err *err);

/** out_json_member() - append @value to a list as text, to save memory, and drop it */
void out_json_member(struct out_text *members, json_t *value, bool is_repeated);

/** out_json_long_document() - @doc, whose last array gets @members of out_json_member() */
void out_json_long_document(struct out_text *text, json_t *doc, const struct out_text *members,
			    bool is_repeated);

/** out_json_merge() - move all members of @more into @object, and release @more */
void out_json_merge(json_t *object, json_t *more);

/** out_json_inside() - get the member @key of an object, itself an object; creates it if missing */
json_t *out_json_inside(json_t *object, const char *key);

/** out_json_string() - JSON string of untrusted bytes: invalid UTF-8 is escaped as \xNN */
json_t *out_json_string(const char *str, size_t len);

/** out_json_number() - a number; from 2^63 on its digits as a string, as few readers accept it */
json_t *out_json_number(uint64_t value);

/** out_json_str() - like out_json_string(), up to the NUL */
json_t *out_json_str(const char *str);

/** out_json_hex() - string of 0x and at least @digits digits, lower case */
json_t *out_json_hex(uint64_t value, int digits);
