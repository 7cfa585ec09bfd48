// SPDX-License-Identifier: MIT
/* smc.conf: what is read can be written, and read again as the same. */
#include "read_conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct out_text text = { 0 }, again = { 0 };
	struct conf conf, other;

	if (read_conf(&conf, data, size))
		return 0;
	conf_write(&text, &conf);
	MUST(!text.is_failed);
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
