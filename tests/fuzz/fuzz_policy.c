// SPDX-License-Identifier: MIT
/* Lines of a policy; its text form parses as the same policy. */
#include "fuzz.h"

#include <errno.h>

#include "smc_conf/smc_conf.h"

#define WORDS_MAX 64

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
	ret = policy_line(policy, words, count, &bad, &err);
	MUST(ret == 0 || ret == -EINVAL);
	MUST(!ret || (*err.text && bad < count));
	return ret;
}

/* Invalid lines are skipped. */
static void read_text(struct policy *policy, char *text, bool must)
{
	char *line;

	while ((line = strsep(&text, "\n")))
		MUST(!read_line(policy, line) || !must);
	policy_settle(policy);
}

static void differs(void *arg, char sign, const char *line)
{
	(void)arg, (void)sign, (void)line;
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy policy = { 0 }, again = { 0 }, read = { 0 };
	struct out_text written = { 0 }, second = { 0 };
	char *text = fuzz_text(data, size);

	read_text(&policy, text, false);
	policy_write(&written, &policy);
	out_char(&written, '\0');
	policy_read(&read, written.data);
	policy_write(&second, &read);
	out_char(&second, '\0');
	policy_diff(written.data, second.data, differs, NULL);
	read_text(&again, written.data, true);
	json_decref(policy_json(&policy));
	out_free(&written);
	out_free(&second);
	policy_free(&policy);
	policy_free(&again);
	policy_free(&read);
	free(text);
	return 0;
}
