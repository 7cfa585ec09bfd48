/* SPDX-License-Identifier: MIT */
/* What libibverbs knows of RDMA ports and sysfs does not. Only who calls it links that library. */
#pragma once

#include "net/rdma.h"

/**
 * verbs_fill() - complete the ports of this machine's RDMA devices
 * @table: from rdma_load() of the real sysfs; without RDMA devices libibverbs is not called
 *
 * Source: ibv_query_port(3) of each device that ibv_get_device_list(3) has and ibv_open_device(3)
 * opens, that is, /dev/infiniband/uverbsN. It sets rdma_port.active_mtu (enum ibv_mtu, in bytes);
 * state (enum ibv_port_state) and link layer only where sysfs had none.
 *
 * Never fails: without the module ib_uverbs, the device's provider library or the permission to
 * open it, the ports stay as they are.
 */
void verbs_fill(struct rdma_table *table);
