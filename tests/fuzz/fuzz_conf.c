// SPDX-License-Identifier: MIT
/* smc.conf: accepted input can be written and read again with the same result. */
#include "fuzz.h"

#include "settings/settings.h"

/* Return: 0, or -errno with a message and no settings. */
static int read_conf(struct conf *conf, const void *data, size_t size)
{
	struct smc_err err = { 0 };
	char *text = fuzz_text(data, size);
	int ret;

	ret = conf_read_text(conf, text, size, "x", &err);
	free(text);
	MUST(ret <= 0 && (!ret || (err.code == -ret && err.text[0])));
	MUST(!ret || (!conf->items && !conf->sections && !conf->strings));
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct out_text text = { 0 }, again = { 0 };
	struct conf conf, other;

	if (read_conf(&conf, data, size))
		return 0;
	conf_write(&text, &conf);
	MUST(!read_conf(&other, text.data ? text.data : "", text.len));
	MUST(other.count == conf.count);
	conf_write(&again, &other);
	MUST(again.len == text.len && (!text.len || !memcmp(again.data, text.data, text.len)));
	out_free(&text);
	out_free(&again);
	conf_free(&conf);
	conf_free(&other);
	return 0;
}
