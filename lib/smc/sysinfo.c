// SPDX-License-Identifier: MIT
/* What the kernel says about its own SMC. */
#include "smc/sysinfo.h"

#include "smc/attr.h"

#define ATTR(number, member, bit)                                                                  \
	SMC_ATTR(SMC_ABI_SYS_##number, struct smc_sysinfo, member, SMC_SYSINFO_HAS_##bit)

static const struct smc_attr attrs[] = {
	ATTR(VER, version, VERSION),
	ATTR(REL, release, RELEASE),
	ATTR(IS_ISM_V2, is_ism_v2, ISM_V2),
	ATTR(LOCAL_HOST, host, HOST),
	ATTR(SEID, seid, SEID),
	ATTR(IS_SMCR_V2, is_smcr_v2, SMCR_V2),
	{ 0 },
};

static const struct smc_attr messages[] = {
	{ SMC_ABI_GEN_SYS_INFO, SMC_ATTR_NEST, .nest = attrs },
	{ 0 },
};

int smc_sysinfo_decode(struct smc_sysinfo *info, const struct nlmsghdr *nlh)
{
	return smc_attr_decode(info, sizeof(*info), nlh, messages);
}
