/* SPDX-License-Identifier: MIT */
/* The commands of the live test: each prints its result, or one error, and returns a chk_status. */
#ifndef SMC_CHK_LIVE_H
#define SMC_CHK_LIVE_H

#include "smc_chk/smc_chk.h"

/** chk_connect() - -C: test the connection to a server */
int chk_connect(const struct chk_request *req);

/** chk_server() - -S: be the server */
int chk_server(const struct chk_request *req);

/** chk_live() - -l: a server and a client on each net device of this host */
int chk_live(const struct chk_request *req);

/** live_worse_status() - of two: an error is worse than untested, that than TCP, that than SMC */
int live_worse_status(int one, int other);

#endif
