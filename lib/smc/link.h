/* SPDX-License-Identifier: MIT */
/* RDMA links of SMC-R link groups: bytes -> struct smc_link. Pure. */
#pragma once

#include <stdint.h>
#include <linux/netlink.h>

#include "smc/abi.h"

enum {
	SMC_LINK_HAS_ID = 1 << 0,
	SMC_LINK_HAS_IB_DEV = 1 << 1,
	SMC_LINK_HAS_IB_PORT = 1 << 2,
	SMC_LINK_HAS_GID = 1 << 3,
	SMC_LINK_HAS_PEER_GID = 1 << 4,
	SMC_LINK_HAS_CONNS = 1 << 5,
	SMC_LINK_HAS_IFINDEX = 1 << 6,
	SMC_LINK_HAS_UID = 1 << 7,
	SMC_LINK_HAS_PEER_UID = 1 << 8,
	SMC_LINK_HAS_STATE = 1 << 9,
};

/**
 * struct smc_link - one link
 * @id: number in its group, from 1
 * @gid, @peer_gid: text, 8 groups of 4 digits
 * @ifindex: net device, in whatever network namespace that lives; 0 unknown
 * @uid, @peer_uid: in network order on each machine
 * @state: 0 unused, 1 inactive, 2 activating, 3 active
 */
struct smc_link {
	uint32_t has;
	uint8_t id, ib_port;
	char ib_dev[SMC_IB_NAME_LEN];
	char gid[SMC_GID_TEXT_LEN], peer_gid[SMC_GID_TEXT_LEN];
	uint32_t conns, ifindex, state;
	uint8_t uid[4], peer_uid[4];
};

/** smc_link_decode() - read one answer. Return: 0, -EBADMSG when it is not about a link */
int smc_link_decode(struct smc_link *link, const struct nlmsghdr *nlh);
