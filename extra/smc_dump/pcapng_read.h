/* SPDX-License-Identifier: MIT */
/*
 * Packets of a pcapng file (draft-ietf-opsawg-pcapng), block by block. libpcap refuses files whose
 * interfaces have several link layers or snapshot lengths.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "smc_dump/packet.h"

enum pcapng_kind {
	PCAPNG_END,
	PCAPNG_PACKET,
	PCAPNG_FRAME, /* a section or an interface begins: packets need this block */
};

/**
 * struct pcapng - a file and its current block; zero-initialize
 * @file: to be set; stays the caller's
 * @bytes, @size: all of the block
 * @link: DLT_* of a packet, or of an interface that begins, else -1
 * @data, @len: captured bytes of a packet; @full: its length on the wire
 * @is_big: byte order of the section; @interfaces, @count: of it
 */
struct pcapng {
	FILE *file;
	uint8_t *bytes;
	size_t size;
	int link;
	const uint8_t *data;
	size_t len, full;
	struct packet_time time;
	bool is_big;
	struct pcapng_interface *interfaces;
	size_t count;
};

/** pcapng_is() - true if a pcapng file begins here; the file stays at its begin */
bool pcapng_is(FILE *file);

/** pcapng_next() - the next block that matters. Return: enum pcapng_kind, -errno */
int pcapng_next(struct pcapng *pcapng, struct smc_err *err);

void pcapng_free(struct pcapng *pcapng);
