// SPDX-License-Identifier: MIT
/* A pcapng file of any content: packets lie within their blocks. */
#include "fuzz.h"

#include "smc_dump/pcapng_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	struct pcapng *pcapng = pcapng_new(file);
	struct pcapng_block block;
	struct smc_err err = { 0 };
	int kind = PCAPNG_END;

	if (file && pcapng_is(file))
		while ((kind = pcapng_next(pcapng, &block, &err)) > 0) {
			MUST(block.size <= size && !memcmp(block.bytes, block.bytes, block.size));
			if (kind != PCAPNG_PACKET)
				continue;
			MUST(block.data > block.bytes && block.len < block.size &&
			     block.data + block.len < block.bytes + block.size);
			MUST(block.time.nanoseconds < 1000000000 && block.link >= 0);
		}
	MUST(!kind || err.text[0]);
	pcapng_free(pcapng);
	if (file)
		fclose(file);
	return 0;
}
