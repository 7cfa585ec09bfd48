/* SPDX-License-Identifier: MIT */
/* IP addresses of net devices. */
#pragma once

#include "base/memory.h"

#include <netinet/in.h>

#include "net/netdev.h"
#include "smc/sock.h"

/* "ADDRESS/PREFIX" */
#define NETADDR_TEXT_SIZE (INET6_ADDRSTRLEN + 4)

/** struct netaddr - @prefix: length in bits; @bytes: network byte order, the first 4 for AF_INET */
struct netaddr {
	char netdev[NETDEV_NAME_SIZE];
	int family;
	unsigned int prefix;
	uint8_t bytes[16];
};

/**
 * struct netaddr_table - addresses, in the order of the net devices
 * @is_known: false when the addresses of a device could not be obtained
 */
struct netaddr_table {
	struct netaddr *addrs;
	size_t count;
	bool is_known;
};

ARRAY_FREE(netaddr_free, netaddr_table, addrs)

/** netaddr_load() - addresses of all net devices; of a device with very many, only the first */
void netaddr_load(struct netaddr_table *table, const struct netdev_table *netdevs);

/** netaddr_host() - parse "10.0.0.1" as a full-length prefix. Return: false on a syntax error */
bool netaddr_host(struct netaddr *addr, const char *text);

/** netaddr_parse() - parse "10.0.0.1/24". Return: false on a syntax error */
bool netaddr_parse(struct netaddr *addr, const char *text);

/** netaddr_text() - write an address with its prefix; with @is_subnet, write its subnet */
void netaddr_text(char text[NETADDR_TEXT_SIZE], const struct netaddr *addr, bool is_subnet);

/** netaddr_of() - the address of one end of a connection, without its port */
struct netaddr netaddr_of(const struct smc_addr *end);

/** netaddr_covers() - true if @other is in the subnet of @addr */
bool netaddr_covers(const struct netaddr *addr, const struct netaddr *other);

/** netaddr_has() - true if a net device has an address of this family */
bool netaddr_has(const struct netaddr_table *table, const char *netdev, int family);

/**
 * netaddr_is_private() - true for an address of private networks only
 *
 * Loopback, link-local, private and shared addresses: RFC 1918, 3927, 4193, 4291, 6598. Port
 * forwarding on a NAT device in front of this host is not known here.
 */
bool netaddr_is_private(const struct netaddr *addr);
