// SPDX-License-Identifier: MIT
/* lib/out: numbers and untrusted text, rows of a table, JSON strings. */
#include "capture.h"
#include "said.h"

#include <wchar.h>
#include <sys/syscall.h>

#include "shell.h"

#include "out/metrics.h"
#include "out/table.h"
#include "out/units.h"

/* Results of the next calls of write(): maximum number of bytes, or a negative errno. */
static const long *write_script;

ssize_t write(int fd, const void *data, size_t len)
{
	long most = write_script && *write_script != LONG_MAX ? *write_script++ : LONG_MAX;

	if (most < 0) {
		errno = (int)-most;
		return -1;
	}
	return syscall(SYS_write, fd, data, len < (size_t)most ? len : (size_t)most);
}

TEST(numbers)
{
	static const struct {
		uint64_t value;
		int digits;
		const char *dec, *hex;
	} rows[] = {
		{ 0, 0, "0", "0" },
		{ 0, 1, "0", "0" },
		{ 0, 5, "00000", "00000" },
		{ 9, 2, "09", "09" },
		{ 10, 2, "10", "0a" },
		{ 255, 2, "255", "ff" },
		{ 65535, -1, "65535", "ffff" },
		{ 4294967295, 8, "4294967295", "ffffffff" },
		{ 4294967296, 8, "4294967296", "100000000" },
		{ UINT64_MAX, 0, "18446744073709551615", "ffffffffffffffff" },
		{ UINT64_MAX, 22, "0018446744073709551615", "000000ffffffffffffffff" },
		{ 1, 24, "000000000000000000000001", "000000000000000000000001" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct out_text text = { 0 };

		out_dec(&text, rows[i].value, rows[i].digits);
		assert_string_equal(said(&text), rows[i].dec);
		out_hex(&text, rows[i].value, rows[i].digits);
		assert_string_equal(said(&text), rows[i].hex);
	}
}

TEST(escapes)
{
	static const struct {
		const char *text;
		size_t len;
		const char *want;
	} rows[] = {
		{ "redis-server", 64, "redis-server" },
		{ " ~!\"'", 64, " ~!\"'" },
		{ "\x1b[31mred", 64, "\\x1b[31mred" },
		{ "a\nb\tc\rd\be", 64, "a\\x0ab\\x09c\\x0dd\\x08e" },
		{ "\x01\x1f\x7f\x80\x9b\xff", 64, "\\x01\\x1f\\x7f\\x80\\x9b\\xff" },
		{ "m\xc3\xbc", 64, "m\\xc3\\xbc" },
		{ "C:\\x41", 64, "C:\\x5cx41" },
		{ "cut here", 3, "cut" },
		{ "ends\0not", 8, "ends" },
		{ "", 0, "" },
		{ "x", 0, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct out_text text = { 0 };

		out_escaped(&text, rows[i].text, rows[i].len);
		assert_string_equal(said(&text), rows[i].want);
	}
}

TEST(growth)
{
	struct out_text text = { 0 };

	for (unsigned int i = 0; i < 100000; i++)
		out_dec(&text, i % 10, 1);
	out_fill(&text, 'x', 300000);
	out_fill(&text, 'y', 0);
	out_mem(&text, NULL, 0);
	assert_int_equal(text.len, 400000);
	assert_int_equal(text.data[99999], '9');
	assert_int_equal(text.data[100000], 'x');
	assert_int_equal(text.data[399999], 'x');
	out_reset(&text);
	assert_int_equal(text.len, 0);
	assert_true(text.size >= 400000);
	out_free(&text);
	assert_null(text.data);
}

TEST(flush)
{
	struct out_text text = { 0 };
	int fd = capture_file(), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	char *got;

	assert_int_equal(out_flush(&text, -1), 0); /* nothing to write, nothing to fail */
	out_str(&text, "one\n");
	assert_int_equal(out_flush(&text, fd), 0);
	assert_int_equal(text.len, 0);
	out_str(&text, "two\n");
	assert_int_equal(out_flush(&text, fd), 0);
	got = file_text(fd);
	assert_string_equal(got, "one\ntwo\n");
	free(got);

	out_str(&text, "x");
	assert_int_equal(out_flush(&text, full), -ENOSPC);
	assert_int_equal(out_flush(&text, -1), -EBADF);
	close(full);
	out_free(&text);
}

/* Everything is written, in any number of pieces. */
TEST(partial_writes)
{
	static const long pieces[] = { 1, -EINTR, 2, 0, -EINTR, 3, LONG_MAX };
	static const long broken[] = { 3, -EINTR, -EIO, LONG_MAX };
	struct out_text text = { 0 };
	int fd = capture_file(), ret;
	char *got;

	out_str(&text, "0123456789");
	write_script = pieces;
	ret = out_flush(&text, fd);
	write_script = NULL;
	assert_int_equal(ret, 0);
	assert_int_equal(text.len, 0);
	got = file_text(fd);
	assert_string_equal(got, "0123456789");
	free(got);
	fd = capture_file();
	out_str(&text, "0123456789");
	write_script = broken;
	ret = out_flush(&text, fd);
	write_script = NULL;
	assert_int_equal(ret, -EIO);
	got = file_text(fd);
	assert_string_equal(got, "012");
	free(got);
	out_free(&text);
}

TEST(printed)
{
	struct out_text text = { 0 };

	out_printf(&text, "%s", "");
	assert_int_equal(text.len, 0);
	out_printf(&text, "%d %s", 5, "b");
	assert_string_equal(said(&text), "5 b");
	/* At the end of the buffer, and beyond: there is room for a NUL, too. */
	for (int len = 4094; len < 4100; len++) {
		out_printf(&text, "%*d", len, 7);
		assert_int_equal(text.len, len);
		assert_true(text.size > text.len);
		assert_int_equal(text.data[len - 1], '7');
		out_free(&text);
	}
	out_printf(&text, "%lc", (wint_t)0x7fffffff); /* no such character */
	assert_int_equal(text.len, 0);
	out_free(&text);
}

/* A shell parses it as one word, whatever it contains. */
TEST(shell_words)
{
	static const struct {
		const char *word, *want;
	} cases[] = {
		{ "mlx5_0", "mlx5_0" },
		{ "AZaz09_-.:@/", "AZaz09_-.:@/" },
		{ "a b", "'a b'" },
		{ "a;b", "'a;b'" },
		{ "$(id)", "'$(id)'" },
		{ "it's", "'it'\\''s'" },
		{ "'", "''\\'''" },
		{ "", "''" },
		{ "-a", "-a" },
		{ "\\", "'\\'" },
		{ "a\nb'", "\"$(printf %b 'a\\0012b\\0047')\"" },
		{ "\xc3\xbc", "\"$(printf %b '\\0303\\0274')\"" },
	};
	struct out_text none = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out_text text = { 0 };

		assert_true(out_shell_word(&text, cases[i].word));
		assert_string_equal(said(&text), cases[i].want);
	}
	assert_false(out_shell_word(&none, "a\n"));
	assert_int_equal(none.len, 0);
}

TEST(shell_reads_words)
{
	for (size_t i = 0; i < ARRAY_SIZE(hostile_names); i++) {
		struct out_text text = { 0 };

		out_str(&text, "ip a");
		assert_true(out_shell_word(&text, hostile_names[i]));
		out_str(&text, "/b ");
		assert_true(out_shell_word(&text, hostile_names[i]));
		check_typed(said(&text), "ip a@/b @", hostile_names[i]);
	}
}

/* A table over strings: an object is an array of three cells. */
static void text_first(struct out_text *text, const void *object)
{
	out_str(text, ((const char *const *)object)[0]);
}

static void text_second(struct out_text *text, const void *object)
{
	out_str(text, ((const char *const *)object)[1]);
}

static void text_third(struct out_text *text, const void *object)
{
	out_str(text, ((const char *const *)object)[2]);
}

static json_t *json_first(const void *object)
{
	return json_string(((const char *const *)object)[0]);
}

/* Left out if empty. */
static json_t *json_third(const void *object)
{
	const char *cell = ((const char *const *)object)[2];

	return *cell ? json_string(cell) : NULL;
}

static const struct out_col table[] = {
	{ "first", "First", "first", 6, .text = text_first, .json = json_first },
	{ NULL, NULL, "own", 0, .json = json_first },
	{ "second", "Second", NULL, 8, OUT_RIGHT, .text = text_second },
	{ NULL, NULL, "hidden", 0, .json = json_first },
	{ "third", "3rd", "third", 4, .text = text_third, .json = json_third },
	{ 0 },
};

TEST(rows)
{
	static const struct {
		const char *cells[3];
		const char *want;
	} cases[] = {
		{ { "a", "b", "c" }, "a             b c\n" },
		{ { "", "b", "c" }, "-             b c\n" },
		{ { "a", "", "c" }, "a             - c\n" },
		{ { "a", "b", "" }, "a             b\n" },
		{ { "a", "", "" }, "a\n" },
		{ { "", "", "c" }, "-             - c\n" },
		{ { "", "", "" }, "\n" },
		{ { "sixsix", "eighteig", "four" }, "sixsix eighteig four\n" },
		{ { "longer than it", "wider than that", "c" },
		  "longer than it wider than that c\n" },
	};
	struct out_view view = { 0 };
	struct out_text text = { 0 };

	assert_null(out_view_add(&view, table, "first,second,third"));
	out_header(&text, &view);
	assert_string_equal(said(&text), "First    Second 3rd\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		out_str(&text, "before ");
		out_row(&text, &view, cases[i].cells);
		assert_int_equal(strncmp(text.data, "before ", 7), 0);
		assert_string_equal(said(&text) + 7, cases[i].want);
	}
}

/* Columns without a width: an empty one still takes a character. */
TEST(no_width)
{
	static const struct out_col narrow[] = {
		{ "first", "A", NULL, 0, .text = text_first },
		{ "second", "B", NULL, 0, OUT_RIGHT, .text = text_second },
		{ "third", "C", NULL, 0, .text = text_third },
		{ 0 },
	};
	const char *const cells[] = { "", "", "c" }, *const filled[] = { "a", "b", "c" };
	struct out_view view = { 0 };
	struct out_text text = { 0 };

	assert_null(out_view_add(&view, narrow, "first,second,third"));
	out_header(&text, &view);
	out_row(&text, &view, cells);
	out_row(&text, &view, filled);
	assert_string_equal(said(&text), "A B C\n- - c\na b c\n");
}

TEST(widen)
{
	const char *const cells[] = { "a", "b", "c" };
	struct out_view view = { 0 };
	struct out_text text = { 0 };

	assert_null(out_view_add(&view, table, "third,second"));
	out_view_widen(&view, "third", 6);
	out_view_widen(&view, "second", 2); /* narrower than now */
	out_view_widen(&view, "first", 50); /* not chosen */
	out_view_widen(&view, "nonsense", 50);
	out_row(&text, &view, cells);
	assert_string_equal(said(&text), "c             b\n");
}

TEST(choice)
{
	static const struct {
		const char *names;
		const char *bad; /* position of the bad name, NULL: all good */
		size_t count;
	} cases[] = {
		{ "first", NULL, 1 },
		{ "third,first", NULL, 2 },
		{ "first,first", NULL, 2 },
		{ "", NULL, 0 },
		{ "firs", "firs", 0 },
		{ "firstx", "firstx", 0 },
		{ "first,nonsense,third", "nonsense,third", 1 },
		{ "first,", ",", 1 },
		{ ",first", ",first", 0 },
		{ "first,,third", ",third", 1 },
		{ "hidden", "hidden", 0 },
		{ "First", "First", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out_view view = { 0 };
		const char *bad = out_view_add(&view, table, cases[i].names);

		if (cases[i].bad) {
			assert_string_equal(bad, cases[i].bad);
			assert_true(bad >= cases[i].names &&
				    bad <= cases[i].names + strlen(cases[i].names));
		} else {
			assert_null(bad);
		}
		assert_int_equal(view.count, cases[i].count);
	}
}

TEST(too_many)
{
	struct out_view view = { 0 };

	for (int i = 0; i < OUT_MAX_COLS; i++)
		assert_null(out_view_add(&view, table, "first"));
	assert_string_equal(out_view_add(&view, table, "third"), "third");
	assert_int_equal(view.count, OUT_MAX_COLS);
}

/* "second" is part of the value of "first"; JSON-only columns after a column come with it. */
TEST(json_rows)
{
	const char *const cells[] = { "a", "b", "c" }, *const gap[] = { "a", "b", "" };
	struct out_view view = { 0 }, first = { 0 };

	assert_string_equal(json_said(out_json(table, NULL, cells)),
			    "{'first':'a','own':'a','hidden':'a','third':'c'}");
	assert_string_equal(json_said(out_json(table, NULL, gap)),
			    "{'first':'a','own':'a','hidden':'a'}");
	assert_null(out_view_add(&view, table, "third,second"));
	assert_string_equal(json_said(out_json(table, &view, cells)),
			    "{'third':'c','first':'a','hidden':'a'}");
	assert_null(out_view_add(&first, table, "first"));
	assert_string_equal(json_said(out_json(table, &first, cells)), "{'first':'a','own':'a'}");
}

/* Valid UTF-8 stays; other bytes are escaped. jansson must parse the output. */
TEST(json_strings)
{
	static const struct {
		const char *text;
		size_t len;
		const char *want;
	} cases[] = {
		{ "plain", 5, "plain" },
		{ "m\xc3\xbc", 3, "m\xc3\xbc" },
		{ "\xe2\x82\xac", 3, "\xe2\x82\xac" },
		{ "\x1b[31m", 5, "\x1b[31m" },
		{ "quote\" back\\", 12, "quote\" back\\" },
		{ "bad\xff", 4, "bad\\xff" },
		{ "m\xc3", 2, "m\\xc3" },
		{ "\xc0\x80", 2, "\\xc0\\x80" },	  /* overlong NUL */
		{ "\xed\xa0\x80", 3, "\\xed\\xa0\\x80" }, /* surrogate */
		{ "\xff\xc3\xbc\\", 4, "\\xff\\xc3\\xbc\\x5c" },
		{ "end\0not", 7, "end" },
		{ "cut", 2, "cu" },
		{ "", 0, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *json = out_json_string(cases[i].text, cases[i].len), *back;
		char *dump = json_dumps(json, JSON_ENCODE_ANY);

		assert_non_null(dump);
		for (const char *p = dump; *p; p++)
			assert_true((unsigned char)*p >= 0x20);
		back = json_loads(dump, JSON_DECODE_ANY, NULL);
		assert_string_equal(json_string_value(back), cases[i].want);
		json_decref(json);
		json_decref(back);
		free(dump);
	}
}

TEST(json_numbers)
{
	static const struct {
		uint64_t number;
		const char *want;
	} cases[] = {
		{ 0, "{'n':0}" },
		{ 9007199254740993, "{'n':9007199254740993}" },
		{ INT64_MAX, "{'n':9223372036854775807}" },
		{ 1 + (uint64_t)INT64_MAX, "{'n':'9223372036854775808'}" },
		{ UINT64_MAX, "{'n':'18446744073709551615'}" },
	};
	static const struct out_col number[] = {
		{ "n", "N", "n", 0, .kind = OUT_KIND_DEC, .size = sizeof(uint64_t) },
		{ 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(json_said(out_json(number, NULL, &cases[i].number)),
				    cases[i].want);
}

/* All items in order; NULL instead of an incomplete array. */
TEST(json_lists)
{
	static const char *const objects[2][3] = { { "a", "b", "c" }, { "d", "e", "f" } };

	assert_string_equal(json_said(out_json_list(table, objects, 2, sizeof(objects[0]))),
			    "[{'first':'a','own':'a','hidden':'a','third':'c'},"
			    "{'first':'d','own':'d','hidden':'d','third':'f'}]");
	assert_string_equal(json_said(out_json_list(table, NULL, 0, sizeof(objects[0]))), "[]");
}

/* U+0085 would move a terminal's cursor, so it is escaped; a parser gets it unchanged. */
TEST(json_documents)
{
	struct out_text text = { 0 };

	out_json_document(&text, json_pack("{s:s}", "name", "m\xc3\xbc\xc2\x85"), true);
	out_json_document(&text, json_pack("[]"), true);
	assert_string_equal(said(&text), "{\"name\":\"m\\u00FC\\u0085\"}\n[]\n");
}

/* Return: {"b": "]", "list": [{"a": [1]}, ...]}, to be freed. */
static char *long_document(int count, bool is_repeated)
{
	struct out_text members = { 0 }, text = { 0 };

	for (int i = 0; i < count; i++)
		out_json_member(&members, json_pack("{s:[i]}", "a", 1), is_repeated);
	out_json_long_document(&text, json_pack("{s:s, s:[]}", "b", "]", "list"), &members,
			       is_repeated);
	out_char(&text, '\0');
	out_free(&members);
	return text.data;
}

/* The text form matches jansson's output of the values. */
static void assert_long_document(int count, bool is_repeated, size_t layout)
{
	json_t *doc = json_pack("{s:s, s:[]}", "b", "]", "list");
	char *made = long_document(count, is_repeated), *wanted;

	for (int i = 0; i < count; i++)
		json_array_append_new(json_object_get(doc, "list"), json_pack("{s:[i]}", "a", 1));
	wanted = json_dumps(doc, layout);
	assert_int_equal(strncmp(made, wanted, strlen(wanted)), 0);
	assert_string_equal(made + strlen(wanted), "\n");
	json_decref(doc);
	free(made);
	free(wanted);
}

TEST(json_long_documents)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), saved;

	for (int count = 0; count < 3; count++)
		assert_long_document(count, true, JSON_COMPACT);
	if (terminal < 0)
		skip();
	saved = stdout_to(terminal);
	for (int count = 0; count < 3; count++)
		assert_long_document(count, false, JSON_INDENT(2));
	stdout_back(saved);
	close(terminal);
}

/* Indented on a terminal; one line otherwise. */
TEST(json_layouts)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), file = capture_file(), saved;
	struct out_text text = { 0 };

	saved = stdout_to(file);
	out_json_document(&text, json_pack("{s:[i]}", "a", 1), false);
	stdout_back(saved);
	close(file);
	assert_string_equal(said(&text), "{\"a\":[1]}\n");
	if (terminal < 0)
		skip();
	saved = stdout_to(terminal);
	out_json_document(&text, json_pack("{s:[i]}", "a", 1), false);
	out_json_document(&text, json_pack("[i]", 1), true);
	stdout_back(saved);
	close(terminal);
	assert_string_equal(said(&text), "{\n  \"a\": [\n    1\n  ]\n}\n[1]\n");
}

TEST(units)
{
	static const struct {
		uint64_t value;
		const char *si, *data, *size;
	} cases[] = {
		{ 0, "0", "0 B", "0 B" },
		{ 999, "999", "999 B", "999 B" },
		{ 1000, "1.0k", "1.0 kB", "1000 B" },
		{ 1024, "1.0k", "1.0 kB", "1 KiB" },
		{ 1536, "1.5k", "1.5 kB", "1.5 KiB" },
		{ 10240, "10k", "10 kB", "10 KiB" },
		{ 65536, "66k", "66 kB", "64 KiB" },
		{ 999499, "999k", "999 kB", "976 KiB" },
		{ 999500, "1.0M", "1.0 MB", "976 KiB" },
		{ 1048063, "1.0M", "1.0 MB", "1023 KiB" },
		{ 1048064, "1.0M", "1.0 MB", "1 MiB" },
		{ 3ULL << 29, "1.6G", "1.6 GB", "1.5 GiB" },
		{ UINT64_MAX, "18E", "18 EB", "16 EiB" },
	};
	char text[OUT_UNITS];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(out_si(text, cases[i].value), cases[i].si);
		assert_string_equal(out_data(text, cases[i].value), cases[i].data);
		assert_string_equal(out_size(text, cases[i].value), cases[i].size);
	}
}

/* Any bytes in a label: the output is printable ASCII, with Prometheus' three escapes. */
TEST(metrics_labels)
{
	struct out_text text = { 0 };
	char all[256];

	metrics_sample(&text, "m", 7, "none", NULL, "a", "\xff\x1b[31m\n\"\\\xc3\xbc\x7f", NULL);
	assert_string_equal(said(&text), "m{a=\"\\\\xff\\\\x1b[31m\\\\x0a\\\"\\\\\\\\xc3"
					 "\\\\xbc\\\\x7f\"} 7\n");
	out_reset(&text);
	for (size_t i = 0; i < 256; i++)
		all[i] = (char)(i + 1);
	metrics_sample(&text, "m", 7, "a", all, NULL);
	for (size_t i = 0; i + 1 < text.len; i++)
		assert_int_in_range(text.data[i], 0x20, 0x7e);
	out_free(&text);
}
