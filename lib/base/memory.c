// SPDX-License-Identifier: MIT
/* Allocation that ends the tool on failure. */
#include "base/memory.h"

#include <stdarg.h>

void memory_end(void)
{
	fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
	exit(&memory_status ? memory_status : EXIT_FAILURE);
}

static void *or_end(void *data)
{
	if (!data)
		memory_end();
	return data;
}

void *xcalloc(size_t count, size_t size)
{
	return or_end(count && size ? calloc(count, size) : calloc(1, 1));
}

void *xrealloc(void *data, size_t count, size_t size)
{
	return or_end(count && size ? reallocarray(data, count, size) : realloc(data, 1));
}

char *xstrndup(const char *text, size_t len)
{
	return or_end(strndup(text, len));
}

char *xstrdup(const char *text)
{
	return or_end(strdup(text));
}

char *xprintf(const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	return or_end(len < 0 ? NULL : text);
}
