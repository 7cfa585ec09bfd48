/* SPDX-License-Identifier: MIT */
/* smc.conf, lines or JSON, of any bytes. */
#pragma once

#include "fuzz.h"

#include "conf/read.h"

/* Return: 0, or -errno with a sentence and nothing else. */
static inline int read_conf(struct conf *conf, const void *data, size_t size)
{
	struct smc_err err = { 0 };
	char *text = malloc(size + 1);
	int ret;

	MUST(text);
	memcpy(text, data, size);
	text[size] = '\0';
	ret = conf_read_text(conf, text, size, "x", &err);
	free(text);
	MUST(ret <= 0 && (!ret || (err.code == -ret && err.text[0])));
	MUST(!ret || (!conf->items && !conf->sections && !conf->strings));
	return ret;
}
