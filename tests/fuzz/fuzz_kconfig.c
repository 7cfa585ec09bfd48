// SPDX-License-Identifier: MIT
/* A kernel configuration, compressed or not, and the lists of modules. */
#include "fuzz.h"

#include "smc_chk/doctor/kmodule.h"

static void read_text(const char *text)
{
	char value = kconfig_get(text, "CONFIG_SMC");

	MUST(value == 'n' || value == 'm' || value == 'y');
	kmodule_listed(text, "smc_diag");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *unpacked = kconfig_inflate(data, size);

	MUST(text);
	read_text(text);
	if (unpacked)
		read_text(unpacked);
	free(unpacked);
	free(text);
	return 0;
}
