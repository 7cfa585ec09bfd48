/* SPDX-License-Identifier: MIT */
/* A fleet on paper: what a connection between each two of several hosts would be. */
#pragma once

#include "smc_chk/smc_chk.h"

/** chk_matrix() - predict and print. Return: chk_status, after a message for each failed host */
int chk_matrix(const struct chk_request *req);
