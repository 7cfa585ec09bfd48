// SPDX-License-Identifier: MIT
/* One error on its way up. */
#include "base/err.h"

#include <stdarg.h>

int smc_err_say(struct smc_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		err->code = code;
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return -code;
}
