/* SPDX-License-Identifier: MIT */
/* The commands of the live test: each prints what it found, or one error. Return: chk_status */
#pragma once

#include "smc_chk/smc_chk.h"

/** chk_connect() - one connection, tested */
int chk_connect(const struct chk_request *req);

/** chk_server() - serve until stopped; prints the port */
int chk_server(const struct chk_request *req);

/** chk_live() - -l: a server and a client on each net device of this host */
int chk_live(const struct chk_request *req);

/** chk_tune() - which buffers are best to a server of ours? */
int chk_tune(const struct chk_request *req);

/** live_worse_status() - of two: an error is worse than untested, that than TCP, that than SMC */
int live_worse_status(int one, int other);
