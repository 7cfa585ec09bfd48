// SPDX-License-Identifier: MIT
/* device: devices that SMC can use, with names, including those that the kernel does not list. */
#include "smcdr/cmd.h"

#include <net/if.h>

#include "base/array.h"
#include "host/file.h"
#include "host/probe.h"
#include "net/rdma.h"

#define VENDOR_IBM 0x1014
#define VENDOR_MELLANOX 0x15b3
/* A GID table has a few hundred entries at most, and the first ones are in use. */
#define MAX_GIDS 256

/* Card names on IBM Z, as in smc-tools 1.8.5. */
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
			break; /* the ifindex belongs to this RDMA device */
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

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
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
	return cmd_dump(cmd, SMC_NETLINK_GET_DEV_SMCR, on_device, devices, "the RDMA devices");
}

int cmd_ism_load(struct cmd *cmd, struct cmd_ism *ism, struct smc_sysinfo *sys)
{
	int ret;

	*ism = (struct cmd_ism){ .devices = { .item_size = sizeof(struct smc_device) } };
	ret = cmd_dump(cmd, SMC_NETLINK_GET_SYS_INFO, smc_sysinfo_decode, sys, "the capabilities");
	if (!ret)
		ret = cmd_dump(cmd, SMC_NETLINK_GET_DEV_SMCD, on_device, &ism->devices,
			       "the ISM devices");
	if (!ret)
		ret = cmd_dump(cmd, SMC_NETLINK_GET_LGR_SMCD, on_lgr, ism, "the link groups");
	ism->has_loopback = ism->loopback_groups || (sys->is_ism_v2 && !ism->devices.count);
	return ret;
}

/* ---- the command ---- */

static struct device_row *add_row(struct cmd_list *rows, const struct smc_device *device,
				  unsigned int number)
{
	struct device_row *row = cmd_list_add(rows);

	row->device = *device;
	row->port = device->ports[number - 1];
	row->number = number;
	if (device->has & SMC_DEVICE_HAS_DEVICE && (device->vendor || device->device))
		pciids_find(&row->pci, device->vendor, device->device);
	else if (device->has & SMC_DEVICE_HAS_IB_NAME)
		row->is_soft_roce = !strchr(device->ib_name, '/') && *device->ib_name &&
				    rdma_is_soft_roce("/sys", device->ib_name);
	return row;
}

static void add_ports(struct cmd_list *rows, const struct smc_device *device,
		      const struct cmd_filter *filter)
{
	for (unsigned int p = 0; p < SMC_DEVICE_PORTS; p++) {
		char netdev[CMD_NETDEV_SIZE];
		struct device_row *row;

		if (!device->ports[p].is_there)
			continue;
		cmd_netdev_name(netdev, device->ib_name, p + 1, device->ports[p].ifindex);
		if ((filter->netdev && strcmp(filter->netdev, netdev)) ||
		    (filter->ibdev && strcmp(filter->ibdev, device->ib_name)))
			continue;
		row = add_row(rows, device, p + 1);
		memcpy(row->netdev, netdev, sizeof(netdev));
	}
}

static int show_smcr(struct cmd *cmd, const struct cmd_filter *filter)
{
	struct cmd_list devices AUTO(cmd_list_free) = { 0 };
	struct cmd_list rows AUTO(cmd_list_free) = { .item_size = sizeof(struct device_row) };
	const char *names = cmd->details ?
				    "netdev,ibdev,port,state,type,crit,fid,pci,pchid,links,pnetid" :
				    "netdev,ibdev,port,state,type,crit,links,pnetid";
	int ret = cmd_rdma_load(cmd, &devices);

	for (size_t i = 0; !ret && i < devices.count; i++)
		add_ports(&rows, cmd_list_at(&devices, i), filter);
	if (!ret)
		ret = cmd_table(cmd, &rows, smcr_device_columns, names, "device", "devices");
	return ret;
}

static void add_loopback(struct cmd_list *rows, const struct cmd_ism *ism)
{
	struct smc_device device = {
		.has = SMC_DEVICE_HAS_USE_COUNT | SMC_DEVICE_HAS_CRIT | SMC_DEVICE_HAS_PCHID,
		.use_count = ism->loopback_groups,
		.is_crit = ism->loopback_groups,
		.pchid = SMC_ABI_CHID_LOOPBACK,
	};

	memcpy(device.ports[0].pnetid, ism->loopback_pnetid, sizeof(ism->loopback_pnetid));
	add_row(rows, &device, 1)->is_loopback = true;
}

static int show_smcd(struct cmd *cmd)
{
	struct cmd_list rows AUTO(cmd_list_free) = { .item_size = sizeof(struct device_row) };
	struct smc_sysinfo sys = { .has = 0 };
	struct cmd_ism ism;
	int ret = cmd_ism_load(cmd, &ism, &sys);

	for (size_t i = 0; !ret && i < ism.devices.count; i++)
		add_row(&rows, cmd_list_at(&ism.devices, i), 1);
	if (!ret && ism.has_loopback)
		add_loopback(&rows, &ism);
	if (!ret)
		ret = cmd_table(cmd, &rows, smcd_device_columns,
				"fid,type,pci,pchid,inuse,groups,pnetid", "device", "devices");
	cmd_list_free(&ism.devices);
	return ret;
}

/* Device names may be keywords themselves, so the position decides. */
static int parse(struct cmd *cmd, struct cmd_filter *filter)
{
	int ret = 1;

	for (int i = 0; i < cmd->argc && ret > 0; i++) {
		const char *word = cmd->argv[i];

		if ((!i && cmd_is(word, "show")) || cmd_is(word, "all"))
			continue;
		ret = cmd_filter_word(cmd, "device", &i, filter);
		if (!ret)
			return cmd_usage(cmd, "device: unexpected argument '%s'", word);
	}
	return ret < 0 ? ret : 0;
}

int cmd_run_device(struct cmd *cmd)
{
	struct cmd_filter filter = { NULL, NULL };
	int ret = parse(cmd, &filter);

	if (ret)
		return ret;
	return cmd->variant->is_smcd ? show_smcd(cmd) : show_smcr(cmd, &filter);
}
