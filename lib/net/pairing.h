/* SPDX-License-Identifier: MIT */
/* Devices and their PNET IDs, whoever gave them, and which ones belong together. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "net/netdev.h"
#include "net/rdma.h"
#include "out/text.h"
#include "smc/pnet.h"

/** struct pnet_world - the devices that there are */
struct pnet_world {
	struct netdev_table nets;
	struct rdma_table rdma;
};

/** pnet_world_load() - read sysfs. Return: 0, -errno with @err */
int pnet_world_load(struct pnet_world *world, const char *root, struct smc_err *err);

void pnet_world_free(struct pnet_world *world);

/** pnet_table_load() - add the kernel's PNET table to @table. Return: 0, -errno with @err */
int pnet_table_load(struct smc_pnet_table *table, struct smc_err *err);

enum pnet_type { PNET_NET, PNET_IB, PNET_ISM };

/* Where the PNET ID of a device comes from. */
enum pnet_source { PNET_FROM_NOWHERE, PNET_FROM_TABLE, PNET_FROM_HARDWARE, PNET_FROM_BASE };

/**
 * struct pnet_row - a device, or one port of it, and its PNET ID
 * @port: RDMA port, 0 for none
 * @pnetid: as SMC finds it, "" for none
 * @net, @ib, @ism: the device; all NULL when an entry names one that is not there
 * @entry: of the table that names the device itself, or NULL
 */
struct pnet_row {
	enum pnet_type type;
	enum pnet_source source;
	const char *name;
	unsigned int port;
	const char *pnetid;
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

/** pnet_rows_make() - every device with its PNET ID, sorted by it */
void pnet_rows_make(struct pnet_rows *rows, const struct smc_pnet_table *table,
		    const struct pnet_world *world);

void pnet_rows_free(struct pnet_rows *rows);

/** pnet_row_of_net() - the row of a net device by name, NULL for none */
const struct pnet_row *pnet_row_of_net(const struct pnet_rows *rows, const char *name);

/** pnet_row_is_hardware() - does firmware give the PNET ID, to the device itself or to its base? */
bool pnet_row_is_hardware(const struct pnet_row *row, const struct netdev_table *nets);

/** pnet_row_state() - "up", "ACTIVE", "absent", ...; NULL of an ISM device, which has none */
const char *pnet_row_state(const struct pnet_row *row);

/** pnet_row_serves() - does a port or ISM device serve @net? By PNET ID; without any, as its own */
bool pnet_row_serves(const struct pnet_row *row, const struct pnet_row *net);

/** pnet_row_is_root() - does nothing else have it below: a base device, what serves nobody? */
bool pnet_row_is_root(const struct pnet_rows *rows, const struct pnet_row *row);

/**
 * pnet_row_warn() - append what is wrong with a row, one sentence, escaped already
 *
 * It may end with a command that mends it, whose words are a shell's.
 *
 * Return: false when nothing is wrong.
 */
bool pnet_row_warn(struct out_text *text, const struct pnet_row *row);

/**
 * pnet_suggest_make() - entries that would pair each RDMA port with its net device
 *
 * An entry has both devices, or that one which lacks the PNET ID of the other. Ports that SMC
 * cannot use, and pairs that agree already, make none; nor do pairs that have different PNET IDs.
 */
void pnet_suggest_make(struct smc_pnet_table *entries, const struct smc_pnet_table *table,
		       const struct pnet_world *world);

/**
 * pnet_command() - append the command that adds an entry: "smc_pnet -a NET1 -I eth0"
 *
 * Return: false when one of its names is not a shell word: what was appended is not a command then.
 */
bool pnet_command(struct out_text *text, const struct smc_pnet *entry)
	__attribute__((warn_unused_result));
