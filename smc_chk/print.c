// SPDX-License-Identifier: MIT
/* What commands print: steps on stderr; what was found, as text or as one JSON document. */
#include <stdarg.h>
#include <stdio.h>

#include "cli/printable.h"
#include "smc_chk/smc_chk.h"

void chk_debug(const struct chk_request *req, const char *fmt, ...)
{
	char line[1024], shown[4 * sizeof(line)];
	va_list ap;

	if (!req->is_debug)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	cli_printable(shown, sizeof(shown), line);
	fprintf(stderr, "[DEBUG] %s\n", shown);
}

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

json_t *chk_json_optional(const char *str)
{
	return str && *str ? out_json_str(str) : NULL;
}
