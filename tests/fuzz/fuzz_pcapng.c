// SPDX-License-Identifier: MIT
/* A pcapng file of any content: packets lie within their blocks. */
#include "fuzz.h"

#include "smc_dump/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	struct pcapng pcapng = { .file = file };
	struct smc_err err = { 0 };
	int kind = PCAPNG_END;

	if (file && pcapng_is(file))
		while ((kind = pcapng_next(&pcapng, &err)) > 0) {
			MUST(pcapng.size <= size &&
			     !memcmp(pcapng.bytes, pcapng.bytes, pcapng.size));
			if (kind != PCAPNG_PACKET)
				continue;
			MUST(pcapng.data > pcapng.bytes && pcapng.len < pcapng.size &&
			     pcapng.data + pcapng.len < pcapng.bytes + pcapng.size);
			MUST(pcapng.time.nanoseconds < 1000000000 && pcapng.link >= 0);
		}
	MUST(!kind || err.text[0]);
	pcapng_free(&pcapng);
	if (file)
		fclose(file);
	return 0;
}
