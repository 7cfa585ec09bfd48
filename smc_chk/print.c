// SPDX-License-Identifier: MIT
/* What a command found goes to stdout at once: as text, or as one JSON document. */
#include "smc_chk/print.h"

#include <stdlib.h>
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
	size_t layout = isatty(STDOUT_FILENO) ? JSON_INDENT(2) : JSON_COMPACT;
	char *dump = json ? json_dumps(json, layout) : NULL;
	struct out_text text = { .is_failed = !dump };

	json_decref(json);
	if (dump)
		out_str(&text, dump);
	out_char(&text, '\n');
	free(dump);
	return chk_print(&text);
}
