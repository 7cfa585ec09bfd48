/* SPDX-License-Identifier: MIT */
/* RDMA devices and their ports as sysfs shows them, and ISM devices of IBM Z. */
#pragma once

#include "net/netdev.h"

#define RDMA_NAME_SIZE 64
#define RDMA_MAX_PORTS 2 /* SMC uses no more */

/**
 * struct rdma_gid - one used entry of a port's GID table
 * @gid: as sysfs writes it, "fe80:0000:...:0001"
 * @type: "RoCE v2", "IB/RoCE v1"; empty if unknown
 * @netdev: net device it belongs to, empty for none
 */
struct rdma_gid {
	unsigned int index;
	char gid[40];
	char type[16];
	char netdev[NETDEV_NAME_SIZE];
};

/**
 * struct rdma_port - one port
 * @number: from 1
 * @state: "ACTIVE", "DOWN", ...; empty if unknown
 * @link_layer: "Ethernet", "InfiniBand"; empty if unknown
 * @netdev: net device that the port belongs to, empty for none
 * @is_foreign: its net device is in another network namespace: rdma_check_netns()
 * @hw_pnetid: PNET ID from firmware, empty for none
 * @active_mtu: bytes, 0 if unknown; not in sysfs, set by verbs_fill()
 */
struct rdma_port {
	unsigned int number;
	char state[16];
	char link_layer[16];
	char netdev[NETDEV_NAME_SIZE];
	bool is_foreign;
	char hw_pnetid[PNETID_SIZE];
	uint32_t active_mtu;
	struct rdma_gid *gids;
	size_t n_gids;
};

/**
 * struct rdma_dev - one RDMA device
 * @node_type: "CA", "RNIC" (iWARP), ...; empty if unknown
 * @bus, @bus_id: empty for a software device
 * @driver: driver of the bus device; for a software device its kind ("rxe"), if known
 */
struct rdma_dev {
	char name[RDMA_NAME_SIZE];
	char node_type[16];
	char bus[NETDEV_BUS_SIZE];
	char bus_id[NETDEV_BUS_ID_SIZE];
	char driver[32];
	struct rdma_port ports[RDMA_MAX_PORTS];
	size_t n_ports;
};

/** struct ism_dev - a device for SMC-D; @chid: of the ISM network, 0xffff: loopback, -1: unknown */
struct ism_dev {
	int32_t chid;
	char name[RDMA_NAME_SIZE];
	char bus[NETDEV_BUS_SIZE];
	char bus_id[NETDEV_BUS_ID_SIZE];
	char hw_pnetid[PNETID_SIZE];
};

/** struct rdma_table - all devices, sorted by name */
struct rdma_table {
	struct rdma_dev *devs;
	size_t count;
	struct ism_dev *isms;
	size_t n_isms;
};

/**
 * rdma_load() - read all RDMA and ISM devices
 * @root: of sysfs; @netdevs: used to find the net device of a port without GIDs
 *
 * Return: 0, -errno when a directory cannot be read.
 */
int rdma_load(struct rdma_table *table, const char *root, const struct netdev_table *netdevs);

/**
 * rdma_check_netns() - clear net devices that are in other network namespaces
 *
 * sysfs shows RDMA devices in all namespaces, and names their net devices without the namespace.
 * RDMA's netlink family only reports those in the caller's namespace.
 */
void rdma_check_netns(struct rdma_table *table);

/** rdma_is_soft_roce() - true for a device without a bus, but with a lower net device, like rxe */
bool rdma_is_soft_roce(const char *root, const char *name);

/** rdma_find() - an RDMA device by name or bus id, as the kernel accepts both; NULL for none */
const struct rdma_dev *rdma_find(const struct rdma_table *table, const char *name);

/** ism_find() - an ISM device by name or bus id, NULL for none */
const struct ism_dev *ism_find(const struct rdma_table *table, const char *name);

void rdma_free(struct rdma_table *table);
