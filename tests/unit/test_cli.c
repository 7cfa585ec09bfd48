// SPDX-License-Identifier: MIT
/* lib/cli: parsing options, and the error line. */
#include "capture.h"

#include <getopt.h>

#include "cli/cli.h"
#include "cli/printable.h"

enum { OPT_ONLY = CLI_LONG_ONLY, OPT_SIZE, OPT_ALL_OF_IT, OPT_LISTED, OPT_OUTLINE };

static struct {
	bool is_here;
	const char *name;
	double seconds;
} got;

static const struct cli_opt options[] = {
	{ 'a', "all", NULL, "everything" },
	{ 'l', "listening", NULL, "listening ones", .excludes = "--all --netns" },
	{ 'o', "output", "COLUMNS", "columns", .needs = "--all" },
	{ 'n', "names", NULL, "names", .needs = "--all-of-it show --listening" },
	{ 'N', "netns", "NETNS", "namespace,\nby name" },
	{ OPT_ALL_OF_IT, "all-of-it", NULL, "begins as another one" },
	{ OPT_ONLY, "only", NULL, "no letter" },
	{ OPT_SIZE, "size", "BYTES", "no letter, an argument" },
	{ 'H', "here", NULL, "a flag", &got.is_here },
	{ 'T', "title", "NAME", "a text", .text = &got.name },
	{ 'w', "watch", "SECONDS", "some time", .seconds = &got.seconds, .needs = "--here" },
	{ OPT_LISTED, "listed", "NAME", NULL, .text = &got.name },
	{ OPT_OUTLINE, "outline", NULL, NULL },
	{ 0 },
};

static uint64_t given;

static const struct cli_tool tool = {
	.name = "tool",
	.usage = "[OPTIONS]\n--only FILE",
	.summary = "Does things.",
	.opts = options,
	.error_status = 125,
	.given = &given,
};

/* Run @fn with stderr captured as a string, to be freed. */
static char *stderr_of(void (*fn)(void *arg), void *arg)
{
	int fd = capture_file(), saved;

	fflush(stderr);
	saved = dup(STDERR_FILENO);
	assert_true(saved >= 0);
	dup2(fd, STDERR_FILENO);
	fn(arg);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	return file_text(fd);
}

struct parse {
	const struct cli_tool *tool;
	const char *const *words; /* NULL-terminated, without the tool's name */
	int result, operands;
};

/* Letters, "#n" for long options, "=argument" after them. */
static char seen[64];

static int take(int val)
{
	size_t len = strlen(seen);

	if (val < CLI_LONG_ONLY)
		snprintf(seen + len, sizeof(seen) - len, "%c", val);
	else
		snprintf(seen + len, sizeof(seen) - len, "#%d", val - CLI_LONG_ONLY);
	len = strlen(seen);
	if (optarg)
		snprintf(seen + len, sizeof(seen) - len, "=%s", optarg);
	return optarg && !strcmp(optarg, "bad");
}

static void parse(void *arg)
{
	struct parse *p = arg;
	char *argv[16] = { (char *)(uintptr_t) "tool" };
	int argc = 1;

	while (p->words[argc - 1]) {
		argv[argc] = (char *)(uintptr_t)p->words[argc - 1];
		argc++;
	}
	optind = 0; /* glibc: restart */
	seen[0] = '\0';
	got.is_here = false;
	got.name = NULL;
	got.seconds = 0;
	given = 0;
	p->result = cli_parse(p->tool, argc, argv, take);
	if (p->result >= 0)
		strcat(seen, "?");
	p->operands = argc - optind;
}

struct row {
	const char *words[8];
	const char *seen;
	int operands;
	const char *message;
};

#define HINT "; try 'tool --help'\n"
#define NEAR(word, near) "tool: unknown option '" word "' (did you mean '" near "'?)" HINT

static const struct row rows[] = {
	{ { NULL }, "", 0, "" },
	{ { "-a", "-l" }, "al", 0, "" },
	{ { "-al" }, "al", 0, "" },
	{ { "--all", "--listening" }, "al", 0, "" },
	{ { "--list" }, "l", 0, "" },
	{ { "--listed", "word" }, "", 0, "" },
	{ { "--outline", "--out", "cols" }, "#4o=cols", 0, "" },
	{ { "--a" }, "a", 0, "" },
	{ { "--al", "-l" }, "al", 0, "" },
	{ { "--all" }, "a", 0, "" },
	{ { "--all-" }, "#2", 0, "" },
	{ { "--all=5" }, "?", 0, "tool: option '--all' takes no argument" HINT },
	{ { "-ocols" }, "o=cols", 0, "" },
	{ { "-o", "cols" }, "o=cols", 0, "" },
	{ { "-o", "" }, "o=", 0, "" },
	{ { "--output=cols" }, "o=cols", 0, "" },
	{ { "--out", "cols" }, "o=cols", 0, "" },
	{ { "-o", "-a" }, "o=-a", 0, "" },
	{ { "--only" }, "#0", 0, "" },
	{ { "--size=5" }, "#1=5", 0, "" },
	{ { "word", "-a" }, "a", 1, "" },
	{ { "-a", "--", "-l" }, "a", 1, "" },
	{ { "-" }, "", 1, "" },
	{ { "-x" }, "?", 0, "tool: unknown option '-x'" HINT },
	{ { "-ax" }, "a?", 0, "tool: unknown option '-x'" HINT },
	{ { "--nonsense" }, "?", 0, "tool: unknown option '--nonsense'" HINT },
	{ { "--lsitening" }, "?", 0, NEAR("--lsitening", "--listening") },
	{ { "--wacth=1" }, "?", 0, NEAR("--wacth", "--watch") },
	{ { "--outlime" }, "?", 0, "tool: unknown option '--outlime'" HINT },
	{ { "--n" }, "?", 0, "tool: option '--n' is ambiguous: '--names' or '--netns'" HINT },
	{ { "--o" }, "?", 0, "tool: option '--o' is ambiguous: '--output' or '--only'" HINT },
	{ { "--only=5" }, "?", 0, "tool: option '--only' takes no argument" HINT },
	{ { "-o" }, "?", 0, "tool: option '--output' needs an argument (COLUMNS)" HINT },
	{ { "--output" }, "?", 0, "tool: option '--output' needs an argument (COLUMNS)" HINT },
	{ { "--size" }, "?", 0, "tool: option '--size' needs an argument (BYTES)" HINT },
	{ { "-o", "bad", "-a" }, "o=bad?", 0, "" },
	{ { "-aN" }, "a?", 0, "tool: option '--netns' needs an argument (NETNS)" HINT },
};

static void say_text(void *arg)
{
	cli_error(&tool, "'%s'", (const char *)arg);
}

/* Foreign text does not affect the terminal; text typed by the user stays readable. */
TEST(printable)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "plain ~ \\ 'it'\\''s'", "plain ~ \\ 'it'\\''s'" },
		{ "\033[2J\r\n\t\177", "\\x1b[2J\\x0d\\x0a\\x09\\x7f" },
		{ "\x9b"
		  "2J\x90",
		  "\\x9b2J\\x90" },
		{ "\xc2\x9b"
		  "2J\xc2\x80\xc2\xa0",
		  "\\xc2\\x9b2J\\xc2\\x80\xc2\xa0" },
		{ "m\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80",
		  "m\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\xe2\x80\xae"
		  "a\xe2\x80\xa8\xe2\x81\xa6",
		  "\\xe2\\x80\\xaea\\xe2\\x80\\xa8\\xe2\\x81\\xa6" },
		{ "\xef\xbb\xbf\xd8\x9c", "\\xef\\xbb\\xbf\\xd8\\x9c" },
		{ "\xe2\x82", "\\xe2\\x82" },
		{ "\xc0\x9b\xe0\x82\x9b", "\\xc0\\x9b\\xe0\\x82\\x9b" },
		{ "\xed\xa0\x80\xf4\x90\x80\x80\xff", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xff" },
		{ "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
		  "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf" },
	};
	char want[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *message = stderr_of(say_text, (void *)(uintptr_t)cases[i].text);

		snprintf(want, sizeof(want), "tool: '%s'\n", cases[i].want);
		assert_string_equal(message, want);
		free(message);
	}
}

/* Long text is truncated between characters. */
TEST(printable_cut)
{
	static const struct {
		size_t size;
		const char *want;
	} cases[] = { { 1, "" },
		      { 2, "a" },
		      { 4, "a\xc3\xbc" },
		      { 7, "a\xc3\xbc" },
		      { 8, "a\xc3\xbc\\x1b" },
		      { 9, "a\xc3\xbc\\x1b"
			   "b" } };
	char out[16];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(out, '#', sizeof(out));
		cli_printable(out, cases[i].size, "a\xc3\xbc\033bc");
		assert_string_equal(out, cases[i].want);
		assert_int_equal(out[cases[i].size], '#');
	}
}

TEST(words)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct parse p = { .tool = &tool, .words = rows[i].words };
		char *message = stderr_of(parse, &p);

		if (strcmp(seen, rows[i].seen) || strcmp(message, rows[i].message))
			fail_msg("row %zu: '%s' and '%s'", i, seen, message);
		if (!strchr(seen, '?'))
			assert_int_equal(p.operands, rows[i].operands);
		free(message);
	}
}

/* smc_run: options after the program's name belong to the program. */
TEST(stops_at_first)
{
	static const char *const line[] = { "-a", "program", "-l", "--x", NULL };
	struct cli_tool runner = tool;
	struct parse p = { .tool = &runner, .words = line };

	runner.stop_at_first = true;
	free(stderr_of(parse, &p));
	assert_string_equal(seen, "a");
	assert_int_equal(p.operands, 3);
}

struct together {
	const char *command;
	int result;
};

static void check(void *arg)
{
	struct together *t = arg;

	t->result = cli_check(&tool, t->command);
}

TEST(together)
{
#define NAMES "tool: option '--names' is only for '--all-of-it', 'show' or '--listening'" HINT
#define LISTENING(other) "tool: options '--listening' and '--" other "' exclude each other" HINT
	static const struct {
		const char *words[4], *command, *message;
	} cases[] = {
		{ { NULL }, NULL, "" },
		{ { "-a", "-ox" }, NULL, "" },
		{ { "-ox" }, NULL, "tool: option '--output' is only for '--all'" HINT },
		{ { "-n" }, NULL, NAMES },
		{ { "-n" }, "show", "" },
		{ { "-n" }, "sho", NAMES },
		{ { "-n", "--all-of-it" }, NULL, "" },
		{ { "-nl" }, NULL, "" },
		{ { "-la" }, NULL, LISTENING("all") },
		{ { "-al" }, "all", LISTENING("all") },
		{ { "-l", "-Nx" }, NULL, LISTENING("netns") },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parse p = { .tool = &tool, .words = cases[i].words };
		struct together t = { .command = cases[i].command };
		char *message;

		free(stderr_of(parse, &p));
		message = stderr_of(check, &t);
		assert_string_equal(message, cases[i].message);
		assert_int_equal(t.result, *message ? 125 : 0);
		free(message);
	}
}

static void say(void *arg)
{
	assert_int_equal(cli_error(&tool, "%s", (const char *)arg), 125);
}

TEST(errors)
{
	char text[3000], *message = stderr_of(say, (void *)(uintptr_t) "cannot %d");

	assert_string_equal(message, "tool: cannot %d\n");
	free(message);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	message = stderr_of(say, text);
	assert_int_equal(message[strlen(message) - 1], '\n');
	assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1);
	free(message);
}

/* Rows that name a variable: the tool's function does not get them. */
TEST(variables)
{
	static const char *const line[] = { "-Ha", "--title=x", "--title", "y", "-w0.5", NULL };
	struct parse p = { .tool = &tool, .words = line };

	free(stderr_of(parse, &p));
	assert_string_equal(seen, "a");
	assert_int_equal(p.result, -1);
	assert_true(got.is_here);
	assert_string_equal(got.name, "y");
	assert_true(got.seconds >= 0.5 && got.seconds <= 0.5);
	assert_int_equal(cli_check(&tool, NULL), 0);
}

TEST(seconds_of_watch)
{
	static const char *const bad[] = {
		"", "x", "1x", "0", "0.09", "-1", "86401", "nan", "inf",
	};
	const char *line[] = { "-w", "86400", "-a", NULL };
	struct parse p = { .tool = &tool, .words = line };

	free(stderr_of(parse, &p));
	assert_true(got.seconds >= 86400);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *message;

		line[1] = bad[i];
		message = stderr_of(parse, &p);
		assert_non_null(strstr(message, "' is not a number of seconds from 0.1 to 86400"));
		assert_int_equal(p.result, 125);
		assert_string_equal(seen, "?");
		free(message);
	}
}
