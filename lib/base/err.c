// SPDX-License-Identifier: MIT
/* One error on its way up. */
#include "base/err.h"

#include <stdarg.h>

static int __attribute__((format(printf, 3, 0)))
vset(struct smc_err *err, int code, const char *fmt, va_list ap)
{
	if (err) {
		err->code = code;
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
	}
	return -code;
}

int smc_err_set(struct smc_err *err, int code, const char *fmt, ...)
{
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	vset(err, code, fmt, ap);
	va_end(ap);
	if (err) {
		len = strlen(err->text);
		snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(code));
	}
	return -code;
}

int smc_err_say(struct smc_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vset(err, code, fmt, ap);
	va_end(ap);
	return -code;
}
