/* SPDX-License-Identifier: MIT */
/* RDMA and ISM devices that SMC knows: bytes -> struct smc_device. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "smc/abi.h"

#define SMC_DEVICE_PORTS 2

enum {
	SMC_DEVICE_HAS_USE_COUNT = 1 << 0, /* ISM only */
	SMC_DEVICE_HAS_CRIT = 1 << 1,
	SMC_DEVICE_HAS_FID = 1 << 2, /* up to PCI_ID: not where no PCI function is, like rxe */
	SMC_DEVICE_HAS_PCHID = 1 << 3,
	SMC_DEVICE_HAS_VENDOR = 1 << 4,
	SMC_DEVICE_HAS_DEVICE = 1 << 5,
	SMC_DEVICE_HAS_PCI_ID = 1 << 6,
	SMC_DEVICE_HAS_IB_NAME = 1 << 7, /* RDMA only */
};

enum {
	SMC_PORT_HAS_USER = 1 << 0,
	SMC_PORT_HAS_PNETID = 1 << 1,
	SMC_PORT_HAS_IFINDEX = 1 << 2, /* from here on: RDMA only */
	SMC_PORT_HAS_STATE = 1 << 3,
	SMC_PORT_HAS_LINKS = 1 << 4,
};

/**
 * struct smc_port - one port of a device
 * @is_there: the kernel sent it and did not call it invalid
 * @is_user: the PNET ID was set by software
 * @pnetid: empty for none
 * @ifindex: net device, in whatever network namespace that lives; 0 for none
 * @links: SMC-R links on it
 */
struct smc_port {
	uint32_t has;
	bool is_there, is_user, is_active;
	char pnetid[SMC_MAX_PNETID_LEN + 1];
	uint32_t ifindex, links;
};

/**
 * struct smc_device - one device
 * @use_count: link groups on an ISM device
 * @is_crit: ISM: in use; RDMA: carries a link of a group that has no other one on this side
 * @fid, @pchid: of IBM Z, 0 elsewhere
 */
struct smc_device {
	uint32_t has;
	uint32_t use_count, fid, pchid, vendor, device;
	bool is_crit;
	char pci_id[SMC_MAX_PNETID_LEN + 1];
	char ib_name[SMC_IB_NAME_LEN];
	struct smc_port ports[SMC_DEVICE_PORTS];
};

/** smc_device_decode() - read one answer. Return: 0, -EBADMSG when it is not about a device */
int smc_device_decode(struct smc_device *device, const struct nlmsghdr *nlh);
