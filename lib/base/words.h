/* SPDX-License-Identifier: MIT */
/* Words: split a hand-written line, decline. Pure. */
#pragma once

#include "base/libc.h"

/**
 * words_split() - split a line into words, in place
 * @line: a # starts a comment; \x23 in a word is a byte, here a #, never a NUL
 * @max: maximum of words; to detect excess words, allow one more than needed
 *
 * Words are separated by blanks, tabs and newlines. Return: number of words.
 */
size_t words_split(char *line, char *words[], size_t max);

/** word_unescape() - reverse out_escaped(), in place: \x2d, but never a NUL */
void word_unescape(char *word);

/** plural_s() - the ending of a regular noun for a number */
static inline const char *plural_s(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/** word_ends_with() - true if a word has this ending, and something before it */
bool word_ends_with(const char *word, const char *end);

/** words_among() - true if a list contains a word. NULL is an empty list */
bool words_among(const char *list, const char *separators, const char *word);

/** words_have() - words_among(), separated by blanks */
static inline bool words_have(const char *list, const char *word)
{
	return words_among(list, " ", word);
}

/** word_near() - the word of a NULL-terminated list that @typed begins or resembles, or NULL */
const char *word_near(const char *const *words, const char *typed);
