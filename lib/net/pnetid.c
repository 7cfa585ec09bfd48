// SPDX-License-Identifier: MIT
#include "net/pnetid.h"

#include <string.h>

#include "host/file.h"

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
		/*
		 * sysfs has this number in upper case, but the channel path's directory in lower
		 * case.
		 */
		for (char *c = chpid; *c; c++)
			*c = (char)(*c | (*c >= 'A' && *c <= 'F' ? 0x20 : 0));
		len = host_bytes(util, sizeof(util), "%s/devices/css0/chp0.%s/util_string", root,
				 chpid);
	}
	return pnetid_decode(id, util, len, port);
}
