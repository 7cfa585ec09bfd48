/* SPDX-License-Identifier: MIT */
/* Connecting to a server by its name. */
#ifndef SMC_CHK_DIAL_H
#define SMC_CHK_DIAL_H

#include "smc_chk/live/result.h"
#include "smc_chk/smc_chk.h"

/** struct dial_target - @req: family, time limit; @host: name or address; @is_smc: over SMC */
struct dial_target {
	const struct chk_request *req;
	const char *host;
	uint16_t port;
	bool is_smc;
};

/**
 * dial() - connect to the first of the host's addresses that answers
 *
 * @result receives the peer and the time of the handshake.
 *
 * Return: descriptor; -1 with the status and its sentence in @result.
 */
int dial(struct client_result *result, const struct dial_target *target);

#endif
