/* SPDX-License-Identifier: MIT */
/* What every line of text, and every line of JSON, has. */
#pragma once

#include <jansson.h>
#include <netinet/in.h>

#include "out/text.h"
#include "smc_dump/packet.h"

#define LINE_SCHEMA "smc-tools/dump/1"
#define LINE_ADDR_SIZE (INET6_ADDRSTRLEN + 8)

/** line_host() - "10.0.0.1". Return: @text */
const char *line_host(char text[LINE_ADDR_SIZE], const struct smc_addr *addr);

/** line_addr() - "10.0.0.1:80", "[::1]:80". Return: @text */
const char *line_addr(char text[LINE_ADDR_SIZE], const struct smc_addr *addr);

/** line_head() - append the local time, and from whom to whom: what a line begins with */
void line_head(struct out_text *text, struct packet_time time, const struct smc_addr *from,
	       const struct smc_addr *to);

/** line_hex() - append lines of bytes in hexadecimal; @has_text: and what can be printed of them */
void line_hex(struct out_text *text, const uint8_t *data, size_t len, bool has_text);

/** line_json_hex() - bytes in hexadecimal, as one word */
json_t *line_json_hex(const uint8_t *data, size_t len);
