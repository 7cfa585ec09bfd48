// SPDX-License-Identifier: MIT
/* device: what SMC can run over. */
#include "smcdr/loopback.h"
#include "smcdr/run.h"

#include <string.h>

#include "smc/device.h"
#include "smc/sysinfo.h"

/**
 * struct row - a port of an RDMA device, or an ISM device
 * @netdev: empty when not known
 * @is_loopback: loopback-ism: only @device's use count and PNET ID mean anything
 */
struct row {
	struct smc_device device;
	unsigned int number;
	bool is_loopback;
	char netdev[CMD_NETDEV_SIZE];
	struct pciids_name pci;
};

static const struct smc_device *device_of(const void *object)
{
	return &((const struct row *)object)->device;
}

static const struct smc_port *port_of(const void *object)
{
	const struct row *row = object;

	return &row->device.ports[row->number - 1];
}

static bool has(const void *object, uint32_t bit)
{
	return device_of(object)->has & bit;
}

static void text_netdev(struct out_text *text, const void *object)
{
	out_escaped(text, ((const struct row *)object)->netdev, CMD_NETDEV_SIZE);
}

static json_t *json_netdev(const void *object)
{
	const struct row *row = object;

	return row->netdev[0] ? cmd_json_str(row->netdev) : NULL;
}

static json_t *json_ifindex(const void *object)
{
	const struct smc_port *port = port_of(object);

	return port->ifindex ? json_integer(port->ifindex) : NULL;
}

static void text_ibdev(struct out_text *text, const void *object)
{
	out_escaped(text, device_of(object)->ib_name, sizeof(device_of(object)->ib_name));
}

static json_t *json_ibdev(const void *object)
{
	return has(object, SMC_DEVICE_HAS_IB_NAME) ? cmd_json_str(device_of(object)->ib_name) :
						     NULL;
}

static void text_port(struct out_text *text, const void *object)
{
	out_dec(text, ((const struct row *)object)->number, 0);
}

static json_t *json_port(const void *object)
{
	return json_integer(((const struct row *)object)->number);
}

static void text_state(struct out_text *text, const void *object)
{
	if (port_of(object)->has & SMC_PORT_HAS_STATE)
		out_str(text, port_of(object)->is_active ? "ACTIVE" : "INACTIVE");
}

static json_t *json_state(const void *object)
{
	if (!(port_of(object)->has & SMC_PORT_HAS_STATE))
		return NULL;
	return json_string(port_of(object)->is_active ? "active" : "inactive");
}

static void text_type(struct out_text *text, const void *object)
{
	const struct row *row = object;

	if (row->is_loopback)
		out_str(text, "loopback");
	else if (has(object, SMC_DEVICE_HAS_DEVICE))
		cmd_pci_type(text, row->device.vendor, row->device.device, &row->pci);
}

static json_t *json_kind(const void *object)
{
	return cmd_json_text(text_type, object);
}

static void text_crit(struct out_text *text, const void *object)
{
	if (has(object, SMC_DEVICE_HAS_CRIT))
		out_str(text, device_of(object)->is_crit ? "Yes" : "No");
}

static json_t *json_crit(const void *object)
{
	return has(object, SMC_DEVICE_HAS_CRIT) ? json_boolean(device_of(object)->is_crit) : NULL;
}

static void text_fid(struct out_text *text, const void *object)
{
	if (has(object, SMC_DEVICE_HAS_FID))
		out_hex(text, device_of(object)->fid, 4);
}

static json_t *json_fid(const void *object)
{
	return has(object, SMC_DEVICE_HAS_FID) ? json_integer(device_of(object)->fid) : NULL;
}

static void text_pci(struct out_text *text, const void *object)
{
	out_escaped(text, device_of(object)->pci_id, sizeof(device_of(object)->pci_id));
}

static json_t *json_pci(const void *object)
{
	return has(object, SMC_DEVICE_HAS_PCI_ID) ? cmd_json_str(device_of(object)->pci_id) : NULL;
}

static void text_pchid(struct out_text *text, const void *object)
{
	if (has(object, SMC_DEVICE_HAS_PCHID))
		out_hex(text, device_of(object)->pchid, 4);
}

static json_t *json_pchid(const void *object)
{
	return has(object, SMC_DEVICE_HAS_PCHID) ? json_integer(device_of(object)->pchid) : NULL;
}

static json_t *json_pci_vendor(const void *object)
{
	return has(object, SMC_DEVICE_HAS_VENDOR) ? json_integer(device_of(object)->vendor) : NULL;
}

static json_t *json_pci_device(const void *object)
{
	return has(object, SMC_DEVICE_HAS_DEVICE) ? json_integer(device_of(object)->device) : NULL;
}

static json_t *json_vendor(const void *object)
{
	const struct row *row = object;

	return row->pci.vendor[0] ? cmd_json_str(row->pci.vendor) : NULL;
}

static json_t *json_product(const void *object)
{
	const struct row *row = object;

	return row->pci.device[0] ? cmd_json_str(row->pci.device) : NULL;
}

static void text_links(struct out_text *text, const void *object)
{
	if (port_of(object)->has & SMC_PORT_HAS_LINKS)
		out_dec(text, port_of(object)->links, 0);
}

static json_t *json_links(const void *object)
{
	return port_of(object)->has & SMC_PORT_HAS_LINKS ? json_integer(port_of(object)->links) :
							   NULL;
}

static void text_groups(struct out_text *text, const void *object)
{
	if (has(object, SMC_DEVICE_HAS_USE_COUNT))
		out_dec(text, device_of(object)->use_count, 0);
}

static json_t *json_groups(const void *object)
{
	return has(object, SMC_DEVICE_HAS_USE_COUNT) ? json_integer(device_of(object)->use_count) :
						       NULL;
}

static void text_pnetid(struct out_text *text, const void *object)
{
	const struct smc_port *port = port_of(object);

	if (port->is_user && port->pnetid[0])
		out_str(text, "*");
	out_escaped(text, port->pnetid, sizeof(port->pnetid));
}

static json_t *json_pnetid(const void *object)
{
	return port_of(object)->pnetid[0] ? cmd_json_str(port_of(object)->pnetid) : NULL;
}

static json_t *json_by_user(const void *object)
{
	const struct smc_port *port = port_of(object);

	return port->has & SMC_PORT_HAS_USER && port->pnetid[0] ? json_boolean(port->is_user) :
								  NULL;
}

static const struct out_col smcr_columns[] = {
	{ "netdev", "Net-Dev", "netdev", 15, .text = text_netdev, .json = json_netdev },
	{ NULL, NULL, "ifindex", 0, .json = json_ifindex },
	{ "ibdev", "IB-Dev", "ibdev", 8, .text = text_ibdev, .json = json_ibdev },
	{ "port", "IB-P", "port", 4, OUT_RIGHT, .text = text_port, .json = json_port },
	{ "state", "IB-State", "state", 8, OUT_RIGHT, .text = text_state, .json = json_state },
	{ "type", "Type", "type", 13, .text = text_type, .json = json_kind },
	{ "crit", "Crit", "critical", 4, OUT_RIGHT, .text = text_crit, .json = json_crit },
	{ "fid", "FID", "fid", 4, OUT_RIGHT, .text = text_fid, .json = json_fid },
	{ "pci", "PCI-ID", "pci_id", 12, .text = text_pci, .json = json_pci },
	{ "pchid", "PCHID", "pchid", 5, OUT_RIGHT, .text = text_pchid, .json = json_pchid },
	{ NULL, NULL, "pci_vendor", 0, .json = json_pci_vendor },
	{ NULL, NULL, "pci_device", 0, .json = json_pci_device },
	{ NULL, NULL, "vendor", 0, .json = json_vendor },
	{ NULL, NULL, "product", 0, .json = json_product },
	{ "links", "#Links", "links", 6, OUT_RIGHT, .text = text_links, .json = json_links },
	{ "pnetid", "PNET-ID", "pnetid", 16, .text = text_pnetid, .json = json_pnetid },
	{ NULL, NULL, "pnetid_by_user", 0, .json = json_by_user },
	{ 0 },
};

static const struct out_col smcd_columns[] = {
	{ "fid", "FID", "fid", 4, .text = text_fid, .json = json_fid },
	{ "type", "Type", "type", 8, .text = text_type, .json = json_kind },
	{ "pci", "PCI-ID", "pci_id", 12, .text = text_pci, .json = json_pci },
	{ "pchid", "PCHID", "pchid", 5, .text = text_pchid, .json = json_pchid },
	{ NULL, NULL, "pci_vendor", 0, .json = json_pci_vendor },
	{ NULL, NULL, "pci_device", 0, .json = json_pci_device },
	{ NULL, NULL, "vendor", 0, .json = json_vendor },
	{ NULL, NULL, "product", 0, .json = json_product },
	{ "inuse", "InUse", "in_use", 5, .text = text_crit, .json = json_crit },
	{ "groups", "#LGs", "linkgroups", 5, OUT_RIGHT, .text = text_groups, .json = json_groups },
	{ "pnetid", "PNET-ID", "pnetid", 16, .text = text_pnetid, .json = json_pnetid },
	{ NULL, NULL, "pnetid_by_user", 0, .json = json_by_user },
	{ 0 },
};

struct filter {
	const char *netdev;
	const char *ibdev;
};

static struct row *add_row(struct cmd_list *rows, const struct smc_device *device,
			   unsigned int number)
{
	struct row *row = cmd_list_add(rows);

	if (!row)
		return NULL;
	row->device = *device;
	row->number = number;
	if (device->has & SMC_DEVICE_HAS_DEVICE && (device->vendor || device->device))
		pciids_find(&row->pci, device->vendor, device->device);
	return row;
}

static int add_ports(struct cmd_list *rows, const struct smc_device *device,
		     const struct filter *filter)
{
	for (unsigned int p = 0; p < SMC_DEVICE_PORTS; p++) {
		char netdev[CMD_NETDEV_SIZE];
		struct row *row;

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

static int show_smcr(struct cmd *cmd, const struct filter *filter)
{
	struct cmd_list devices = { .item_size = sizeof(struct smc_device) };
	struct cmd_list rows = { .item_size = sizeof(struct row) };
	const char *names = cmd->details ?
		"netdev,ibdev,port,state,type,crit,fid,pci,pchid,links,pnetid" :
		"netdev,ibdev,port,state,type,crit,links,pnetid";
	int ret = cmd_dump(cmd, SMC_ABI_GET_DEV_SMCR, cmd_on_device, &devices, "the RDMA devices");

	for (size_t i = 0; !ret && i < devices.count; i++)
		if (add_ports(&rows, cmd_list_at(&devices, i), filter))
			ret = cmd_no_memory(cmd);
	if (!ret)
		ret = cmd_table(cmd, &rows, smcr_columns, names, false, "devices");
	cmd_list_free(&devices);
	cmd_list_free(&rows);
	return ret;
}

static int on_sysinfo(const struct nlmsghdr *nlh, void *arg)
{
	return smc_sysinfo_decode(arg, nlh);
}

static int add_loopback(struct cmd_list *rows, const struct cmd_ism *ism)
{
	struct smc_device device = {
		.has = SMC_DEVICE_HAS_USE_COUNT | SMC_DEVICE_HAS_CRIT | SMC_DEVICE_HAS_PCHID,
		.use_count = ism->loopback_groups,
		.is_crit = ism->loopback_groups,
		.pchid = SMC_ABI_CHID_LOOPBACK,
	};
	struct row *row;

	memcpy(device.ports[0].pnetid, ism->loopback_pnetid, sizeof(ism->loopback_pnetid));
	row = add_row(rows, &device, 1);
	if (row)
		row->is_loopback = true;
	return row ? 0 : -1;
}

static int show_smcd(struct cmd *cmd)
{
	struct cmd_list rows = { .item_size = sizeof(struct row) };
	struct smc_sysinfo sys = { .has = 0 };
	struct cmd_ism ism = { .has_loopback = false };
	bool is_full = false;
	int ret = cmd_dump(cmd, SMC_ABI_GET_SYS_INFO, on_sysinfo, &sys, "the capabilities");

	if (!ret)
		ret = cmd_ism_load(cmd, &ism, sys.is_ism_v2);
	for (size_t i = 0; !ret && !is_full && i < ism.devices.count; i++)
		is_full = !add_row(&rows, cmd_list_at(&ism.devices, i), 1);
	if (!ret && !is_full && ism.has_loopback)
		is_full = add_loopback(&rows, &ism);
	if (!ret && is_full)
		ret = cmd_no_memory(cmd);
	if (!ret)
		ret = cmd_table(cmd, &rows, smcd_columns, "fid,type,pci,pchid,inuse,groups,pnetid",
				false, "devices");
	cmd_list_free(&ism.devices);
	cmd_list_free(&rows);
	return ret;
}

/* A keyword with its value: names of devices may be keywords themselves, so position counts. */
static int parse(struct cmd *cmd, struct filter *filter)
{
	for (int i = 0; i < cmd->argc; i++) {
		const char *word = cmd->argv[i], **value = NULL;

		if ((!i && cmd_is(word, "show")) || cmd_is(word, "all"))
			continue;
		if (cmd_is(word, "netdev"))
			value = &filter->netdev;
		else if (cmd_is(word, "ibdev"))
			value = &filter->ibdev;
		if (!value || cmd->variant->is_smcd)
			return cmd_usage(cmd, "device: unknown word '%s'", word);
		if (i + 1 == cmd->argc)
			return cmd_usage(cmd, "device: '%s' needs a name", word);
		*value = cmd->argv[++i];
	}
	return 0;
}

int cmd_run_device(struct cmd *cmd)
{
	struct filter filter = { NULL, NULL };
	int ret = parse(cmd, &filter);

	if (ret)
		return ret;
	if (cmd->is_json && !cmd_document(cmd, "device"))
		return cmd_no_memory(cmd);
	return cmd->variant->is_smcd ? show_smcd(cmd) : show_smcr(cmd, &filter);
}
