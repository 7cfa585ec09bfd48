// SPDX-License-Identifier: MIT
/* RDMA and ISM devices that SMC knows. */
#include "smc/device.h"

#include <errno.h>
#include <libmnl/libmnl.h>

#include "smc/attr.h"

static uint32_t decode_port_attr(struct smc_port *port, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case SMC_ABI_PORT_PNET_USR:
		return smc_attr_bool(attr, &port->is_user) ? SMC_PORT_HAS_USER : 0;
	case SMC_ABI_PORT_PNETID:
		return smc_attr_str(attr, port->pnetid, sizeof(port->pnetid)) ?
			       SMC_PORT_HAS_PNETID : 0;
	case SMC_ABI_PORT_NETDEV:
		return smc_attr_u32(attr, &port->ifindex) ? SMC_PORT_HAS_IFINDEX : 0;
	case SMC_ABI_PORT_STATE:
		return smc_attr_bool(attr, &port->is_active) ? SMC_PORT_HAS_STATE : 0;
	case SMC_ABI_PORT_VALID:
		smc_attr_bool(attr, &port->is_there);
		return 0;
	case SMC_ABI_PORT_LNK_CNT:
		return smc_attr_u32(attr, &port->links) ? SMC_PORT_HAS_LINKS : 0;
	default:
		return 0;
	}
}

static void decode_port(struct smc_port *port, const struct nlattr *nest)
{
	const struct nlattr *attr;

	port->is_there = true;
	mnl_attr_for_each_nested(attr, nest)
		port->has |= decode_port_attr(port, attr);
}

static uint32_t decode_attr(struct smc_device *device, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case SMC_ABI_DEV_USE_CNT:
		return smc_attr_u32(attr, &device->use_count) ? SMC_DEVICE_HAS_USE_COUNT : 0;
	case SMC_ABI_DEV_IS_CRIT:
		return smc_attr_bool(attr, &device->is_crit) ? SMC_DEVICE_HAS_CRIT : 0;
	case SMC_ABI_DEV_PCI_FID:
		return smc_attr_u32(attr, &device->fid) ? SMC_DEVICE_HAS_FID : 0;
	case SMC_ABI_DEV_PCI_CHID:
		return smc_attr_u32(attr, &device->pchid) ? SMC_DEVICE_HAS_PCHID : 0;
	case SMC_ABI_DEV_PCI_VENDOR:
		return smc_attr_u32(attr, &device->vendor) ? SMC_DEVICE_HAS_VENDOR : 0;
	case SMC_ABI_DEV_PCI_DEVICE:
		return smc_attr_u32(attr, &device->device) ? SMC_DEVICE_HAS_DEVICE : 0;
	case SMC_ABI_DEV_PCI_ID:
		return smc_attr_str(attr, device->pci_id, sizeof(device->pci_id)) ?
			       SMC_DEVICE_HAS_PCI_ID : 0;
	case SMC_ABI_DEV_PORT:
		decode_port(&device->ports[0], attr);
		return 0;
	case SMC_ABI_DEV_PORT2:
		decode_port(&device->ports[1], attr);
		return 0;
	case SMC_ABI_DEV_IB_NAME:
		return smc_attr_str(attr, device->ib_name, sizeof(device->ib_name)) ?
			       SMC_DEVICE_HAS_IB_NAME : 0;
	default:
		return 0;
	}
}

int smc_device_decode(struct smc_device *device, const struct nlmsghdr *nlh)
{
	const struct nlattr *nest = smc_attr_nest(nlh, SMC_ABI_GEN_DEV_SMCD), *attr;

	*device = (struct smc_device){ 0 };
	if (!nest)
		nest = smc_attr_nest(nlh, SMC_ABI_GEN_DEV_SMCR);
	if (!nest)
		return -EBADMSG;
	mnl_attr_for_each_nested(attr, nest)
		device->has |= decode_attr(device, attr);
	return 0;
}
