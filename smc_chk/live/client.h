/* SPDX-License-Identifier: MIT */
/* One connection, tested: for connect, -l and tune. */
#pragma once

#include "smc_chk/live/report.h"
#include "smc_chk/smc_chk.h"

/** client_test() - connect and test, as @req says. Return: @result->status */
int client_test(struct client_result *result, const struct chk_request *req, const char *host,
		uint16_t port);
