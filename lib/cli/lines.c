// SPDX-License-Identifier: MIT
/* Break text into lines for a terminal. */
#include "cli/lines.h"

#include <ctype.h>
#include <stdint.h>

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

/* Return: last blank in @text up to @end, outside of single quotes if @is_plain; 0: none */
static size_t last_blank(const char *text, size_t end, bool is_plain)
{
	bool is_quoted = false;
	size_t blank = 0;

	for (size_t i = 0; i <= end; i++) {
		if (text[i] == ' ' && !(is_plain && is_quoted))
			blank = i;
		else if (text[i] != '\'')
			continue;
		else if (is_quoted)
			is_quoted = false;
		else
			is_quoted = !i || !isalnum((unsigned char)text[i - 1]);
	}
	return blank;
}

struct cli_piece cli_take_line(struct cli_piece *rest, size_t width, bool is_begun)
{
	struct cli_piece line = *rest;
	size_t fit = bytes_of(*rest, width, NULL), at;

	if (fit < rest->len) {
		at = last_blank(rest->data, fit, true);
		if (!at)
			at = last_blank(rest->data, fit, false);
		line.len = at ? at : is_begun ? 0 : fit;
	}
	rest->data += line.len;
	rest->len -= line.len;
	while (rest->len && line.len && line.data[line.len - 1] == ' ')
		line.len--;
	for (; rest->len && *rest->data == ' '; rest->len--)
		rest->data++;
	return line;
}
