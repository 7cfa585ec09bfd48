/* SPDX-License-Identifier: MIT */
/* Addresses and reasons of SMC sockets as text and as JSON. */
#pragma once

#include <jansson.h>

#include "out/text.h"
#include "smc/sock.h"

/** sockets_append_addr() - "10.0.0.1:80", "[2001:db8::1]:80", "n/a:80"; no port is "-" */
void sockets_append_addr(struct out_text *text, const struct smc_addr *addr);

/** sockets_json_addr() - an address as an object */
json_t *sockets_json_addr(const struct smc_addr *addr);

/** sockets_has_reason() - true if a reason is set. Sockets that never fell back have zero, too */
bool sockets_has_reason(const struct smc_sock *sock);

/** sockets_append_reason() - append both sides' reasons, "PEERDECL/NOSMCDEV"; unknown: a number */
void sockets_append_reason(struct out_text *text, const struct smc_diag_fallback *fallback);

/** sockets_json_reason() - a reason with its name and meaning */
json_t *sockets_json_reason(uint32_t code);

/** sockets_json_remedies() - commands that may help, as an array; @is_peer: see smc_remedy_at() */
json_t *sockets_json_remedies(uint32_t code, bool is_peer);

/** sockets_append_symbol() - the name of a reason; a number if Linux does not define it */
void sockets_append_symbol(struct out_text *text, uint32_t code);

/** sockets_explain() - append lines that explain why a socket is on TCP */
void sockets_explain(struct out_text *text, const struct smc_sock *sock);

/** sockets_explain_code() - explain one reason; @width: of the terminal, or 0; @side: begins it */
void sockets_explain_code(struct out_text *text, size_t width, const char *side, uint32_t code);

/** struct sockets_codes - set of reasons, in order of first appearance */
struct sockets_codes {
	uint32_t *codes;
	size_t count;
};

/** sockets_codes_add() - return true if the code is new */
bool sockets_codes_add(struct sockets_codes *codes, uint32_t code);
