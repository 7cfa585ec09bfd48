/* SPDX-License-Identifier: MIT */
/* The kernel's PNET table: read, added to, deleted from, made another one, all of it or nothing. */
#pragma once

#include "base/err.h"
#include "net/pairing.h"
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

/** pnet_device() - the device of an entry that has one */
static inline const char *pnet_device(const struct smc_pnet *entry)
{
	return entry->has & SMC_PNET_HAS_NET ? entry->eth : entry->ib;
}

/**
 * pnet_add() - add an entry
 *
 * Return: 0; -EEXIST with what holds the device, or with the device of two that the kernel did not
 * keep: it stores one of them and reports success. Another -errno with @err.
 */
int pnet_add(struct pnet_tool *tool, const struct smc_pnet *entry);

/** pnet_say_exists() - which entry or hardware @entry conflicts with. Return: -EEXIST with @err */
int pnet_say_exists(const struct smc_pnet_table *table, const struct pnet_world *world,
		    const struct smc_pnet *entry, struct smc_err *err);

/** struct pnet_plan - from one table to another: whole PNET IDs to delete, entries to add */
struct pnet_plan {
	struct smc_pnet_table deletes; /* one entry for each PNET ID */
	struct smc_pnet_table adds;
};

/** pnet_plan_make() - the kernel deletes by PNET ID only: what must stay is added again */
void pnet_plan_make(struct pnet_plan *plan, const struct smc_pnet_table *from,
		    const struct smc_pnet_table *to);

void pnet_plan_free(struct pnet_plan *plan);

/** pnet_has_entry() - has the table this very entry? */
bool pnet_has_entry(const struct smc_pnet_table *table, const struct smc_pnet *entry);

/**
 * pnet_change() - make the kernel's table another one
 * @from: as it is
 *
 * Return: 0; -errno with @err, which also says whether the table is as it was.
 */
int pnet_change(struct pnet_tool *tool, const struct smc_pnet_table *from,
		const struct smc_pnet_table *to);
