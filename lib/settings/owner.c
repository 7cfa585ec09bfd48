// SPDX-License-Identifier: MIT
/* Find rules that match the owner of a packet in listings of nftables and iptables-legacy. */
#include "settings/enforce.h"

#include "base/array.h"
#include "base/read.h"
#include "process/program.h"

/* Words, between blanks. Rules of iptables-nft are "skuid 0", or, of nft 1.0, "xt match owner". */
static const char *const by_owner[] = { "skuid", "skgid", "xt match owner", "xt match \"owner\"",
					"-m owner" };

static bool is_end(char c)
{
	return !c || c == ' ';
}

/* Skip quoted text, that is, comments, and types of sets. */
static bool goes_by_owner(const char *rule)
{
	bool is_quoted = false;

	if (!strncmp(rule, "typeof ", strlen("typeof ")))
		return false;
	for (const char *at = rule; *at; at++) {
		for (size_t i = 0; !is_quoted && i < ARRAY_SIZE(by_owner); i++) {
			size_t len = strlen(by_owner[i]);

			if ((at == rule || at[-1] == ' ') && !strncmp(at, by_owner[i], len) &&
			    is_end(at[len]))
				return true;
		}
		is_quoted ^= *at == '"';
	}
	return false;
}

/* Copy a line without the blanks before it. Return: the next one. */
static const char *take_line(char *line, size_t size, const char *text)
{
	size_t len = strcspn(text, "\n"), blanks = strspn(text, " \t");

	blanks = blanks < len ? blanks : len;
	snprintf(line, size, "%.*s", (int)(len - blanks), text + blanks);
	return text + len + (text[len] == '\n');
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
		ruleset = take_line(line, sizeof(line), ruleset);
		if (take_name(table, sizeof(table), line, "table ") ||
		    take_name(chain, sizeof(chain), line, "chain ") || !goes_by_owner(line))
			continue;
		if (!count++)
			snprintf(first, POLICY_OWNER_SIZE, "%s %s: %.200s", table, chain, line);
	}
	return count;
}

int policy_legacy_owner(const char *saved, char first[POLICY_OWNER_SIZE])
{
	char table[64] = "", line[1024];
	int count = 0;

	*first = '\0';
	while (*saved) {
		saved = take_line(line, sizeof(line), saved);
		if (*line == '*')
			snprintf(table, sizeof(table), "%.60s", line + 1);
		else if (!strncmp(line, "-A ", 3) && goes_by_owner(line) && !count++)
			snprintf(first, POLICY_OWNER_SIZE, "%s: %.200s", table, line);
	}
	return count;
}

/* Does this network namespace have tables of iptables-legacy? Only root can read it. */
static bool has_legacy(const char *names)
{
	char start[2];

	return smc_read_start(names, 0, start, sizeof(start)) > 0;
}

/* Where there is only one iptables, it has no "legacy" in its name; another kind says nf_tables. */
static char *list_legacy(const char *family)
{
	char tool[64], *text;
	char *argv[] = { tool, NULL };
	size_t size;

	for (int i = 0; i < 2; i++) {
		snprintf(tool, sizeof(tool), i ? "%s-save" : "%s-legacy-save", family);
		if (!program_run(argv, &text, &size) && !strstr(text, "(nf_tables)"))
			return text;
		free(text);
	}
	return NULL;
}

/* Return: as policy_read_owner(). */
static int read_legacy(const char *family, const char *names, char first[POLICY_OWNER_SIZE],
		       struct smc_err *err)
{
	char *text, rule[POLICY_OWNER_SIZE];
	int count;

	*first = '\0';
	if (!has_legacy(names))
		return 0;
	text = list_legacy(family);
	if (!text)
		return smc_err_say(err, ENOENT,
				   "there are rules of %s-legacy, but %s-legacy-save, which lists "
				   "them, is not installed",
				   family, family);
	count = policy_legacy_owner(text, rule);
	free(text);
	if (count)
		snprintf(first, POLICY_OWNER_SIZE, "%s-legacy %.300s", family, rule);
	return count;
}

/* Return: as policy_read_owner(). */
static int read_nft(char first[POLICY_OWNER_SIZE], struct smc_err *err)
{
	char *ruleset AUTO_FREE = NULL;
	int ret = policy_nft_list(&ruleset, err);

	*first = '\0';
	if (ruleset)
		ret = policy_nft_owner(ruleset, first);
	return ret;
}

int policy_read_owner(char first[POLICY_OWNER_SIZE], struct smc_err *err)
{
	char rule[3][POLICY_OWNER_SIZE] = { 0 };
	int found[3] = {
		read_nft(rule[0], err),
		read_legacy("iptables", "/proc/net/ip_tables_names", rule[1], err),
		read_legacy("ip6tables", "/proc/net/ip6_tables_names", rule[2], err),
	};
	int count = 0, ret = 0;

	*first = '\0';
	for (int i = 0; i < 3; i++) {
		if (found[i] < 0)
			ret = found[i];
		else if (found[i] && !count)
			memcpy(first, rule[i], POLICY_OWNER_SIZE);
		count += found[i] > 0 ? found[i] : 0;
	}
	return count ? count : ret;
}
