/* SPDX-License-Identifier: MIT */
/* Whose net device has an RDMA port: one of this network namespace, or of another? */
#pragma once

#include "net/rdma.h"

/**
 * rdma_check_netns() - forget net devices of other network namespaces
 *
 * sysfs shows RDMA devices in all namespaces, and names their net devices without telling in which
 * one these are. RDMA's netlink family tells of those only in the caller's.
 */
void rdma_check_netns(struct rdma_table *table);
