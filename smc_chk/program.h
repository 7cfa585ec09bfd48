/* SPDX-License-Identifier: MIT */
/* --program: which way of smc_run reaches a program. */
#ifndef SMC_CHK_PROGRAM_H
#define SMC_CHK_PROGRAM_H

struct chk_request;

/** chk_program() - print it, or one error. Return: chk_status */
int chk_program(const struct chk_request *req);

#endif
