// SPDX-License-Identifier: MIT
#include "net/netdev.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "host/file.h"

/* The kernel allows eight levels of stacked devices. */
#define MAX_LEVELS 8

bool netdev_bus(char bus[NETDEV_BUS_SIZE], char bus_id[NETDEV_BUS_ID_SIZE], const char *link)
{
	bus[0] = bus_id[0] = '\0';
	if (!host_link(bus_id, NETDEV_BUS_ID_SIZE, "%s", link))
		return false;
	host_link(bus, NETDEV_BUS_SIZE, "%s/subsystem", link);
	/* Channel groups are on the bus ccwgroup, but users know them as ccw. */
	if (!strcmp(bus, "ccwgroup"))
		strcpy(bus, "ccw");
	return true;
}

/* First in the kernel's list of lower devices; bond attributes keep that order, links do not. */
static void read_lower(char lower[NETDEV_NAME_SIZE], const char *root, const char *name)
{
	static const char prefix[] = "lower_";
	struct host_names names;
	char slaves[256];

	lower[0] = '\0';
	if (host_text(slaves, sizeof(slaves), "%s/class/net/%s/bonding/slaves", root, name)) {
		slaves[strcspn(slaves, " ")] = '\0';
		snprintf(lower, NETDEV_NAME_SIZE, "%.15s", slaves);
		return;
	}
	if (host_list(&names, "%s/class/net/%s", root, name))
		return;
	for (size_t i = 0; i < names.count && !lower[0]; i++)
		if (!strncmp(names.names[i], prefix, sizeof(prefix) - 1))
			snprintf(lower, NETDEV_NAME_SIZE, "%.15s",
				 names.names[i] + sizeof(prefix) - 1);
	host_names_free(&names);
}

static void read_netdev(struct netdev *dev, const char *root, const char *name)
{
	unsigned long number;
	char link[PATH_MAX];

	snprintf(dev->name, sizeof(dev->name), "%.15s", name);
	if (host_number(&number, "%s/class/net/%s/ifindex", root, name))
		dev->ifindex = (uint32_t)number;
	if (host_number(&number, "%s/class/net/%s/dev_port", root, name))
		dev->dev_port = (uint32_t)number;
	if (host_number(&number, "%s/class/net/%s/mtu", root, name))
		dev->mtu = (uint32_t)number;
	host_text(dev->state, sizeof(dev->state), "%s/class/net/%s/operstate", root, name);
	host_text(dev->mac, sizeof(dev->mac), "%s/class/net/%s/address", root, name);
	host_link(dev->driver, sizeof(dev->driver), "%s/class/net/%s/device/driver", root, name);
	snprintf(link, sizeof(link), "%s/class/net/%s/device", root, name);
	if (netdev_bus(dev->bus, dev->bus_id, link))
		pnetid_of_device(dev->hw_pnetid, root, dev->bus, dev->bus_id, dev->dev_port);
	read_lower(dev->lower, root, name);
}

static void find_base(const struct netdev_table *table, struct netdev *dev)
{
	const struct netdev *base = dev, *lower;

	for (int level = 0; level < MAX_LEVELS; level++) {
		lower = netdev_find(table, base->lower);
		base = lower ? lower : base;
	}
	memcpy(dev->base, base->name, sizeof(dev->base));
}

int netdev_load(struct netdev_table *table, const char *root)
{
	struct host_names names;
	int ret;

	*table = (struct netdev_table){ 0 };
	ret = host_list(&names, "%s/class/net", root);
	if (ret || !names.count)
		return ret;
	table->devs = xcalloc(names.count, sizeof(*table->devs));
	for (size_t i = 0; i < names.count; i++) {
		/* bonding_masters is a file among the devices. */
		if (strlen(names.names[i]) < NETDEV_NAME_SIZE &&
		    host_exists("%s/class/net/%s/ifindex", root, names.names[i]))
			read_netdev(&table->devs[table->count++], root, names.names[i]);
	}
	host_names_free(&names);
	for (size_t i = 0; i < table->count; i++)
		find_base(table, &table->devs[i]);
	return 0;
}

static int compare_name(const void *name, const void *dev)
{
	return strverscmp(name, ((const struct netdev *)dev)->name);
}

const struct netdev *netdev_find(const struct netdev_table *table, const char *name)
{
	return table->count ? bsearch(name, table->devs, table->count, sizeof(*table->devs),
				      compare_name) :
			      NULL;
}

void netdev_free(struct netdev_table *table)
{
	free(table->devs);
	*table = (struct netdev_table){ 0 };
}
