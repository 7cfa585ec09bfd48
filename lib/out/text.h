/* SPDX-License-Identifier: MIT */
/* Text buffers without stdio, fast enough for tables of 100 000 rows. */
#pragma once

#include <stdarg.h>

#include "base/memory.h"

struct smc_err;

/** struct out_text - growing text, not NUL-terminated; zero-initialize */
struct out_text {
	char *data;
	size_t len, size;
};

ARRAY_FREE(out_free, out_text, data)

/** out_mem() - append bytes as they are */
void out_mem(struct out_text *text, const void *data, size_t len);

/** out_grow() - make room for @len more bytes */
void out_grow(struct out_text *text, size_t len) __attribute__((cold, noinline));

/** out_reserve() - get the address for the next @len bytes; the caller increases text->len */
static inline char *out_reserve(struct out_text *text, size_t len)
{
	if (text->size - text->len < len)
		out_grow(text, len);
	return text->data + text->len;
}

/** out_str() - append a string as it is */
static inline void out_str(struct out_text *text, const char *str)
{
	out_mem(text, str, strlen(str));
}

/** out_printf() - append text as by printf(3). Slower than the other functions */
void out_printf(struct out_text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** out_vprintf() - like out_printf() */
void out_vprintf(struct out_text *text, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

/** out_char() - append one character */
static inline void out_char(struct out_text *text, char c)
{
	if (text->len < text->size)
		text->data[text->len++] = c;
	else
		out_mem(text, &c, 1);
}

/** out_fill() - append @count copies of a character */
void out_fill(struct out_text *text, char c, size_t count);

#define OUT_BLANKS "                                " /* 32 */

/** out_blanks() - append blanks: usually few, so one copy of a fixed size, cut to length */
static inline void out_blanks(struct out_text *text, size_t count)
{
	if (count >= sizeof(OUT_BLANKS) || text->size - text->len < sizeof(OUT_BLANKS)) {
		out_fill(text, ' ', count);
		return;
	}
	memcpy(text->data + text->len, OUT_BLANKS, sizeof(OUT_BLANKS) - 1);
	text->len += count;
}

/** out_dec() - append a decimal number with at least @digits digits, 24 at most */
void out_dec(struct out_text *text, uint64_t value, int digits);

/** out_hex() - append a hexadecimal number with at least @digits digits (24 at most), lower case */
void out_hex(struct out_text *text, uint64_t value, int digits);

/**
 * out_escaped() - append untrusted text, up to a NUL and @len bytes at most
 *
 * Control bytes, bytes above 0x7e and \ become \xNN: no peer can control the reader's terminal.
 */
void out_escaped(struct out_text *text, const char *str, size_t len);

/**
 * out_shell_word() - append an untrusted name as one word of a shell command
 *
 * Printable ASCII, not to be escaped again: special characters are quoted, other bytes become
 * "$(printf %b '\0033')", which every POSIX shell turns back. A word may begin with '-'.
 *
 * Return: false, with nothing appended, for a name that ends with a newline, which $(...) drops.
 */
bool out_shell_word(struct out_text *text, const char *word) __attribute__((warn_unused_result));

/** out_reset() - clear, but keep the memory */
void out_reset(struct out_text *text);

/** out_flush() - write all to a file descriptor and clear. Return: 0; -errno of write(2) */
int out_flush(struct out_text *text, int fd);

/** out_print() - out_flush() to stdout. Return: 0, -errno with the common message in @err */
int out_print(struct out_text *text, struct smc_err *err);

/** out_finish() - out_print() and out_free() */
int out_finish(struct out_text *text, struct smc_err *err);
