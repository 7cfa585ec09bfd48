/* SPDX-License-Identifier: MIT */
/* The word that somebody meant. */
#pragma once

/** near_word() - the word of @words that @typed begins, or resembles. Return: NULL if none */
const char *near_word(const char *const *words, const char *typed);
