// SPDX-License-Identifier: MIT
/* IP addresses of net devices: getifaddrs(3), one probe for each device. */
#include "net/netaddr.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <sys/socket.h>

#include "base/array.h"
#include "base/scan.h"
#include "host/probe.h"

/* Argument of a probe: getifaddrs() is called once, for the first device. */
struct source {
	const char *netdev;
	struct ifaddrs *all;
	bool is_asked;
};

/* getifaddrs() gives an IPv4 address's label as the name: "eth0:1". */
static bool is_of(const struct ifaddrs *item, const char *netdev)
{
	size_t len = strcspn(item->ifa_name, ":");

	return strlen(netdev) == len && !strncmp(item->ifa_name, netdev, len);
}

static bool from_sockaddr(struct netaddr *addr, const struct ifaddrs *item)
{
	const struct sockaddr *sa = item->ifa_addr, *mask = item->ifa_netmask;
	size_t offset, len;

	if (!sa || !mask || (sa->sa_family != AF_INET && sa->sa_family != AF_INET6))
		return false;
	offset = sa->sa_family == AF_INET ? offsetof(struct sockaddr_in, sin_addr) :
					    offsetof(struct sockaddr_in6, sin6_addr);
	len = sa->sa_family == AF_INET ? 4 : 16;
	*addr = (struct netaddr){ .family = sa->sa_family };
	memcpy(addr->bytes, (const uint8_t *)sa + offset, len);
	for (size_t i = 0; i < len; i++)
		addr->prefix +=
			(unsigned int)__builtin_popcount(((const uint8_t *)mask)[offset + i]);
	return true;
}

/* Return: number of addresses; the text lists them, separated by blanks. */
static int probe(void *arg, char text[HOST_PROBE_SIZE])
{
	struct source *source = arg;
	char word[NETADDR_TEXT_SIZE];
	struct netaddr addr;
	size_t len = 0;
	int count = 0;

	if (!source->is_asked && getifaddrs(&source->all))
		return -errno;
	source->is_asked = true;
	for (const struct ifaddrs *item = source->all; item; item = item->ifa_next) {
		if (!is_of(item, source->netdev) || !from_sockaddr(&addr, item))
			continue;
		count++;
		netaddr_text(word, &addr, false);
		if (len + strlen(word) + 2 > HOST_PROBE_SIZE)
			continue;
		len += (size_t)snprintf(text + len, HOST_PROBE_SIZE - len, "%s%s", len ? " " : "",
					word);
	}
	return count;
}

static void append(struct netaddr_table *table, const char *netdev, char *text)
{
	char *rest = text, *word;

	while ((word = strsep(&rest, " "))) {
		struct netaddr addr;

		if (!netaddr_parse(&addr, word))
			continue;
		snprintf(addr.netdev, sizeof(addr.netdev), "%s", netdev);
		*smc_array_add(&table->addrs, &table->count) = addr;
	}
}

void netaddr_load(struct netaddr_table *table, const struct netdev_table *netdevs)
{
	struct source source = { .is_asked = false };
	char text[HOST_PROBE_SIZE];

	*table = (struct netaddr_table){ .is_known = true };
	for (size_t i = 0; i < netdevs->count; i++) {
		source.netdev = netdevs->devs[i].name;
		if (host_probe("addresses-%s", probe, &source, text, source.netdev) < 0)
			table->is_known = false;
		else
			append(table, source.netdev, text);
	}
	if (source.all)
		freeifaddrs(source.all);
}

bool netaddr_host(struct netaddr *addr, const char *text)
{
	bool is_v6 = strchr(text, ':');

	*addr = (struct netaddr){ .family = is_v6 ? AF_INET6 : AF_INET,
				  .prefix = is_v6 ? 128 : 32 };
	return inet_pton(addr->family, text, addr->bytes) == 1;
}

bool netaddr_parse(struct netaddr *addr, const char *text)
{
	*addr = (struct netaddr){ 0 };
	return strchr(text, '/') && *text != '[' &&
	       scan_net(&text, &addr->family, addr->bytes, &addr->prefix) && !*text;
}

void netaddr_text(char text[NETADDR_TEXT_SIZE], const struct netaddr *addr, bool is_subnet)
{
	char host[INET6_ADDRSTRLEN];
	uint8_t bytes[16];

	memcpy(bytes, addr->bytes, sizeof(bytes));
	for (unsigned int bit = addr->prefix; is_subnet && bit < 128; bit++)
		bytes[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	inet_ntop(addr->family, bytes, host, sizeof(host));
	snprintf(text, NETADDR_TEXT_SIZE, "%s/%u", host, addr->prefix);
}

struct netaddr netaddr_of(const struct smc_addr *end)
{
	struct netaddr addr = { .family = end->family,
				.prefix = end->family == AF_INET ? 32 : 128 };

	memcpy(addr.bytes, end->ip, sizeof(addr.bytes));
	return addr;
}

bool netaddr_covers(const struct netaddr *addr, const struct netaddr *other)
{
	return addr->family == other->family && same_bits(addr->bytes, other->bytes, addr->prefix);
}

bool netaddr_has(const struct netaddr_table *table, const char *netdev, int family)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->addrs[i].family == family && !strcmp(table->addrs[i].netdev, netdev))
			return true;
	return false;
}

bool netaddr_is_private(const struct netaddr *addr)
{
	static const struct netaddr nets[] = {
		{ .family = AF_INET, .prefix = 8, .bytes = { 10 } },
		{ .family = AF_INET, .prefix = 12, .bytes = { 172, 16 } },
		{ .family = AF_INET, .prefix = 16, .bytes = { 192, 168 } },
		{ .family = AF_INET, .prefix = 10, .bytes = { 100, 64 } },
		{ .family = AF_INET, .prefix = 8, .bytes = { 127 } },
		{ .family = AF_INET, .prefix = 16, .bytes = { 169, 254 } },
		{ .family = AF_INET6, .prefix = 7, .bytes = { 0xfc } },
		{ .family = AF_INET6, .prefix = 10, .bytes = { 0xfe, 0x80 } },
		{ .family = AF_INET6, .prefix = 128, .bytes = { [15] = 1 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(nets); i++)
		if (netaddr_covers(&nets[i], addr))
			return true;
	return false;
}
