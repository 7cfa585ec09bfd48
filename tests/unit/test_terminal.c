// SPDX-License-Identifier: MIT
/* lib/cli/terminal: keys from the byte sequences of terminals. */
#include "test.h"

#include "smc_top/terminal.h"

static void check(const char *bytes, bool is_all, int want, size_t want_used)
{
	size_t used;
	int key = cli_key(bytes, strlen(bytes), is_all, &used);

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
	check("\f", false, CLI_KEY_REDRAW, 1);
	check("\r", false, CLI_KEY_OTHER, 1);
	check("\177", false, CLI_KEY_OTHER, 1);
	check("\303\274", false, CLI_KEY_OTHER, 1);
}

TEST(sequences)
{
	static const struct {
		const char *bytes;
		int key;
	} known[] = {
		{ "\033[A", CLI_KEY_UP },	{ "\033OA", CLI_KEY_UP },
		{ "\033[B", CLI_KEY_DOWN },	{ "\033OB", CLI_KEY_DOWN },
		{ "\033[5~", CLI_KEY_PAGE_UP }, { "\033[6~", CLI_KEY_PAGE_DOWN },
		{ "\033[H", CLI_KEY_HOME },	{ "\033OH", CLI_KEY_HOME },
		{ "\033[1~", CLI_KEY_HOME },	{ "\033[7~", CLI_KEY_HOME },
		{ "\033[F", CLI_KEY_END },	{ "\033OF", CLI_KEY_END },
		{ "\033[4~", CLI_KEY_END },	{ "\033[8~", CLI_KEY_END },
		{ "\033[C", CLI_KEY_OTHER },	{ "\033[15~", CLI_KEY_OTHER },
		{ "\033[1;5A", CLI_KEY_OTHER }, { "\033OP", CLI_KEY_OTHER },
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
	check("\033", true, CLI_KEY_ESCAPE, 1);
	check("\033[", true, CLI_KEY_OTHER, 2);
	check("\033[15", true, CLI_KEY_OTHER, 4);
	check("\033q", false, CLI_KEY_ESCAPE, 1);
}
