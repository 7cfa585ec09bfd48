// SPDX-License-Identifier: MIT
/* A file of pcapng; and what is copied of it, which has the same packets. */
#include "fuzz.h"

#include "smc_dump/blocks.h"

/* The bytes are not there any more after the next packet: a sum of all of them. */
static uint64_t read_all(const uint8_t *data, size_t size, FILE *copy, size_t *count)
{
	uint8_t none = 0;
	FILE *file = fmemopen(size ? (void *)(uintptr_t)data : &none, size ? size : 1, "r");
	struct captured captured;
	struct smc_err err;
	struct blocks *blocks;
	uint64_t sum = 0;
	int ret = 0;

	MUST(file);
	blocks = blocks_open(file, &err);
	if (blocks && copy)
		blocks_copy(blocks, copy);
	while (blocks && (ret = blocks_next(blocks, &captured, &err)) == 1) {
		struct packet packet;

		MUST(captured.time.nanoseconds < 1000000000);
		packet_decode(&packet, captured.link, captured.data, captured.len, captured.full);
		for (size_t i = 0; i < captured.len; i++)
			sum = sum * 31 + captured.data[i];
		sum = sum * 31 + (uint64_t)captured.time.seconds + captured.time.nanoseconds;
		++*count;
		if (copy)
			blocks_copy_block(blocks);
	}
	MUST(!ret || (ret == -err.code && *err.text));
	blocks_free(blocks);
	fclose(file);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t copied_size = 0, count = 0, again = 0;
	char *copied = NULL;
	FILE *copy = open_memstream(&copied, &copied_size);
	uint64_t sum;

	MUST(copy);
	sum = read_all(data, size, copy, &count);
	MUST(!fclose(copy));
	MUST(read_all((const uint8_t *)copied, copied_size, NULL, &again) == sum);
	MUST(count == again);
	free(copied);
	return 0;
}
