/* SPDX-License-Identifier: MIT */
/* --probe: asks peers whether they speak SMC, with one connection each that sends nothing. */
#pragma once

#include "smc_chk/advise/verdict.h"

/** probe_peers() - where this host is the client, fill in @asked of rows that would profit */
void probe_peers(struct judged *judged);
