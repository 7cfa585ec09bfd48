// SPDX-License-Identifier: MIT
#include "smc_dump/packet.h"

#include <sys/socket.h>

#include "base/array.h"

enum {
	ETHER_IPV4 = 0x0800,
	ETHER_VLAN = 0x8100,
	ETHER_IPV6 = 0x86dd,
	ETHER_QINQ = 0x88a8,
	ETHER_OLD_QINQ = 0x9100,
};
enum { NEXT_HOP = 0, NEXT_TCP = 6, NEXT_ROUTING = 43, NEXT_FRAGMENT = 44, NEXT_DEST = 60 };
/* Maximum number of IPv6 extension headers to skip. */
#define MOST_HEADERS 8

/* RFC 6994: "SMCR" in EBCDIC after the kind for experiments. */
#define OPTION_EXPERIMENT 254
#define OPTION_MAGIC 0xe2d4c3d9U

/** struct rest - the unread part: @len captured bytes of @full */
struct rest {
	const uint8_t *at;
	size_t len, full;
};

static bool skip(struct rest *rest, size_t len)
{
	if (rest->len < len)
		return false;
	rest->at += len;
	rest->len -= len;
	rest->full -= len;
	return true;
}

/* Bytes beyond the length in the header are padding. */
static void limit(struct rest *rest, size_t len)
{
	if (rest->full > len)
		rest->full = len;
	if (rest->len > len)
		rest->len = len;
}

/* ---- TCP ---- */

static bool has_magic(const uint8_t *option, size_t len)
{
	while (len) {
		size_t size = *option == 1 || len < 2 ? 1 : option[1];

		/* 0 ends the list, 1 is a single byte. */
		if (!*option || size > len || (*option != 1 && size < 2))
			return false;
		if (*option == OPTION_EXPERIMENT && size >= 6 && big32(option + 2) == OPTION_MAGIC)
			return true;
		option += size;
		len -= size;
	}
	return false;
}

static void read_tcp(struct packet *packet, struct rest rest)
{
	size_t size;

	if (rest.len < 20)
		return;
	size = (size_t)(rest.at[12] >> 4) * 4;
	if (size < 20 || size > rest.len)
		return;
	packet->from.port = big16(rest.at);
	packet->to.port = big16(rest.at + 2);
	packet->seq = big32(rest.at + 4);
	packet->flags = rest.at[13];
	packet->offers_smc = packet->flags & PACKET_SYN && has_magic(rest.at + 20, size - 20);
	skip(&rest, size);
	packet->data = rest.at;
	packet->len = rest.len;
	packet->full = rest.full;
	packet->kind = PACKET_TCP;
}

/* ---- IP ---- */

static void set_addresses(struct packet *packet, uint8_t family, const uint8_t *from, size_t len)
{
	packet->from.family = packet->to.family = family;
	memcpy(packet->from.ip, from, len);
	memcpy(packet->to.ip, from + len, len);
}

static void read_ipv4(struct packet *packet, struct rest rest)
{
	size_t size, total;
	uint8_t protocol;

	if (rest.len < 20 || rest.at[0] >> 4 != 4)
		return;
	size = (size_t)(rest.at[0] & 15) * 4;
	total = big16(rest.at + 2);
	/* 0: segmentation offload, the total length exceeds 16 bits. */
	if (total)
		limit(&rest, total);
	if (size < 20 || big16(rest.at + 6) & 0x1fff)
		return;
	set_addresses(packet, AF_INET, rest.at + 12, 4);
	protocol = rest.at[9];
	if (skip(&rest, size) && protocol == NEXT_TCP)
		read_tcp(packet, rest);
}

/* Return: false if the transport header cannot be found. */
static bool step_over(struct rest *rest, uint8_t *next)
{
	size_t size = 8;

	if (rest->len < size)
		return false;
	if (*next == NEXT_FRAGMENT && big16(rest->at + 2) & 0xfff8)
		return false;
	if (*next != NEXT_FRAGMENT)
		size += (size_t)rest->at[1] * 8;
	*next = rest->at[0];
	return skip(rest, size);
}

static void read_ipv6(struct packet *packet, struct rest rest)
{
	uint8_t next;
	size_t len;

	if (rest.len < 40 || rest.at[0] >> 4 != 6)
		return;
	len = big16(rest.at + 4);
	next = rest.at[6];
	set_addresses(packet, AF_INET6, rest.at + 8, 16);
	skip(&rest, 40);
	if (len)
		limit(&rest, len);
	for (int i = 0; i < MOST_HEADERS; i++) {
		if (next == NEXT_TCP)
			read_tcp(packet, rest);
		if ((next != NEXT_HOP && next != NEXT_ROUTING && next != NEXT_FRAGMENT &&
		     next != NEXT_DEST) ||
		    !step_over(&rest, &next))
			return;
	}
}

/* ---- link layer ---- */

/* @rest begins after @type. Return: whether @rest is an IP packet then. */
static bool in_ether(struct packet *packet, struct rest *rest, uint16_t type)
{
	while ((type == ETHER_VLAN || type == ETHER_QINQ || type == ETHER_OLD_QINQ) &&
	       rest->len >= 4) {
		packet->has_vlan = true;
		packet->vlan = big16(rest->at) & 0xfff;
		type = big16(rest->at + 2);
		skip(rest, 4);
	}
	return type == ETHER_IPV4 || type == ETHER_IPV6;
}

/**
 * struct link - a link layer that carries IP on Linux hosts
 * @number: DLT_* of libpcap, here the same as in capture files
 * @size: of the header; @type: offset of the EtherType in it, BARE: always IP
 */
static const struct link {
	int number;
	uint8_t size, type;
} links[] = {
#define BARE UINT8_MAX
	{ 0, 4, BARE },	  /* NULL */
	{ 1, 14, 12 },	  /* EN10MB */
	{ 12, 0, BARE },  /* RAW */
	{ 101, 0, BARE }, /* RAW in a file */
	{ 108, 4, BARE }, /* LOOP */
	{ 113, 16, 14 },  /* LINUX_SLL */
	{ 228, 0, BARE }, /* IPV4 */
	{ 229, 0, BARE }, /* IPV6 */
	{ 242, 44, 40 },  /* IPOIB: two addresses, then RFC 4391 */
	{ 276, 20, 0 },	  /* LINUX_SLL2 */
};

static const struct link *find_link(int number)
{
	for_each(link, links, ARRAY_SIZE(links))
		if (link->number == number)
			return link;
	return NULL;
}

bool packet_knows_link(int link)
{
	return find_link(link);
}

void packet_decode(struct packet *packet, int link, const void *data, size_t captured, size_t full)
{
	struct rest rest = { data, captured, full < captured ? captured : full };
	const struct link *layer = find_link(link);

	*packet = (struct packet){ .kind = PACKET_OTHER };
	if (!layer || !skip(&rest, layer->size))
		return;
	if ((layer->type != BARE &&
	     !in_ether(packet, &rest, big16((const uint8_t *)data + layer->type))) ||
	    !rest.len)
		return;
	if (rest.at[0] >> 4 == 6)
		read_ipv6(packet, rest);
	else
		read_ipv4(packet, rest);
}
