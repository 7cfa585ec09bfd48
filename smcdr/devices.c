// SPDX-License-Identifier: MIT
/* Devices: those that the kernel does not list, and the names of what it sends as numbers. */
#include "smcdr/cmd.h"

#include <stdio.h>
#include <string.h>
#include <net/if.h>

#include "host/file.h"
#include "host/probe.h"

#define VENDOR_IBM 0x1014
#define VENDOR_MELLANOX 0x15b3
/* A GID table has some hundred entries at most, and the first ones are in use. */
#define MAX_GIDS 256

/* IBM Z's names, by which smc-tools show these cards. */
static const struct {
	uint32_t vendor, device;
	const char *name;
} types[] = {
	{ VENDOR_IBM, 0x04ed, "ISM" },
	{ VENDOR_MELLANOX, 0x1004, "RoCE_Express" },
	{ VENDOR_MELLANOX, 0x1016, "RoCE_Express2" },
	{ VENDOR_MELLANOX, 0x101e, "RoCE_Express3" },
};

bool cmd_netdev_name(char name[CMD_NETDEV_SIZE], const char *ib_name, unsigned int port,
		     uint32_t ifindex)
{
	char found[CMD_NETDEV_SIZE], by_number[IF_NAMESIZE] = "";

	if (ifindex)
		host_ifname(by_number, ifindex);
	name[0] = '\0';
	for (unsigned int i = 0; i < MAX_GIDS && !strchr(ib_name, '/') && *ib_name; i++) {
		if (!host_text(found, sizeof(found),
			       "/sys/class/infiniband/%s/ports/%u/gid_attrs/ndevs/%u", ib_name,
			       port, i))
			continue;
		if (!strcmp(found, by_number))
			break; /* one of its devices has this number here */
		if (!name[0])
			memcpy(name, found, sizeof(found));
	}
	if (!name[0] || !strcmp(found, by_number))
		snprintf(name, CMD_NETDEV_SIZE, "%s", by_number);
	return name[0];
}

void cmd_pci_type(struct out_text *text, uint32_t vendor, uint32_t device,
		  const struct pciids_name *name)
{
	char product[PCIIDS_NAME_SIZE];

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].vendor == vendor && types[i].device == device) {
			out_str(text, types[i].name);
			return;
		}
	}
	if (name->device[0]) {
		pciids_product(product, name->device);
		out_escaped(text, product, sizeof(product));
		return;
	}
	out_str(text, "0x");
	out_hex(text, device, 4);
}

static int on_sysinfo(const struct nlmsghdr *nlh, void *arg)
{
	return smc_sysinfo_decode(arg, nlh);
}

static int on_device(const struct nlmsghdr *nlh, void *list)
{
	return smc_device_decode(cmd_list_add(list), nlh);
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

int cmd_rdma_load(struct cmd *cmd, struct cmd_list *devices)
{
	*devices = (struct cmd_list){ .item_size = sizeof(struct smc_device) };
	return cmd_dump(cmd, SMC_ABI_GET_DEV_SMCR, on_device, devices, "the RDMA devices");
}

int cmd_ism_load(struct cmd *cmd, struct cmd_ism *ism, struct smc_sysinfo *sys)
{
	int ret;

	*ism = (struct cmd_ism){ .devices = { .item_size = sizeof(struct smc_device) } };
	ret = cmd_dump(cmd, SMC_ABI_GET_SYS_INFO, on_sysinfo, sys, "the capabilities");
	if (!ret)
		ret = cmd_dump(cmd, SMC_ABI_GET_DEV_SMCD, on_device, &ism->devices,
			       "the ISM devices");
	if (!ret)
		ret = cmd_dump(cmd, SMC_ABI_GET_LGR_SMCD, on_lgr, ism, "the link groups");
	ism->has_loopback = ism->loopback_groups || (sys->is_ism_v2 && !ism->devices.count);
	return ret;
}
