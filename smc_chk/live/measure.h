/* SPDX-License-Identifier: MIT */
/* --tcp-too: the same over SMC and over plain TCP, in turns, within one run. */
#ifndef SMC_CHK_MEASURE_H
#define SMC_CHK_MEASURE_H

#include "smc_chk/live/result.h"

/**
 * measure_rates() - compare SMC with plain TCP
 * @fd: connection that exists
 *
 * Return: 0; -1 with the status and its sentence in @result.
 */
int measure_rates(struct client_result *result, int fd, int timeout_ms);

#endif
