/* SPDX-License-Identifier: MIT */
/* smc_run --enable UNIT --peers: with whom a service uses SMC, as rules of smc.conf(5). */
#pragma once

#include "smc_run/unit.h"

/**
 * peers_parse() - read NET[:PORTS], more of them behind commas
 * @peers: receives rules "allow from"; those without ports get the ones of the unit later
 * @bad: receives the item that is wrong
 *
 * Return: 0; -EINVAL with what was expected.
 */
int peers_parse(struct policy *peers, const char *list, char bad[POLICY_LINE_SIZE],
		struct smc_err *err);

/**
 * peers_enable() - write the rules of a unit, and have smc_conf apply them
 * @file: receives the name of the file
 *
 * Nothing is changed when that fails. Return: 0, -errno with a sentence.
 */
int peers_enable(const struct unit *unit, char file[PATH_MAX], struct smc_err *err);

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
