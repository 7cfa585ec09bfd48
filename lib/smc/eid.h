/* SPDX-License-Identifier: MIT */
/* User and system EIDs, and the switch of handshake limitation: bytes -> struct. Pure. */
#pragma once

#include <linux/netlink.h>

#include "smc/genl_abi.h"
#include "base/err.h"

#define SMC_EID_SIZE (SMC_MAX_EID_LEN + 1)
/* Size of the kernel's table of user EIDs. */
#define SMC_MAX_UEIDS 4

/**
 * smc_eid_check() - true if the kernel would accept it as a user EID
 *
 * 1 to 32 characters A-Z 0-9 . - that start with a letter or digit, without two dots in a row.
 * Return: 0, or -EINVAL with the reason in @err.
 */
int smc_eid_check(const char *eid, struct smc_err *err);

/** smc_eid_pad() - pad to the kernel's form: blanks up to 32 characters, and a NUL */
void smc_eid_pad(char padded[SMC_EID_SIZE], const char *eid);

/** smc_ueid_decode() - one user EID, without padding. Return: 0, -EBADMSG if there is none */
int smc_ueid_decode(char eid[SMC_EID_SIZE], const struct nlmsghdr *nlh);

/** struct smc_seid - the system EID; @has_eid: it is not empty, which is so only on IBM Z */
struct smc_seid {
	bool has_eid, is_enabled;
	char eid[SMC_EID_SIZE];
};

/* Two callbacks for smc_genl_dump(). */

/** smc_seid_decode() - without attributes there is no EID. Return: 0, -EBADMSG */
int smc_seid_decode(const struct nlmsghdr *nlh, void *seid);

/** smc_hs_decode() - decode handshake limitation. Return: 0, -EBADMSG without the attribute */
int smc_hs_decode(const struct nlmsghdr *nlh, void *is_enabled);
