// SPDX-License-Identifier: MIT
/* Find rules that match the owner of a packet in the output of "nft list ruleset". */
#include "settings/enforce.h"

#include <stdio.h>
#include <string.h>

/* Expressions; a blank or the beginning of the line precedes them. */
static const char *const by_owner[] = { "meta skuid ", "meta skgid ", "socket cgroupv2 ",
					"xt match \"owner\"", "xt match \"cgroup\"" };

/* Skip quoted text, that is, comments. */
static const char *find_owner(const char *line)
{
	bool is_quoted = false;

	for (const char *at = line; *at; at++) {
		for (size_t i = 0; !is_quoted && i < sizeof(by_owner) / sizeof(by_owner[0]); i++)
			if ((at == line || at[-1] == ' ') &&
			    !strncmp(at, by_owner[i], strlen(by_owner[i])))
				return at;
		is_quoted ^= *at == '"';
	}
	return NULL;
}

/* "inet filter" from "table inet filter {", "output" from "chain output {". */
static bool take_name(char *name, size_t size, const char *line, const char *word)
{
	size_t len = strlen(word), end = strcspn(line, "{");

	if (strncmp(line, word, len) || !line[end])
		return false;
	snprintf(name, size, "%.*s", (int)(end - len - (end > len)), line + len);
	return true;
}

int policy_nft_owner(const char *ruleset, char first[POLICY_OWNER_SIZE])
{
	char table[64] = "", chain[64] = "", line[1024];
	int count = 0;

	*first = '\0';
	while (*ruleset) {
		size_t len = strcspn(ruleset, "\n"), blanks = strspn(ruleset, " \t");

		blanks = blanks < len ? blanks : len;
		snprintf(line, sizeof(line), "%.*s", (int)(len - blanks), ruleset + blanks);
		ruleset += len + (ruleset[len] == '\n');
		if (take_name(table, sizeof(table), line, "table ") ||
		    take_name(chain, sizeof(chain), line, "chain ") || !find_owner(line))
			continue;
		if (!count++)
			snprintf(first, POLICY_OWNER_SIZE, "%s %s: %.200s", table, chain, line);
	}
	return count;
}
