/* SPDX-License-Identifier: MIT */
/* With whom a service uses SMC, as rules of smc.conf(5). */
#pragma once

#include "smc_unit/unit.h"

/**
 * unit_peers() - limit an enabled service to networks, or lift that
 * @nets: NET[:PORTS], separated by commas; those without ports get the ones on which the service
 *	listens; or "all"
 *
 * The rules are written to a file, and smc_conf applies them; nothing is changed when that fails.
 *
 * Return: exit status, after messages.
 */
int unit_peers(const struct request *req, const char *nets);

/**
 * peers_disable() - take them away
 *
 * Return: 1; 0 if there were none; -errno with a sentence.
 */
int peers_disable(const char *unit, struct smc_err *err);

/**
 * peers_each() - every unit that has such a file
 * @fn: is given the unit's full name; anything but 0 ends the search
 *
 * Return: what @fn returned last.
 */
int peers_each(int (*fn)(const char *unit, void *arg), void *arg);
