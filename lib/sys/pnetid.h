/* SPDX-License-Identifier: MIT */
/* PNET IDs that firmware gives to devices (IBM Z): EBCDIC in the utility strings of sysfs. */
#ifndef SMC_SYS_PNETID_H
#define SMC_SYS_PNETID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A NUL-terminated PNET ID. */
#define PNETID_SIZE 17
/* A utility string has one for each of four ports. */
#define PNETID_PORTS 4

/**
 * pnetid_decode() - PNET ID of one port
 * @util: utility string, EBCDIC code page 500, 16 bytes a port
 * @len: its length; a port of which not all bytes are there has none
 * @port: 0 to 3, as dev_port of a net device; an RDMA port's number less 1
 *
 * Return: false with an empty @id when the port has none: all blanks or zeros.
 */
bool pnetid_decode(char id[PNETID_SIZE], const uint8_t *util, size_t len, unsigned int port);

/**
 * pnetid_of_pci() - PNET ID of a PCI function's port
 * @root: of sysfs
 * @bus_id: "0001:00:00.0"
 */
bool pnetid_of_pci(char id[PNETID_SIZE], const char *root, const char *bus_id, unsigned int port);

/** pnetid_of_ccw() - the same for a ccwgroup device (OSA, HiperSockets), by its channel path */
bool pnetid_of_ccw(char id[PNETID_SIZE], const char *root, const char *bus_id, unsigned int port);

/** pnetid_of_device() - either of them, by the name of the bus ("pci", "ccw") */
bool pnetid_of_device(char id[PNETID_SIZE], const char *root, const char *bus, const char *bus_id,
		      unsigned int port);

#endif
