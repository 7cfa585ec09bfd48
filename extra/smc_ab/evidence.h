/* SPDX-License-Identifier: MIT */
/* A result of smc_ab --json as evidence: where it was measured, and whether a second run agrees. */
#pragma once

#include <jansson.h>

#include "out/text.h"
#include "smc_ab/result.h"

/**
 * struct record - a result read from a file
 * @doc: the document; @verdict: AB_SMC_BETTER, AB_TCP_BETTER or AB_NO_DIFFERENCE
 * @judged: what it is based on, without the medians
 * @argv: command line of smc_ab, NULL-terminated; without its name, which is @argv[0]
 */
struct record {
	json_t *doc;
	enum ab_verdict verdict;
	struct numbers judged;
	char **argv;
	int argc;
};

/**
 * record_load() - read the result of an earlier run
 *
 * Return: 0; the tool's error status after a message: not such a file, or without a verdict.
 */
int record_load(struct record *record, const struct cli_tool *tool, const char *path);

void record_free(struct record *record);

/** record_host() - facts of this host that a result depends on: kernel, processors, settings */
json_t *record_host(void);

/** record_text() - append the recorded result, what differs between the hosts, and the outcome */
void record_text(struct out_text *text, const struct record *record,
		 const struct ab_result *result);

/** record_json() - the recorded result, and the outcome */
json_t *record_json(const struct record *record, const struct ab_result *result);
