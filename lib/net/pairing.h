/* SPDX-License-Identifier: MIT */
/* Devices, their PNET IDs from any source, and the pairs they form. */
#pragma once

#include "base/memory.h"

#include "base/err.h"
#include "net/netdev.h"
#include "net/rdma.h"
#include "out/text.h"
#include "smc/pnet.h"

/** struct pnet_world - all devices of the host */
struct pnet_world {
	struct netdev_table nets;
	struct rdma_table rdma;
};

/** pnet_world_load() - read sysfs */
int pnet_world_load(struct pnet_world *world, const char *root, struct smc_err *err);

void pnet_world_free(struct pnet_world *world);

/** pnet_table_load() - add the kernel's PNET table to @table */
int pnet_table_load(struct smc_pnet_table *table, struct smc_err *err);

enum pnet_type { PNET_NET, PNET_IB, PNET_ISM };

/* Source of a device's PNET ID. */
enum pnet_source { PNET_FROM_NOWHERE, PNET_FROM_TABLE, PNET_FROM_HARDWARE, PNET_FROM_BASE };

/**
 * struct pnet_row - a device, or one port of it, and its PNET ID
 * @port: RDMA port, 0 for none; @pnetid: as found by SMC, "" for none
 * @state: "up", "ACTIVE", "absent", ...; @netdev: base of a net device, or that of a port; these
 *	and @bus, @bus_id may be NULL
 * @net, @ib, @ism: the device; all NULL for an entry of an absent device
 * @entry: table entry that names the device itself, or NULL
 */
struct pnet_row {
	enum pnet_type type;
	enum pnet_source source;
	const char *name;
	unsigned int port;
	const char *pnetid, *state, *bus, *bus_id, *netdev;
	const struct netdev *net;
	const struct rdma_dev *ib;
	const struct rdma_port *ib_port;
	const struct ism_dev *ism;
	const struct smc_pnet *entry;
};

struct pnet_rows {
	struct pnet_row *rows;
	size_t count;
};

ARRAY_FREE(pnet_rows_free, pnet_rows, rows)

/** pnet_rows_make() - every device with its PNET ID, sorted by it */
void pnet_rows_make(struct pnet_rows *rows, const struct smc_pnet_table *table,
		    const struct pnet_world *world);

/** pnet_row_of_net() - the row of a net device by name, NULL for none */
const struct pnet_row *pnet_row_of_net(const struct pnet_rows *rows, const char *name);

/** pnet_row_is_hardware() - true for a PNET ID from firmware, of the device or its base */
bool pnet_row_is_hardware(const struct pnet_row *row, const struct netdev_table *nets);

/**
 * pnet_row_serves() - true if a port or ISM device serves @net
 *
 * Compares PNET IDs; if neither has one, a port serves its own net device.
 */
bool pnet_row_serves(const struct pnet_row *row, const struct pnet_row *net);

/**
 * pnet_row_is_root() - true if the row is at the top of the tree
 *
 * A net device without a lower device, or an RDMA or ISM device that serves no net device.
 */
bool pnet_row_is_root(const struct pnet_rows *rows, const struct pnet_row *row);

/**
 * pnet_row_warn() - append one sentence about a problem of a row, escaped already
 *
 * It may end with a shell command that fixes the problem.
 *
 * Return: false if nothing is wrong.
 */
bool pnet_row_warn(struct out_text *text, const struct pnet_row *row);

/**
 * pnet_suggest_make() - entries that would pair each RDMA port with its net device
 *
 * An entry names both devices, or only the one without PNET ID if the other has one. Makes no entry
 * for ports that SMC cannot use, or for pairs that both have PNET IDs.
 */
void pnet_suggest_make(struct smc_pnet_table *entries, const struct smc_pnet_table *table,
		       const struct pnet_world *world);

/**
 * pnet_command() - append the command that adds an entry: "smc_pnet -a NET1 -I eth0"
 *
 * Return: false if a name is not a shell word: then the appended text is not a command.
 */
bool pnet_command(struct out_text *text, const struct smc_pnet *entry)
	__attribute__((warn_unused_result));
