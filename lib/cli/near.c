// SPDX-License-Identifier: MIT
/* The word that somebody meant. */
#include "cli/near.h"

#include "base/libc.h"

/* True for at most @errors letters missing, superfluous, wrong, or exchanged with the next. */
static bool is_near(const char *a, const char *b, int errors)
{
	for (; *a && *a == *b; a++)
		b++;
	if (!*a && !*b)
		return true;
	if (!errors--)
		return false;
	if (!*a || !*b)
		return is_near(*a ? a + 1 : a, *b ? b + 1 : b, errors);
	return is_near(a + 1, b, errors) || is_near(a, b + 1, errors) ||
	       is_near(a + 1, b + 1, errors) ||
	       (a[0] == b[1] && a[1] == b[0] && is_near(a + 2, b + 2, errors));
}

const char *near_word(const char *const *words, const char *typed)
{
	size_t len = strlen(typed);

	for (size_t i = 0; words[i] && len; i++)
		if (!strncmp(words[i], typed, len))
			return words[i];
	/* Any two short words are near to each other. */
	for (int errors = 1; errors <= 2 && len > 2U * (unsigned int)errors; errors++)
		for (size_t i = 0; words[i]; i++)
			if (is_near(words[i], typed, errors))
				return words[i];
	return NULL;
}
