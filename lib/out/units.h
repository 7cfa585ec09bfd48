/* SPDX-License-Identifier: MIT */
/*
 * Numbers in human-readable form, for all tools: traffic and rates in powers of 1000, with k, M, G;
 * memory in powers of 1024, with KiB, MiB, GiB. Output of smc-tools 1.8.5 keeps its units: the K of
 * "stats", and the "KB" of its classes of buffers, which are KiB.
 */
#pragma once

#include "base/libc.h"

#define OUT_UNITS 24

/** out_si() - at most three digits, rounded: "999", "1.0k", "812M". Return: @text */
const char *out_si(char text[OUT_UNITS], uint64_t value);

/** out_data() - transferred bytes, for a sentence: "999 B", "1.2 GB". Return: @text */
const char *out_data(char text[OUT_UNITS], uint64_t bytes);

/** out_size() - bytes of memory: "64 KiB", "1.5 GiB". Return: @text */
const char *out_size(char text[OUT_UNITS], uint64_t bytes);
