/* SPDX-License-Identifier: MIT */
/* The kernel's PNET table: read, add, delete, and replace, all or nothing. */
#pragma once

#include "base/err.h"
#include "net/pairing.h"
#include "netlink/genl.h"
#include "out/table.h"
#include "smc/pnet.h"

/** struct pnet_tool - context of changes: the kernel's table, and a sysfs */
struct pnet_tool {
	struct smc_genl *nl;
	const char *root;
	struct smc_err *err;
};

extern const struct out_col pnet_columns[];

/** pnet_fetch() - read the whole table */
int pnet_fetch(struct smc_genl *nl, struct smc_pnet_table *table, struct smc_err *err);

/** pnet_make() - make an entry; words may be NULL. Return: 0; -EINVAL with the word in @err */
int pnet_make(struct smc_pnet *entry, const char *name, const char *eth, const char *ib,
	      const char *port, struct smc_err *err);

/** pnet_delete() - delete all entries of a PNET ID. Return: 0; -ENOENT if it has none */
int pnet_delete(struct pnet_tool *tool, const char *name);

/** pnet_flush() - delete all entries; succeeds for an empty table */
int pnet_flush(struct pnet_tool *tool);

/** pnet_device() - the device of an entry that has one */
static inline const char *pnet_device(const struct smc_pnet *entry)
{
	return entry->has & SMC_PNET_HAS_NET ? entry->eth : entry->ib;
}

/**
 * pnet_add() - add an entry
 *
 * Return: 0; -EEXIST with the conflicting entry in @err, or with the device that the kernel
 * dropped: of two devices it may store only one, and report success. Another -errno with @err.
 */
int pnet_add(struct pnet_tool *tool, const struct smc_pnet *entry);

/** pnet_say_exists() - name the entry or hardware that @entry conflicts with. Return: -EEXIST */
int pnet_say_exists(const struct smc_pnet_table *table, const struct pnet_world *world,
		    const struct smc_pnet *entry, struct smc_err *err);

/** struct pnet_plan - steps from one table to another: PNET IDs to delete, entries to add */
struct pnet_plan {
	struct smc_pnet_table deletes; /* one entry for each PNET ID */
	struct smc_pnet_table adds;
};

/** pnet_plan_make() - the kernel deletes by PNET ID only: remaining entries are added again */
void pnet_plan_make(struct pnet_plan *plan, const struct smc_pnet_table *from,
		    const struct smc_pnet_table *to);

void pnet_plan_free(struct pnet_plan *plan);

/** pnet_change() - replace the kernel's table, @from; @err also says whether it is unchanged */
int pnet_change(struct pnet_tool *tool, const struct smc_pnet_table *from,
		const struct smc_pnet_table *to);
