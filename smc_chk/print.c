// SPDX-License-Identifier: MIT
/* What a command found goes to stdout at once: as text, or as one JSON document. */
#include "smc_chk/print.h"

#include "smc_chk/smc_chk.h"

int chk_print(struct out_text *text)
{
	struct smc_err err = { 0 };
	int ret = out_print(text, &err);

	out_free(text);
	return ret ? cli_error(&chk_tool, "%s", err.text) : CHK_OK;
}

int chk_print_json(json_t *json)
{
	struct out_text text = { 0 };

	out_json_document(&text, json, false);
	return chk_print(&text);
}
