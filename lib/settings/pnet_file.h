/* SPDX-License-Identifier: MIT */
/* Files of entries: written by smc_pnet --export, read by --import. */
#pragma once

#include <stddef.h>

#include "settings/pnet_table.h"

/**
 * pnet_append_line() - append a line of a file of entries; pnet_read() makes the same entry of it
 */
void pnet_append_line(struct out_text *text, const struct smc_pnet *entry);

/**
 * pnet_read() - entries of the text of a file
 * @name: of the file, for messages
 *
 * A line is what smc_pnet prints for an entry: PNET ID, net device, RDMA or ISM device, port; "n/a"
 * stands for a device that is not there, and the port may be left out. A line with both devices
 * makes two entries. Text after # and empty lines do not count; \x23 in a name is a #. A device
 * must not come twice, but the same line may.
 *
 * Return: 0; -EINVAL with the line in @err; another -errno.
 */
int pnet_read(struct smc_pnet_table *table, const char *data, size_t len, const char *name,
	      struct smc_err *err);

/** pnet_read_fd() - pnet_read() of a descriptor, which is closed */
int pnet_read_fd(struct smc_pnet_table *table, int fd, const char *name, struct smc_err *err);

/** pnet_read_path() - pnet_read() of a file by name, "-" for standard input */
int pnet_read_path(struct smc_pnet_table *table, const char *path, struct smc_err *err);
