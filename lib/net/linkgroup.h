/* SPDX-License-Identifier: MIT */
/* The kernel's link groups and the devices they use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/pairing.h"

/**
 * struct pnet_group - a link of an SMC-R link group, or an SMC-D link group
 * @ib, @port: the RDMA port of the link; empty for SMC-D
 * @chid: channel id of an SMC-D group, -1 for none
 * @is_shown: for the caller, false at first
 */
struct pnet_group {
	uint32_t id, conns;
	uint8_t link;
	char ib[SMC_PNET_IB_SIZE];
	unsigned int port;
	int32_t chid;
	bool is_shown;
};

struct pnet_groups {
	struct pnet_group *groups;
	size_t count, size;
};

/** pnet_groups_load() - dump them; none if the kernel is too old. Return: 0, -errno with @err */
int pnet_groups_load(struct pnet_groups *groups, struct smc_err *err);

void pnet_groups_free(struct pnet_groups *groups);

/** pnet_group_uses() - does a group use the RDMA port or the ISM device of a row? */
bool pnet_group_uses(const struct pnet_group *group, const struct pnet_row *row);
