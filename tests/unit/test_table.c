// SPDX-License-Identifier: MIT
/* lib/out: each kind of column, present and missing, in text and in JSON. */
#include "said.h"

#include "out/list.h"

struct item {
	uint32_t has;
	uint8_t byte;
	uint16_t half;
	uint32_t word;
	uint64_t wide;
	unsigned long long also_wide;
	bool is_set;
	enum { NORTH, EAST } side;
	char name[4];
	const char *pointer;
	struct {
		uint32_t has, value;
	} inner;
};

/* No member is zero, all differ, and the numbers fill their types. */
static const struct item full = {
	.has = 0x80000001,
	.byte = 0xfe,
	.half = 0xfedc,
	.word = 0xfedcba98,
	.wide = 0xfedcba9876543210,
	.also_wide = UINT64_MAX,
	.is_set = true,
	.side = EAST,
	.name = "ab\x1b",
	.pointer = "a longer \x1b",
	.inner = { .has = 2, .value = 7 },
};

static const struct item empty = { .pointer = "" };

static const struct out_names yes_no = OUT_NAMES(NULL, NULL, { "No", NULL }, { "Yes", NULL });
static const struct out_names roles =
	OUT_NAMES(NULL, NULL, { "CLNT", "client" }, { "SERV", "server" });
static const struct out_names sides = OUT_NAMES(NULL, NULL, { "N", "north" }, { "E", "east" });
static const struct out_names hex_names =
	OUT_NAMES("<0x", "?>", { "zero", "ZERO" }, [2] = { "two", NULL });
static const struct out_names dec_names = OUT_NAMES(NULL, NULL, [254] = { "last", NULL });

/* Check a column's text and its JSON, "" for no JSON. */
static void check(const struct out_col *col, const struct item *item, const char *cell,
		  const char *value)
{
	struct out_col table[2] = { *col };
	struct out_text text = { 0 };
	char *dump;
	json_t *json;

	table[0].key = "k";
	json = out_json(table, NULL, item);
	dump = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
	out_cell(&text, table, item);
	out_char(&text, '\0');
	assert_string_equal(text.data, cell);
	if (*value) {
		dump[strlen(dump) - 1] = '\0';
		assert_string_equal(dump + strlen("{\"k\":"), value);
	} else {
		assert_string_equal(dump, "{}");
	}
	free(dump);
	json_decref(json);
	out_free(&text);
}

#define COLUMN(...) (&(const struct out_col){ __VA_ARGS__ })

TEST(sizes)
{
	check(COLUMN(OUT_DEC(item, byte, 0)), &full, "254", "254");
	check(COLUMN(OUT_DEC(item, half, 0)), &full, "65244", "65244");
	check(COLUMN(OUT_DEC(item, word, 0)), &full, "4275878552", "4275878552");
	check(COLUMN(OUT_DEC(item, is_set, 3)), &full, "001", "1");
	check(COLUMN(OUT_DEC(item, inner.value, 0)), &full, "7", "7");
	check(COLUMN(OUT_DEC(item, byte, 0)), &empty, "0", "0");
	check(COLUMN(OUT_BYTES(item, word)), &full, "4275878552 B", "4275878552");
	check(COLUMN(OUT_BYTES(item, word)), &empty, "0 B", "0");
	check(COLUMN(OUT_DEC_STR(item, also_wide, 0)), &full, "18446744073709551615",
	      "\"18446744073709551615\"");
	check(COLUMN(OUT_DEC_STR(item, wide, 0)), &empty, "0", "\"0\"");
}

TEST(hexadecimal)
{
	check(COLUMN(OUT_HEX(item, byte, 4)), &full, "00fe", "254");
	check(COLUMN(OUT_HEX(item, half, 0)), &full, "fedc", "65244");
	check(COLUMN(OUT_HEX_STR(item, word, 8)), &full, "fedcba98", "\"fedcba98\"");
	check(COLUMN(OUT_HEX_STR(item, word, 8)), &empty, "00000000", "\"00000000\"");
	check(COLUMN(OUT_HEX_0X(item, wide, 16)), &full, "fedcba9876543210",
	      "\"0xfedcba9876543210\"");
	check(COLUMN(OUT_HEX_0X(item, half, 16)), &full, "000000000000fedc",
	      "\"0x000000000000fedc\"");
}

/* An array without room for a NUL ends at its size; text is escaped, JSON in its own way. */
TEST(strings)
{
	struct item item = full;

	check(COLUMN(OUT_STR(item, name)), &full, "ab\\x1b", "\"ab\\u001B\"");
	memcpy(item.name, "abcd", 4);
	check(COLUMN(OUT_STR(item, name)), &item, "abcd", "\"abcd\"");
	check(COLUMN(OUT_STR(item, name)), &empty, "", "\"\"");
	check(COLUMN(OUT_STR(item, name), OUT_OPTIONAL), &empty, "", "");
	check(COLUMN(OUT_STR(item, name), OUT_OPTIONAL), &item, "abcd", "\"abcd\"");
	check(COLUMN(OUT_PTR(item, pointer)), &full, "a longer \\x1b", "\"a longer \\u001B\"");
	check(COLUMN(OUT_ESCAPED(item, pointer)), &full, "a longer \x1b", "\"a longer \\u001B\"");
	check(COLUMN(OUT_PTR(item, pointer)), &empty, "", "\"\"");
	check(COLUMN(OUT_PTR(item, pointer), OUT_OPTIONAL, .none = "n/a"), &empty, "n/a", "");
	item.pointer = NULL;
	check(COLUMN(OUT_PTR(item, pointer), OUT_OPTIONAL), &item, "", "");
}

TEST(words)
{
	struct item item = full;

	check(COLUMN(OUT_FLAG(item, is_set, yes_no)), &full, "Yes", "true");
	check(COLUMN(OUT_FLAG(item, is_set, yes_no)), &empty, "No", "false");
	check(COLUMN(OUT_FLAG(item, wide, roles)), &full, "SERV", "\"server\"");
	check(COLUMN(OUT_FLAG(item, byte, roles)), &empty, "CLNT", "\"client\"");
	check(COLUMN(OUT_NAME(item, side, sides)), &full, "E", "\"east\"");
	check(COLUMN(OUT_NAME(item, byte, hex_names)), &empty, "zero", "\"ZERO\"");
	check(COLUMN(OUT_NAME(item, byte, hex_names)), &full, "<0xfe?>", "254");
	check(COLUMN(OUT_NAME(item, byte, hex_names), .digits = 4), &full, "<0x00fe?>", "254");
	check(COLUMN(OUT_NAME(item, byte, dec_names)), &full, "last", "254");
	check(COLUMN(OUT_NAME(item, half, dec_names)), &full, "65244", "65244");
	item.byte = 1; /* within the array of names, but without one */
	check(COLUMN(OUT_NAME(item, byte, hex_names)), &item, "<0x1?>", "1");
	item.byte = 2;
	check(COLUMN(OUT_NAME(item, byte, hex_names)), &item, "two", "2");
	item.byte = 3; /* first value beyond the array */
	check(COLUMN(OUT_NAME(item, byte, hex_names)), &item, "<0x3?>", "3");
}

TEST(presence)
{
	check(COLUMN(OUT_DEC(item, half, 0), OUT_IF(item, has, 1)), &full, "65244", "65244");
	check(COLUMN(OUT_DEC(item, byte, 0), OUT_IF(item, has, 1U << 31)), &full, "254", "254");
	check(COLUMN(OUT_DEC(item, byte, 0), OUT_IF(item, has, 2)), &full, "", "");
	check(COLUMN(OUT_DEC(item, byte, 0), OUT_IF(item, inner.has, 2)), &full, "254", "254");
	check(COLUMN(OUT_DEC(item, byte, 0), OUT_IF(item, has, 1), .none = "255"), &empty, "255",
	      "");
	check(COLUMN(OUT_STR(item, name), OUT_IF(item, has, 2)), &full, "", "");
	check(COLUMN(OUT_HEX(item, wide, 4), OUT_OPTIONAL), &full, "fedcba9876543210",
	      "\"18364758544493064720\""); /* JSON has no larger numbers */
	check(COLUMN(OUT_HEX(item, wide, 4), OUT_OPTIONAL, .none = "n/a"), &empty, "n/a", "");
	check(COLUMN(OUT_FLAG(item, is_set, yes_no), OUT_OPTIONAL), &empty, "", "");
}

static void text_value(struct out_text *text, const void *value)
{
	out_printf(text, "<%u>", *(const uint16_t *)value);
}

static void text_nothing(struct out_text *text, const void *value)
{
}

static json_t *json_value(const void *value)
{
	return json_pack("[i]", *(const uint16_t *)value);
}

/* Find an object other than that of the row, or none. */
static const void *find_item(const void *object)
{
	static const struct item other = { .has = 1, .half = 2, .byte = 3 };
	const struct item *item = object;

	return item->half ? &other : NULL;
}

static const void *find_word(const void *object)
{
	const struct item *item = object;

	return item->half ? "x\x1by" : NULL;
}

/* Functions of a column get the address of its value; else its kind does the work. */
TEST(functions)
{
	check(COLUMN(OUT_ODD(item, half), .text = text_value, .json = json_value), &full, "<65244>",
	      "[65244]");
	check(COLUMN(OUT_ODD(item, half), .text = text_value), &full, "<65244>", "");
	check(COLUMN(OUT_ODD(item, half), .json = json_value), &full, "", "[65244]");
	check(COLUMN(OUT_DEC(item, half, 0), .text = text_value), &full, "<65244>", "65244");
	check(COLUMN(OUT_DEC(item, half, 0), .json = json_value), &full, "65244", "[65244]");
	check(COLUMN(OUT_ODD(item, half), OUT_TEXT(text_value)), &full, "<65244>", "\"<65244>\"");
	check(COLUMN(OUT_ODD(item, half), OUT_TEXT(text_nothing)), &full, "", "");
	check(COLUMN(OUT_ODD(item, half), OUT_IF(item, has, 2), .text = text_value,
		     .json = json_value),
	      &full, "", "");
	check(COLUMN(OUT_DEC(item, half, 0), .find = find_item), &full, "2", "2");
	check(COLUMN(OUT_DEC(item, byte, 0), OUT_IF(item, has, 1), .find = find_item), &full, "3",
	      "3");
	check(COLUMN(OUT_DEC(item, byte, 0), OUT_IF(item, has, 1U << 31), .find = find_item), &full,
	      "", "");
	check(COLUMN(OUT_DEC(item, half, 0), .find = find_item, .none = "?"), &empty, "?", "");
	check(COLUMN(OUT_STR_OF(find_word)), &full, "x\\x1by", "\"x\\u001By\"");
	check(COLUMN(OUT_STR_OF(find_word)), &empty, "", "");
}

/* Two tables joined. */
static const struct out_col rest[] = {
	{ "last", "Last", "last", 0, OUT_DEC(item, is_set, 0) },
	{ NULL, NULL, "with_last", 0, OUT_DEC(item, is_set, 0) },
	{ 0 },
};

static const struct out_col grouped[] = {
	{ "first", "First", "first", 0, OUT_DEC(item, byte, 0) },
	{ "one", "One", "one", 0, OUT_DEC(item, byte, 0), OUT_IF(item, has, 1), .group = "g" },
	{ "two", "Two", "two", 0, OUT_DEC(item, half, 0), OUT_IF(item, has, 1), .group = "g" },
	{ NULL, NULL, "hidden", 0, OUT_DEC(item, half, 0), OUT_IF(item, has, 1), .group = "g" },
	{ .more = rest },
};

static void is_json(const struct item *item, const char *names, const char *want)
{
	struct out_view view = { 0 };
	json_t *json;
	char *dump;

	assert_null(out_view_add(&view, grouped, names));
	json = out_json(grouped, *names ? &view : NULL, item);
	dump = json_dumps(json, JSON_COMPACT);
	assert_string_equal(dump, want);
	free(dump);
	json_decref(json);
}

TEST(groups)
{
	is_json(&full, "",
		"{\"first\":254,\"g\":{\"one\":254,\"two\":65244,\"hidden\":65244},"
		"\"last\":1,\"with_last\":1}");
	is_json(&empty, "", "{\"first\":0,\"last\":0,\"with_last\":0}");
	is_json(&full, "first", "{\"first\":254}");
	is_json(&full, "two,first",
		"{\"g\":{\"one\":254,\"two\":65244,\"hidden\":65244},\"first\":254}");
	is_json(&full, "last,one",
		"{\"last\":1,\"with_last\":1,\"g\":{\"one\":254,\"two\":65244,\"hidden\":65244}}");
	is_json(&empty, "one", "{}");
}

/* For the help. */
TEST(lists)
{
	struct out_col many[30] = { { 0 } };
	struct out_text text = { 0 };

	out_col_names(&text, grouped);
	out_char(&text, '\0');
	assert_string_equal(text.data, "  first one two last\n");
	for (size_t i = 0; i < ARRAY_SIZE(many) - 1; i++)
		many[i].name = "ab";
	out_reset(&text);
	out_col_names(&text, many);
	/* 26 times "ab" are 79 characters. */
	assert_int_equal(strcspn(text.data, "\n"), 79);
	assert_int_equal(text.len, 80 + strlen("  ab ab ab\n"));
	out_free(&text);
}

/* Lines end at 79 characters, whatever precedes them in the text. */
TEST(name_lines)
{
	char wide[91];
	struct out_col many[28] = { { 0 } };
	struct out_text text = { 0 };

	memset(wide, 'w', 90);
	wide[90] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(many) - 1; i++)
		many[i].name = i == 25 ? "abc" : "ab";
	out_str(&text, "Columns:\n");
	out_col_names(&text, many);
	out_char(&text, '\0');
	/* 25 times "ab" are 76 characters, "abc" would make 80. */
	assert_int_equal(strcspn(text.data + 9, "\n"), 76);
	assert_string_equal(text.data + 9 + 77, "  abc ab\n");
	many[0].name = wide; /* alone on its line */
	many[1].name = "ab";
	many[2] = (struct out_col){ 0 };
	out_reset(&text);
	out_col_names(&text, many);
	assert_int_equal(text.data[0], ' ');
	assert_int_equal(text.data[92], '\n');
	assert_int_equal(text.len, 93 + 5);
	out_free(&text);
}

/* A value beyond the names has none, whatever follows in memory. */
TEST(limits)
{
	static const struct out_name three[] = { { "0", NULL }, { "1", NULL }, { "2", "two" } };
	static const struct out_names two = { three, 2, NULL, NULL };
	struct item item = full;

	item.byte = 1;
	check(COLUMN(OUT_NAME(item, byte, two), .digits = 2), &item, "1", "1");
	item.byte = 2;
	check(COLUMN(OUT_NAME(item, byte, two), .digits = 2), &item, "02", "2");
}

static enum out_style is_good(const void *value)
{
	return OUT_GOOD;
}

/* Styles, without an effect on the layout of pipes; broken lines have no columns of their own. */
TEST(styles)
{
	static const struct out_col table[] = {
		{ "a", "A", NULL, 5, OUT_RIGHT, OUT_DEC(item, byte, 0), .style = is_good },
		{ "b", "B", NULL, 3, OUT_STR(item, name), OUT_OPTIONAL, .style = is_good },
		{ "c", "C", NULL, 4, OUT_DEC(item, is_set, 0) },
		{ "d", "D", NULL, 4, OUT_DEC(item, inner.value, 0), .style = is_good },
		{ 0 },
	};
	struct out_view view = { .is_colored = true };
	struct out_text text = { 0 };

	out_view_add(&view, table, "a,b,c,d");
	out_row(&text, &view, &empty);
	out_wrap(&text, 7, 0, 2, "\033[32mone\033[m two three");
	assert_string_equal(said(&text), "    \033[32m0\033[m -   0    \033[32m0\033[m\n"
					 "\033[32mone\033[m two\n  three");
}
