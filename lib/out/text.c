// SPDX-License-Identifier: MIT
/* Text buffers without stdio. */
#include "out/text.h"

#include "base/err.h"
#include "base/memory.h"
#include "base/write.h"

void out_grow(struct out_text *text, size_t len)
{
	size_t size = text->size ? text->size : 4096;

	while (size - text->len < len)
		size *= 2;
	text->data = xrealloc(text->data, size, 1);
	text->size = size;
}

void out_mem(struct out_text *text, const void *data, size_t len)
{
	if (len)
		memcpy(out_reserve(text, len), data, len);
	text->len += len;
}

void out_vprintf(struct out_text *text, const char *fmt, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len <= 0)
		return;
	vsnprintf(out_reserve(text, (size_t)len + 1), (size_t)len + 1, fmt, args);
	text->len += (size_t)len;
}

void out_printf(struct out_text *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	out_vprintf(text, fmt, args);
	va_end(args);
}

void out_fill(struct out_text *text, char c, size_t count)
{
	if (count)
		memset(out_reserve(text, count), c, count);
	text->len += count;
}

/* Maximum digits of a number, and of a minimum that callers request. */
#define DIGITS 24

/*
 * Reserve room for a number of @used digits, at least @digits, filled with zeros by one copy of a
 * fixed size. Return: the end, from which the digits are written backwards.
 */
static inline char *append_zeros(struct out_text *text, int used, int digits)
{
	static const char zeros[] = "000000000000000000000000";
	char *at = memcpy(out_reserve(text, DIGITS), zeros, DIGITS);

	at += used < digits ? digits : used;
	text->len = (size_t)(at - text->data);
	return at;
}

static inline int decimal_digits(uint64_t value)
{
	int used = 1;

	for (; value >= 10000; value /= 10000)
		used += 4;
	return used + (value >= 10) + (value >= 100) + (value >= 1000);
}

void out_dec(struct out_text *text, uint64_t value, int digits)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	char *at = append_zeros(text, decimal_digits(value), digits);

	for (; value >= 100; value /= 100)
		memcpy(at -= 2, pairs + 2 * (value % 100), 2);
	if (value >= 10)
		memcpy(at - 2, pairs + 2 * value, 2);
	else
		at[-1] = (char)('0' + value);
}

void out_hex(struct out_text *text, uint64_t value, int digits)
{
	int used = 1;
	char *at;

	for (uint64_t rest = value; rest >>= 4;)
		used++;
	at = append_zeros(text, used, digits);
	for (; value; value >>= 4)
		*--at = "0123456789abcdef"[value & 0xf];
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

/* Characters without a meaning to any shell, also in interactive use. */
static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:@/";

static void append_quoted(struct out_text *text, const char *word)
{
	out_char(text, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			out_str(text, "'\\'");
		out_char(text, *word);
	}
	out_char(text, '\'');
}

/* $'...' would be shorter, but dash does not support it. */
static void append_octal(struct out_text *text, const char *word)
{
	out_str(text, "\"$(printf %b '");
	for (; *word; word++) {
		if (strchr(plain, *word))
			out_char(text, *word);
		else
			out_printf(text, "\\0%03o", (unsigned char)*word);
	}
	out_str(text, "')\"");
}

bool out_shell_word(struct out_text *text, const char *word)
{
	size_t len = strlen(word);

	if (len && word[len - 1] == '\n')
		return false;
	if (len && strspn(word, plain) == len) {
		out_str(text, word);
		return true;
	}
	for (size_t i = 0; i < len; i++) {
		if (word[i] < 0x20 || word[i] > 0x7e) {
			append_octal(text, word);
			return true;
		}
	}
	append_quoted(text, word);
	return true;
}

void out_reset(struct out_text *text)
{
	text->len = 0;
}

int out_flush(struct out_text *text, int fd)
{
	if (!smc_write_all(fd, text->data, text->len))
		return -errno;
	out_reset(text);
	return 0;
}

int out_print(struct out_text *text, struct smc_err *err)
{
	int ret = out_flush(text, STDOUT_FILENO);

	return ret ? smc_err_set(err, -ret, "cannot write to standard output") : 0;
}

int out_finish(struct out_text *text, struct smc_err *err)
{
	int ret = out_print(text, err);

	out_free(text);
	return ret;
}
