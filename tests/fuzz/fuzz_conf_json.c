// SPDX-License-Identifier: MIT
/* smc.conf as JSON: what is read becomes the same lines, and the same JSON, again. */
#include "read_conf.h"

#include "conf/json.h"

/* As lines, which must be those of @before. */
static void compare(const struct out_text *before, const void *data, size_t size)
{
	struct out_text lines = { 0 };
	struct conf conf;

	MUST(!read_conf(&conf, data, size));
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

	if (!size || read_conf(&conf, data, size))
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
