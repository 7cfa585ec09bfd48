// SPDX-License-Identifier: MIT
/* Make untrusted text in messages safe for the terminal. */
#include "cli/printable.h"

#include "base/array.h"

/* Length of a character of UTF-8 by its first byte; 0 if that is invalid */
static size_t length_of(unsigned char first)
{
	static const struct {
		unsigned char mask, bits;
	} kinds[] = { { 0x80, 0 }, { 0xe0, 0xc0 }, { 0xf0, 0xe0 }, { 0xf8, 0xf0 } };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((first & kinds[i].mask) == kinds[i].bits)
			return i + 1;
	return 0;
}

/* Decode one character of UTF-8. Return: its length, 0 if invalid; @code receives its number. */
static size_t decode(const unsigned char *text, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = length_of(*text);

	*code = len > 1 ? *text & (0x7fU >> len) : *text;
	for (size_t i = 1; i < len; i++) {
		if (text[i] >> 6 != 2) /* also at the end of the string */
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	return len && *code >= least[len] && *code <= 0x10ffff && *code >> 11 != 0x1b ? len : 0;
}

/* True if a character prints in place, without side effects. */
static bool is_harmless(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return false;
	/* Direction marks and overrides, line separators, byte order mark. */
	return code != 0x61c && code != 0x200e && code != 0x200f &&
	       !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069) &&
	       code != 0xfeff;
}

void cli_printable(char *out, size_t size, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		uint32_t code;
		size_t len = decode(at, &code), n = len ? len : 1;
		char shown[4 * 4 + 1] = "";

		if (len && is_harmless(code))
			memcpy(shown, at, len);
		else
			for (size_t i = 0; i < n; i++)
				snprintf(shown + 4 * i, 5, "\\x%02x", at[i]);
		if (strlen(shown) >= size)
			break;
		memcpy(out, shown, strlen(shown));
		out += strlen(shown);
		size -= strlen(shown);
		at += n;
	}
	*out = '\0';
}
