// SPDX-License-Identifier: MIT
/* Break text into lines for a terminal. */
#include "cli/lines.h"

#include <ctype.h>

#include "base/array.h"

/* Length of the character, or of the escape sequence without width, at the start of @piece */
static size_t step(struct cli_piece piece, size_t *columns)
{
	size_t i = 1;

	*columns = *piece.data != '\033';
	if (*columns)
		while (i < piece.len && (piece.data[i] & 0xc0) == 0x80)
			i++;
	else
		while (i < piece.len && piece.data[i - 1] != 'm')
			i++;
	return i;
}

/* Bytes in the first @width columns. @columns, if not NULL: receives the columns used */
static size_t bytes_of(struct cli_piece piece, size_t width, size_t *columns)
{
	const struct cli_piece all = piece;
	size_t used = 0, next;

	while (piece.len) {
		size_t bytes = step(piece, &next);

		if (used + next > width)
			break;
		used += next;
		piece.data += bytes;
		piece.len -= bytes;
	}
	if (columns)
		*columns = used;
	return all.len - piece.len;
}

size_t cli_piece_columns(struct cli_piece piece)
{
	size_t columns;

	bytes_of(piece, SIZE_MAX, &columns);
	return columns;
}

/* True if the blank at @at separates a number from its unit. */
static bool is_in_quantity(struct cli_piece text, size_t at)
{
	static const char *const units[] = { "B",  "kB", "MB", "GB",  "TB", "KiB", "MiB", "GiB",
					     "us", "ms", "s",  "min", "h",  "d",   "%" };
	size_t len = 0;

	if (!at || !isdigit((unsigned char)text.data[at - 1]))
		return false;
	text.data += at + 1;
	text.len -= at + 1;
	while (len < text.len && (isalpha((unsigned char)text.data[len]) || text.data[len] == '%'))
		len++;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i]) == len && !memcmp(units[i], text.data, len))
			return true;
	return false;
}

/* Return: last good blank in @text up to @end, between fields if it has any; 0: none */
static size_t last_good_blank(struct cli_piece text, size_t end)
{
	bool is_quoted = false;
	size_t blank = 0, between = 0;

	for (size_t i = 0; i <= end; i++) {
		if (text.data[i] == '\'')
			is_quoted = !is_quoted && (!i || !isalnum((unsigned char)text.data[i - 1]));
		else if (text.data[i] == ' ' && !is_quoted && !is_in_quantity(text, i))
			blank = i;
		if (blank == i && i && text.data[i - 1] != ' ' && i + 1 < text.len &&
		    text.data[i + 1] == ' ')
			between = i;
	}
	return between ? between : blank;
}

struct cli_piece cli_take_line(struct cli_piece *rest, size_t width, bool is_begun)
{
	struct cli_piece line = *rest;
	size_t fit = bytes_of(*rest, width, NULL), at = fit, good;

	if (fit < rest->len) {
		while (at && rest->data[at] != ' ')
			at--;
		good = last_good_blank(*rest, at);
		at = good ? good : at;
		line.len = at || is_begun ? at : fit;
	}
	rest->data += line.len;
	rest->len -= line.len;
	while (rest->len && line.len && line.data[line.len - 1] == ' ')
		line.len--;
	for (; rest->len && *rest->data == ' '; rest->len--)
		rest->data++;
	return line;
}
