// SPDX-License-Identifier: MIT
/* What the kernel says about its own SMC. */
#include "smc/sysinfo.h"

#include <errno.h>
#include <libmnl/libmnl.h>

#include "smc/attr.h"

static uint32_t decode_attr(struct smc_sysinfo *info, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case SMC_ABI_SYS_VER:
		return smc_attr_u8(attr, &info->version) ? SMC_SYSINFO_HAS_VERSION : 0;
	case SMC_ABI_SYS_REL:
		return smc_attr_u8(attr, &info->release) ? SMC_SYSINFO_HAS_RELEASE : 0;
	case SMC_ABI_SYS_IS_ISM_V2:
		return smc_attr_bool(attr, &info->is_ism_v2) ? SMC_SYSINFO_HAS_ISM_V2 : 0;
	case SMC_ABI_SYS_LOCAL_HOST:
		return smc_attr_str(attr, info->host, sizeof(info->host)) ?
			       SMC_SYSINFO_HAS_HOST : 0;
	case SMC_ABI_SYS_SEID:
		return smc_attr_str(attr, info->seid, sizeof(info->seid)) ?
			       SMC_SYSINFO_HAS_SEID : 0;
	case SMC_ABI_SYS_IS_SMCR_V2:
		return smc_attr_bool(attr, &info->is_smcr_v2) ? SMC_SYSINFO_HAS_SMCR_V2 : 0;
	default:
		return 0;
	}
}

int smc_sysinfo_decode(struct smc_sysinfo *info, const struct nlmsghdr *nlh)
{
	const struct nlattr *nest = smc_attr_nest(nlh, SMC_ABI_GEN_SYS_INFO), *attr;

	*info = (struct smc_sysinfo){ 0 };
	if (!nest)
		return -EBADMSG;
	mnl_attr_for_each_nested(attr, nest)
		info->has |= decode_attr(info, attr);
	return 0;
}
