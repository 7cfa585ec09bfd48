// SPDX-License-Identifier: MIT
/* Numbers in human-readable form. */
#include "out/units.h"

/* A number below @step is exact; @prefixes starts with that of the first power of @step. */
static const char *scaled(char text[OUT_UNITS], uint64_t value, unsigned int step,
			  const char *prefixes, const char *gap, const char *unit)
{
	uint64_t tenths;

	if (value < step) {
		snprintf(text, OUT_UNITS, "%" PRIu64 "%s%s", value, gap, *unit ? "B" : "");
		return text;
	}
	/* A value that rounds up to @step becomes 1.0 of the next unit. */
	for (; value >= (uint64_t)step * step - step / 2; prefixes++)
		value /= step;
	tenths = value / step * 10 + (value % step * 10 + step / 2) / step;
	if (tenths >= 100 || (step == 1024 && tenths % 10 == 0))
		snprintf(text, OUT_UNITS, "%" PRIu64 "%s%c%s", (value + step / 2) / step, gap,
			 *prefixes, unit);
	else
		snprintf(text, OUT_UNITS, "%" PRIu64 ".%" PRIu64 "%s%c%s", tenths / 10, tenths % 10,
			 gap, *prefixes, unit);
	return text;
}

const char *out_si(char text[OUT_UNITS], uint64_t value)
{
	return scaled(text, value, 1000, "kMGTPE", "", "");
}

const char *out_data(char text[OUT_UNITS], uint64_t bytes)
{
	return scaled(text, bytes, 1000, "kMGTPE", " ", "B");
}

const char *out_size(char text[OUT_UNITS], uint64_t bytes)
{
	return scaled(text, bytes, 1024, "KMGTPE", " ", "iB");
}
