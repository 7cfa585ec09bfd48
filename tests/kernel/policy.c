// SPDX-License-Identifier: MIT
/*
 * Policies for tests: reads the lines and applies them, or shows the current policy.
 * usage: policy apply [later] <LINES | policy show
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/enforce.h"
#include "smc_conf/smc_conf.h"

static int fail(const struct smc_err *err)
{
	fprintf(stderr, "policy: %s\n", err->text);
	return 1;
}

static int read_line(struct policy *policy, char *line, struct smc_err *err)
{
	const char *words[20000];
	size_t count = 0, bad;
	char *word;

	line[strcspn(line, "\n")] = '\0';
	while ((word = strsep(&line, " ")))
		if (*word)
			words[count++] = word;
	return count ? policy_line(policy, words, count, &bad, err) : 0;
}

static int apply(bool for_later)
{
	struct policy policy = { 0 };
	struct smc_err err = { 0 };
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0)
		if (read_line(&policy, line, &err))
			return fail(&err);
	free(line);
	policy_settle(&policy);
	policy.for_later = for_later;
	if (policy_apply(&policy, NULL, &err))
		return fail(&err);
	policy_free(&policy);
	return 0;
}

static int show(void)
{
	struct policy policy = { 0 };
	struct out_text text = { 0 };
	struct smc_err err = { 0 };
	json_t *json;

	if (policy_read(&policy, &err))
		return fail(&err);
	policy_write(&text, &policy);
	out_char(&text, '\0');
	json = policy_json(&policy);
	json_object_set_new(json, "lines", json_string(text.data));
	json_dumpf(json, stdout, 0);
	json_decref(json);
	out_free(&text);
	policy_free(&policy);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "apply"))
		return apply(argc == 3 && !strcmp(argv[2], "later"));
	if (argc == 2 && !strcmp(argv[1], "show"))
		return show();
	fprintf(stderr, "usage: policy apply [later]|show\n");
	return 1;
}
