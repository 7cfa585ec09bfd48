/* SPDX-License-Identifier: MIT */
/* Where a service listens at present, and whom that lets in. */
#pragma once

#include "net/netaddr.h"
#include "smc_unit/unit.h"

/**
 * struct listener - a TCP or SMC socket that waits for connections
 * @addr: where; all bytes 0 for every address of its family
 * @takes_v4: it is one of IPv6 that takes IPv4, too
 */
struct listener {
	struct netaddr addr;
	uint16_t port;
	bool takes_v4;
};

/**
 * struct listeners - those of a service, without what systemd opened for it, which stays TCP
 * @is_running: it has processes in this network namespace
 * @is_away: it has some in another one
 */
struct listeners {
	struct listener *all;
	size_t count, size;
	bool is_running, is_away;
};

/**
 * unit_listeners() - of a unit, or of all instances of a template
 *
 * Return: 0; -EPERM when its sockets may not be looked at; -errno; with a sentence.
 */
int unit_listeners(struct listeners *found, const struct unit *unit, struct smc_err *err);

/**
 * listeners_warn() - warn when networks that are not private reach it and no policy limits that
 *
 * One sentence, with what to type. Nothing of what SMC_INCLUDE and SMC_EXCLUDE leave to TCP.
 */
void listeners_warn(const struct unit *unit);
