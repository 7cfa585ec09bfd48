/* SPDX-License-Identifier: MIT */
/*
 * The generic netlink families of SMC: SMC_GEN_NETLINK, of which kernel 5.11 has the commands up to
 * SMC_NETLINK_GET_DEV_SMCR, 5.14 the statistics, 5.18 all; and SMC_PNETID, since kernel 4.11.
 *
 * <linux/smc.h> of kernel 6.0, the oldest to build with, has the numbers, except those that came
 * later: they stand here, as distributions ship older headers than the kernels that people run.
 * SMC_NETLINK_GET_LINK_SMCR is answered with messages of SMC_NETLINK_GET_LGR_SMCR, too.
 */
#pragma once

#include <linux/smc.h>

#include "smc/abi.h"

enum {
	/* 6.6 */
	SMC_ABI_LGR_R_V2_MAX_CONNS = 2,
	SMC_ABI_LGR_R_V2_MAX_LINKS = 3,
	/* 6.8 */
	SMC_ABI_LGR_D_EXT_GID = 10,
	SMC_ABI_LGR_D_PEER_EXT_GID = 11,
	/* 6.12 */
	SMC_ABI_LGR_R_SNDBUF_ALLOC = 12,
	SMC_ABI_LGR_R_RMB_ALLOC = 13,
	SMC_ABI_LGR_D_SNDBUF_ALLOC = 12,
	SMC_ABI_LGR_D_DMB_ALLOC = 13,
	SMC_ABI_TECH_RX_RMB_USAGE = 20,
	SMC_ABI_TECH_TX_RMB_USAGE = 21,
};
