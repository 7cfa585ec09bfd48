// SPDX-License-Identifier: MIT
/* RDMA cards and ISM devices: columns, and data from sysfs and libibverbs. */
#include "smc_rnics/smc_rnics.h"

#include "base/array.h"
#include "base/memory.h"
#include "host/file.h"
#include "net/netns.h"
#include "net/pciids.h"
#include "net/verbs.h"

/* ---- columns ---- */

static const struct out_names power_words = OUT_NAMES(NULL, NULL, { "0", NULL }, { "1", NULL });
static const struct out_names virtual = OUT_NAMES(NULL, NULL, { "n", NULL }, { "y", NULL });
static const struct out_names source =
	OUT_NAMES(NULL, NULL, { "hardware", "hardware" }, { "table", "table" });
static const struct out_names pft =
	OUT_NAMES("0x", "", [0x02] = { "ROC", NULL }, [0x05] = { "ISM", NULL },
		  [0x0a] = { "ROC2", NULL }, [0x0c] = { "NETH", NULL }, [0x0f] = { "NETD", NULL });

static void text_ids(struct out_text *text, const void *value)
{
	const struct rnic *rnic = value;

	out_hex(text, rnic->vendor, 4);
	out_char(text, ':');
	out_hex(text, rnic->device, 4);
}

/* Mark IDs of the table, which are not from the hardware. */
static void text_pnetid(struct out_text *text, const void *value)
{
	const struct rnic *rnic = value;

	out_escaped(text, rnic->pnetid, sizeof(rnic->pnetid));
	if (rnic->is_soft)
		out_char(text, '*');
}

static json_t *json_pnetid(const void *value)
{
	return out_json_str(((const struct rnic *)value)->pnetid);
}

#define IF(what) OUT_IF(rnic, has, RNIC_HAS_##what), .none = SMC_PNET_NONE
#define IF_SET OUT_OPTIONAL, .none = SMC_PNET_NONE

const struct out_col rnic_columns[] = {
	{ "fid", "FID", "fid", 4, OUT_RIGHT, OUT_HEX(rnic, fid, 0), IF(FID) },
	{ "power", "Power", "power", 5, OUT_FLAG(rnic, is_on, power_words), IF(POWER) },
	{ "pciid", "PCI_ID", "pci_id", 12, OUT_STR(rnic, pci_id), IF_SET },
	{ "pchid", "PCHID", "pchid", 5, OUT_HEX(rnic, pchid, 4), IF(PCHID) },
	{ "type", "Type", "type", 15, OUT_STR(rnic, type), IF_SET },
	{ "ids", "Type", "pci_ids", 15, OUT_TEXT(text_ids), IF(IDS) },
	{ "pft", "PFT", "pft", 4, OUT_NAME(rnic, pft, pft), .digits = 2, IF(PFT) },
	{ "vf", "VF", "virtual_function", 3, OUT_FLAG(rnic, is_vf, virtual), IF(VF) },
	{ "vfn", "VFN", "vfn", 3, OUT_HEX(rnic, vfn, 4), IF(VFN) },
	{ "pport", "PPrt", "port", 4, OUT_DEC(rnic, port, 0), IF_SET },
	{ "iport", "IPrt", "ib_port", 4, OUT_DEC(rnic, ib_port, 0), IF_SET },
	{ "pnetid", "PNET_ID", "pnetid", 17, .text = text_pnetid, .json = json_pnetid, IF(PNETID) },
	{ "netdev", "Net-Dev", "net_device", 10, OUT_STR(rnic, netdev), IF_SET },
	{ "ibdev", "IB-Dev", "ib_device", 10, OUT_STR(rnic, ibdev), IF_SET },
	{ "state", "State", "state", 7, OUT_STR(rnic, state), IF_SET },
	{ "layer", "Link-Layer", "link_layer", 10, OUT_STR(rnic, link_layer), IF_SET },
	{ "mtu", "MTU", "mtu", 5, OUT_DEC(rnic, mtu, 0), IF_SET },
	{ "ibmtu", "IB-MTU", "active_mtu", 6, OUT_DEC(rnic, active_mtu, 0), IF_SET },
	{ "driver", "Driver", "driver", 9, OUT_STR(rnic, driver), IF_SET },
	{ NULL, NULL, "name", 0, OUT_STR(rnic, name), OUT_OPTIONAL },
	{ NULL, NULL, "pnetid_source", 0, OUT_FLAG(rnic, is_soft, source), IF(PNETID) },
	{ 0 },
};

/* ---- reading ---- */

struct loader {
	struct rnic_table *table;
	const char *root;
	const struct smc_pnet_table *pnet;
	struct netdev_table nets;
	struct rdma_table rdma;
};

static const char *ism_or_roce(const struct rnic *rnic, const char *firmware)
{
	switch (rnic->pft) {
	case 0x05: return "ISM";
	case 0x02: return "RoCE_Express";
	case 0x0c:
	case 0x0f: return "Network_Express";
	case 0x0a:
		/* Two kinds of cards have the same number: they differ in firmware or chip. */
		if (firmware[0] ? !strncmp(firmware, "14.", 3) :
				  rnic->device == 0x1015 || rnic->device == 0x1016)
			return "RoCE_Express2";
		if (firmware[0] ? !strncmp(firmware, "22.", 3) :
				  rnic->device == 0x101d || rnic->device == 0x101e)
			return "RoCE_Express3";
		return "RoCE_Express";
	default: return NULL;
	}
}

static void set_type(struct loader *l, struct rnic *rnic, const struct rdma_dev *ib)
{
	struct pciids_name name;
	const char *type = NULL;
	char firmware[32] = "", product[PCIIDS_NAME_SIZE];

	if (ib)
		host_text(firmware, sizeof(firmware), "%s/class/infiniband/%s/fw_ver", l->root,
			  ib->name);
	if (rnic->has & RNIC_HAS_PFT)
		type = ism_or_roce(rnic, firmware);
	if (!type && rnic->has & RNIC_HAS_IDS && rnic->vendor == 0x1014 && rnic->device == 0x04ed)
		type = "ISM";
	rnic->is_known = type || ib;
	if (rnic->has & RNIC_HAS_IDS && pciids_find(&name, rnic->vendor, rnic->device))
		snprintf(rnic->name, sizeof(rnic->name), "%.60s%s%.60s", name.vendor,
			 name.device[0] ? " " : "", name.device);
	if (!type && rnic->name[0] && name.device[0]) {
		pciids_product(product, name.device);
		type = product;
	}
	snprintf(rnic->type, sizeof(rnic->type), "%.39s", type ? type : rnic->driver);
}

static void set_pnetid(struct loader *l, struct rnic *rnic, const char *hardware)
{
	const struct smc_pnet *found = NULL;

	if (hardware[0]) {
		snprintf(rnic->pnetid, sizeof(rnic->pnetid), "%.16s", hardware);
		rnic->has |= RNIC_HAS_PNETID;
		return;
	}
	for (size_t i = 0; i < l->pnet->count && !found; i++) {
		const struct smc_pnet *entry = &l->pnet->entries[i];
		bool is_ib =
			entry->has & SMC_PNET_HAS_IB && (rnic->ibdev[0] || rnic->pci_id[0]) &&
			(!strcmp(entry->ib, rnic->ibdev) || !strcmp(entry->ib, rnic->pci_id)) &&
			(!rnic->ib_port || entry->port == rnic->ib_port);

		if (is_ib || (entry->has & SMC_PNET_HAS_NET && !strcmp(entry->eth, rnic->netdev)))
			found = entry;
	}
	if (!found)
		return;
	strcpy(rnic->pnetid, found->name);
	rnic->has |= RNIC_HAS_PNETID;
	rnic->is_soft = true;
}

/* Read an attribute of the function, and set its @bit. */
static bool number(struct loader *l, struct rnic *rnic, const char *name, uint32_t *value,
		   uint32_t bit)
{
	unsigned long read;

	if (!host_number(&read, "%s/bus/pci/devices/%s/%s", l->root, rnic->pci_id, name))
		return false;
	*value = (uint32_t)read;
	rnic->has |= bit;
	return true;
}

static void read_power(struct loader *l, struct rnic *rnic)
{
	unsigned long power;

	if (!host_number(&power, "%s/bus/pci/slots/%08x/power", l->root, rnic->fid))
		return;
	rnic->has |= RNIC_HAS_POWER;
	rnic->is_on = power;
}

static void read_function(struct loader *l, struct rnic *rnic, const char *pci_id)
{
	*rnic = (struct rnic){ 0 };
	snprintf(rnic->pci_id, sizeof(rnic->pci_id), "%.63s", pci_id);
	number(l, rnic, "function_id", &rnic->fid, RNIC_HAS_FID);
	number(l, rnic, "pchid", &rnic->pchid, RNIC_HAS_PCHID);
	number(l, rnic, "pft", &rnic->pft, RNIC_HAS_PFT);
	if (number(l, rnic, "vendor", &rnic->vendor, 0))
		number(l, rnic, "device", &rnic->device, RNIC_HAS_IDS);
	if (number(l, rnic, "vfn", &rnic->vfn, RNIC_HAS_VFN | RNIC_HAS_VF)) {
		rnic->is_vf = rnic->vfn;
	} else if (!(rnic->has & RNIC_HAS_FID)) {
		rnic->has |= RNIC_HAS_VF;
		rnic->is_vf = host_exists("%s/bus/pci/devices/%s/physfn", l->root, pci_id);
	}
	number(l, rnic, "port", &rnic->port, 0);
	if (rnic->has & RNIC_HAS_FID)
		read_power(l, rnic);
	host_link(rnic->driver, sizeof(rnic->driver), "%s/bus/pci/devices/%s/driver", l->root,
		  pci_id);
}

static void set_net(struct rnic *rnic, const struct netdev *net)
{
	memcpy(rnic->netdev, net->name, sizeof(rnic->netdev));
	rnic->mtu = net->mtu;
	if (!rnic->state[0])
		memcpy(rnic->state, net->state, sizeof(rnic->state));
}

static void set_port(struct loader *l, struct rnic *rnic, const struct rdma_dev *ib,
		     const struct rdma_port *port)
{
	const struct netdev *net = netdev_find(&l->nets, port->netdev);

	strcpy(rnic->ibdev, ib->name);
	rnic->ib_port = port->number;
	rnic->active_mtu = port->active_mtu;
	memcpy(rnic->state, port->state, sizeof(rnic->state));
	memcpy(rnic->link_layer, port->link_layer, sizeof(rnic->link_layer));
	if (!rnic->driver[0])
		memcpy(rnic->driver, ib->driver, sizeof(rnic->driver));
	if (!rnic->port)
		rnic->port = net ? net->dev_port + 1 : port->number;
	if (net)
		set_net(rnic, net);
}

static void add_ports(struct loader *l, const struct rnic *function, const struct rdma_dev *ib)
{
	for (size_t i = 0; i < ib->n_ports; i++) {
		struct rnic rnic = *function;

		set_port(l, &rnic, ib, &ib->ports[i]);
		set_pnetid(l, &rnic, ib->ports[i].hw_pnetid);
		*smc_array_add(&l->table->rnics, &l->table->count) = rnic;
	}
}

/* Add a row for each net device of a function without RDMA device (module not loaded). */
static void add_nets(struct loader *l, const struct rnic *function)
{
	char hardware[PNETID_SIZE];
	bool has_net = false;
	struct rnic rnic;

	for_each(net, l->nets.devs, l->nets.count) {
		if (strcmp(net->bus, "pci") || strcmp(net->bus_id, function->pci_id))
			continue;
		has_net = true;
		rnic = *function;
		set_net(&rnic, net);
		if (!rnic.port)
			rnic.port = net->dev_port + 1;
		set_pnetid(l, &rnic, net->hw_pnetid);
		*smc_array_add(&l->table->rnics, &l->table->count) = rnic;
	}
	if (has_net)
		return;
	rnic = *function;
	pnetid_of_device(hardware, l->root, "pci", function->pci_id, 0);
	set_pnetid(l, &rnic, hardware);
	*smc_array_add(&l->table->rnics, &l->table->count) = rnic;
}

static void add_function(struct loader *l, const char *pci_id)
{
	const struct rdma_dev *ib = rdma_find(&l->rdma, pci_id);
	struct rnic rnic;

	read_function(l, &rnic, pci_id);
	set_type(l, &rnic, ib);
	/* Skip other functions, such as disks of a PC; on IBM Z -a shows every function. */
	if (!rnic.is_known && !(rnic.has & RNIC_HAS_FID))
		return;
	if (ib)
		add_ports(l, &rnic, ib);
	else
		add_nets(l, &rnic);
}

static void add_software(struct loader *l, const struct rdma_dev *ib)
{
	struct rnic rnic = { .is_known = true };
	bool is_iwarp = !strcmp(ib->node_type, "RNIC");

	if (!strcmp(ib->driver, "rxe"))
		strcpy(rnic.type, "Soft-RoCE");
	else if (is_iwarp)
		strcpy(rnic.type, "Soft-iWARP");
	if (is_iwarp)
		strcpy(rnic.driver, "siw");
	add_ports(l, &rnic, ib);
}

/* Add a slot whose function is gone because the power is off. */
static void add_slot(struct loader *l, const char *name)
{
	struct rnic rnic = { .has = RNIC_HAS_FID };
	char *end;

	rnic.fid = (uint32_t)strtoul(name, &end, 16);
	if (*end || end != name + 8)
		return;
	for (size_t i = 0; i < l->table->count; i++)
		if (l->table->rnics[i].has & RNIC_HAS_FID && l->table->rnics[i].fid == rnic.fid)
			return;
	read_power(l, &rnic);
	*smc_array_add(&l->table->rnics, &l->table->count) = rnic;
}

static int compare(const void *a, const void *b)
{
	const struct rnic *left = a, *right = b;
	int order = !(left->has & RNIC_HAS_FID) - !(right->has & RNIC_HAS_FID);

	if (!order && left->fid != right->fid)
		return left->fid < right->fid ? -1 : 1;
	if (!order)
		order = !left->pci_id[0] - !right->pci_id[0];
	if (!order)
		order = strcmp(left->pci_id, right->pci_id);
	if (!order)
		order = strverscmp(left->ibdev, right->ibdev);
	return order ? order : (int)left->port - (int)right->port;
}

static int load_all(struct loader *l)
{
	struct host_names functions AUTO(host_names_free) = { 0 };
	struct host_names slots AUTO(host_names_free) = { 0 };
	int ret = host_list(&functions, "%s/bus/pci/devices", l->root);

	for (size_t i = 0; !ret && i < functions.count; i++)
		add_function(l, functions.names[i]);
	for (size_t i = 0; !ret && i < l->rdma.count; i++)
		if (strcmp(l->rdma.devs[i].bus, "pci"))
			add_software(l, &l->rdma.devs[i]);
	if (!ret)
		ret = host_list(&slots, "%s/bus/pci/slots", l->root);
	for (size_t i = 0; !ret && i < slots.count; i++)
		add_slot(l, slots.names[i]);
	return ret;
}

int rnics_load(struct rnic_table *table, const char *root, const struct smc_pnet_table *pnet,
	       struct smc_err *err)
{
	struct loader l = { .table = table, .root = root, .pnet = pnet };
	int ret;

	*table = (struct rnic_table){ 0 };
	ret = netdev_load(&l.nets, root) ?: rdma_load(&l.rdma, root, &l.nets);
	/* libibverbs finds the devices of this machine, so only use it with its sysfs. */
	if (!ret && !strcmp(root, SYSFS_ROOT))
		verbs_fill(&l.rdma);
	if (!ret)
		ret = load_all(&l);
	rdma_free(&l.rdma);
	netdev_free(&l.nets);
	if (ret) {
		rnics_free(table);
		return smc_err_set(err, -ret, "cannot read the devices in %s", root);
	}
	smc_array_sort(table->rnics, table->count, compare);
	return 0;
}

int rnics_power(const char *root, uint32_t fid, bool is_on, struct smc_err *err)
{
	unsigned long power;
	int ret;

	if (!host_exists("%s/bus/pci/slots/%08x", root, fid))
		return smc_err_say(err, ENOENT, "no FID %x", fid);
	if (!host_number(&power, "%s/bus/pci/slots/%08x/power", root, fid))
		return smc_err_say(err, EIO, "the power of FID %x cannot be read", fid);
	if (!power == !is_on)
		return smc_err_say(err, EALREADY, "FID %x is already powered %s", fid,
				   is_on ? "on" : "off");
	ret = host_write(is_on ? "1" : "0", "%s/bus/pci/slots/%08x/power", root, fid);
	if (ret)
		smc_err_set(err, -ret, "cannot power %s FID %x", is_on ? "on" : "off", fid);
	return ret;
}
