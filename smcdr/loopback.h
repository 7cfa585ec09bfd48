/* SPDX-License-Identifier: MIT */
/* loopback-ism: an ISM device made of memory, which the kernel uses but does not list. */
#ifndef SMC_CMD_LOOPBACK_H
#define SMC_CMD_LOOPBACK_H

#include "smcdr/cmd.h"

/**
 * struct cmd_ism - ISM devices, listed or not
 * @devices: of struct smc_device
 * @has_loopback: it is there, as far as one can tell: the kernel knows ISM version 2 but lists no
 *	device, or a link group runs over its channel id
 * @loopback_groups: link groups on it
 * @loopback_pnetid: as those groups have it, empty for none
 */
struct cmd_ism {
	struct cmd_list devices;
	bool has_loopback;
	uint32_t loopback_groups;
	char loopback_pnetid[SMC_MAX_PNETID_LEN + 1];
};

/** cmd_ism_load() - ask for all of it; @ism is to be freed in any case. Return: 0, -errno */
int cmd_ism_load(struct cmd *cmd, struct cmd_ism *ism, bool is_ism_v2);

/** cmd_on_device() - a smc_genl_fn that adds to a list of struct smc_device */
int cmd_on_device(const struct nlmsghdr *nlh, void *list);

#endif
