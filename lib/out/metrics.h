/* SPDX-License-Identifier: MIT */
/* Prometheus' text form, as the node exporter's text file collector reads it. */
#pragma once

#include "out/text.h"

/** metrics_head() - begin a family: all of its samples follow, and no other one has its name */
void metrics_head(struct out_text *text, const char *name, const char *type, const char *help);

/**
 * metrics_sample() - append one sample
 * @...: pairs of a label and its value, ended by NULL; a value of NULL leaves the label out, and
 * what is not printable ASCII in it becomes \xNN
 */
void metrics_sample(struct out_text *text, const char *name, uint64_t value, ...)
	__attribute__((sentinel));
