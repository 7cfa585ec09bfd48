/* SPDX-License-Identifier: MIT */
/* What a shell makes of a line that is offered for typing. */
#pragma once

#include "test.h"

#include <stdio.h>

/* Names that others might choose, none longer than the name of a net device may be. */
static const char *const hostile_names[] = {
	"a';id>&2;'b", "a b", "$(id)", "`id`", "-rf", "--help", "a\"b", "a\\b", "a\\0101",
	"\033[2J", "a\nid", "\xc3\xbc\x9b", "*", "~", "a!b", "#a", "a=b", "'", "''", "a;b", "%s\\c",
	"a|b&", "\t", "\x7f\xc2\x9b\x9b", "up", "[a-z]", "{a,b}",
};

/* Each stub writes its words, ended by 1, and then 2. */
#define SHELL_STUBS \
	"show() { for word; do printf '%s\\001' \"$word\"; done; printf '\\002'; }; " \
	"for stub in ip ethtool rdma remove echo smc_pnet smc_rnics smc_run systemctl; do " \
	"eval \"$stub() { show $stub \\\"\\$@\\\"; }\"; done; "

/* The words that the commands of a line get, in @got. Whatever else runs writes something else. */
static inline void shell_words_of(char *got, size_t size, const char *shell, const char *line)
{
	char script[8192], command[64];
	FILE *file;
	size_t len;

	snprintf(script, sizeof(script), "%s\n%s\n", SHELL_STUBS, line);
	setenv("SCRIPT", script, 1);
	snprintf(command, sizeof(command), "exec %s -c \"$SCRIPT\" 2>&1", shell);
	file = popen(command, "re");
	assert_non_null(file);
	len = fread(got, 1, size - 1, file);
	got[len] = '\0';
	assert_int_equal(pclose(file), 0);
}

/*
 * A line gives sh and bash these commands: words with blanks between them, each '@' in them the
 * name; "; " ends a command.
 */
static inline void check_typed(const char *line, const char *want, const char *name)
{
	static const char *const shells[] = { "sh", "bash" };
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
		shell_words_of(got, sizeof(got), shells[i], line);
		assert_string_equal(got, words);
	}
}
