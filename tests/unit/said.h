/* SPDX-License-Identifier: MIT */
/* For tests of text. */
#pragma once

#include "test.h"

#include <jansson.h>

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

/* The document as a string with ' for ", valid until the next call; it is freed. */
static inline const char *json_said(json_t *json)
{
	static char *text;

	free(text);
	text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(json);
	for (char *p = text; p && *p; p++)
		*p = *p == '"' ? '\'' : *p;
	return text ? text : "none";
}
