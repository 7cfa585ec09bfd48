/* SPDX-License-Identifier: MIT */
/* A PNET table from the words of a configuration file. */
#pragma once

#include "test.h"

#include "smc_pnet/smc_pnet.h"

static inline void from_text(struct smc_pnet_table *table, const char *text)
{
	struct smc_err err;

	assert_int_equal(pnet_read(table, text, strlen(text), "test", &err), 0);
}
