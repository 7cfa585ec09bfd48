// SPDX-License-Identifier: MIT
/* loopback-ism: an ISM device made of memory, which the kernel uses but does not list. */
#include "smcdr/loopback.h"

#include <errno.h>
#include <string.h>

#include "smc/device.h"
#include "smc/lgr.h"

int cmd_on_device(const struct nlmsghdr *nlh, void *list)
{
	struct smc_device *device = cmd_list_add(list);

	return device ? smc_device_decode(device, nlh) : -ENOMEM;
}

static int on_lgr(const struct nlmsghdr *nlh, void *arg)
{
	struct cmd_ism *ism = arg;
	struct smc_lgr lgr;
	int ret = smc_lgr_decode(&lgr, nlh);

	if (ret || !(lgr.has & SMC_LGR_HAS_CHID) || lgr.chid != SMC_ABI_CHID_LOOPBACK)
		return ret;
	ism->loopback_groups++;
	memcpy(ism->loopback_pnetid, lgr.pnetid, sizeof(lgr.pnetid));
	return 0;
}

int cmd_ism_load(struct cmd *cmd, struct cmd_ism *ism, bool is_ism_v2)
{
	int ret;

	*ism = (struct cmd_ism){ .devices = { .item_size = sizeof(struct smc_device) } };
	ret = cmd_dump(cmd, SMC_ABI_GET_DEV_SMCD, cmd_on_device, &ism->devices, "the ISM devices");
	if (!ret)
		ret = cmd_dump(cmd, SMC_ABI_GET_LGR_SMCD, on_lgr, ism, "the link groups");
	ism->has_loopback = ism->loopback_groups || (is_ism_v2 && !ism->devices.count);
	return ret;
}
