// SPDX-License-Identifier: MIT
#include "net/pciids.h"

#include "base/array.h"
#include "host/file.h"
#include "host/probe.h"

/* "15b3  Mellanox Technologies": the name after the number, or NULL for another line. */
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
	snprintf(dst, PCIIDS_NAME_SIZE, "%.*s", (int)strcspn(name, "\r\n"), name);
}

/* Vendor lines are not indented; devices have one tab, subsystems two. */
bool pciids_search(struct pciids_name *name, FILE *file, unsigned int vendor, unsigned int device)
{
	bool is_vendor = false;
	char line[512];
	const char *found;

	*name = (struct pciids_name){ 0 };
	while (file && fgets(line, sizeof(line), file)) {
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
	if (file)
		fclose(file);
	return is_vendor;
}

static bool search_places(struct pciids_name *name, unsigned int vendor, unsigned int device)
{
	static const char *const places[] = {
		"/usr/share/misc/pci.ids",
		"/usr/share/hwdata/pci.ids",
		"/usr/share/pci.ids",
		"/var/lib/pciutils/pci.ids",
	};
	bool is_found = false;

	for (size_t i = 0; !is_found && i < ARRAY_SIZE(places); i++)
		is_found = pciids_search(name, host_open("%s", places[i]), vendor, device);
	return is_found;
}

struct query {
	unsigned int vendor, device;
};

static int probe(void *arg, char text[HOST_PROBE_SIZE])
{
	const struct query *query = arg;
	struct pciids_name name;
	bool is_found = search_places(&name, query->vendor, query->device);

	snprintf(text, HOST_PROBE_SIZE, "%s\n%s\n", name.vendor, name.device);
	return is_found;
}

/* The database is large: a record keeps only the answer, or has its own database. */
bool pciids_find(struct pciids_name *name, unsigned int vendor, unsigned int device)
{
	struct query query = { vendor, device };
	char text[HOST_PROBE_SIZE], *end;
	int ret = host_probe("pci-ids-%04x:%04x", probe, &query, text, vendor, device);

	if (ret == -ENODATA)
		return search_places(name, vendor, device);
	*name = (struct pciids_name){ 0 };
	end = text + strcspn(text, "\n");
	keep(name->vendor, text);
	if (*end)
		keep(name->device, end + 1);
	return ret > 0;
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
