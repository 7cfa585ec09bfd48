// SPDX-License-Identifier: MIT
/* Split a hand-written line into words. */
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
