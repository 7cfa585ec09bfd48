/* SPDX-License-Identifier: MIT */
/* Net devices as sysfs shows them. */
#pragma once

#include "base/memory.h"

/* ---- PNET IDs from hardware ---- */

/* A NUL-terminated PNET ID. */
#define PNETID_SIZE 17
/* A utility string holds the PNET IDs of four ports. */
#define PNETID_PORTS 4

/**
 * pnetid_decode() - PNET ID of one port
 * @util: utility string, EBCDIC code page 500, 16 bytes a port
 * @len: length of @util; a port whose 16 bytes are incomplete has no PNET ID
 * @port: 0 to 3, as dev_port of a net device; an RDMA port's number less 1
 *
 * Return: false with an empty @id when the port has none: all blanks or zeros.
 */
bool pnetid_decode(char id[PNETID_SIZE], const uint8_t *util, size_t len, unsigned int port);

/** pnetid_encode() - the inverse; @id: letters, digits and blanks; @util has room for the port */
void pnetid_encode(uint8_t *util, const char *id, unsigned int port);

/**
 * pnetid_of_device() - PNET ID of a device's port
 * @root: of sysfs
 * @bus: "pci" or "ccw": a ccwgroup device (OSA, HiperSockets) uses its channel path's string
 * @bus_id: "0001:00:00.0"
 *
 * Return: false with an empty @id when the port has none, or on any other bus.
 */
bool pnetid_of_device(char id[PNETID_SIZE], const char *root, const char *bus, const char *bus_id,
		      unsigned int port);

/* ---- net devices ---- */

#define NETDEV_NAME_SIZE 16
#define NETDEV_BUS_SIZE 16
#define NETDEV_BUS_ID_SIZE 64

/**
 * struct netdev - one net device
 * @ifindex, @mtu: 0 if unknown; @dev_port: port on its card, from 0
 * @state: operstate: "up", "down", "unknown" (loopback), ...; empty if unknown
 * @mac: address in sysfs format, "02:00:00:00:00:01"; empty if unknown
 * @bus: "pci", "ccw" or another bus; empty for a virtual device
 * @bus_id: name of the device on that bus
 * @driver: driver of the bus device, may be empty
 * @base: the lowest device, found like SMC does: the first lower device of the first lower device
 *	...; the device's own name if it has no lower device
 * @lower: the device directly below, empty for none
 * @hw_pnetid: PNET ID from firmware, empty for none
 */
struct netdev {
	char name[NETDEV_NAME_SIZE];
	uint32_t ifindex, dev_port, mtu;
	char state[16];
	char mac[64];
	char bus[NETDEV_BUS_SIZE];
	char bus_id[NETDEV_BUS_ID_SIZE];
	char driver[32];
	char base[NETDEV_NAME_SIZE];
	char lower[NETDEV_NAME_SIZE];
	char hw_pnetid[PNETID_SIZE];
};

/** struct netdev_table - net devices, sorted by name, strverscmp(3) */
struct netdev_table {
	struct netdev *devs;
	size_t count;
};

ARRAY_FREE(netdev_free, netdev_table, devs)

/** netdev_load() - all net devices of the sysfs at @root; one that vanishes stays incomplete */
int netdev_load(struct netdev_table *table, const char *root);

/** netdev_find() - by name, NULL for none */
const struct netdev *netdev_find(const struct netdev_table *table, const char *name);

/** netdev_bus() - bus and bus id of a "device" link's target. Return: false, both empty, if none */
bool netdev_bus(char bus[NETDEV_BUS_SIZE], char bus_id[NETDEV_BUS_ID_SIZE], const char *link);
