/* SPDX-License-Identifier: MIT */
/* What the kernel says about its own SMC: bytes -> struct smc_sysinfo. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "smc/abi.h"

enum {
	SMC_SYSINFO_HAS_VERSION = 1 << 0,
	SMC_SYSINFO_HAS_RELEASE = 1 << 1,
	SMC_SYSINFO_HAS_HOST = 1 << 2,
	SMC_SYSINFO_HAS_SEID = 1 << 3,
	SMC_SYSINFO_HAS_ISM_V2 = 1 << 4,
	SMC_SYSINFO_HAS_SMCR_V2 = 1 << 5,
};

/**
 * struct smc_sysinfo - answer of SMC_NETLINK_GET_SYS_INFO
 * @is_ism_v2: an ISM device of version 2, or loopback-ism, has been there
 * @host: name that peers are told, as it was when the module was loaded
 * @seid: system EID; empty where the system has none (not IBM Z)
 */
struct smc_sysinfo {
	uint32_t has;
	uint8_t version, release;
	bool is_ism_v2, is_smcr_v2;
	char host[SMC_MAX_EID_LEN + 1];
	char seid[SMC_MAX_EID_LEN + 1];
};

/** smc_sysinfo_decode() - read the answer. Return: 0, -EBADMSG without the nest */
int smc_sysinfo_decode(struct smc_sysinfo *info, const struct nlmsghdr *nlh);
