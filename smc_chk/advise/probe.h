/* SPDX-License-Identifier: MIT */
/* --probe: asks peers whether they speak SMC, with one connection each that sends nothing. */
#pragma once

#include "smc_chk/advise/verdict.h"

/**
 * probe_peers() - ask those whose rows would profit, where this host is the client
 *
 * At most 32 of them, each for three seconds at most, until watch_interrupted(). Fills in @asked of
 * the rows.
 */
void probe_peers(struct judged *judged);
