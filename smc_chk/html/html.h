/* SPDX-License-Identifier: MIT */
/* --html: commands whose result is a page, see chk_command's page. */
#pragma once

#include "smc_chk/smc_chk.h"

int html_doctor(const struct chk_request *req);
int html_matrix(const struct chk_request *req);
