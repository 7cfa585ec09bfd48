// SPDX-License-Identifier: MIT
/* RDMA and ISM devices that SMC knows. */
#include "smc/device.h"

#include "smc/attr.h"

#define PORT(number, member, bit) SMC_ATTR(SMC_ABI_PORT_##number, struct smc_port, member, bit)
#define DEVICE(number, member, bit)                                                                \
	SMC_ATTR(SMC_ABI_DEV_##number, struct smc_device, member, SMC_DEVICE_HAS_##bit)
/* A port is there unless it says otherwise. */
#define DEVICE_PORT(number, index)                                                                 \
	{                                                                                          \
		number, SMC_ATTR_NEST, offsetof(struct smc_device, ports[index]),                  \
			.nest = port_attrs,                                                        \
			.seen = offsetof(struct smc_device, ports[index].is_there)                 \
	}

static const struct smc_attr port_attrs[] = {
	PORT(PNET_USR, is_user, SMC_PORT_HAS_USER),
	PORT(PNETID, pnetid, SMC_PORT_HAS_PNETID),
	PORT(NETDEV, ifindex, SMC_PORT_HAS_IFINDEX),
	PORT(STATE, is_active, SMC_PORT_HAS_STATE),
	PORT(VALID, is_there, 0),
	PORT(LNK_CNT, links, SMC_PORT_HAS_LINKS),
	{ 0 },
};

static const struct smc_attr attrs[] = {
	DEVICE(USE_CNT, use_count, USE_COUNT),
	DEVICE(IS_CRIT, is_crit, CRIT),
	DEVICE(PCI_FID, fid, FID),
	DEVICE(PCI_CHID, pchid, PCHID),
	DEVICE(PCI_VENDOR, vendor, VENDOR),
	DEVICE(PCI_DEVICE, device, DEVICE),
	DEVICE(PCI_ID, pci_id, PCI_ID),
	DEVICE_PORT(SMC_ABI_DEV_PORT, 0),
	DEVICE_PORT(SMC_ABI_DEV_PORT2, 1),
	DEVICE(IB_NAME, ib_name, IB_NAME),
	{ 0 },
};

static const struct smc_attr messages[] = {
	{ SMC_ABI_GEN_DEV_SMCD, SMC_ATTR_NEST, .nest = attrs },
	{ SMC_ABI_GEN_DEV_SMCR, SMC_ATTR_NEST, .nest = attrs },
	{ 0 },
};

int smc_device_decode(struct smc_device *device, const struct nlmsghdr *nlh)
{
	return smc_attr_decode(device, sizeof(*device), nlh, messages);
}
