/* SPDX-License-Identifier: MIT */
/* advise: would SMC pay for what this host does over TCP? */
#pragma once

#include "smc_chk/smc_chk.h"

/**
 * chk_advise() - watch, judge, print
 *
 * Return: CHK_OK: something would profit; CHK_TCP: nothing would; CHK_ERROR after a message.
 */
int chk_advise(const struct chk_request *req);
