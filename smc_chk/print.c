// SPDX-License-Identifier: MIT
/* What a command found goes to stdout at once: as text, or as one JSON document. */
#include "smc_chk/print.h"

#include <string.h>
#include <unistd.h>

#include "smc_chk/smc_chk.h"

int chk_print(struct out_text *text)
{
	int ret = out_flush(text, STDOUT_FILENO);

	out_free(text);
	if (!ret)
		return CHK_OK;
	return cli_error(&chk_tool, "cannot write to standard output: %s", strerror(-ret));
}

int chk_print_json(json_t *json)
{
	struct out_text text = { 0 };

	out_json_document(&text, json, false);
	return chk_print(&text);
}
