/* SPDX-License-Identifier: MIT */
/* Attributes of RDMA ports that only libibverbs has. Only callers of this link libibverbs. */
#pragma once

#include "net/rdma.h"

/**
 * verbs_fill() - complete the ports of this machine's RDMA devices
 * @table: from rdma_load() of the real sysfs; without RDMA devices libibverbs is not called
 *
 * Source: ibv_query_port(3) of each device listed by ibv_get_device_list(3) that ibv_open_device(3)
 * can open (/dev/infiniband/uverbsN). Sets rdma_port.active_mtu (enum ibv_mtu, in bytes); state
 * (enum ibv_port_state) and link layer only if sysfs has none.
 *
 * Never fails: without the module ib_uverbs, the device's provider library or the permission to
 * open it, the ports are left unchanged.
 */
void verbs_fill(struct rdma_table *table);
