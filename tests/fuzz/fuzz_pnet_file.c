// SPDX-License-Identifier: MIT
/* Files of PNET entries: what is read can be written, and read again as the same. */
#include "fuzz.h"

#include "smc_pnet/smc_pnet.h"

static int read_text(struct smc_pnet_table *table, const void *data, size_t size)
{
	struct smc_err err = { 0 };
	int ret = pnet_read(table, data, size, "x", &err);

	MUST(ret <= 0 && (!ret || (err.code == -ret && err.text[0])));
	MUST(!ret || (!table->entries && !table->count));
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smc_pnet_table table, again;
	struct out_text text = { 0 };

	if (!read_text(&table, data, size)) {
		for (size_t i = 0; i < table.count; i++) {
			MUST(table.entries[i].has);
			pnet_append_line(&text, &table.entries[i]);
		}
		MUST(!read_text(&again, text.data, text.len));
		MUST(again.count == table.count);
		for (size_t i = 0; i < table.count; i++)
			MUST(smc_pnet_same(&table.entries[i], &again.entries[i]));
		smc_pnet_free(&again);
	}
	smc_pnet_free(&table);
	out_free(&text);
	return 0;
}
