// SPDX-License-Identifier: MIT
/* An ELF file, of any class and byte order. */
#include "fuzz.h"

#include <errno.h>

#include "process/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Memory that ends with the file. */
	uint8_t *copy = malloc(size ? size : 1);
	struct smc_elf elf;
	int ret;

	MUST(copy);
	if (size)
		memcpy(copy, data, size);
	memset(&elf, 0xa5, sizeof(elf));
	ret = smc_elf_parse(copy, size, &elf);
	MUST(ret == 0 || ret == -ENOEXEC);
	if (!ret) {
		MUST(elf.bits == 32 || elf.bits == 64);
		MUST(memchr(elf.interp, '\0', sizeof(elf.interp)));
		MUST(!elf.is_static || !elf.interp[0]);
		smc_elf_machine_name(&elf);
	}
	free(copy);
	return 0;
}
