// SPDX-License-Identifier: MIT
/* device: what SMC can run over. */
#include "smcdr/cmd.h"

#include <string.h>

#include "net/rdma.h"

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

static int add_ports(struct cmd_list *rows, const struct smc_device *device,
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
		if (!row)
			return -1;
		memcpy(row->netdev, netdev, sizeof(netdev));
	}
	return 0;
}

static int show_smcr(struct cmd *cmd, const struct cmd_filter *filter)
{
	struct cmd_list devices, rows = { .item_size = sizeof(struct device_row) };
	const char *names = cmd->details ?
				    "netdev,ibdev,port,state,type,crit,fid,pci,pchid,links,pnetid" :
				    "netdev,ibdev,port,state,type,crit,links,pnetid";
	int ret = cmd_rdma_load(cmd, &devices);

	for (size_t i = 0; !ret && i < devices.count; i++)
		add_ports(&rows, cmd_list_at(&devices, i), filter);
	if (!ret)
		ret = cmd_table(cmd, &rows, smcr_device_columns, names, false, "device", "devices");
	cmd_list_free(&devices);
	cmd_list_free(&rows);
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
	struct cmd_list rows = { .item_size = sizeof(struct device_row) };
	struct smc_sysinfo sys = { .has = 0 };
	struct cmd_ism ism;
	int ret = cmd_ism_load(cmd, &ism, &sys);

	for (size_t i = 0; !ret && i < ism.devices.count; i++)
		add_row(&rows, cmd_list_at(&ism.devices, i), 1);
	if (!ret && ism.has_loopback)
		add_loopback(&rows, &ism);
	if (!ret)
		ret = cmd_table(cmd, &rows, smcd_device_columns,
				"fid,type,pci,pchid,inuse,groups,pnetid", false, "device",
				"devices");
	cmd_list_free(&ism.devices);
	cmd_list_free(&rows);
	return ret;
}

/* Names of devices may be keywords themselves, so position counts. */
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
