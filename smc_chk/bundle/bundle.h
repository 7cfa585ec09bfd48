/* SPDX-License-Identifier: MIT */
/* Bundles: what support needs to know of a host, in one private file. */
#pragma once

#include "smc_chk/smc_chk.h"

/** chk_bundle() - write one. Return: chk_status, after a message if it failed */
int chk_bundle(const struct chk_request *req);

/** chk_from() - run a tool as if on the host of a bundle. Return: its exit status */
int chk_from(const struct chk_request *req);
