// SPDX-License-Identifier: MIT
#include "smc_dump/packet.h"

#include "base/array.h"
#include "base/memory.h"

enum {
	BLOCK_INTERFACE = 1,
	BLOCK_OLD_PACKET = 2,
	BLOCK_SIMPLE = 3,
	BLOCK_PACKET = 6,
	BLOCK_SECTION = 0x0a0d0d0a,
	OPTION_END = 0,
	OPTION_RESOLUTION = 9,
	OPTION_OFFSET = 14,
};
#define MAGIC 0x1a2b3c4dU
#define NANOSECONDS 1000000000U
/* Type and length, then the contents, then the length again. */
#define HEAD 8
#define TAIL 4
#define LEAST (HEAD + TAIL)
/* Wireshark's limit. */
#define LARGEST (16U << 20)

/**
 * struct pcapng_interface - of a section
 * @ticks: in a second, 0 if there are too many; @offset: seconds to add to all times
 * @snaplen: 0 for none
 */
struct pcapng_interface {
	int link;
	uint32_t snaplen;
	uint64_t ticks, offset;
};

/* A number of @len bytes in the byte order of the section. */
static uint64_t get(const struct pcapng *pcapng, size_t at, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value = value << 8 | pcapng->bytes[at + (pcapng->is_big ? i : len - 1 - i)];
	return value;
}

static int damaged(struct smc_err *err, const char *why)
{
	return smc_err_say(err, EIO, "cannot read packets: %s", why);
}

/* ---- blocks ---- */

static int ends_early(const struct pcapng *pcapng, struct smc_err *err)
{
	return damaged(err,
		       ferror(pcapng->file) ? strerror(errno) : "the file ends within a block");
}

/* Return: 0 at the end of the file, 1, -errno. */
static int read_block(struct pcapng *pcapng, struct smc_err *err)
{
	size_t got, need = HEAD;

	pcapng->bytes = xrealloc(pcapng->bytes, LEAST, 1);
	got = fread(pcapng->bytes, 1, LEAST, pcapng->file);
	if (!got && !ferror(pcapng->file))
		return 0;
	/* This type is the same in both byte orders; its magic number follows. */
	if (got >= HEAD && get(pcapng, 0, 4) == BLOCK_SECTION)
		need = LEAST;
	if (got < need)
		return ends_early(pcapng, err);
	if (need == LEAST) {
		pcapng->is_big = pcapng->bytes[HEAD] == MAGIC >> 24;
		if (get(pcapng, HEAD, 4) != MAGIC)
			return damaged(err, "a section of unknown byte order");
	}
	pcapng->size = get(pcapng, 4, 4);
	if (pcapng->size % 4 || pcapng->size < need + TAIL || pcapng->size > LARGEST)
		return damaged(err, "a block of impossible length");
	pcapng->bytes = xrealloc(pcapng->bytes, pcapng->size, 1);
	if (fread(pcapng->bytes + got, 1, pcapng->size - got, pcapng->file) != pcapng->size - got)
		return ends_early(pcapng, err);
	if (get(pcapng, pcapng->size - TAIL, 4) != pcapng->size)
		return damaged(err, "the two lengths of a block differ");
	return 1;
}

/* ---- sections and interfaces ---- */

static int begin_section(struct pcapng *pcapng, struct smc_err *err)
{
	if (pcapng->size < 28 || get(pcapng, 12, 2) != 1)
		return damaged(err, "a section of an unknown version");
	pcapng->count = 0;
	return PCAPNG_FRAME;
}

/* A power of ten, or with the upper bit of two. */
static uint64_t ticks_of(uint8_t resolution)
{
	unsigned int power = resolution & 0x7f;
	bool is_binary = resolution & 0x80;
	uint64_t ticks = 1;

	if (power > (is_binary ? 63 : 19))
		return 0;
	while (power--)
		ticks *= is_binary ? 2 : 10;
	return ticks;
}

static int begin_interface(struct pcapng *pcapng, struct smc_err *err)
{
	struct pcapng_interface *interface;

	if (pcapng->size < 20)
		return damaged(err, "an interface that is too short");
	interface = smc_array_add(&pcapng->interfaces, &pcapng->count);
	pcapng->link = interface->link = (int)get(pcapng, 8, 2);
	interface->snaplen = (uint32_t)get(pcapng, 12, 4);
	interface->ticks = 1000000;
	for (size_t at = 16, len; at + 4 <= pcapng->size - TAIL; at += (len + 3) & ~(size_t)3) {
		uint64_t code = get(pcapng, at, 2);

		len = get(pcapng, at + 2, 2);
		at += 4;
		if (code == OPTION_END || len > pcapng->size - TAIL - at)
			break;
		if (code == OPTION_RESOLUTION && len == 1)
			interface->ticks = ticks_of(pcapng->bytes[at]);
		if (code == OPTION_OFFSET && len == 8)
			interface->offset = get(pcapng, at, len);
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

/* Packets of three kinds of blocks; the lengths begin at @at. */
static int read_packet(struct pcapng *pcapng, size_t number, size_t at, struct smc_err *err)
{
	const struct pcapng_interface *interface;

	if (pcapng->size < at + 4 + TAIL)
		return damaged(err, "a packet that is too short");
	if (number >= pcapng->count)
		return damaged(err, "a packet of an unknown interface");
	interface = &pcapng->interfaces[number];
	pcapng->link = interface->link;
	pcapng->data = pcapng->bytes + at + 4;
	/* A simple packet has no captured length, and no time. */
	pcapng->len = pcapng->full = get(pcapng, at, 4);
	if (interface->snaplen && pcapng->len > interface->snaplen)
		pcapng->len = interface->snaplen;
	if (at > HEAD)
		pcapng->len = get(pcapng, at - 4, 4);
	if (at > HEAD && interface->ticks) {
		uint64_t ticks = get(pcapng, 12, 4) << 32 | get(pcapng, 16, 4);

		pcapng->time.seconds = (int64_t)(ticks / interface->ticks + interface->offset);
		pcapng->time.nanoseconds =
			nanoseconds_of(ticks % interface->ticks, interface->ticks);
	}
	if (pcapng->len > pcapng->size - TAIL - at - 4)
		return damaged(err, "a packet that is longer than its block");
	return PCAPNG_PACKET;
}

/* Return: like pcapng_next(), PCAPNG_END for a block that does not matter. */
static int use_block(struct pcapng *pcapng, struct smc_err *err)
{
	switch (get(pcapng, 0, 4)) {
	case BLOCK_SECTION: return begin_section(pcapng, err);
	case BLOCK_INTERFACE: return begin_interface(pcapng, err);
	case BLOCK_SIMPLE: return read_packet(pcapng, 0, HEAD, err);
	case BLOCK_PACKET: return read_packet(pcapng, get(pcapng, HEAD, 4), HEAD + 16, err);
	case BLOCK_OLD_PACKET: return read_packet(pcapng, get(pcapng, HEAD, 2), HEAD + 16, err);
	default: return PCAPNG_END;
	}
}

bool pcapng_is(FILE *file)
{
	uint8_t bytes[4];
	size_t len = fread(bytes, 1, sizeof(bytes), file);
	bool is_it = len == sizeof(bytes) && big32(bytes) == BLOCK_SECTION;

	while (len)
		ungetc(bytes[--len], file);
	return is_it;
}

int pcapng_next(struct pcapng *pcapng, struct smc_err *err)
{
	int ret;

	do {
		pcapng->link = -1;
		pcapng->time = (struct packet_time){ 0 };
		ret = read_block(pcapng, err);
		if (ret <= 0)
			return ret;
		ret = use_block(pcapng, err);
	} while (ret == PCAPNG_END);
	return ret;
}

void pcapng_free(struct pcapng *pcapng)
{
	free(pcapng->interfaces);
	free(pcapng->bytes);
}
