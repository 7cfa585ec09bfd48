/* SPDX-License-Identifier: MIT */
/* Modes of SMC that this host has for each net device, as smc_chk finds them. */
#pragma once

#include "base/err.h"
#include "net/netaddr.h"

/** struct device_mode - @is_loopback: within this host only; @is_waiting: lacks only an EID */
struct device_mode {
	char netdev[NETDEV_NAME_SIZE], name[8];
	unsigned int version;
	bool is_loopback, is_waiting;
};

/** struct devices - @modes: those of a net device in the kernel's order */
struct devices {
	struct device_mode *modes;
	size_t count;
	struct netaddr_table addrs;
	bool has_smc;
};

/**
 * devices_load() - of the network namespace of this process
 * @is_entered: by smc_netns_enter()
 *
 * Return: 0; -errno with @err. Free them with devices_free() in any case.
 */
int devices_load(struct devices *devices, bool is_entered, struct smc_err *err);

/** devices_parse() - @text: document of "smc_chk -s -j". Return: false if it is none */
bool devices_parse(struct devices *devices, const char *text);

void devices_free(struct devices *devices);
