/* SPDX-License-Identifier: MIT */
/* Prometheus' text format, for the text file collector of the node exporter. */
#pragma once

#include "out/text.h"

/** metrics_head() - begin a family; all of its samples must follow, and its name must be unique */
void metrics_head(struct out_text *text, const char *name, const char *type, const char *help);

/**
 * metrics_sample() - append one sample
 * @...: pairs of a label and its value, terminated by NULL; a NULL value omits the label, and bytes
 *	other than printable ASCII become \xNN
 */
void metrics_sample(struct out_text *text, const char *name, uint64_t value, ...)
	__attribute__((sentinel));
