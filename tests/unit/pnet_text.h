/* SPDX-License-Identifier: MIT */
/* A PNET table from the words of a configuration file. */
#pragma once

#include "test.h"

#include <stdio.h>

#include "smc_pnet/smc_pnet.h"

static inline void from_text(struct smc_pnet_table *table, const char *text)
{
	struct smc_err err;
	FILE *file;

	*table = (struct smc_pnet_table){ 0 };
	if (!*text)
		return;
	file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	assert_non_null(file);
	assert_int_equal(pnet_read(table, file, "test", &err), 0);
	fclose(file);
}
