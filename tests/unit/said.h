/* SPDX-License-Identifier: MIT */
/* For tests of text. */
#pragma once

#include "test.h"

#include "out/text.h"

/* The text as a string, valid until the next call; the text is empty afterwards. */
static inline const char *said(struct out_text *text)
{
	static char *copy;

	free(copy);
	copy = strndup(text->len ? text->data : "", text->len);
	out_free(text);
	return copy;
}
