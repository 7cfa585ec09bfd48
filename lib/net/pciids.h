/* SPDX-License-Identifier: MIT */
/* Names of PCI devices, from the database pci.ids. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#define PCIIDS_NAME_SIZE 128

/** struct pciids_name - a device's name and its vendor's, foreign text both; empty if unknown */
struct pciids_name {
	char vendor[PCIIDS_NAME_SIZE];
	char device[PCIIDS_NAME_SIZE];
};

/** pciids_find() - look up a device. Return: true when at least the vendor was found */
bool pciids_find(struct pciids_name *name, unsigned int vendor, unsigned int device);

/** pciids_search() - the same in @file, which is closed; NULL is an empty one */
bool pciids_search(struct pciids_name *name, FILE *file, unsigned int vendor, unsigned int device);

/**
 * pciids_product() - one word for a device, by what people know it: "ConnectX-5"
 * @device: its name, "MT27800 Family [ConnectX-5]"; without brackets all of it counts
 */
void pciids_product(char product[PCIIDS_NAME_SIZE], const char *device);
