/* SPDX-License-Identifier: MIT */
/* One captured packet: link layer, VLAN, IP, TCP. Pure: bytes -> struct. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "smc/sock.h"

enum packet_kind { PACKET_OTHER, PACKET_TCP };

enum packet_flags {
	PACKET_FIN = 1 << 0,
	PACKET_SYN = 1 << 1,
	PACKET_RST = 1 << 2,
	PACKET_ACK = 1 << 4,
};

/** struct packet_time - capture time since 1970; all zero if unknown */
struct packet_time {
	int64_t seconds;
	uint32_t nanoseconds;
};

static inline bool packet_has_time(struct packet_time time)
{
	return time.seconds || time.nanoseconds;
}

/**
 * struct packet - the parts that SMC needs
 * @vlan: the innermost, if @has_vlan
 * @data, @len: captured payload; @full: its length on the wire
 * @flags: enum packet_flags; @offers_smc: TCP option 254 with SMC's magic; @time: set by the caller
 */
struct packet {
	enum packet_kind kind;
	struct smc_addr from, to;
	bool has_vlan, offers_smc;
	uint16_t vlan;
	uint32_t seq;
	uint8_t flags;
	const uint8_t *data;
	size_t len, full;
	struct packet_time time;
};

/** packet_knows_link() - true if this link layer, DLT_* of pcap-linktype(7), is supported */
bool packet_knows_link(int link);

/**
 * packet_decode() - decode a packet of @link (DLT_*); @full: bytes on the wire
 *
 * Later fragments of IP packets, and truncated packets, are PACKET_OTHER.
 */
void packet_decode(struct packet *packet, int link, const void *data, size_t captured, size_t full);

/** packet_same_end() - true if @a and @b are the same end of a connection */
bool packet_same_end(const struct smc_addr *one, const struct smc_addr *other);

/** packet_hash_end() - hash of an end of a connection; @seed: 0, or the hash of the other end */
uint64_t packet_hash_end(const struct smc_addr *end, uint64_t seed);

/* ---- big-endian numbers in network data, at any alignment ---- */

static inline uint16_t big16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t big32(const uint8_t *at)
{
	return (uint32_t)big16(at) << 16 | big16(at + 2);
}

/*
 * ---- packets of a pcapng file (draft-ietf-opsawg-pcapng), block by block ----
 *
 * libpcap refuses files whose interfaces have several link layers or snapshot lengths.
 */

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

/** pcapng_is() - true if a pcapng file begins here; the position in the file stays */
bool pcapng_is(FILE *file);

/** pcapng_next() - the next block that matters. Return: enum pcapng_kind, -errno */
int pcapng_next(struct pcapng *pcapng, struct smc_err *err);

void pcapng_free(struct pcapng *pcapng);
