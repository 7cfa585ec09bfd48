/* SPDX-License-Identifier: MIT */
/* Split a hand-written line into words. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/**
 * words_split() - split a line into words, in place
 * @line: a # starts a comment; \x23 in a word is a byte, here a #, never a NUL
 * @max: limit of words; to detect excess words, allow one more than needed
 *
 * Words are separated by blanks, tabs and newlines. Return: number of words.
 */
size_t words_split(char *line, char *words[], size_t max);

/** word_ends_with() - does a word have this ending, and something before it? */
bool word_ends_with(const char *word, const char *end);
