/* SPDX-License-Identifier: MIT */
/* Read and set user EIDs, the system EID and handshake limitation of the kernel. */
#pragma once

#include "base/err.h"
#include "netlink/genl.h"
#include "smc/eid.h"

/** struct smc_eids - the user EIDs; so far the kernel has SMC_MAX_UEIDS at most */
struct smc_eids {
	char eids[64][SMC_EID_SIZE];
	size_t count;
};

/* Functions for a socket of SMC_GENL_FAMILY_NAME. Return: 0, -errno; -EOPNOTSUPP on old kernels */

/** smc_eids_read() - all user EIDs */
int smc_eids_read(struct smc_eids *eids, struct smc_genl *nl, struct smc_err *err);

/** smc_eid_add() - add a user EID; -EEXIST, -ERANGE if the table is full */
int smc_eid_add(struct smc_genl *nl, const char *eid, struct smc_err *err);

/** smc_eid_remove() - remove a user EID; -ENOENT. @has_seid: that enabled the system EID */
int smc_eid_remove(struct smc_genl *nl, const char *eid, bool *has_seid, struct smc_err *err);

/** smc_eids_flush() - remove all user EIDs */
int smc_eids_flush(struct smc_genl *nl, struct smc_err *err);

/** smc_seid_read() - read the system EID, if there is one */
int smc_seid_read(struct smc_seid *seid, struct smc_genl *nl, struct smc_err *err);

/** smc_seid_switch() - enable or disable the system EID; -ENOENT if no user EID would be left */
int smc_seid_switch(struct smc_genl *nl, bool is_enable, struct smc_err *err);

/** smc_hs_read() - read whether handshake limitation is on in the socket's network namespace */
int smc_hs_read(bool *is_enabled, struct smc_genl *nl, struct smc_err *err);

/** smc_hs_switch() - switch handshake limitation on or off */
int smc_hs_switch(struct smc_genl *nl, bool is_enable, struct smc_err *err);
