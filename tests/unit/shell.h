/* SPDX-License-Identifier: MIT */
/* Check how a shell parses a suggested command line. */
#pragma once

#include "test.h"

#include <sys/mman.h>

/* Hostile names, none longer than the name of a net device can be. */
static const char *const hostile_names[] = {
	"a';id>&2;'b", "a b",	"$(id)",   "`id`",    "-rf",   "--help",
	"a\"b",	       "a\\b",	"a\\0101", "\033[2J", "a\nid", "\xc3\xbc\x9b",
	"*",	       "~",	"a!b",	   "#a",      "a=b",   "'",
	"''",	       "a;b",	"%s\\c",   "a|b&",    "\t",    "\x7f\xc2\x9b\x9b",
	"up",	       "[a-z]", "{a,b}",
};

/*
 * Each command prints its words, each followed by byte 1, then byte 2. For each line read, the
 * shell runs the file whose descriptor is the argument, then prints byte 3.
 */
#define SHELL_SCRIPT                                                                               \
	"show() { for word; do printf '%s\\001' \"$word\"; done; printf '\\002'; }; "              \
	"for command in ip ethtool rdma remove echo smc_pnet smc_rnics smc_run systemctl; do "     \
	"eval \"$command() { show $command \\\"\\$@\\\"; }\"; done; exec 2>&1; "                   \
	"while read -r go; do . /proc/self/fd/$0 </dev/null; printf '\\003'; done"

struct shell {
	FILE *file;
	int script;
};

/* Start a shell, which ends with the test program. */
static inline void shell_start(struct shell *shell, const char *name)
{
	char script[16];
	int fds[2];

	shell->script = memfd_create(name, 0);
	assert_true(shell->script >= 0);
	snprintf(script, sizeof(script), "%d", shell->script);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	if (fork() == 0) {
		dup2(fds[1], 0);
		dup2(fds[1], 1);
		execlp(name, name, "-c", SHELL_SCRIPT, script, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	shell->file = fdopen(fds[0], "r+");
	assert_non_null(shell->file);
}

/* Get the words of a line's commands, in @got. Any other program prints something else. */
static inline void shell_words_of(char *got, size_t size, struct shell *shell, const char *line)
{
	size_t len = 0;
	int c;

	assert_int_equal(ftruncate(shell->script, 0), 0);
	assert_int_equal(pwrite(shell->script, line, strlen(line), 0), strlen(line));
	fputs("go\n", shell->file);
	fflush(shell->file);
	while ((c = getc(shell->file)) != '\003') {
		if (c == EOF || len + 1 >= size)
			fail_msg("no answer to: %s", line);
		got[len++] = (char)c;
	}
	got[len] = '\0';
}

/* sh and bash must parse a line into these commands: @ is the name, "; " ends a command. */
static inline void check_typed(const char *line, const char *want, const char *name)
{
	static const char *const names[] = { "sh", "bash" };
	static struct shell shells[ARRAY_SIZE(names)];
	char words[8192] = "", got[8192];
	size_t len = 0;

	for (const char *at = line; *at; at++)
		if (*at < 0x20 || *at > 0x7e)
			fail_msg("not printable: %s", line);
	for (; *want; want++) {
		if (*want == '@')
			len += (size_t)sprintf(words + len, "%s", name);
		else if (!strncmp(want, "; ", 2))
			len += (size_t)sprintf(words + len, "\001\002"), want++;
		else
			words[len++] = *want == ' ' ? '\001' : *want;
	}
	strcpy(words + len, "\001\002");
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
		if (!shells[i].file)
			shell_start(&shells[i], names[i]);
		shell_words_of(got, sizeof(got), &shells[i], line);
		assert_string_equal(got, words);
	}
}
