/* SPDX-License-Identifier: MIT */
/*
 * The generic netlink families of SMC: SMC_GEN_NETLINK, which has the commands up to
 * SMC_NETLINK_GET_DEV_SMCR since kernel 5.11, the statistics since 5.14, all since 5.18; and
 * SMC_PNETID, since kernel 4.11.
 *
 * Numbers of <linux/smc.h> in Linux 6.0 are in genl_numbers.def, later ones here: distributions
 * ship headers older than the kernels in use. tests/unit/test_abi.c compares them with the
 * installed header.
 * SMC_NETLINK_GET_LINK_SMCR is answered with messages of SMC_NETLINK_GET_LGR_SMCR, too.
 */
#pragma once

#include "smc/abi.h"

#define SMCR_GENL_FAMILY_NAME "SMC_PNETID"
#define SMC_GENL_FAMILY_NAME "SMC_GEN_NETLINK"

enum {
#define NUMBER(name, number) name = (number),
#include "smc/genl_numbers.def"
#undef NUMBER
};

enum {
	/* Linux 6.6 */
	SMC_ABI_LGR_R_V2_MAX_CONNS = 2,
	SMC_ABI_LGR_R_V2_MAX_LINKS = 3,
	/* Linux 6.8 */
	SMC_ABI_LGR_D_EXT_GID = 10,
	SMC_ABI_LGR_D_PEER_EXT_GID = 11,
	/* Linux 6.12 */
	SMC_ABI_LGR_R_SNDBUF_ALLOC = 12,
	SMC_ABI_LGR_R_RMB_ALLOC = 13,
	SMC_ABI_LGR_D_SNDBUF_ALLOC = 12,
	SMC_ABI_LGR_D_DMB_ALLOC = 13,
	SMC_ABI_TECH_RX_RMB_USAGE = 20,
	SMC_ABI_TECH_TX_RMB_USAGE = 21,
};
