// SPDX-License-Identifier: MIT
/* extra/smc_top/terminal: keys from the byte sequences of terminals. */
#include "test.h"

#include "smc_top/terminal.h"

static void check(const char *bytes, bool is_all, int want, size_t want_used)
{
	size_t used;
	int key = terminal_key(bytes, strlen(bytes), is_all, &used);

	assert_int_equal(used, want_used);
	if (used)
		assert_int_equal(key, want);
}

TEST(plain)
{
	check("q", false, 'q', 1);
	check("qx", false, 'q', 1);
	check(" ", false, ' ', 1);
	check("~", false, '~', 1);
	check("\f", false, KEY_REDRAW, 1);
	check("\r", false, KEY_OTHER, 1);
	check("\177", false, KEY_OTHER, 1);
	check("\303\274", false, KEY_OTHER, 1);
}

TEST(sequences)
{
	static const struct {
		const char *bytes;
		int key;
	} known[] = {
		{ "\033[A", KEY_UP },	   { "\033OA", KEY_UP },       { "\033[B", KEY_DOWN },
		{ "\033OB", KEY_DOWN },	   { "\033[5~", KEY_PAGE_UP }, { "\033[6~", KEY_PAGE_DOWN },
		{ "\033[H", KEY_HOME },	   { "\033OH", KEY_HOME },     { "\033[1~", KEY_HOME },
		{ "\033[7~", KEY_HOME },   { "\033[F", KEY_END },      { "\033OF", KEY_END },
		{ "\033[4~", KEY_END },	   { "\033[8~", KEY_END },     { "\033[C", KEY_OTHER },
		{ "\033[15~", KEY_OTHER }, { "\033[1;5A", KEY_OTHER }, { "\033OP", KEY_OTHER },
	};
	char text[16];

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t len = strlen(known[i].bytes);

		check(known[i].bytes, false, known[i].key, len);
		/* The next key is separate, and a partial sequence is no key yet. */
		snprintf(text, sizeof(text), "%sq", known[i].bytes);
		check(text, false, known[i].key, len);
		for (size_t part = 1; part < len; part++) {
			snprintf(text, sizeof(text), "%.*s", (int)part, known[i].bytes);
			check(text, false, 0, 0);
		}
	}
}

TEST(cut_off)
{
	check("\033", true, KEY_ESCAPE, 1);
	check("\033[", true, KEY_OTHER, 2);
	check("\033[15", true, KEY_OTHER, 4);
	check("\033q", false, KEY_ESCAPE, 1);
}
