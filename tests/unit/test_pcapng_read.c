// SPDX-License-Identifier: MIT
/*
 * extra/smc_dump/pcapng_read: blocks of both byte orders, clocks, and damage. See also
 * tests/cli/smc_dump.t.
 */
#include "test.h"

#include "smc_dump/packet.h"

#define LITTLE "0a0d0d0a 1c000000 4d3c2b1a 01000000 ffffffffffffffff 1c000000"
#define BIG "0a0d0d0a 0000001c 1a2b3c4d 00010000 ffffffffffffffff 0000001c"
/* Ethernet, at most 2 bytes of a packet. */
#define ETHERNET "01000000 14000000 01000000 02000000 14000000"
#define RAW_BIG "00000001 00000014 00650000 00000000 00000014"

/* Kinds, link layers, lengths, and times of all blocks as text; the error ends it. */
static char *blocks_of(const char *text)
{
	static char said[600];
	static uint8_t bytes[1024];
	size_t size = hex(bytes, sizeof(bytes), text), len = 0;
	FILE *file = fmemopen(bytes, size, "r");
	struct pcapng pcapng = { .file = file };
	struct smc_err err = { 0 };
	int kind;

	assert_true(pcapng_is(file));
	said[0] = '\0';
	while ((kind = pcapng_next(&pcapng, &err)) > 0) {
		len += (size_t)snprintf(said + len, sizeof(said) - len, "%s%d",
					kind == PCAPNG_FRAME ? " frame " : " packet ", pcapng.link);
		if (kind == PCAPNG_PACKET)
			len += (size_t)snprintf(said + len, sizeof(said) - len,
						" %zu/%zu %lld.%09u", pcapng.len, pcapng.full,
						(long long)pcapng.time.seconds,
						pcapng.time.nanoseconds);
	}
	if (kind < 0)
		snprintf(said + len, sizeof(said) - len, " %s", err.text);
	pcapng_free(&pcapng);
	fclose(file);
	return said + (said[0] == ' ');
}

TEST(three_kinds_of_packets)
{
	/* Enhanced; a block that is no packet; simple, cut to the snapshot length; the old kind. */
	assert_string_equal(
		blocks_of(
			LITTLE ETHERNET
			"06000000 24000000 00000000 00000000 40420f00 02000000 03000000 aabb0000 24000000"
			"0b000000 0c000000 0c000000"
			"03000000 14000000 09000000 aabb0000 14000000"
			"02000000 24000000 0000ffff 00000000 41420f00 01000000 01000000 aa000000 24000000"),
		"frame -1 frame 1 packet 1 2/3 1.000000000 packet 1 2/9 0.000000000 packet 1 1/1 1.000001000");
}

TEST(sections)
{
	/* Another byte order, and interfaces begin at 0 again. */
	assert_string_equal(
		blocks_of(
			LITTLE ETHERNET BIG RAW_BIG
			"00000006 00000024 00000000 00000000 000f4240 00000001 00000001 45000000 00000024"),
		"frame -1 frame 1 frame -1 frame 101 packet 101 1/1 1.000000000");
	assert_non_null(strstr(blocks_of(LITTLE ETHERNET BIG "00000003 00000010 00000000 00000010"),
			       "unknown interface"));
}

/* Time of a packet at 0x100000003 ticks of an interface whose offset is 10 s. */
static const char *time_of(const char *resolution)
{
	char text[500];
	const char *said;

	snprintf(
		text, sizeof(text),
		LITTLE
		"01000000 28000000 01000000 00000000 0900 0100 %s000000 0e00 0800 0a00000000000000 28000000"
		"06000000 20000000 00000000 01000000 03000000 00000000 00000000 20000000",
		resolution);
	said = strrchr(blocks_of(text), ' ');
	assert_non_null(said);
	return said + 1;
}

TEST(clocks)
{
	assert_string_equal(time_of("06"), "4304.967299000");
	assert_string_equal(time_of("09"), "14.294967299");
	assert_string_equal(time_of("0a"), "10.429496729");
	assert_string_equal(time_of("0c"), "10.004294967");
	assert_string_equal(time_of("13"), "10.000000000");
	/* Powers of two. */
	assert_string_equal(time_of("80"), "4294967309.000000000");
	assert_string_equal(time_of("a0"), "11.000000000");
	assert_string_equal(time_of("a2"), "10.250000000");
	/* Too fine for 64 bits: unknown. */
	assert_string_equal(time_of("14"), "0.000000000");
	assert_string_equal(time_of("ff"), "0.000000000");
}

TEST(damage)
{
	static const struct {
		const char *blocks, *error;
	} rows[] = {
		{ "06000000 20", "ends within" },
		{ "06000000 ffffff7f", "impossible length" },
		{ "06000000 0d000000 00000000 0000", "impossible length" },
		{ "06000000 08000000 00000000", "impossible length" },
		{ "06000000 0c000000 0c000000", "packet that" },
		{ "03000000 0c000000 0c000000", "packet that" },
		{ "01000000 0c000000 0c000000", "interface that" },
		{ "05000000 0c000000 10000000", "differ" },
		{ "06000000 20000000 00000000 00000000 00000000 01000000 01000000 20000000",
		  "longer than" },
		{ "06000000 20000000 01000000 00000000 00000000 00000000 00000000 20000000",
		  "unknown interface" },
		{ "03000000 10000000 01000000 10000000", "longer than" },
		{ "0a0d0d0a 1c000000 4d3c2b1a 02000000 ffffffffffffffff 1c000000",
		  "unknown version" },
		{ "0a0d0d0a 1c000000 00000000 02000000 ffffffffffffffff 1c000000", "byte order" },
	};
	char text[500];

	for_each(row, rows, ARRAY_SIZE(rows)) {
		const char *said;

		snprintf(text, sizeof(text), LITTLE ETHERNET "%s", row->blocks);
		said = strstr(blocks_of(text), "cannot");
		assert_non_null(said);
		assert_non_null(strstr(said, row->error));
	}
}

TEST(other_formats)
{
	static const char *const begins[] = { "\n\r\r", "\xd4\xc3\xb2\xa1", "\n\n\n\n" };

	for_each(begin, begins, ARRAY_SIZE(begins)) {
		char bytes[5];
		FILE *file = fmemopen(strcpy(bytes, *begin), strlen(*begin), "r");

		assert_false(pcapng_is(file));
		/* Nothing was read. */
		assert_int_equal(getc(file), (unsigned char)(*begin)[0]);
		fclose(file);
	}
}
