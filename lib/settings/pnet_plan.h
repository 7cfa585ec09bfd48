/* SPDX-License-Identifier: MIT */
/* From one PNET table to another, all of it or nothing. */
#pragma once

#include "settings/pnet_table.h"

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
