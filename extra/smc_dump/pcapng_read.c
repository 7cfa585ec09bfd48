// SPDX-License-Identifier: MIT
#include "smc_dump/pcapng_read.h"

#include <endian.h>

#include "base/array.h"
#include "base/memory.h"

enum {
	BLOCK_INTERFACE = 1,
	BLOCK_OLD_PACKET = 2,
	BLOCK_SIMPLE = 3,
	BLOCK_PACKET = 6,
	BLOCK_SECTION = 0x0a0d0d0a,
};
enum {
	OPTION_END = 0,
	OPTION_RESOLUTION = 9,
	OPTION_OFFSET = 14,
};
#define MAGIC 0x1a2b3c4dU
#define NANOSECONDS 1000000000U
/* Type and length, then the contents, then the length again. */
#define HEAD 8
#define TAIL 4
/* Wireshark's limit. */
#define LARGEST (16U << 20)

/**
 * struct interface - of a section
 * @ticks: in a second, 0 if there are too many; @offset: seconds to add to all times
 * @snaplen: 0 for none
 */
struct interface {
	int link;
	uint32_t snaplen;
	uint64_t ticks;
	int64_t offset;
};

/** struct pcapng - @is_big: byte order of the section; @room: allocated for @block */
struct pcapng {
	FILE *file;
	bool is_big;
	struct interface *interfaces;
	size_t count, room;
	uint8_t *block;
};

static uint16_t get16(const struct pcapng *pcapng, const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return pcapng->is_big ? be16toh(value) : le16toh(value);
}

static uint32_t get32(const struct pcapng *pcapng, const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return pcapng->is_big ? be32toh(value) : le32toh(value);
}

static int damaged(struct smc_err *err, const char *why)
{
	return smc_err_say(err, EIO, "cannot read packets: %s", why);
}

/* ---- blocks ---- */

static int read_more(struct pcapng *pcapng, size_t from, size_t size, struct smc_err *err)
{
	if (pcapng->room < size) {
		pcapng->room = size;
		pcapng->block = xrealloc(pcapng->block, size, 1);
	}
	if (fread(pcapng->block + from, 1, size - from, pcapng->file) == size - from)
		return 0;
	return damaged(err,
		       ferror(pcapng->file) ? strerror(errno) : "the file ends within a block");
}

/* The byte order of a section is known only after its magic number. */
static int set_order(struct pcapng *pcapng, struct smc_err *err)
{
	int ret = read_more(pcapng, HEAD, HEAD + 4, err);

	if (ret)
		return ret;
	pcapng->is_big = true;
	if (get32(pcapng, pcapng->block + HEAD) == MAGIC)
		return 0;
	pcapng->is_big = false;
	return get32(pcapng, pcapng->block + HEAD) == MAGIC ?
		       0 :
		       damaged(err, "a section of unknown byte order");
}

/* Return: 0 at the end of the file, 1, -errno. */
static int read_block(struct pcapng *pcapng, uint32_t *type, size_t *size, struct smc_err *err)
{
	int byte = getc(pcapng->file), ret;
	size_t got = HEAD;

	if (byte == EOF && !ferror(pcapng->file))
		return 0;
	ungetc(byte, pcapng->file);
	ret = read_more(pcapng, 0, HEAD, err);
	if (ret)
		return ret;
	/* This type is the same in both byte orders. */
	if (get32(pcapng, pcapng->block) == BLOCK_SECTION) {
		ret = set_order(pcapng, err);
		got += 4;
	}
	if (ret)
		return ret;
	*type = get32(pcapng, pcapng->block);
	*size = get32(pcapng, pcapng->block + 4);
	if (*size % 4 || *size < got + TAIL || *size > LARGEST)
		return damaged(err, "a block of impossible length");
	ret = read_more(pcapng, got, *size, err);
	if (ret)
		return ret;
	return get32(pcapng, pcapng->block + *size - TAIL) == *size ?
		       1 :
		       damaged(err, "the two lengths of a block differ");
}

/* ---- sections and interfaces ---- */

static int begin_section(struct pcapng *pcapng, size_t size, struct smc_err *err)
{
	if (size < 28 || get16(pcapng, pcapng->block + 12) != 1)
		return damaged(err, "a section of an unknown version");
	free(pcapng->interfaces);
	pcapng->interfaces = NULL;
	pcapng->count = 0;
	return PCAPNG_FRAME;
}

/* A power of ten, or with the upper bit of two. */
static uint64_t ticks_of(uint8_t resolution)
{
	unsigned int power = resolution & 0x7f;
	uint64_t ticks = 1;

	if (resolution & 0x80)
		return power < 64 ? 1ULL << power : 0;
	if (power > 19)
		return 0;
	while (power--)
		ticks *= 10;
	return ticks;
}

static void read_option(const struct pcapng *pcapng, struct interface *interface, uint16_t code,
			const uint8_t *value, size_t len)
{
	if (code == OPTION_RESOLUTION && len == 1)
		interface->ticks = ticks_of(*value);
	if (code == OPTION_OFFSET && len == 8) {
		uint64_t low = get32(pcapng, value + (pcapng->is_big ? 4 : 0));
		uint64_t high = get32(pcapng, value + (pcapng->is_big ? 0 : 4));

		interface->offset = (int64_t)(high << 32 | low);
	}
}

static int begin_interface(struct pcapng *pcapng, size_t size, struct smc_err *err)
{
	const uint8_t *block = pcapng->block;
	struct interface *interface;

	if (size < 20)
		return damaged(err, "an interface that is too short");
	interface = smc_array_add(&pcapng->interfaces, &pcapng->count);
	interface->link = get16(pcapng, block + 8);
	interface->snaplen = get32(pcapng, block + 12);
	interface->ticks = 1000000;
	for (size_t at = 16; at + 4 <= size - TAIL;) {
		uint16_t code = get16(pcapng, block + at), len = get16(pcapng, block + at + 2);

		at += 4;
		if (code == OPTION_END || len > size - TAIL - at)
			break;
		read_option(pcapng, interface, code, block + at, len);
		at += (len + 3U) & ~3U;
	}
	return PCAPNG_FRAME;
}

/* ---- packets ---- */

/* @rest: of @ticks in a second. Up to ten billions the product fits. */
static uint32_t nanoseconds_of(uint64_t rest, uint64_t ticks)
{
	for (; ticks > 10ULL * NANOSECONDS; ticks /= 2)
		rest /= 2;
	rest = rest * NANOSECONDS / ticks;
	return rest < NANOSECONDS ? (uint32_t)rest : NANOSECONDS - 1;
}

/* All zero, for unknown, if the interface has no usable clock. */
static struct packet_time time_of(const struct interface *interface, uint64_t ticks)
{
	struct packet_time time = { 0 };

	if (!interface->ticks)
		return time;
	time.seconds = (int64_t)(ticks / interface->ticks + (uint64_t)interface->offset);
	time.nanoseconds = nanoseconds_of(ticks % interface->ticks, interface->ticks);
	return time;
}

/* Packets of three kinds of blocks; the lengths begin at @at. */
static int read_packet(const struct pcapng *pcapng, struct pcapng_block *block, size_t number,
		       size_t at, struct smc_err *err)
{
	const struct interface *interface;
	size_t room;

	if (number >= pcapng->count)
		return damaged(err, "a packet of an unknown interface");
	interface = &pcapng->interfaces[number];
	block->link = interface->link;
	block->full = get32(pcapng, block->bytes + at);
	room = block->size - TAIL - at - 4;
	/* A simple packet has no captured length. */
	block->len = block->full;
	if (interface->snaplen && block->len > interface->snaplen)
		block->len = interface->snaplen;
	if (at > HEAD) {
		uint64_t high = get32(pcapng, block->bytes + 12);

		block->time = time_of(interface, high << 32 | get32(pcapng, block->bytes + 16));
		block->len = get32(pcapng, block->bytes + at - 4);
	}
	if (block->len > room)
		return damaged(err, "a packet that is longer than its block");
	block->data = block->bytes + at + 4;
	return PCAPNG_PACKET;
}

/* Return: as pcapng_next(), PCAPNG_END for a block that does not matter. */
static int use_block(struct pcapng *pcapng, struct pcapng_block *block, uint32_t type,
		     struct smc_err *err)
{
	int ret = PCAPNG_END;

	switch (type) {
	case BLOCK_SECTION: return begin_section(pcapng, block->size, err);
	case BLOCK_INTERFACE:
		ret = begin_interface(pcapng, block->size, err);
		if (ret == PCAPNG_FRAME)
			block->link = pcapng->interfaces[pcapng->count - 1].link;
		return ret;
	case BLOCK_SIMPLE:
		if (block->size < HEAD + 4 + TAIL)
			return damaged(err, "a packet that is too short");
		return read_packet(pcapng, block, 0, HEAD, err);
	case BLOCK_PACKET:
	case BLOCK_OLD_PACKET:
		if (block->size < HEAD + 20 + TAIL)
			return damaged(err, "a packet that is too short");
		return read_packet(pcapng, block,
				   type == BLOCK_PACKET ? get32(pcapng, block->bytes + HEAD) :
							  get16(pcapng, block->bytes + HEAD),
				   HEAD + 16, err);
	default: return ret;
	}
}

/* ---- all ---- */

bool pcapng_is(FILE *file)
{
	uint8_t bytes[4] = { 0 };
	size_t len = fread(bytes, 1, sizeof(bytes), file);
	uint32_t type;

	memcpy(&type, bytes, sizeof(type));
	while (len)
		ungetc(bytes[--len], file);
	return be32toh(type) == BLOCK_SECTION;
}

struct pcapng *pcapng_new(FILE *file)
{
	struct pcapng *pcapng = xcalloc(1, sizeof(*pcapng));

	pcapng->file = file;
	return pcapng;
}

int pcapng_next(struct pcapng *pcapng, struct pcapng_block *block, struct smc_err *err)
{
	uint32_t type = 0;
	int ret;

	do {
		*block = (struct pcapng_block){ .link = -1 };
		ret = read_block(pcapng, &type, &block->size, err);
		if (ret <= 0)
			return ret;
		block->bytes = pcapng->block;
		ret = use_block(pcapng, block, type, err);
	} while (ret == PCAPNG_END);
	return ret;
}

void pcapng_free(struct pcapng *pcapng)
{
	if (!pcapng)
		return;
	free(pcapng->interfaces);
	free(pcapng->block);
	free(pcapng);
}
