// SPDX-License-Identifier: MIT
/* Names of devices that the kernel sends as numbers. */
#include "cmd/cmd.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>

#include "sys/host.h"
#include "sys/sysfs.h"

#define VENDOR_IBM 0x1014
#define VENDOR_MELLANOX 0x15b3
/* A GID table has some hundred entries at most, and the first ones are in use. */
#define MAX_GIDS 256

/* Where distributions keep the PCI ID database. */
static const char *const databases[] = {
	"/usr/share/misc/pci.ids",
	"/usr/share/hwdata/pci.ids",
	"/usr/share/pci.ids",
};

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
		if (!sysfs_text(found, sizeof(found), SYSFS_ROOT
				"/class/infiniband/%s/ports/%u/gid_attrs/ndevs/%u", ib_name, port, i))
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

/* "1017  MT27800 Family": is it this number? Returns the text after it. */
static const char *entry(const char *line, uint32_t number)
{
	char *end;

	if (!isxdigit((unsigned char)line[0]) || strtoul(line, &end, 16) != number ||
	    end != line + 4)
		return NULL;
	return end + strspn(end, " ");
}

static void copy_line(char *dst, const char *src)
{
	snprintf(dst, CMD_PCI_NAME_SIZE, "%.*s", (int)strcspn(src, "\r\n"), src);
}

bool cmd_pci_name_from(struct cmd_pci_name *name, const char *path, uint32_t vendor,
		       uint32_t device)
{
	FILE *file = fopen(path, "re");
	const char *text;
	char line[512];

	memset(name, 0, sizeof(*name));
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (line[0] != '\t') {
			if (name->vendor[0])
				break;
			text = entry(line, vendor);
			if (text)
				copy_line(name->vendor, text);
		} else if (name->vendor[0] && line[1] != '\t') {
			text = entry(line + 1, device);
			if (text)
				copy_line(name->device, text);
		}
	}
	fclose(file);
	return name->vendor[0];
}

void cmd_pci_name(struct cmd_pci_name *name, uint32_t vendor, uint32_t device)
{
	for (size_t i = 0; i < sizeof(databases) / sizeof(databases[0]); i++)
		if (cmd_pci_name_from(name, databases[i], vendor, device))
			return;
}

/* "MT27800 Family [ConnectX-5]": the product's name is what people know it by. */
static void append_product(struct out_text *text, const char *device)
{
	const char *start = strchr(device, '[');
	size_t len;

	start = start ? start + 1 : device;
	len = strcspn(start, "]");
	for (size_t i = 0; i < len; i++) {
		if (start[i] == ' ')
			out_char(text, '_');
		else
			out_escaped(text, start + i, 1);
	}
}

void cmd_pci_type(struct out_text *text, uint32_t vendor, uint32_t device,
		  const struct cmd_pci_name *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].vendor == vendor && types[i].device == device) {
			out_str(text, types[i].name);
			return;
		}
	}
	if (name->device[0]) {
		append_product(text, name->device);
		return;
	}
	out_str(text, "0x");
	out_hex(text, device, 4);
}
