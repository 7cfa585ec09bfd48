// SPDX-License-Identifier: MIT
/* A kernel's configuration, packed or not, and the lists of its modules. */
#include "fuzz.h"

#include "smc_chk/doctor/kmodule.h"

static void read_text(const char *text)
{
	static const char *const words[] = { "SMC", "INET_DIAG", "S", NULL };
	char value = kconfig_get(text, "CONFIG_SMC"), *line;

	MUST(value == 'n' || value == 'm' || value == 'y');
	kmodule_listed(text, "smc_diag");
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		/* Memory of its own: a step before it, or behind, is seen. */
		line = strndup(text, len);
		MUST(line);
		MUST(!kconfig_is_about(line, words) || strstr(line, "_S") || strstr(line, "_I"));
		free(line);
	}
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
