/* SPDX-License-Identifier: MIT */
/* tune: which buffers are best to a server of ours? */
#pragma once

#include "smc_chk/smc_chk.h"

/** chk_tune() - measure, and print what was found, or one error. Return: chk_status */
int chk_tune(const struct chk_request *req);
