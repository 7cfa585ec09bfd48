/* SPDX-License-Identifier: MIT */
/*
 * Settings as JSON, "smc-tools/conf/1", whose schema is lib/conf/smc.conf.schema.json. Strings have
 * the escapes of words in lines: \x41, in JSON "\\x41".
 */
#pragma once

#include <jansson.h>

#include "conf/keys.h"

#define CONF_JSON_SCHEMA "smc-tools/conf/1"

/** conf_json() - all of it as a document. Return: NULL without memory */
json_t *conf_json(const struct conf *conf);

/** conf_is_json() - do settings begin here as a JSON object? No line can. */
bool conf_is_json(const char *text);

/**
 * struct conf_source - a file that has been read
 * @name: of the file
 * @depth: how many files include it; negative: it cannot include any
 * @include: takes a line of the words "include" and a directory; @bad is SIZE_MAX where it has said
 *	by itself in @err what is wrong
 */
struct conf_source {
	struct conf *conf;
	const char *name;
	int depth;
	int (*include)(struct conf_source *source, struct conf_line *line);
	struct smc_err *err;
};

/**
 * conf_json_read() - settings from JSON text, by conf_line()
 *
 * Places and errors are "FILE:PATH", a path being .netns.blue.pnetid[0]; of what is not JSON at
 * all "FILE:LINE".
 *
 * Return: 0, -errno with @err.
 */
int conf_json_read(struct conf_source *source, const char *text, size_t len);
