/* SPDX-License-Identifier: MIT */
/* Parse lines of smc_pnet into a PNET table; a line with both devices makes two entries. */
#pragma once

#include "test.h"

#include "smc_pnet/smc_pnet.h"

static inline void from_text(struct smc_pnet_table *table, const char *text)
{
	char name[17], eth[16], ib[64];
	int port, count, len;

	*table = (struct smc_pnet_table){ 0 };
	for (; *text; text += len + (text[len] == '\n')) {
		struct smc_pnet entry = { .port = 1 };

		len = (int)strcspn(text, "\n");
		count = sscanf(text, "%16s %15s %63s %d", name, eth, ib, &port);
		assert_true(count >= 3);
		strcpy(entry.name, name);
		if (strcmp(eth, SMC_PNET_NONE)) {
			entry.has = SMC_PNET_HAS_NET;
			strcpy(entry.eth, eth);
			smc_pnet_append(table, &entry);
		}
		if (!strcmp(ib, SMC_PNET_NONE))
			continue;
		entry = (struct smc_pnet){ .has = SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT,
					   .port = count > 3 ? (uint8_t)port : 1 };
		strcpy(entry.name, name);
		strcpy(entry.ib, ib);
		smc_pnet_append(table, &entry);
	}
}

/* Append "NET1 eth0 n/a 255". */
static inline void append_entry(struct out_text *text, const struct smc_pnet *entry)
{
	for (const struct out_col *col = pnet_columns; col->name; col++) {
		if (col != pnet_columns)
			out_char(text, ' ');
		out_cell(text, col, entry);
	}
}
