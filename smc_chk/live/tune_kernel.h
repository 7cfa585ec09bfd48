/* SPDX-License-Identifier: MIT */
/* -C --tune --kernel: what is best of the knobs of net.smc. */
#pragma once

#include "smc_chk/live/tune_report.h"

/** tune_kernel_ready() - may and can this be done here? Return: 0, or < 0 with a sentence */
int tune_kernel_ready(struct tune *tune);

/**
 * tune_kernel() - fill in @tune->kernel, when @tune->sizes is judged
 * @control: a connection to the server
 *
 * Return: 0; < 0 with a sentence in @tune->result.
 */
int tune_kernel(struct tune *tune, int control);
