// SPDX-License-Identifier: MIT
/* PNET IDs that firmware gives to devices. */
#include "sys/pnetid.h"

#include <string.h>

#include "host/file.h"

#define ID_LEN (PNETID_SIZE - 1)

/* Code pages 500 and 1047 agree on letters and digits, and a PNET ID has no others. */
static char from_ebcdic(uint8_t c)
{
	unsigned int low = c & 0x0f;

	if (c == 0x00 || c == 0x40)
		return ' ';
	if (c >= 0xf0 && low <= 9)
		return (char)('0' + low);
	switch (c & 0xf0) {
	case 0x80: return (char)(low >= 1 && low <= 9 ? 'a' + low - 1 : '?');
	case 0x90: return (char)(low >= 1 && low <= 9 ? 'j' + low - 1 : '?');
	case 0xa0: return (char)(low >= 2 && low <= 9 ? 's' + low - 2 : '?');
	case 0xc0: return (char)(low >= 1 && low <= 9 ? 'A' + low - 1 : '?');
	case 0xd0: return (char)(low >= 1 && low <= 9 ? 'J' + low - 1 : '?');
	case 0xe0: return (char)(low >= 2 && low <= 9 ? 'S' + low - 2 : '?');
	default: return '?';
	}
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

bool pnetid_of_pci(char id[PNETID_SIZE], const char *root, const char *bus_id, unsigned int port)
{
	uint8_t util[PNETID_PORTS * ID_LEN];
	size_t len;

	len = host_bytes(util, sizeof(util), "%s/bus/pci/devices/%s/util_string", root, bus_id);
	return pnetid_decode(id, util, len, port);
}

bool pnetid_of_ccw(char id[PNETID_SIZE], const char *root, const char *bus_id, unsigned int port)
{
	uint8_t util[PNETID_PORTS * ID_LEN];
	char chpid[16], lower[16];
	size_t len, i;

	id[0] = '\0';
	if (!host_text(chpid, sizeof(chpid), "%s/bus/ccwgroup/devices/%s/chpid", root, bus_id))
		return false;
	/* The attribute is written in capitals, the channel path's directory in small letters. */
	for (i = 0; chpid[i]; i++)
		lower[i] = (char)(chpid[i] | (chpid[i] >= 'A' && chpid[i] <= 'F' ? 0x20 : 0));
	lower[i] = '\0';
	len = host_bytes(util, sizeof(util), "%s/devices/css0/chp0.%s/util_string", root, lower);
	return pnetid_decode(id, util, len, port);
}

bool pnetid_of_device(char id[PNETID_SIZE], const char *root, const char *bus, const char *bus_id,
		      unsigned int port)
{
	id[0] = '\0';
	if (!strcmp(bus, "pci"))
		return pnetid_of_pci(id, root, bus_id, port);
	if (!strncmp(bus, "ccw", 3))
		return pnetid_of_ccw(id, root, bus_id, port);
	return false;
}
