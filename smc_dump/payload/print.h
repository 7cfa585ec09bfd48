/* SPDX-License-Identifier: MIT */
/*
 * Pieces of conversations as text, as lines of JSON, in which all that programs and peers chose is
 * escaped; or as a pcapng file, with made-up headers of Ethernet, IP and TCP, so that every program
 * that reads captures can follow them. Pure: only text is appended.
 */
#pragma once

#include "smc_dump/payload/conversation.h"
#include "smc_dump/show.h"

/** print_payload() - append a piece, or an end, as text or JSON */
void print_payload(struct out_text *text, const struct show *show, const struct payload *payload);

/** pcapng_head() - append what a file begins with; @version: of smc_dump */
void pcapng_head(struct out_text *text, const char *version);

/**
 * pcapng_payload() - append the packets of a piece, or of an end
 *
 * Before the first piece of a conversation comes a handshake of TCP, after the last one its end.
 * Comments say process, mode, link group, and what is missing.
 */
void pcapng_payload(struct out_text *text, const struct payload *payload);

/** pcapng_tail() - append what a file ends with; @at: ns since 1970; pieces told, and lost ones */
void pcapng_tail(struct out_text *text, int64_t at, uint64_t told, uint64_t lost);
