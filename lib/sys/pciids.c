// SPDX-License-Identifier: MIT
/* Names of PCI devices, from the database pci.ids. */
#include "sys/pciids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "15b3  Mellanox Technologies": the name behind the number, or NULL for another line. */
static const char *behind(const char *line, unsigned int number)
{
	char *end;
	unsigned long found = strtoul(line, &end, 16);

	if (end != line + 4 || strncmp(end, "  ", 2) || found != number)
		return NULL;
	return end + 2;
}

static void keep(char dst[PCIIDS_NAME_SIZE], const char *name)
{
	size_t len = strcspn(name, "\r\n");

	if (len >= PCIIDS_NAME_SIZE)
		len = PCIIDS_NAME_SIZE - 1;
	memcpy(dst, name, len);
	dst[len] = '\0';
}

/* Vendors begin a line, their devices follow after a tab, subsystems after two. */
static bool search(struct pciids_name *name, FILE *file, unsigned int vendor, unsigned int device)
{
	bool is_vendor = false;
	char line[512];
	const char *found;

	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (line[0] != '\t') {
			if (is_vendor || line[0] == 'C')
				break;
			found = behind(line, vendor);
			is_vendor = found;
			if (found)
				keep(name->vendor, found);
		} else if (is_vendor && line[1] != '\t') {
			found = behind(line + 1, device);
			if (!found)
				continue;
			keep(name->device, found);
			break;
		}
	}
	return is_vendor;
}

bool pciids_find(struct pciids_name *name, const char *path, unsigned int vendor,
		 unsigned int device)
{
	static const char *const places[] = {
		"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids",
		"/var/lib/pciutils/pci.ids",
	};
	size_t count = path ? 1 : sizeof(places) / sizeof(places[0]);
	bool is_found = false;

	*name = (struct pciids_name){ 0 };
	for (size_t i = 0; !is_found && i < count; i++) {
		FILE *file = fopen(path ? path : places[i], "re");

		if (!file)
			continue;
		is_found = search(name, file, vendor, device);
		fclose(file);
	}
	return is_found;
}

void pciids_product(char product[PCIIDS_NAME_SIZE], const char *device)
{
	const char *start = strchr(device, '['), *end = start ? strchr(start, ']') : NULL;

	if (end && end > start + 1)
		snprintf(product, PCIIDS_NAME_SIZE, "%.*s", (int)(end - start - 1), start + 1);
	else
		snprintf(product, PCIIDS_NAME_SIZE, "%s", device);
	for (char *c = product; *c; c++)
		if (*c == ' ')
			*c = '_';
}
