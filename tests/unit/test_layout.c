// SPDX-License-Identifier: MIT
/*
 * Tables on terminals of every width: known layouts, then random ones, which must not lose
 * anything. LAYOUT_SEED=N in the environment repeats one.
 */
#include "said.h"

#include <time.h>

#include "out/list.h"

#define COLS 5

struct object {
	const char *cells[COLS];
};

static enum out_style style_any(const void *value)
{
	return value ? OUT_BAD : OUT_PLAIN;
}

static enum out_style style_of_mode(const void *value)
{
	return strcmp(*(const char *const *)value, "TCP") ? OUT_GOOD : OUT_WARNING;
}

#define CELL(n) OUT_PTR(object, cells[n]), .text = out_as_is

static const struct out_col table[] = {
	{ "mode", "Mode", NULL, 4, CELL(0), OUT_RANK(0) },
	{ "number", "No", NULL, 2, CELL(1), OUT_RIGHT, OUT_RANK(2) },
	{ "minor", "Minor", NULL, 5, CELL(2), OUT_RANK(3) },
	{ "name", "Name", NULL, 4, CELL(3) },
	{ "words", "Words", NULL, 5, CELL(4), .is_wrapped = true },
	{ 0 },
};

/* Output on a terminal of @width columns; to be freed. */
static char *shown(const char *names, const struct object *objects, size_t count, size_t width,
		   bool is_chosen)
{
	struct out_view view = { .is_chosen = is_chosen };
	struct out_text text = { 0 };
	struct out_list list;

	assert_null(out_view_add(&view, table, names));
	out_list_begin(&list, &view, &text, width, true);
	for (size_t i = 0; i < count; i++)
		out_list_row(&list, &objects[i]);
	out_list_end(&list);
	out_mem(&text, "", 1);
	return text.data;
}

TEST(layouts)
{
	static const struct object two[] = { { { "SMCD", "7", "x", "redis", "one two three" } },
					     { { "TCP", "12", "", "nginx", "four" } } },
				   empty[] = { { { "SMCD", "", "-", "n/a", "" } } };
	static const struct {
		const char *names;
		const struct object *objects;
		size_t count, width;
		bool is_chosen;
		const char *want;
	} cases[] = {
		{ "mode,number,minor,name", two, 2, 80, false,
		  "Mode  No  Minor  Name\nSMCD   7  x      redis\nTCP   12  -      nginx\n" },
		/* The highest rank is dropped first. */
		{ "mode,number,minor,name", two, 2, 20, false,
		  "Mode  No  Name\nSMCD   7  redis\nTCP   12  nginx\n" },
		{ "mode,number,minor,name", two, 2, 14, false,
		  "Mode  Name\nSMCD  redis\nTCP   nginx\n" },
		/* Selected columns stay, so rows are broken. */
		{ "mode,number,minor,name", two, 2, 20, true,
		  "Mode  No  Minor\n    Name\nSMCD   7  x\n    redis\nTCP   12  -\n    nginx\n" },
		/* The first column may be the one. */
		{ "minor,name,number,mode", two, 2, 20, false,
		  "Name   No  Mode\nredis   7  SMCD\nnginx  12  TCP\n" },
		/* A row that fills the line. */
		{ "mode,number,minor,name", two, 2, 15, true,
		  "Mode  No  Minor\n    Name\nSMCD   7  x\n    redis\nTCP   12  -\n    nginx\n" },
		/* Nothing stands for missing cells at the end. */
		{ "mode,minor", two, 2, 80, false, "Mode  Minor\nSMCD  x\nTCP\n" },
		/* Without any value. */
		{ "mode,number,minor,name", empty, 1, 80, false, "Mode\nSMCD\n" },
		{ "mode,minor", empty, 1, 80, true, "Mode  Minor\nSMCD  -\n" },
		{ "mode", empty, 0, 80, false, "" },
		/* Not a terminal: no width, unchanged columns. */
		{ "mode,number", two, 2, 0, false, "Mode No\nSMCD  7\nTCP  12\n" },
		/* A single cell that is too wide. */
		{ "words", two, 1, 20, false, "Words\none two three\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = shown(cases[i].names, cases[i].objects, cases[i].count, cases[i].width,
				   cases[i].is_chosen);

		assert_string_equal(text, cases[i].want);
		free(text);
	}
}

TEST(words)
{
	static const struct object one[] = {
		{ { "SMCD", "", "", "", "a sentence that is longer than the terminal is wide" } }
	};
	char *text = shown("mode,words", one, 1, 36, false);

	assert_string_equal(text, "Mode  Words\n"
				  "SMCD  a sentence that is longer than\n"
				  "      the terminal is wide\n");
	free(text);
}

TEST(wrapping)
{
	static const struct {
		size_t width, at, indent;
		const char *words, *want;
	} cases[] = {
		{ 0, 5, 2, "as long as it is", "as long as it is" },
		{ 10, 0, 2, "short", "short" },
		{ 10, 0, 2, "ten chars.", "ten chars." },
		{ 10, 0, 2, "two short words", "two short\n  words" },
		{ 10, 0, 2, "one two   three", "one two\n  three" },
		{ 10, 6, 2, "begins late", "\n  begins\n  late" },
		{ 10, 0, 2, "abcdefghijklm", "abcdefghij\n  klm" },
		{ 10, 0, 0, "0.53 × TCP (slower)", "0.53 × TCP\n(slower)" },
		{ 5, 0, 0, "äöüßäöü", "äöüßä\nöü" },
		{ 17, 0, 2, "its name: 'smcss -e' says", "its name:\n  'smcss -e' says" },
		{ 12, 0, 2, "the peer's type 'x y'", "the peer's\n  type 'x y'" },
		{ 8, 0, 2, "out 12.5 kB in 3 s", "out\n  12.5\n  kB in\n  3 s" },
		{ 14, 0, 2, "SMCD  out 1 kB  in 3 s", "SMCD  out 1 kB\n  in 3 s" },
		{ 13, 0, 2, "SMCD  out 1 kB  in 3 s", "SMCD\n  out 1 kB\n  in 3 s" },
		{ 10, 0, 0, "of 64 seconds", "of 64\nseconds" },
		{ 8, 0, 0, "see 'a quoted word'", "see\n'a\nquoted\nword'" },
		{ 5, 0, 0, "\033[1mab\033[m cd ef", "\033[1mab\033[m cd\nef" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out_text text = { 0 };

		out_wrap(&text, cases[i].width, cases[i].at, cases[i].indent, cases[i].words);
		assert_string_equal(said(&text), cases[i].want);
	}
}

/* In a pipe, width counts visible characters. */
TEST(color)
{
	static const struct out_col colored[] = {
		{ "mode", "Mode", NULL, 6, CELL(0) },
		{ "name", "Name", NULL, 6, CELL(1), .style = style_any },
		{ 0 },
	};
	static const struct object one = { { "a", "b" } };
	struct out_view view = { 0 };
	struct out_text text = { 0 };
	struct out_list list;

	assert_null(out_view_add(&view, colored, "name,mode"));
	setenv("CLICOLOR_FORCE", "1", 1);
	unsetenv("NO_COLOR");
	unsetenv("CLICOLOR");
	out_list_begin(&list, &view, &text, 0, false);
	out_list_row(&list, &one);
	out_list_end(&list);
	unsetenv("CLICOLOR_FORCE");
	assert_string_equal(said(&text), "\033[1;31mb\033[m      a\n");
}

/* On a terminal each row has its own styles; a list can be used again. */
TEST(styles)
{
	static const struct out_col colored[] = {
		{ "mode", "Mode", NULL, 0, CELL(0), .style = style_of_mode },
		{ "name", "Name", NULL, 0, CELL(1) },
		{ 0 },
	};
	static const struct object rows[] = { { { "SMCD", "a" } }, { { "TCP", "b" } } };
	struct out_view view = { 0 };
	struct out_list list;

	assert_null(out_view_add(&view, colored, "mode,name"));
	setenv("CLICOLOR_FORCE", "1", 1);
	for (int turn = 0; turn < 2; turn++) {
		struct out_text text = { 0 };

		out_list_begin(&list, &view, &text, 80, true);
		out_list_row(&list, &rows[0]);
		out_list_row(&list, &rows[1]);
		out_list_end(&list);
		out_list_free(&list);
		assert_int_equal(list.lines, 1);
		assert_string_equal(said(&text), "\033[1mMode\033[m  \033[1mName\033[m\n"
						 "\033[32mSMCD\033[m  a\n"
						 "\033[33mTCP\033[m   b\n");
	}
	unsetenv("CLICOLOR_FORCE");
}

/* ---- random tables ---- */

static unsigned int seed;

static size_t draw(size_t below)
{
	return (size_t)rand_r(&seed) % below;
}

static const char *random_cell(char *room, bool has_blanks)
{
	size_t len = draw(8) ? draw(12) : draw(70);

	for (size_t i = 0; i < len; i++)
		room[i] = has_blanks && i && i + 1 < len && room[i - 1] != ' ' && !draw(6) ?
				  ' ' :
				  (char)('a' + draw(26));
	room[len] = '\0';
	return room;
}

/* Remove blanks and dashes. Return: @text */
static char *squeeze(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++)
		if (*at != ' ' && *at != '\n' && *at != '-')
			*to++ = *at;
	*to = '\0';
	return text;
}

static void check_widths(const char *text, size_t width)
{
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		assert_true(len <= width);
		assert_true(!len || text[len - 1] != ' ');
	}
}

/* One row, so cells are in order; columns that fit are not truncated. */
TEST(random_rows)
{
	static char rooms[COLS][80];
	const char *chosen = getenv("LAYOUT_SEED");
	char all[COLS * 80];

	seed = chosen ? (unsigned int)strtoul(chosen, NULL, 10) : (unsigned int)time(NULL);
	printf("# LAYOUT_SEED=%u\n", seed);
	for (int round = 0; round < 20000; round++) {
		size_t width = 20 + draw(110), used = 0;
		struct object object;
		char *text;

		for (size_t i = 0; i < COLS; i++) {
			object.cells[i] = random_cell(rooms[i], i == COLS - 1);
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s",
						 object.cells[i]);
		}
		text = shown("mode,number,minor,name,words", &object, 1, width, true);
		check_widths(text, width);
		/* The cells of a row are broken side by side: compare letters without order. */
		size_t letters[26] = { 0 };

		for (const char *at = squeeze(text) + strlen("ModeNoMinorNameWords"); *at; at++)
			letters[*at - 'a']++;
		for (const char *at = squeeze(all); *at; at++)
			letters[*at - 'a']--;
		for (size_t i = 0; i < 26; i++)
			assert_int_equal(letters[i], 0);
		free(text);
	}
}
