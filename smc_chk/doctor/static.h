/* SPDX-License-Identifier: MIT */
/* Static analysis: what SMC could use on each net device that is switched on. */
#ifndef SMC_CHK_STATIC_H
#define SMC_CHK_STATIC_H

#include "smc_chk/doctor/facts.h"
#include "smc_chk/smc_chk.h"

/** static_print() - print it, or one error. Return: chk_status */
int static_print(const struct doctor_facts *facts, const struct chk_request *req);

#endif
