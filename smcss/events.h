/* SPDX-License-Identifier: MIT */
/* --events: what happens, as it happens. */
#pragma once

#include "smcss.h"

/** events_run() - until --count of them, or a signal. Return: 0, -errno with @err */
int events_run(const struct smcss_opts *opts, struct smc_err *err);
