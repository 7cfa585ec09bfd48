/* SPDX-License-Identifier: MIT */
/* Adding an entry to the kernel's PNET table, and why it may have refused. */
#pragma once

#include "net/pairing.h"
#include "settings/pnet_table.h"

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
