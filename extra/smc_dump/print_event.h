/* SPDX-License-Identifier: MIT */
/* Print events as text or JSON. Everything that peers chose is escaped. */
#pragma once

#include <jansson.h>
#include <netinet/in.h>

#include "out/table.h"
#include "out/text.h"
#include "smc_dump/flow.h"

/**
 * struct show - output format
 * @width: of the terminal, 0 for none; @is_json: one line of JSON per event
 * @is_quiet: text: one line per event
 * @is_hex: dump the bytes; @is_text: show payload as characters; both: side by side
 * @is_all: include connections that do not offer SMC
 */
struct show {
	size_t width;
	bool is_json, is_quiet, is_hex, is_text, is_all;
};

/** show_event() - append an event */
void show_event(struct out_text *text, const struct show *show, const struct flow_event *event);

/* Members of messages, for text and JSON. */
extern const struct out_col clc_columns[];

/* ---- the common part of all lines of text and JSON ---- */

#define LINE_SCHEMA "smc-tools/dump/1"
#define LINE_ADDR_SIZE (INET6_ADDRSTRLEN + 8)

/** line_addr() - "10.0.0.1:80", "[::1]:80". Return: @text */
const char *line_addr(char text[LINE_ADDR_SIZE], const struct smc_addr *addr);

/** line_head() - append the local time, source and destination, which begin each line */
void line_head(struct out_text *text, struct packet_time time, const struct smc_addr *from,
	       const struct smc_addr *to);

/** line_hex() - append a hex dump; @has_text: with a column of printable characters */
void line_hex(struct out_text *text, const uint8_t *data, size_t len, bool has_text);

/** line_json_hex() - bytes as one string of hexadecimal digits */
json_t *line_json_hex(const uint8_t *data, size_t len);
