// SPDX-License-Identifier: MIT
/* smc.conf as JSON: what is read becomes the same lines, and the same JSON, again. */
#include "fuzz.h"

#include "conf/json.h"
#include "conf/read.h"

/* Return: 0, or -errno with a sentence and nothing else. */
static int read_bytes(struct conf *conf, const void *data, size_t size)
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

/* As lines, which must be those of @before. */
static void compare(const struct out_text *before, const void *data, size_t size)
{
	struct out_text lines = { 0 };
	struct conf conf;

	MUST(!read_bytes(&conf, data, size));
	conf_write(&lines, &conf);
	MUST(lines.len == before->len);
	MUST(!lines.len || !memcmp(lines.data, before->data, lines.len));
	out_free(&lines);
	conf_free(&conf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct out_text lines = { 0 };
	struct conf conf;
	json_t *json;
	char *dump;

	if (!size || read_bytes(&conf, data, size))
		return 0;
	conf_write(&lines, &conf);
	MUST(!lines.is_failed);
	json = conf_json(&conf);
	dump = json_dumps(json, JSON_COMPACT);
	MUST(dump);
	compare(&lines, dump, strlen(dump));
	compare(&lines, lines.data ? lines.data : "", lines.len);
	free(dump);
	json_decref(json);
	out_free(&lines);
	conf_free(&conf);
	return 0;
}
