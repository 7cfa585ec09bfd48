/* SPDX-License-Identifier: MIT */
/*
 * Pieces of conversations as text or as lines of JSON. All that programs and peers chose is
 * escaped.
 */
#pragma once

#include "out/text.h"
#include "smc_dump/payload/conversation.h"

/**
 * struct print - how
 * @is_json: a line of JSON each
 * @is_hex: with the bytes; @is_text: with the characters; both: side by side
 */
struct print {
	bool is_json, is_hex, is_text;
};

/** print_payload() - append a piece, or an end */
void print_payload(struct out_text *text, const struct print *print, const struct payload *payload);
