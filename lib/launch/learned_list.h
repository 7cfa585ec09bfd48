/* SPDX-License-Identifier: MIT */
/* The memory of ld_pre_smc.so, read by tools. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "launch/learned.h"

/**
 * struct learned_fact - a destination that is remembered
 * @user: whose programs connect
 * @program: its short name, of bytes that a stranger may have chosen
 * @addr: IPv6, or IPv4 mapped into it
 * @is_tcp: its connections use TCP
 * @connections: so far
 * @handshake: of SMC; @smc, @tcp: mean life of connections that were not long; all in nanoseconds,
 *	0: not measured
 * @is_new: none has ended yet; @is_long: the last ones were long
 * @idle: seconds since its last connection whose life was measured
 * @broken: seconds for which TCP is used since a handshake broke; 0: none did
 */
struct learned_fact {
	uint32_t user;
	char program[LEARNED_PROGRAM + 1];
	struct in6_addr addr;
	uint16_t port;
	bool is_tcp;
	uint32_t connections;
	uint64_t handshake, smc, tcp;
	bool is_new, is_long;
	uint32_t idle, broken;
};

/**
 * learned_each() - call a function for each destination that a network namespace remembers
 *
 * As root those of all users, else those of the caller. Files that others can write, or whose owner
 * is not in their name, are left out.
 *
 * Return: 0, also where nothing was learned; -errno: the files cannot be listed.
 */
int learned_each(void (*visit)(const struct learned_fact *fact, void *arg), void *arg);

/** learned_count() - how many of them use TCP, here or on a recorded host; 0 if not known */
int learned_count(void);
