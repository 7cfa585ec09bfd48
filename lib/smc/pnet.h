/* SPDX-License-Identifier: MIT */
/* The PNET table: decode entries, check names. Pure: no I/O here. */
#pragma once

#include "base/memory.h"

#include <linux/netlink.h>

#include "base/err.h"

#define SMC_PNET_NAME_SIZE 17
#define SMC_PNET_ETH_SIZE 16
#define SMC_PNET_IB_SIZE 64
/* The kernel's placeholder for a missing device. */
#define SMC_PNET_NONE "n/a"
#define SMC_PNET_NO_PORT 255
#define SMC_PNET_MAX_PORT 2

/* Parts of an entry: struct smc_pnet.has. A message of the kernel has NET or IB, never both. */
enum {
	SMC_PNET_HAS_NET = 1 << 0,
	SMC_PNET_HAS_IB = 1 << 1,
	SMC_PNET_HAS_PORT = 1 << 2,
};

/**
 * struct smc_pnet - one entry of the table
 * @name: PNET ID, 1 to 16 letters and digits, in capitals
 * @eth: net device; @ib: RDMA or ISM device, by its own name or that of its PCI function
 * @port: RDMA port, 1 or 2; without meaning for an ISM device
 */
struct smc_pnet {
	uint32_t has;
	char name[SMC_PNET_NAME_SIZE];
	char eth[SMC_PNET_ETH_SIZE];
	char ib[SMC_PNET_IB_SIZE];
	uint8_t port;
};

/** struct smc_pnet_table - a growing table, zero-initialize */
struct smc_pnet_table {
	struct smc_pnet *entries;
	size_t count;
};

ARRAY_FREE(smc_pnet_free, smc_pnet_table, entries)

/**
 * smc_pnet_decode() - decode one message of the table, with its generic netlink header
 *
 * Unknown attributes are skipped; an unterminated or overlong string counts as missing.
 * Return: 0; -EBADMSG without a PNET ID or without any device.
 */
int smc_pnet_decode(struct smc_pnet *entry, const struct nlmsghdr *nlh);

/**
 * smc_pnet_name() - convert a PNET ID to the kernel's form, without the blanks around @text
 *
 * The kernel accepts 1 to 16 letters and digits and stores capitals, but compares a request's name
 * literally: names in requests must be converted by this function. Letters beyond ASCII, which the
 * kernel would accept as well, are refused.
 *
 * Return: 0; -EINVAL with a sentence in @err.
 */
int smc_pnet_name(char name[SMC_PNET_NAME_SIZE], const char *text, struct smc_err *err);

/** smc_pnet_eth() - check a net device's name: 1 to 15 bytes. Return: 0, -EINVAL */
int smc_pnet_eth(char eth[SMC_PNET_ETH_SIZE], const char *text, struct smc_err *err);

/** smc_pnet_ib() - check an RDMA or ISM device's name: 1 to 63 bytes. Return: 0, -EINVAL */
int smc_pnet_ib(char ib[SMC_PNET_IB_SIZE], const char *text, struct smc_err *err);

/** smc_pnet_port() - a port in any base; empty and 0 mean 1. Return: 1 or 2; -EINVAL with @err */
int smc_pnet_port(const char *text, struct smc_err *err);

/** smc_pnet_append() - add an entry to a table */
void smc_pnet_append(struct smc_pnet_table *table, const struct smc_pnet *entry);

/** smc_pnet_add() - smc_genl_fn: append the entry of a message; one without an entry is skipped */
int smc_pnet_add(const struct nlmsghdr *nlh, void *table);

/** smc_pnet_same() - true for the same PNET ID, device and port */
bool smc_pnet_same(const struct smc_pnet *a, const struct smc_pnet *b);

/**
 * smc_pnet_holder() - the entry that already has the same device; NULL for none
 *
 * The kernel keeps one for each net device and one for each RDMA or ISM name, whatever its port.
 */
const struct smc_pnet *smc_pnet_holder(const struct smc_pnet_table *table,
				       const struct smc_pnet *entry);
