/* SPDX-License-Identifier: MIT */
/* Pause frames of a net device, as ethtool's netlink family tells them: bytes -> struct. Pure. */
#pragma once

#include <stdbool.h>
#include <linux/netlink.h>

/* The family of kernel 5.6, the request of 5.7: it answers for every device that has pauses. */
#define SMC_ETHTOOL_FAMILY "ethtool"
#define SMC_ETHTOOL_PAUSE_GET 21

#define SMC_PAUSE_NETDEV_SIZE 16

/**
 * struct smc_pause - answer for one net device
 * @is_autoneg: what is really used was negotiated with the other end
 * @is_rx, @is_tx: obeys pause frames, sends them
 */
struct smc_pause {
	char netdev[SMC_PAUSE_NETDEV_SIZE];
	bool is_autoneg, is_rx, is_tx;
};

/**
 * smc_pause_decode() - read one answer
 *
 * Return: 0; -EBADMSG without a device, or without both switches.
 */
int smc_pause_decode(struct smc_pause *pause, const struct nlmsghdr *nlh);
