/* SPDX-License-Identifier: MIT */
/* User EIDs, the system EID and handshake limitation of the kernel: read and set. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "netlink/genl.h"
#include "smc/eid.h"

/** struct smc_eids - the user EIDs; the kernel has SMC_MAX_UEIDS at most so far */
struct smc_eids {
	char eids[64][SMC_EID_SIZE];
	size_t count;
};

/*
 * All of them take a socket of SMC_GENL_FAMILY_NAME, and return 0, or -errno with a sentence that
 * says what could not be done: -EOPNOTSUPP where the kernel is too old for it.
 */

/** smc_eids_read() - all user EIDs */
int smc_eids_read(struct smc_eids *eids, struct smc_genl *nl, struct smc_err *err);

/** smc_eid_add() - define one; -EEXIST, -ERANGE when there are too many already */
int smc_eid_add(struct smc_genl *nl, const char *eid, struct smc_err *err);

/**
 * smc_eid_remove() - the other way; -ENOENT
 * @has_seid: receives whether the system EID was enabled by that, as with the last one on IBM Z
 */
int smc_eid_remove(struct smc_genl *nl, const char *eid, bool *has_seid, struct smc_err *err);

/** smc_eids_flush() - remove all */
int smc_eids_flush(struct smc_genl *nl, struct smc_err *err);

/** smc_seid_read() - the system EID, if there is one */
int smc_seid_read(struct smc_seid *seid, struct smc_genl *nl, struct smc_err *err);

/** smc_seid_switch() - enable or disable it; -ENOENT when no user EID would be left */
int smc_seid_switch(struct smc_genl *nl, bool is_enable, struct smc_err *err);

/** smc_hs_read() - is handshake limitation on, in the network namespace of the socket? */
int smc_hs_read(bool *is_enabled, struct smc_genl *nl, struct smc_err *err);

/** smc_hs_switch() - on or off */
int smc_hs_switch(struct smc_genl *nl, bool is_enable, struct smc_err *err);
