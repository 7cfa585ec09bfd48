/* SPDX-License-Identifier: MIT */
/* Read the shared memory of ld_pre_smc.so, for tools. */
#pragma once

#include <netinet/in.h>

#include "base/libc.h"
#include "launch/learned_table.h"

/**
 * struct learned_fact - a remembered destination
 * @user: owner of the connecting programs
 * @program: its short name, untrusted bytes
 * @addr: IPv6, or IPv4 mapped into it; @is_tcp: its connections use TCP
 * @connections: number so far
 * @handshake: duration over SMC; @smc, @tcp: mean life of short connections; nanoseconds, or 0
 * @is_new: none has ended yet; @is_long: the last ones were long
 * @idle: seconds since its last connection whose life was measured
 * @broken: seconds for which TCP is still used after a broken handshake; 0: none broke
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
 * learned_each() - call a function for each destination remembered in a network namespace
 *
 * Root gets the destinations of all users, others their own.
 *
 * Return: 0, even if nothing was learned; -errno if shared memory cannot be listed.
 */
int learned_each(void (*visit)(const struct learned_fact *fact, void *arg), void *arg);

/** learned_count() - number of destinations on TCP, here or on a recorded host; 0 if not known */
int learned_count(void);
