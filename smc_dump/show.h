/* SPDX-License-Identifier: MIT */
/* Events as text or as lines of JSON. All that peers chose is escaped. */
#pragma once

#include "out/table.h"
#include "smc_dump/flow.h"

/**
 * struct show - how
 * @is_json: a line of JSON an event
 * @is_quiet: text: one line an event
 * @is_hex: with the bytes of messages; @is_text: payload with its characters; both: side by side
 * @is_all: also CDC messages that only move cursors
 */
struct show {
	bool is_json, is_quiet, is_hex, is_text, is_all;
};

/** show_event() - append it, unless it is not to be shown. Return: was something appended? */
bool show_event(struct out_text *text, const struct show *show, const struct flow_event *event);

/* The members of messages, for text and JSON. */
extern const struct out_col clc_columns[];
extern const struct out_col llc_columns[];
