/* SPDX-License-Identifier: MIT */
/* The word that somebody meant. */
#pragma once

/**
 * near_word() - the word that @typed begins, or from which it differs by typing errors
 * @words: ended by NULL
 *
 * Return: the word, or NULL if none is near.
 */
const char *near_word(const char *const *words, const char *typed);
