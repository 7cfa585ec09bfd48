/* SPDX-License-Identifier: MIT */
/* The kernel's PNET table: read, delete, flush. */
#pragma once

#include "base/err.h"
#include "netlink/genl.h"
#include "out/table.h"
#include "smc/pnet.h"

/** struct pnet_tool - what every change works on: the kernel's table, and a sysfs */
struct pnet_tool {
	struct smc_genl *nl;
	const char *root;
	struct smc_err *err;
};

extern const struct out_col pnet_columns[];

/** pnet_fetch() - read the whole table. Return: 0, -errno with @err */
int pnet_fetch(struct smc_genl *nl, struct smc_pnet_table *table, struct smc_err *err);

/**
 * pnet_make() - an entry from words
 * @eth, @ib, @port: NULL for none
 *
 * Return: 0; -EINVAL with the wrong word in @err.
 */
int pnet_make(struct smc_pnet *entry, const char *name, const char *eth, const char *ib,
	      const char *port, struct smc_err *err);

/** pnet_append_entry() - append "NET1 eth0 n/a 255", without the end of the line */
void pnet_append_entry(struct out_text *text, const struct smc_pnet *entry);

/** pnet_delete() - delete all entries of a PNET ID. Return: 0; -ENOENT when it has none */
int pnet_delete(struct pnet_tool *tool, const char *name);

/** pnet_flush() - make the table empty, which an empty table is already */
int pnet_flush(struct pnet_tool *tool);

/** pnet_say_cannot() - put "cannot WHAT NAME: " before the sentence in @err. Return: -errno */
int pnet_say_cannot(struct smc_err *err, const char *what, const char *name);

/** pnet_device() - the device of an entry that has one */
static inline const char *pnet_device(const struct smc_pnet *entry)
{
	return entry->has & SMC_PNET_HAS_NET ? entry->eth : entry->ib;
}
