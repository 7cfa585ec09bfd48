/* SPDX-License-Identifier: MIT */
/* Names of PCI devices, from the database pci.ids. */
#pragma once

#include "base/libc.h"

#define PCIIDS_NAME_SIZE 128

/** struct pciids_name - names of a device and its vendor, both untrusted; empty if unknown */
struct pciids_name {
	char vendor[PCIIDS_NAME_SIZE];
	char device[PCIIDS_NAME_SIZE];
};

/** pciids_find() - look up a device. Return: true if at least the vendor was found */
bool pciids_find(struct pciids_name *name, unsigned int vendor, unsigned int device);

/** pciids_search() - pciids_find() in @file, which is closed; NULL counts as empty */
bool pciids_search(struct pciids_name *name, FILE *file, unsigned int vendor, unsigned int device);

/** pciids_product() - "ConnectX-5" of "MT27800 Family [ConnectX-5]"; without brackets all of it */
void pciids_product(char product[PCIIDS_NAME_SIZE], const char *device);
