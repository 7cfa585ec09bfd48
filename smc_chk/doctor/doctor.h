/* SPDX-License-Identifier: MIT */
/* The doctor: facts of a host in, findings out. */
#ifndef SMC_CHK_DOCTOR_H
#define SMC_CHK_DOCTOR_H

#include "smc_chk/smc_chk.h"

/** chk_doctor() - --doctor, and the static analysis of -s: print it, or one error. Return: chk_status */
int chk_doctor(const struct chk_request *req);

#endif
