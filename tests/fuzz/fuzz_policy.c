// SPDX-License-Identifier: MIT
/* Lines of a policy become items, which are lines with the same items. */
#include "fuzz.h"

#include <errno.h>

#include "smc_conf/smc_conf.h"

#define WORDS_MAX 64

static int take(void *policy, const char *item)
{
	MUST(!policy_add(policy, item));
	return 0;
}

static int read_line(struct policy *policy, char *line)
{
	const char *words[WORDS_MAX];
	struct smc_err err = { 0 };
	size_t count = 0, bad = 0;
	char *word;
	int ret;

	while (count < WORDS_MAX && (word = strsep(&line, " \t")))
		if (*word)
			words[count++] = word;
	if (!count || (strcmp(words[0], "allow") && strcmp(words[0], "deny")))
		return 0;
	ret = policy_line(words, count, &bad, take, policy, &err);
	MUST(ret == 0 || ret == -EINVAL);
	MUST(!ret || (*err.text && bad < count));
	return ret;
}

static int read_again(void *policy, const char *item)
{
	char line[POLICY_ITEM_SIZE];

	snprintf(line, sizeof(line), "%s", item);
	MUST(!read_line(policy, line));
	return 0;
}

static int append(void *text, const char *item)
{
	out_printf(text, "%s\n", item);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy policy = { 0 }, again = { 0 };
	struct out_text written = { 0 }, second = { 0 };
	char *text = fuzz_text(data, size), *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		read_line(&policy, line);
	policy_each(&policy, append, &written);
	policy_each(&policy, read_again, &again);
	policy_each(&again, append, &second);
	MUST(written.len == second.len && !memcmp(written.data ? written.data : "",
						  second.data ? second.data : "", written.len));
	json_decref(policy_json(&policy));
	out_free(&written);
	out_free(&second);
	policy_free(&policy);
	policy_free(&again);
	free(text);
	return 0;
}
