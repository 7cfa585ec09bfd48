/* SPDX-License-Identifier: MIT */
/* The column tables of smcd and smcr, and the rows that they read. */
#ifndef SMC_CMD_COLUMNS_H
#define SMC_CMD_COLUMNS_H

#include "out/table.h"
#include "smc/device.h"
#include "smc/lgr.h"
#include "smc/link.h"
#include "smcdr/cmd.h"

/**
 * struct link_row - a link and its group; the columns of a group work for it, too
 * @netdev: empty when not known
 */
struct link_row {
	struct smc_lgr lgr;
	struct smc_link link;
	char netdev[CMD_NETDEV_SIZE];
};

/**
 * struct device_row - a port of an RDMA device, or an ISM device
 * @number, @port: the device's port, from 1; an ISM device has one
 * @netdev: empty when not known
 * @is_loopback: loopback-ism: only @device's use count and @port's PNET ID mean anything
 */
struct device_row {
	struct smc_device device;
	struct smc_port port;
	unsigned int number;
	bool is_loopback;
	char netdev[CMD_NETDEV_SIZE];
	struct pciids_name pci;
};

extern const struct out_col smcr_linkgroup_columns[]; /* of struct smc_lgr */
extern const struct out_col smcd_linkgroup_columns[];
extern const struct out_col link_columns[]; /* of struct link_row */
extern const struct out_col smcr_device_columns[]; /* of struct device_row */
extern const struct out_col smcd_device_columns[];

#endif
