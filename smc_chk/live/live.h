/* SPDX-License-Identifier: MIT */
/* -l: a server and a client on each net device of this host. */
#pragma once

#include "smc_chk/smc_chk.h"

/** chk_live() - test them, and print what was found, or one error. Return: chk_status */
int chk_live(const struct chk_request *req);

/** live_worse_status() - of two: an error is worse than untested, that than TCP, that than SMC */
int live_worse_status(int one, int other);
