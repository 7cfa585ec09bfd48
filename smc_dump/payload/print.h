/* SPDX-License-Identifier: MIT */
/*
 * Pieces of conversations as text or as lines of JSON, where everything that programs and peers
 * chose is escaped; or as a pcapng file with made-up Ethernet, IP and TCP headers, which any
 * capture reader can follow. Pure: only appends text.
 */
#pragma once

#include "smc_dump/payload/conversation.h"
#include "smc_dump/show.h"

/** print_payload() - append a piece, or an end, as text or JSON */
void print_payload(struct out_text *text, const struct show *show, const struct payload *payload);

/** pcapng_head() - append the file header; @version: of smc_dump */
void pcapng_head(struct out_text *text, const char *version);

/**
 * pcapng_payload() - append the packets of a piece, or of an end
 *
 * A TCP handshake precedes the first piece of a conversation, its end follows the last one.
 * Comments show process, mode, link group, and what is missing.
 */
void pcapng_payload(struct out_text *text, const struct payload *payload);

/** pcapng_tail() - append the end of a file; @at: ns since 1970; reported and lost pieces */
void pcapng_tail(struct out_text *text, int64_t at, uint64_t shown, uint64_t lost);
