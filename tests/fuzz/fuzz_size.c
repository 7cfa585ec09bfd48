// SPDX-License-Identifier: MIT
/* A buffer size as typed by users. */
#include "fuzz.h"

#include <errno.h>

#include "launch/variables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct smc_buffer buffer;
	int bytes = -7, ret;

	ret = smc_parse_size(text, &bytes);
	MUST(ret == 0 || ret == -EINVAL || ret == -ERANGE);
	MUST(ret ? bytes == -7 : bytes >= 0);
	/* A size is also a valid SMC_RCVBUF. */
	MUST(smc_parse_buffer(text, &buffer) ? ret : buffer.bytes >= 0 && buffer.below >= 0);
	MUST(ret || (buffer.bytes == bytes && buffer.below == INT_MAX));
	free(text);
	return 0;
}
