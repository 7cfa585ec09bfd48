/* SPDX-License-Identifier: MIT */
/*
 * pcapng, as draft-ietf-opsawg-pcapng describes it: the numbers of blocks and options, and a
 * reader. libpcap's own refuses files whose interfaces differ in link layer or snapshot length.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "smc_dump/packet.h"

/** enum blocks_type - those that are read or written; all others are skipped */
enum blocks_type {
	BLOCKS_SECTION = 0x0a0d0d0a, /* the same in both byte orders */
	BLOCKS_INTERFACE = 1,
	BLOCKS_OLD_PACKET = 2,
	BLOCKS_SIMPLE_PACKET = 3,
	BLOCKS_STATISTICS = 5,
	BLOCKS_PACKET = 6,
};

enum blocks_option {
	BLOCKS_END = 0,
	BLOCKS_COMMENT = 1,
	BLOCKS_INTERFACE_NAME = 2,
	BLOCKS_INTERFACE_DESCRIPTION = 3,
	BLOCKS_INTERFACE_RESOLUTION = 9,
	BLOCKS_INTERFACE_OFFSET = 14,
};

/* How a section says the order of its bytes. */
#define BLOCKS_ORDER 0x1a2b3c4d
/* The description of the interface in a file of payload: there are no handshakes in it. */
#define BLOCKS_PAYLOAD "payload of SMC connections; headers of Ethernet, IP and TCP are made up"

/**
 * struct captured - one packet of a source
 * @link: DLT_* of libpcap
 * @len: bytes at @data; @full: on the wire
 */
struct captured {
	int link;
	const uint8_t *data;
	size_t len, full;
	struct packet_time time;
};

struct blocks;

/** blocks_open() - read the first block of a file, which stays the caller's; NULL with @err */
struct blocks *blocks_open(FILE *file, struct smc_err *err);

/**
 * blocks_next() - the next packet, which is there until the next call
 *
 * Return: 1; 0 at the end of the file; -errno with @err, also of a file that ends within a block.
 */
int blocks_next(struct blocks *blocks, struct captured *packet, struct smc_err *err);

/**
 * blocks_copy() - write sections and interfaces to @to as they come, with the last section, but no
 *	names, secrets and statistics. Whether that succeeds is said by ferror(3)
 */
void blocks_copy(struct blocks *blocks, FILE *to);

/** blocks_copy_block() - write what blocks_next() returned, with its options */
void blocks_copy_block(struct blocks *blocks);

/** blocks_is_payload() - did smc_dump write payload of SMC connections to one of the interfaces? */
bool blocks_is_payload(const struct blocks *blocks);

void blocks_free(struct blocks *blocks);
