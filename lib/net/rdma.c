// SPDX-License-Identifier: MIT
/* RDMA devices with ports, and ISM devices, from sysfs; netlink adds net device namespaces. */
#include "net/rdma.h"

#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>

#include "base/array.h"
#include "base/memory.h"
#include "host/file.h"
#include "host/probe.h"
#include "netlink/diag.h"

#define ISM_VENDOR 0x1014
#define ISM_DEVICE 0x04ed

/* "4: ACTIVE" and "1: CA": a number, for old programs, and its name. */
static void after_colon(char *buf, size_t size, const char *text)
{
	const char *colon = strchr(text, ':');

	text = colon ? colon + 1 : text;
	text += strspn(text, " ");
	if (strlen(text) < size)
		strcpy(buf, text);
}

static bool is_empty_gid(const char *gid)
{
	return strspn(gid, "0:") == strlen(gid);
}

/* A table has up to a thousand entries, few of them in use: only these are recorded. */
static bool is_used(const char *path, const char *number)
{
	FILE *file = host_open("%s/gids/%s", path, number);
	char gid[64] = "";

	if (file && !fgets(gid, sizeof(gid), file))
		gid[0] = '\0';
	if (file)
		fclose(file);
	gid[strcspn(gid, "\n")] = '\0';
	return !is_empty_gid(gid);
}

static void add_gid(struct rdma_port *port, const char *path, const char *number)
{
	struct rdma_gid gid = { .index = (unsigned int)strtoul(number, NULL, 10) };
	char type[32];

	if (!is_used(path, number) ||
	    !host_text(gid.gid, sizeof(gid.gid), "%s/gids/%s", path, number) ||
	    is_empty_gid(gid.gid))
		return;
	host_text(type, sizeof(type), "%s/gid_attrs/types/%s", path, number);
	snprintf(gid.type, sizeof(gid.type), "%.15s", type);
	host_text(gid.netdev, sizeof(gid.netdev), "%s/gid_attrs/ndevs/%s", path, number);
	*smc_array_add(&port->gids, &port->n_gids) = gid;
}

static int read_gids(struct rdma_port *port, const char *path)
{
	struct host_names names AUTO(host_names_free) = { 0 };
	int ret = host_list(&names, "%s/gids", path);

	for (size_t i = 0; !ret && i < names.count; i++)
		add_gid(port, path, names.names[i]);
	return ret;
}

/* The net device of a port, by its first GID; for Soft-RoCE its parent; else by bus and port. */
static void find_netdev(struct rdma_port *port, const struct rdma_dev *dev, const char *path,
			const struct netdev_table *netdevs)
{
	for (size_t i = 0; i < port->n_gids && !port->netdev[0]; i++) {
		const struct netdev *netdev = netdev_find(netdevs, port->gids[i].netdev);

		memcpy(port->netdev, netdev ? netdev->base : port->gids[i].netdev,
		       sizeof(port->netdev));
	}
	if (port->netdev[0])
		return;
	if (host_text(port->netdev, sizeof(port->netdev), "%s/../../parent", path))
		return;
	for (size_t i = 0; dev->bus_id[0] && i < netdevs->count; i++) {
		const struct netdev *netdev = &netdevs->devs[i];

		if (strcmp(netdev->bus_id, dev->bus_id) || netdev->dev_port + 1 != port->number)
			continue;
		memcpy(port->netdev, netdev->name, sizeof(port->netdev));
	}
}

static int read_port(struct rdma_dev *dev, const char *root, unsigned int number,
		     const struct netdev_table *netdevs)
{
	struct rdma_port *port = &dev->ports[dev->n_ports];
	char path[PATH_MAX], text[64];
	int ret;

	snprintf(path, sizeof(path), "%s/class/infiniband/%s/ports/%u", root, dev->name, number);
	if (!host_exists("%s", path))
		return 0;
	dev->n_ports++;
	port->number = number;
	host_text(text, sizeof(text), "%s/state", path);
	after_colon(port->state, sizeof(port->state), text);
	host_text(port->link_layer, sizeof(port->link_layer), "%s/link_layer", path);
	ret = read_gids(port, path);
	find_netdev(port, dev, path, netdevs);
	pnetid_of_device(port->hw_pnetid, root, dev->bus, dev->bus_id, number - 1);
	return ret;
}

bool rdma_is_soft_roce(const char *root, const char *name)
{
	return host_exists("%s/class/infiniband/%s/parent", root, name);
}

static int read_dev(struct rdma_table *table, const char *root, const char *name,
		    const struct netdev_table *netdevs)
{
	struct rdma_dev *dev = &table->devs[table->count];
	char link[PATH_MAX], text[64];
	int ret = 0;

	if (strlen(name) >= sizeof(dev->name))
		return 0;
	table->count++;
	strcpy(dev->name, name);
	snprintf(link, sizeof(link), "%s/class/infiniband/%s/device", root, name);
	netdev_bus(dev->bus, dev->bus_id, link);
	host_link(dev->driver, sizeof(dev->driver), "%s/driver", link);
	if (!dev->driver[0] && rdma_is_soft_roce(root, name))
		strcpy(dev->driver, "rxe");
	host_text(text, sizeof(text), "%s/class/infiniband/%s/node_type", root, name);
	after_colon(dev->node_type, sizeof(dev->node_type), text);
	for (unsigned int number = 1; !ret && number <= RDMA_MAX_PORTS; number++)
		ret = read_port(dev, root, number, netdevs);
	return ret;
}

static int read_devs(struct rdma_table *table, const char *root, const struct netdev_table *netdevs)
{
	struct host_names names AUTO(host_names_free) = { 0 };
	int ret = host_list(&names, "%s/class/infiniband", root);

	if (ret || !names.count)
		return ret;
	table->devs = xcalloc(names.count, sizeof(*table->devs));
	for (size_t i = 0; !ret && i < names.count; i++)
		ret = read_dev(table, root, names.names[i], netdevs);
	return ret;
}

/* A function of vfio-pci is a guest's. */
static bool is_ism(const char *root, const char *bus_id)
{
	unsigned long vendor, device;
	char driver[32];

	host_link(driver, sizeof(driver), "%s/bus/pci/devices/%s/driver", root, bus_id);
	return host_number(&vendor, "%s/bus/pci/devices/%s/vendor", root, bus_id) &&
	       host_number(&device, "%s/bus/pci/devices/%s/device", root, bus_id) &&
	       vendor == ISM_VENDOR && device == ISM_DEVICE && strcmp(driver, "vfio-pci");
}

static void add_ism(struct rdma_table *table, const char *root, const char *name)
{
	struct ism_dev *ism = &table->isms[table->n_isms];
	unsigned long chid;

	if (strlen(name) >= sizeof(ism->bus_id))
		return;
	strcpy(ism->name, name);
	strcpy(ism->bus, "pci");
	strcpy(ism->bus_id, name);
	pnetid_of_device(ism->hw_pnetid, root, ism->bus, name, 0);
	ism->chid =
		host_number(&chid, "%s/bus/pci/devices/%s/pchid", root, name) ? (int32_t)chid : -1;
	table->n_isms++;
}

/* Since Linux 6.18 an ISM device has an entry in class dibs; on IBM Z with the function's name. */
static void add_dibs(struct rdma_table *table, const char *root, const char *name)
{
	struct ism_dev *ism = &table->isms[table->n_isms];
	unsigned long chid;
	char link[PATH_MAX];

	if (strlen(name) >= sizeof(ism->name) || ism_find(table, name))
		return;
	strcpy(ism->name, name);
	snprintf(link, sizeof(link), "%s/class/dibs/%s/device", root, name);
	if (netdev_bus(ism->bus, ism->bus_id, link) && ism_find(table, ism->bus_id)) {
		*ism = (struct ism_dev){ 0 };
		return;
	}
	ism->chid =
		host_number(&chid, "%s/class/dibs/%s/fabric_id", root, name) ? (int32_t)chid : -1;
	table->n_isms++;
}

static int read_isms(struct rdma_table *table, const char *root)
{
	struct host_names pci AUTO(host_names_free) = { 0 }, dibs AUTO(host_names_free) = { 0 };
	int ret = host_list(&pci, "%s/bus/pci/devices", root);

	if (!ret)
		ret = host_list(&dibs, "%s/class/dibs", root);
	if (!ret && pci.count + dibs.count)
		table->isms = xcalloc(pci.count + dibs.count, sizeof(*table->isms));
	for (size_t i = 0; !ret && i < pci.count; i++)
		if (is_ism(root, pci.names[i]))
			add_ism(table, root, pci.names[i]);
	for (size_t i = 0; !ret && i < dibs.count; i++)
		add_dibs(table, root, dibs.names[i]);
	return ret;
}

int rdma_load(struct rdma_table *table, const char *root, const struct netdev_table *netdevs)
{
	int ret;

	*table = (struct rdma_table){ 0 };
	ret = read_devs(table, root, netdevs) ?: read_isms(table, root);
	if (ret)
		rdma_free(table);
	return ret;
}

const struct rdma_dev *rdma_find(const struct rdma_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->devs[i].name, name))
			return &table->devs[i];
	for (size_t i = 0; *name && i < table->count; i++)
		if (!strcmp(table->devs[i].bus_id, name))
			return &table->devs[i];
	return NULL;
}

const struct ism_dev *ism_find(const struct rdma_table *table, const char *name)
{
	for (size_t i = 0; i < table->n_isms; i++)
		if (!strcmp(table->isms[i].name, name) || !strcmp(table->isms[i].bus_id, name))
			return &table->isms[i];
	return NULL;
}

void rdma_free(struct rdma_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		for (size_t k = 0; k < table->devs[i].n_ports; k++)
			free(table->devs[i].ports[k].gids);
	free(table->devs);
	free(table->isms);
	*table = (struct rdma_table){ 0 };
}

/* ---- net devices of other network namespaces ---- */

/** struct query - @index: RDMA device index in netlink; @result: see probe() */
struct query {
	const char *dev;
	unsigned int port;
	uint32_t index;
	int result;
};

static bool get_u32(uint32_t *value, const struct nlmsghdr *nlh, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, 0) {
		if (mnl_attr_get_type(attr) != type || mnl_attr_validate(attr, MNL_TYPE_U32))
			continue;
		*value = mnl_attr_get_u32(attr);
		return true;
	}
	return false;
}

static int on_dev(const struct nlmsghdr *nlh, void *arg)
{
	struct query *query = arg;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, 0)
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_NAME &&
		    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) &&
		    !strcmp(mnl_attr_get_str(attr), query->dev) &&
		    get_u32(&query->index, nlh, RDMA_NLDEV_ATTR_DEV_INDEX))
			query->result = 0;
	return 0;
}

static int on_port(const struct nlmsghdr *nlh, void *arg)
{
	struct query *query = arg;
	uint32_t port, ifindex;

	if (get_u32(&port, nlh, RDMA_NLDEV_ATTR_PORT_INDEX) && port == query->port)
		query->result = get_u32(&ifindex, nlh, RDMA_NLDEV_ATTR_NDEV_INDEX);
	return 0;
}

/* Return: 1 for a net device of this namespace, 0 for none here, -errno. */
static int probe(void *arg, char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	struct query *query = arg;
	struct {
		struct nlattr attr;
		uint32_t value;
	} index = { { sizeof(index), RDMA_NLDEV_ATTR_DEV_INDEX }, 0 };
	int ret = smc_rdma_dump(RDMA_NLDEV_CMD_GET, NULL, 0, on_dev, query);

	if (ret || query->result)
		return ret ? ret : query->result;
	index.value = query->index;
	query->result = -ENODEV;
	ret = smc_rdma_dump(RDMA_NLDEV_CMD_PORT_GET, &index, sizeof(index), on_port, query);
	return ret ? ret : query->result;
}

static void forget(struct rdma_port *port)
{
	port->is_foreign = true;
	port->netdev[0] = '\0';
	for (size_t i = 0; i < port->n_gids; i++)
		port->gids[i].netdev[0] = '\0';
}

void rdma_check_netns(struct rdma_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		for (size_t k = 0; k < table->devs[i].n_ports; k++) {
			struct rdma_port *port = &table->devs[i].ports[k];
			struct query query = { table->devs[i].name, port->number, 0, -ENODEV };

			if (port->netdev[0] && !host_probe("rdma-netdev-%s-%u", probe, &query, NULL,
							   query.dev, query.port))
				forget(port);
		}
}
