// SPDX-License-Identifier: MIT
/* The terminal on stdout: its size and abilities. */
#include "cli/screen.h"

#include <stdarg.h>
#include <sys/ioctl.h>

#include "cli/lines.h"
#include "cli/printable.h"

#define LEAST_COLUMNS 20
#define HANG 4 /* indent of a message's further lines */

const char *const cli_color_words[] = { "auto", "always", "never", NULL };

bool cli_choose_color(int word)
{
	static const char *const names[] = { NULL, "CLICOLOR_FORCE", "NO_COLOR" };

	if (word <= 0)
		return word < 0;
	unsetenv("NO_COLOR");
	unsetenv("CLICOLOR");
	setenv(names[word], "1", true);
	return false;
}

static struct winsize size_of(int fd)
{
	struct winsize size = { .ws_row = 0 };

	ioctl(fd, TIOCGWINSZ, &size);
	return size;
}

static size_t columns_of(int fd)
{
	size_t columns = size_of(fd).ws_col;
	const char *env = getenv("COLUMNS");

	if (!columns && env)
		columns = strtoul(env, NULL, 10);
	if (!columns)
		columns = 80;
	return columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
}

size_t cli_columns(void)
{
	return isatty(STDOUT_FILENO) ? columns_of(STDOUT_FILENO) : 0;
}

size_t cli_rows(void)
{
	size_t rows = size_of(STDOUT_FILENO).ws_row;

	return rows ? rows : 24;
}

/* True if the variable is set, neither empty nor 0. */
static bool is_on(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0") != 0;
}

bool cli_has_color(void)
{
	const char *no = getenv("NO_COLOR"), *wish = getenv("CLICOLOR"), *term = getenv("TERM");

	if ((no && *no) || (wish && !strcmp(wish, "0")))
		return false;
	if (is_on("CLICOLOR_FORCE"))
		return true;
	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

bool cli_has_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *locale = NULL;

	for (size_t i = 0; i < 3 && !(locale && *locale); i++)
		locale = getenv(names[i]);
	return locale && (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"));
}

static bool has_progress;

void cli_progress(const char *fmt, ...)
{
	char line[256], shown[4 * sizeof(line)];
	va_list ap;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	cli_printable(shown, sizeof(shown), line);
	fprintf(stderr, "\r\033[K%.*s", (int)columns_of(STDERR_FILENO) - 1, shown);
	has_progress = true;
}

void cli_progress_end(void)
{
	if (has_progress)
		fputs("\r\033[K", stderr);
	has_progress = false;
}

void cli_say(const char *line)
{
	size_t width = isatty(STDERR_FILENO) ? columns_of(STDERR_FILENO) : SIZE_MAX;
	struct cli_piece rest = { line, strlen(line) };

	cli_progress_end();
	for (int indent = 0; rest.len; indent = HANG) {
		struct cli_piece piece = cli_take_line(&rest, width - (size_t)indent, false);

		fprintf(stderr, "%*s%.*s\n", indent, "", (int)piece.len, piece.data);
	}
}

void cli_none(const char *sentence)
{
	if (cli_columns())
		cli_say(sentence);
}
