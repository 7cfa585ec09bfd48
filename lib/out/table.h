/* SPDX-License-Identifier: MIT */
/* One column table per kind of object: text rows, -o selection and JSON come from it. */
#pragma once

#include <jansson.h>

#include "out/text.h"

/* What a column's value is, and with that both of its forms, in text and in JSON. */
enum out_kind {
	OUT_KIND_ODD,	  /* what text() and json() make of it; the side that has none is empty */
	OUT_KIND_TEXT,	  /* text(); JSON: a string of the same, left out when it is empty */
	OUT_KIND_DEC,	  /* 80; JSON: a number */
	OUT_KIND_DEC_STR, /* the same; JSON: a string, as a number there may have 53 bits only */
	OUT_KIND_BYTES,	  /* "65536 B"; JSON: a number */
	OUT_KIND_HEX,	  /* 00ff; JSON: a number */
	OUT_KIND_HEX_STR, /* the same; JSON: a string of the same */
	OUT_KIND_HEX_0X,  /* the same; JSON: a string that begins with 0x */
	OUT_KIND_STR,	  /* char array, escaped; JSON: a string */
	OUT_KIND_PTR,	  /* pointer to a string, escaped; JSON: a string */
	OUT_KIND_FLAG,	  /* second of the names if not 0, else the first; JSON: a boolean */
	OUT_KIND_NAME,	  /* one of the names; JSON: a number, also for a value without a name */
};

/** enum out_style - how a cell stands out on a terminal with color; its words say the same */
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
 * struct out_names - words for values from 0 on, maybe with gaps
 * @before, @after: around the hexadecimal number of a value without a name; NULL: it is decimal
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
 * @name: for -o, lower case; NULL for what only JSON has, and comes with the column before it
 * @head: header word(s) in text
 * @key: JSON key; NULL for a part of the value of the nearest key before it
 * @width: least width of a cell; @gap: blanks after the column, beyond the one that is always there
 * @is_right: numbers stand at the right edge
 * @text, @json: for what no kind describes: append the cell (nothing where there is nothing), make
 * the value (NULL leaves the key out), both from the address of the value. A row with one of them
 * takes the other side from its kind
 * @find: the struct that has the value, where that is not the object itself; NULL: there is none
 * @group: key of the JSON object that @key is in; -o with one of a group brings all of it to JSON
 * @none: text in place of a missing value; NULL: an empty cell
 * @read: on a terminal, in place of text(); @style: there, of the value
 * @rank: where columns do not fit on a terminal, the highest is left out first; 0: never left out
 * @is_wrapped: words, which may go on in the next line
 * @more: of the entry that ends a table: another table, whose columns follow
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
 * What a row ends with: a kind with struct tag and member, then whether the value is there. A row:
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
/* A string of any length, which a function finds. */
#define OUT_STR_OF(function) .kind = OUT_KIND_STR, .find = (function)
/* What a function appends, and the same as a JSON string. */
#define OUT_TEXT(function) .kind = OUT_KIND_TEXT, .text = (function)
/* A member of any type, for text() and json(). */
#define OUT_ODD(tag, member) .offset = offsetof(struct tag, member)

/* Text that was escaped when it was made. */
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
 * struct out_view - the chosen columns, in order, and the least width of each
 * @ranks: see out_col; @is_chosen: by the user, who gets all of them
 * @is_colored: cells have styles
 */
struct out_view {
	const struct out_col *cols[OUT_MAX_COLS];
	uint8_t widths[OUT_MAX_COLS], ranks[OUT_MAX_COLS];
	size_t count;
	bool is_chosen, is_colored;
};

/**
 * out_view_add() - choose columns of a table by name, with commas between the names
 *
 * Return: NULL, or the start of the first name that is unknown or is one too many.
 */
const char *out_view_add(struct out_view *view, const struct out_col *table, const char *names);

/** out_col_names() - append all names for -o, in indented lines of at most 79 characters */
void out_col_names(struct out_text *text, const struct out_col *table);

/** out_as_is() - the text of OUT_ESCAPED: @value is the address of a string */
void out_as_is(struct out_text *text, const void *value);

/** out_cell() - append one cell, as wide as it is; nothing, or @none, where there is no value */
void out_cell(struct out_text *text, const struct out_col *col, const void *object);

/** out_read() - as out_cell(), for terminals: by read(), no zeros in front. Return: the style */
enum out_style out_read(struct out_text *text, const struct out_col *col, const void *object);

/** out_sequence() - what begins a style on a terminal, NULL for plain text */
const char *out_sequence(enum out_style style);

/* What ends each style. */
#define OUT_SEQUENCE_END "\033[m"

/** out_view_widen() - make a chosen column at least so wide */
void out_view_widen(struct out_view *view, const char *name, uint8_t width);

/** out_view_rank() - in this view a chosen column has another rank */
void out_view_rank(struct out_view *view, const char *name, uint8_t rank);

/** out_fit() - make chosen columns as wide as they are in @count rows, up to 255 characters */
void out_fit(struct out_view *view, const void *objects, size_t count, size_t size);

/** out_header() - append the header line */
void out_header(struct out_text *text, const struct out_view *view);

/** out_row() - append one line: "-" for an empty cell in the middle, nothing for the last ones */
void out_row(struct out_text *text, const struct out_view *view, const void *object);

/** out_json() - one object as JSON: these columns, or for NULL all that have a key */
json_t *out_json(const struct out_col *table, const struct out_view *view, const void *object);

/** out_json_list() - @count objects of @size bytes that lie in a row, as an array */
json_t *out_json_list(const struct out_col *table, const void *objects, size_t count, size_t size);

/**
 * out_json_document() - append a document, whose reference is taken, and a newline
 * @is_repeated: one of many, for a program: a line. Else it is indented if stdout is a terminal
 *
 * In ASCII: U+0080 to U+009F, in a name that a stranger chose, would drive a terminal.
 */
void out_json_document(struct out_text *text, json_t *doc, bool is_repeated);

/** out_print_json() - print such a document, which is the only one. Return: 0, -errno with @err */
int out_print_json(json_t *doc, struct smc_err *err);

/**
 * out_json_member() - append @value, whose reference is taken, to the text of a list
 *
 * Text takes a tenth of the memory that the values do, and half of the time.
 */
void out_json_member(struct out_text *members, json_t *value, bool is_repeated);

/**
 * out_json_long_document() - as out_json_document(), with a long list
 * @doc: ends with an empty array: that list; @members: of out_json_member()
 */
void out_json_long_document(struct out_text *text, json_t *doc, const struct out_text *members,
			    bool is_repeated);

/** out_json_merge() - put all members of @more into @object, and release it */
void out_json_merge(json_t *object, json_t *more);

/** out_json_inside() - the member @key of an object, an object itself, which is made if need be */
json_t *out_json_inside(json_t *object, const char *key);

/** out_json_string() - JSON string of foreign bytes: invalid UTF-8 is escaped as \xNN */
json_t *out_json_string(const char *str, size_t len);

/**
 * out_json_number() - a number, or its digits as a string when it is 2^63 or more: few readers know
 * those
 */
json_t *out_json_number(uint64_t value);

/** out_json_str() - as out_json_string(), up to the NUL */
json_t *out_json_str(const char *str);

/** out_json_hex() - string of 0x and at least @digits digits, lower case */
json_t *out_json_hex(uint64_t value, int digits);
