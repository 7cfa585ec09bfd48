/* SPDX-License-Identifier: MIT */
/* --explain: a reason code, in words and with commands to type. */
#ifndef SMC_CHK_EXPLAIN_H
#define SMC_CHK_EXPLAIN_H

struct chk_request;

/** chk_explain() - print it, or one error. Return: chk_status */
int chk_explain(const struct chk_request *req);

#endif
