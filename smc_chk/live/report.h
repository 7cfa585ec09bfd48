/* SPDX-License-Identifier: MIT */
/* What a live test found, for people and as JSON. */
#ifndef SMC_CHK_REPORT_H
#define SMC_CHK_REPORT_H

#include <jansson.h>

#include "out/text.h"
#include "smc_chk/live/result.h"

/** report_text() - for people: the verdict first */
void report_text(struct out_text *text, const struct client_result *result);

/** report_json() - add what is known to an object. Return: 0, -1 without memory */
int report_json(json_t *json, const struct client_result *result);

#endif
