// SPDX-License-Identifier: MIT
/* Shared by the command lines of smcss and smc_top. */
#include "sockets/tool.h"

#include "smc/filter.h"

int sockets_help(const struct cli_tool *tool, const struct out_col *table)
{
	struct cli_tool whole = *tool;
	struct out_text text AUTO(out_free) = { 0 };

	out_str(&text, FILTER_HELP FILTER_HELP_STATE FILTER_HELP_TESTS "Columns for --output:\n");
	out_col_names(&text, table);
	out_char(&text, '\0');
	whole.more = text.data;
	return cli_help(&whole);
}

int sockets_separate(bool is_json, bool is_first, struct smc_err *err)
{
	struct out_text text = { 0 };

	out_str(&text, is_json ? "" : cli_separator(is_first));
	return out_finish(&text, err);
}
