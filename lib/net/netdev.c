// SPDX-License-Identifier: MIT
#include "net/netdev.h"

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

/* The kernel's first lower device. Attributes of bonds keep the kernel's order, links do not. */
static void read_lower(char lower[NETDEV_NAME_SIZE], const char *root, const char *name)
{
	static const char prefix[] = "lower_";
	struct host_names names AUTO(host_names_free) = { 0 };
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
		/* bonding_masters is a file in the directory of devices. */
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
	return smc_array_search(name, table->devs, table->count, compare_name);
}

#define ID_LEN (PNETID_SIZE - 1)

/* Code pages 500 and 1047 agree on letters and digits, the only characters of a PNET ID. */
static char from_ebcdic(uint8_t c)
{
	static const char rows[16][11] = {
		[0x0] = " ",	      [0x4] = " ",	    [0x8] = "?abcdefghi",
		[0x9] = "?jklmnopqr", [0xa] = "??stuvwxyz", [0xc] = "?ABCDEFGHI",
		[0xd] = "?JKLMNOPQR", [0xe] = "??STUVWXYZ", [0xf] = "0123456789",
	};
	const char *row = rows[c >> 4];
	unsigned int low = c & 0x0f;

	return low <= 9 && row[low] ? row[low] : '?';
}

bool pnetid_decode(char id[PNETID_SIZE], const uint8_t *util, size_t len, unsigned int port)
{
	size_t end = ID_LEN;

	id[0] = '\0';
	if (port >= PNETID_PORTS || len < (port + 1) * ID_LEN)
		return false;
	for (size_t i = 0; i < ID_LEN; i++)
		id[i] = from_ebcdic(util[port * ID_LEN + i]);
	while (end && id[end - 1] == ' ')
		end--;
	id[end] = '\0';
	return end;
}

void pnetid_encode(uint8_t *util, const char *id, unsigned int port)
{
	size_t len = strlen(id);

	for (size_t i = 0; i < ID_LEN; i++) {
		unsigned int c = 0x40;

		while (c < 0xff && from_ebcdic((uint8_t)c) != (i < len ? id[i] : ' '))
			c++;
		util[port * ID_LEN + i] = (uint8_t)c;
	}
}

bool pnetid_of_device(char id[PNETID_SIZE], const char *root, const char *bus, const char *bus_id,
		      unsigned int port)
{
	uint8_t util[PNETID_PORTS * ID_LEN];
	char chpid[16];
	size_t len = 0;

	if (!strcmp(bus, "pci")) {
		len = host_bytes(util, sizeof(util), "%s/bus/pci/devices/%s/util_string", root,
				 bus_id);
	} else if (!strncmp(bus, "ccw", 3) &&
		   host_text(chpid, sizeof(chpid), "%s/bus/ccwgroup/devices/%s/chpid", root,
			     bus_id)) {
		/* sysfs has this number in upper case, but the directory's name in lower case. */
		for (char *c = chpid; *c; c++)
			*c = (char)(*c | (*c >= 'A' && *c <= 'F' ? 0x20 : 0));
		len = host_bytes(util, sizeof(util), "%s/devices/css0/chp0.%s/util_string", root,
				 chpid);
	}
	return pnetid_decode(id, util, len, port);
}
