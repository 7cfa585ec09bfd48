/* SPDX-License-Identifier: MIT */
/* Shared by the parts of smc_rnics. */
#pragma once

#include "base/err.h"
#include "net/netdev.h"
#include "net/rdma.h"
#include "out/table.h"
#include "smc/pnet.h"

/* Valid members of a function or slot: struct rnic.has */
enum {
	RNIC_HAS_FID = 1 << 0,
	RNIC_HAS_POWER = 1 << 1,
	RNIC_HAS_PCHID = 1 << 2,
	RNIC_HAS_PFT = 1 << 3,
	RNIC_HAS_VFN = 1 << 4,
	RNIC_HAS_VF = 1 << 5,
	RNIC_HAS_IDS = 1 << 6,
	RNIC_HAS_PNETID = 1 << 7,
};

/**
 * struct rnic - a port of an RDMA card, an ISM device, or the function in a slot
 * @has: RNIC_HAS_* bits
 * @fid, @pchid, @pft, @vfn: numbers of IBM Z for PCI functions, channels and their types
 * @pci_id: address of the PCI function, empty for a software device or a slot without power
 * @type: name without blanks, empty if unknown
 * @name: from the PCI ids database, may have blanks; empty if unknown
 * @port: physical port, 0 if unknown
 * @ib_port: port of the RDMA device, 0 if there is none
 * @mtu: of the net device; @active_mtu: of the RDMA port; in bytes, 0 if unknown
 * @pnetid: with RNIC_HAS_PNETID; @is_soft: from the table, not from the hardware
 */
struct rnic {
	uint32_t has, fid, pchid, vfn, pft, vendor, device;
	bool is_on, is_vf, is_soft;
	bool is_known; /* a card for SMC, shown without -a */
	char pci_id[NETDEV_BUS_ID_SIZE];
	char type[40], name[128], driver[32];
	uint32_t port, ib_port;
	char pnetid[SMC_PNET_NAME_SIZE];
	char netdev[NETDEV_NAME_SIZE];
	char ibdev[RDMA_NAME_SIZE];
	char state[16], link_layer[16];
	uint32_t mtu, active_mtu;
};

struct rnic_table {
	struct rnic *rnics;
	size_t count;
};

ARRAY_FREE(rnics_free, rnic_table, rnics)

extern const struct out_col rnic_columns[];

/**
 * rnics_load() - read all cards. Return: 0; -errno with @err
 * @root: of sysfs; libibverbs is only used with the real one
 * @pnet: the kernel's table, possibly empty
 */
int rnics_load(struct rnic_table *table, const char *root, const struct smc_pnet_table *pnet,
	       struct smc_err *err);

/** rnics_power() - switch a slot on or off. Return: 0; -errno with @err */
int rnics_power(const char *root, uint32_t fid, bool is_on, struct smc_err *err);
