// SPDX-License-Identifier: MIT
/* A buffer size as people write it. */
#include "fuzz.h"

#include <errno.h>

#include "ld_pre_smc/variables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	int bytes = -7, ret;

	MUST(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	ret = smc_parse_size(text, &bytes);
	MUST(ret == 0 || ret == -EINVAL || ret == -ERANGE);
	MUST(ret ? bytes == -7 : bytes >= 0);
	free(text);
	return 0;
}
