/* SPDX-License-Identifier: MIT */
/* Print events as text or JSON. Everything that peers chose is escaped. */
#pragma once

#include "out/table.h"
#include "smc_dump/flow.h"

/**
 * struct show - output format
 * @width: of the terminal, 0 for none
 * @is_json: one line of JSON per event
 * @is_quiet: text: one line per event
 * @is_hex: dump the bytes; @is_text: show payload as characters; both: side by side
 * @is_all: include CDC messages that only move cursors
 */
struct show {
	size_t width;
	bool is_json, is_quiet, is_hex, is_text, is_all;
};

/** show_event() - append an event, unless it is hidden. Return: was something appended? */
bool show_event(struct out_text *text, const struct show *show, const struct flow_event *event);

/* The members of messages, for text and JSON. */
extern const struct out_col clc_columns[];
extern const struct out_col llc_columns[];
