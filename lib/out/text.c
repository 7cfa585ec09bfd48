// SPDX-License-Identifier: MIT
/* Text that is put together without stdio. */
#include "out/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool grow(struct out_text *text, size_t len)
{
	size_t size = text->size ? text->size : 4096;
	char *data;

	while (size - text->len < len)
		size *= 2;
	data = realloc(text->data, size);
	if (!data) {
		text->is_failed = true;
		return false;
	}
	text->data = data;
	text->size = size;
	return true;
}

static inline bool reserve(struct out_text *text, size_t len)
{
	return text->size - text->len >= len || grow(text, len);
}

void out_mem(struct out_text *text, const void *data, size_t len)
{
	if (!len || !reserve(text, len))
		return;
	memcpy(text->data + text->len, data, len);
	text->len += len;
}

void out_str(struct out_text *text, const char *str)
{
	out_mem(text, str, strlen(str));
}

void out_fill(struct out_text *text, char c, size_t count)
{
	static const char blanks[] = "                                ";

	/* Nearly every call pads a cell: one copy of a fixed size, cut to length. */
	if (c == ' ' && count < sizeof(blanks) && text->size - text->len >= sizeof(blanks)) {
		memcpy(text->data + text->len, blanks, sizeof(blanks) - 1);
		text->len += count;
		return;
	}
	if (!count || !reserve(text, count))
		return;
	memset(text->data + text->len, c, count);
	text->len += count;
}

static inline void number(struct out_text *text, uint64_t value, int digits, unsigned int base)
{
	char buf[24], *end = buf + sizeof(buf), *p = end;

	do {
		*--p = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (end - p < digits && p > buf)
		*--p = '0';
	if (!reserve(text, sizeof(buf)))
		return;
	memcpy(text->data + text->len, p, (size_t)(end - p));
	text->len += (size_t)(end - p);
}

void out_dec(struct out_text *text, uint64_t value, int digits)
{
	number(text, value, digits, 10);
}

void out_hex(struct out_text *text, uint64_t value, int digits)
{
	number(text, value, digits, 16);
}

void out_escaped(struct out_text *text, const char *str, size_t len)
{
	for (size_t i = 0; i < len && str[i]; i++) {
		unsigned char c = (unsigned char)str[i];

		if (c >= 0x20 && c < 0x7f && c != '\\') {
			out_mem(text, &str[i], 1);
		} else {
			out_str(text, "\\x");
			out_hex(text, c, 2);
		}
	}
}

void out_reset(struct out_text *text)
{
	text->len = 0;
}

int out_flush(struct out_text *text, int fd)
{
	size_t done = 0;

	while (done < text->len) {
		ssize_t ret = write(fd, text->data + done, text->len - done);

		if (ret < 0 && errno == EINTR)
			continue;
		if (ret < 0)
			return -errno;
		done += (size_t)ret;
	}
	out_reset(text);
	return text->is_failed ? -ENOMEM : 0;
}

void out_free(struct out_text *text)
{
	free(text->data);
	*text = (struct out_text){ 0 };
}
