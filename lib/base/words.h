/* SPDX-License-Identifier: MIT */
/* Words of a line that a person wrote. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/**
 * words_split() - the words of a line, which is changed
 * @line: text after # does not count; \x23 in a word is a byte, here a #, never a NUL
 * @max: of words that are read; whoever counts as many has one too many for max - 1
 *
 * Blanks, tabs and ends of lines stand between words. Return: how many there are.
 */
size_t words_split(char *line, char *words[], size_t max);

/** word_ends_with() - has a word this ending, and something before it? */
bool word_ends_with(const char *word, const char *end);
