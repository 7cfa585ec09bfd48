/* SPDX-License-Identifier: MIT */
/* --pnetid: the PNET ID of one net device. */
#ifndef SMC_CHK_PNETID_H
#define SMC_CHK_PNETID_H

struct chk_request;

/** chk_pnetid() - print it, or one error. Return: chk_status */
int chk_pnetid(const struct chk_request *req);

#endif
