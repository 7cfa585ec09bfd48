/* SPDX-License-Identifier: MIT */
/* PNET IDs that firmware gives to devices (IBM Z): EBCDIC in the utility strings of sysfs. */
#pragma once

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

/** pnetid_encode() - the other way; @id has letters, digits and blanks, @util room for the port */
void pnetid_encode(uint8_t *util, const char *id, unsigned int port);

/**
 * pnetid_of_device() - PNET ID of a device's port
 * @root: of sysfs
 * @bus: "pci" or "ccw": a ccwgroup device (OSA, HiperSockets) has that of its channel path
 * @bus_id: "0001:00:00.0"
 *
 * Return: false with an empty @id when the port has none, on another bus too.
 */
bool pnetid_of_device(char id[PNETID_SIZE], const char *root, const char *bus, const char *bus_id,
		      unsigned int port);
