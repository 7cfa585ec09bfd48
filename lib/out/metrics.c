// SPDX-License-Identifier: MIT
/* Prometheus' text format, for the text file collector of the node exporter. */
#include "out/metrics.h"

void metrics_head(struct out_text *text, const char *name, const char *type, const char *help)
{
	out_printf(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Readers refuse the whole text for one byte that is not UTF-8. */
static void append_value(struct out_text *text, const char *value)
{
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c < 0x20 || c > 0x7e)
			out_printf(text, "\\\\x%02x", c);
		else if (c == '\\' || c == '"')
			out_printf(text, "\\%c", c);
		else
			out_char(text, *value);
	}
}

void metrics_sample(struct out_text *text, const char *name, uint64_t value, ...)
{
	const char *label, *words;
	char before = '{';
	va_list ap;

	out_str(text, name);
	va_start(ap, value);
	while ((label = va_arg(ap, const char *))) {
		words = va_arg(ap, const char *);
		if (!words)
			continue;
		out_char(text, before);
		out_str(text, label);
		out_str(text, "=\"");
		append_value(text, words);
		out_char(text, '"');
		before = ',';
	}
	va_end(ap);
	out_printf(text, "%s %" PRIu64 "\n", before == ',' ? "}" : "", value);
}
