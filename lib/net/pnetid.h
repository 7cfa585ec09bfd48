/* SPDX-License-Identifier: MIT */
/* PNET IDs from firmware (IBM Z): EBCDIC, in the utility strings of sysfs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/**
 * pnetid_encode() - the inverse
 *
 * @id has letters, digits and blanks, @util has room for the port
 */
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
