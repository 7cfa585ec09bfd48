/* SPDX-License-Identifier: MIT */
/* IP addresses of net devices. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>

#include "net/netdev.h"

/* "ADDRESS/PREFIX" */
#define NETADDR_TEXT_SIZE (INET6_ADDRSTRLEN + 4)

/**
 * struct netaddr - one address
 * @family: AF_INET or AF_INET6
 * @prefix: length in bits
 * @bytes: network order; 4 of them for AF_INET
 */
struct netaddr {
	char netdev[NETDEV_NAME_SIZE];
	int family;
	unsigned int prefix;
	uint8_t bytes[16];
};

/**
 * struct netaddr_table - all of them, in the order of the net devices
 * @is_known: false when the addresses of a device could not be obtained
 */
struct netaddr_table {
	struct netaddr *addrs;
	size_t count, size;
	bool is_known;
};

/**
 * netaddr_load() - addresses of all net devices, by getifaddrs(3) or of a recorded host
 *
 * A device with very many addresses keeps the first ones.
 */
void netaddr_load(struct netaddr_table *table, const struct netdev_table *netdevs);

/** netaddr_host() - read "10.0.0.1", with all bits. Return: false when it is something else */
bool netaddr_host(struct netaddr *addr, const char *text);

/** netaddr_parse() - the same of "10.0.0.1/24" */
bool netaddr_parse(struct netaddr *addr, const char *text);

/** netaddr_text() - write an address with its prefix; with @is_subnet the subnet that it is in */
void netaddr_text(char text[NETADDR_TEXT_SIZE], const struct netaddr *addr, bool is_subnet);

/** netaddr_short() - the same, without the prefix of a whole address */
void netaddr_short(char text[NETADDR_TEXT_SIZE], const struct netaddr *addr);

/** netaddr_covers() - is @other in the subnet of @addr? */
bool netaddr_covers(const struct netaddr *addr, const struct netaddr *other);

/** netaddr_has() - has a net device an address of this family? */
bool netaddr_has(const struct netaddr_table *table, const char *netdev, int family);

/**
 * netaddr_is_private() - can only hosts of a private network have or reach it?
 *
 * Loopback, link-local, private and shared addresses: RFC 1918, 3927, 4193, 4291, 6598. What an
 * address translator before this host lets in, nobody here knows.
 */
bool netaddr_is_private(const struct netaddr *addr);

/**
 * netaddr_public() - the first address by which hosts of other networks reach a socket, or NULL
 * @listen: where it listens; all bytes 0 for every address
 */
const struct netaddr *netaddr_public(const struct netaddr_table *table,
				     const struct netaddr *listen);

void netaddr_free(struct netaddr_table *table);
