// SPDX-License-Identifier: MIT
/* Words of a line, and of a list. */
#include "base/words.h"

#include <ctype.h>

#define BLANKS " \t\r\n"

void word_unescape(char *word)
{
	char *dst = word;

	for (; *word; word++) {
		unsigned int byte = 0;

		if (word[0] == '\\' && word[1] == 'x' && isxdigit((unsigned char)word[2]) &&
		    isxdigit((unsigned char)word[3]))
			sscanf(word + 2, "%2x", &byte);
		*dst++ = byte ? (char)byte : *word;
		word += byte ? 3 : 0;
	}
	*dst = '\0';
}

size_t words_split(char *line, char *words[], size_t max)
{
	size_t count = 0;
	char *save;

	line[strcspn(line, "#")] = '\0';
	for (char *word = strtok_r(line, BLANKS, &save); word && count < max;
	     word = strtok_r(NULL, BLANKS, &save)) {
		word_unescape(word);
		words[count++] = word;
	}
	return count;
}

bool word_ends_with(const char *word, const char *end)
{
	size_t len = strlen(word), end_len = strlen(end);

	return len > end_len && !strcmp(word + len - end_len, end);
}

bool words_among(const char *list, const char *separators, const char *word)
{
	size_t len = strlen(word);

	for (; list && *list; list += strcspn(list, separators), list += strspn(list, separators))
		if (strcspn(list, separators) == len && !strncmp(list, word, len))
			return true;
	return false;
}

/* True if at most @errors letters are missing, superfluous, wrong, or exchanged with the next. */
static bool is_near(const char *a, const char *b, int errors)
{
	for (; *a && *a == *b; a++)
		b++;
	if (!*a && !*b)
		return true;
	if (!errors--)
		return false;
	if (!*a || !*b)
		return strlen(a) + strlen(b) <= (size_t)errors + 1;
	return is_near(a + 1, b, errors) || is_near(a, b + 1, errors) ||
	       is_near(a + 1, b + 1, errors) ||
	       (a[0] == b[1] && a[1] == b[0] && is_near(a + 2, b + 2, errors));
}

const char *word_near(const char *const *words, const char *typed)
{
	size_t len = strlen(typed);

	for (size_t i = 0; words[i] && len; i++)
		if (!strncmp(words[i], typed, len))
			return words[i];
	/* Otherwise any two short words would resemble each other. */
	for (int errors = 1; errors <= 2 && len > 2U * (unsigned int)errors; errors++)
		for (size_t i = 0; words[i]; i++)
			if (is_near(words[i], typed, errors))
				return words[i];
	return NULL;
}
