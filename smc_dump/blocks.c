// SPDX-License-Identifier: MIT
/* pcapng is read block by block: 32-bit words in the byte order of their section. */
#include "smc_dump/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* Type and length before, the length again after. */
#define HEAD 8
#define TAIL 4
#define SECTION_MIN (HEAD + 16 + TAIL)
#define INTERFACE_MIN (HEAD + 8 + TAIL)
#define SIMPLE_MIN (HEAD + 4 + TAIL)
#define PACKET_MIN (HEAD + 20 + TAIL)
/* Larger than any packet with its comments. */
#define BLOCK_MAX (16U << 20)
#define LINKTYPE_RAW 101
#define DLT_RAW 12
#define MICROSECONDS 6

/**
 * struct interface - of a section
 * @snaplen: 0 for none
 * @resolution: fractions of a second: digits, or with the highest bit binary ones
 * @offset: seconds to be added
 */
struct interface {
	int link;
	uint32_t snaplen;
	uint8_t resolution;
	int64_t offset;
};

/**
 * struct blocks - a file
 * @copy: where sections and interfaces go, NULL for none
 * @block: @len bytes, without padding of the last one
 * @interfaces: of this section
 */
struct blocks {
	FILE *file, *copy;
	bool is_big, is_payload;
	uint8_t *block;
	size_t len, size;
	struct interface *interfaces;
	size_t n_interfaces, room;
};

static uint64_t get(const struct blocks *blocks, const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[blocks->is_big ? i : size - 1 - i];
	return value;
}

static uint16_t get16(const struct blocks *blocks, const uint8_t *at)
{
	return (uint16_t)get(blocks, at, 2);
}

static uint32_t get32(const struct blocks *blocks, const uint8_t *at)
{
	return (uint32_t)get(blocks, at, 4);
}

static size_t padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

static int damaged(struct smc_err *err, const char *why)
{
	return smc_err_say(err, EIO, "cannot read packets: %s", why);
}

/* ---- blocks ---- */

static void make_room(struct blocks *blocks, size_t size)
{
	if (size <= blocks->size)
		return;
	blocks->block = xrealloc(blocks->block, size, 1);
	blocks->size = size;
}

static int read_bytes(struct blocks *blocks, void *to, size_t len, struct smc_err *err)
{
	if (fread(to, 1, len, blocks->file) == len)
		return 0;
	return ferror(blocks->file) ? smc_err_set(err, errno, "cannot read packets") :
				      damaged(err, "the file ends within a block");
}

/* A section's first words say how to read its others. Return: 0, -errno. */
static int read_order(struct blocks *blocks, struct smc_err *err)
{
	uint8_t *order = blocks->block + HEAD;
	int ret = read_bytes(blocks, order, sizeof(uint32_t), err);

	if (ret)
		return ret;
	blocks->is_big = *order == BLOCKS_ORDER >> 24;
	return get32(blocks, order) == BLOCKS_ORDER ?
		       0 :
		       damaged(err, "a section does not say the order of its bytes");
}

static bool is_read(uint32_t type)
{
	return type == BLOCKS_SECTION || type == BLOCKS_INTERFACE || type == BLOCKS_PACKET ||
	       type == BLOCKS_OLD_PACKET || type == BLOCKS_SIMPLE_PACKET;
}

/* The rest of a block, of which @done bytes are there. Of others only the last word is kept. */
static int read_rest(struct blocks *blocks, size_t done, bool is_kept, struct smc_err *err)
{
	size_t rest = padded(blocks->len) - done;
	uint8_t *to = blocks->block + done;
	int ret;

	if (!is_kept) {
		while (rest > TAIL && getc(blocks->file) != EOF)
			rest--;
		rest = TAIL;
	}
	ret = read_bytes(blocks, to, rest, err);
	if (ret)
		return ret;
	return get32(blocks, to + rest - TAIL) == blocks->len ?
		       0 :
		       damaged(err, "a block has two lengths");
}

/* Return: 1 with its type; 0 at the end of the file; -errno. */
static int read_block(struct blocks *blocks, uint32_t *type, struct smc_err *err)
{
	size_t done = fread(blocks->block, 1, HEAD, blocks->file);
	int ret = 0;

	if (!done && feof(blocks->file))
		return 0;
	if (done < HEAD)
		return read_bytes(blocks, blocks->block, 1, err);
	*type = get32(blocks, blocks->block);
	if (*type == BLOCKS_SECTION) {
		ret = read_order(blocks, err);
		done += sizeof(uint32_t);
	}
	if (ret)
		return ret;
	blocks->len = get32(blocks, blocks->block + sizeof(uint32_t));
	if (blocks->len < done + TAIL)
		return damaged(err, "a block is shorter than its header");
	if (is_read(*type) && blocks->len > BLOCK_MAX)
		return damaged(err, "a packet is longer than any can be");
	if (is_read(*type))
		make_room(blocks, padded(blocks->len));
	ret = read_rest(blocks, done, is_read(*type), err);
	return ret ? ret : 1;
}

/* ---- sections and interfaces ---- */

void blocks_copy_block(struct blocks *blocks)
{
	fwrite(blocks->block, 1, padded(blocks->len), blocks->copy);
}

static int read_section(struct blocks *blocks, struct smc_err *err)
{
	if (blocks->len < SECTION_MIN)
		return damaged(err, "a section is too short");
	if (get16(blocks, blocks->block + HEAD + 4) != 1)
		return smc_err_say(err, EIO, "cannot read packets: pcapng version %u is not known",
				   get16(blocks, blocks->block + HEAD + 4));
	blocks->n_interfaces = 0;
	/* How long it is: in a copy it is shorter. */
	memset(blocks->block + HEAD + 8, 0xff, sizeof(uint64_t));
	if (blocks->copy)
		blocks_copy_block(blocks);
	return 0;
}

static void read_option(struct blocks *blocks, struct interface *interface, uint16_t code,
			const uint8_t *value, size_t len)
{
	if (code == BLOCKS_INTERFACE_RESOLUTION && len >= 1)
		interface->resolution = *value;
	else if (code == BLOCKS_INTERFACE_OFFSET && len >= sizeof(uint64_t))
		interface->offset = (int64_t)get(blocks, value, sizeof(uint64_t));
	else if (code == BLOCKS_INTERFACE_DESCRIPTION && len >= strlen(BLOCKS_PAYLOAD) &&
		 !memcmp(value, BLOCKS_PAYLOAD, strlen(BLOCKS_PAYLOAD)))
		blocks->is_payload = true;
}

static int read_interface(struct blocks *blocks, struct smc_err *err)
{
	const uint8_t *at = blocks->block + HEAD, *end = blocks->block + blocks->len - TAIL;
	struct interface *interface;

	if (blocks->len < INTERFACE_MIN)
		return damaged(err, "an interface is too short");
	interface = smc_array_add(&blocks->interfaces, &blocks->n_interfaces, &blocks->room,
				  sizeof(*interface));
	interface->link = get16(blocks, at);
	if (interface->link == LINKTYPE_RAW)
		interface->link = DLT_RAW;
	interface->snaplen = get32(blocks, at + 4);
	interface->resolution = MICROSECONDS;
	interface->offset = 0;
	for (at += 8; end - at >= 4;) {
		const uint16_t code = get16(blocks, at), len = get16(blocks, at + 2);

		at += 4;
		if (code == BLOCKS_END || len > end - at)
			break;
		read_option(blocks, interface, code, at, len);
		at += (size_t)(end - at) < padded(len) ? (size_t)(end - at) : padded(len);
	}
	if (blocks->copy)
		blocks_copy_block(blocks);
	return 0;
}

/* ---- time ---- */

/* 10^9 are a second's nanoseconds: more digits or bits than that are cut off first. */
static struct packet_time divide(uint64_t ticks, uint8_t resolution)
{
	unsigned int digits = resolution & 0x7f;
	uint64_t second = 1, nanosecond = 1;

	if (resolution & 0x80) {
		/* 34 bits times a billion are 64. */
		for (; digits > 34; digits--)
			ticks >>= 1;
		second <<= digits;
		return (struct packet_time){ (int64_t)(ticks / second),
					     (uint32_t)(ticks % second * 1000000000 / second) };
	}
	for (; digits > 9; digits--)
		ticks /= 10;
	for (unsigned int i = 0; i < 9; i++)
		*(i < digits ? &second : &nanosecond) *= 10;
	return (struct packet_time){ (int64_t)(ticks / second),
				     (uint32_t)(ticks % second * nanosecond) };
}

static struct packet_time time_of(const struct interface *interface, uint64_t ticks)
{
	struct packet_time time = divide(ticks, interface->resolution);

	time.seconds = (int64_t)((uint64_t)time.seconds + (uint64_t)interface->offset);
	return time;
}

/* ---- packets ---- */

static int too_long(const struct blocks *blocks, const struct captured *packet, struct smc_err *err)
{
	return packet->len <= (size_t)(blocks->block + blocks->len - TAIL - packet->data) ?
		       1 :
		       damaged(err, "a packet is longer than its block");
}

/* One without time, of the first interface. */
static int read_simple(struct blocks *blocks, struct captured *packet, struct smc_err *err)
{
	const struct interface *interface = blocks->interfaces;

	if (blocks->len < SIMPLE_MIN)
		return damaged(err, "a packet is shorter than its header");
	if (!blocks->n_interfaces)
		return damaged(err, "a packet comes before its interface");
	packet->link = interface->link;
	packet->data = blocks->block + HEAD + 4;
	packet->full = packet->len = get32(blocks, blocks->block + HEAD);
	if (interface->snaplen && packet->len > interface->snaplen)
		packet->len = interface->snaplen;
	packet->time = (struct packet_time){ 0 };
	return too_long(blocks, packet, err);
}

/* The obsolete kind has the number of its interface in 16 bits, before a count of lost packets. */
static int read_packet(struct blocks *blocks, struct captured *packet, bool is_old,
		       struct smc_err *err)
{
	const uint8_t *at = blocks->block + HEAD;
	const struct interface *interface;
	uint32_t number;

	if (blocks->len < PACKET_MIN)
		return damaged(err, "a packet is shorter than its header");
	number = is_old ? get16(blocks, at) : get32(blocks, at);
	if (number >= blocks->n_interfaces)
		return damaged(err, "a packet comes before its interface");
	interface = &blocks->interfaces[number];
	packet->link = interface->link;
	packet->time =
		time_of(interface, (uint64_t)get32(blocks, at + 4) << 32 | get32(blocks, at + 8));
	packet->len = get32(blocks, at + 12);
	packet->full = get32(blocks, at + 16);
	packet->data = at + 20;
	return too_long(blocks, packet, err);
}

int blocks_next(struct blocks *blocks, struct captured *packet, struct smc_err *err)
{
	uint32_t type = 0;
	int ret;

	while ((ret = read_block(blocks, &type, err)) == 1) {
		switch (type) {
		case BLOCKS_SIMPLE_PACKET: return read_simple(blocks, packet, err);
		case BLOCKS_PACKET: return read_packet(blocks, packet, false, err);
		case BLOCKS_OLD_PACKET: return read_packet(blocks, packet, true, err);
		case BLOCKS_SECTION: ret = read_section(blocks, err); break;
		case BLOCKS_INTERFACE: ret = read_interface(blocks, err); break;
		default: ret = 0; break;
		}
		if (ret)
			return ret;
	}
	return ret;
}

/* ---- all ---- */

struct blocks *blocks_open(FILE *file, struct smc_err *err)
{
	struct blocks *blocks = xcalloc(1, sizeof(*blocks));
	uint32_t type = 0;
	int ret;

	make_room(blocks, 4096);
	blocks->file = file;
	ret = read_block(blocks, &type, err);
	if (ret >= 0 && type != BLOCKS_SECTION)
		ret = damaged(err, "the file does not begin with a section");
	if (ret >= 0)
		ret = read_section(blocks, err);
	if (!ret)
		return blocks;
	blocks_free(blocks);
	return NULL;
}

void blocks_copy(struct blocks *blocks, FILE *to)
{
	blocks->copy = to;
	blocks_copy_block(blocks);
}

bool blocks_is_payload(const struct blocks *blocks)
{
	return blocks->is_payload;
}

void blocks_free(struct blocks *blocks)
{
	if (!blocks)
		return;
	free(blocks->interfaces);
	free(blocks->block);
	free(blocks);
}
