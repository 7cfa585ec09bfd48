/* SPDX-License-Identifier: MIT */
/* The common part of all lines of text and JSON. */
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

/** line_head() - append the local time, source and destination, which begin each line */
void line_head(struct out_text *text, struct packet_time time, const struct smc_addr *from,
	       const struct smc_addr *to);

/** line_hex() - append a hex dump; @has_text: with a column of printable characters */
void line_hex(struct out_text *text, const uint8_t *data, size_t len, bool has_text);

/** line_json_hex() - bytes as one string of hexadecimal digits */
json_t *line_json_hex(const uint8_t *data, size_t len);
