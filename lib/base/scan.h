/* SPDX-License-Identifier: MIT */
/* Parse numbers and addresses without memory, locale and errno: safe in a signal handler. */
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/libc.h"

/** scan_number() - decimal digits, up to @max; advances @at. Return: false, both unchanged */
static inline bool scan_number(const char **at, unsigned int max, unsigned int *number)
{
	const char *digit = *at;
	unsigned int value = 0;

	for (; *digit >= '0' && *digit <= '9'; digit++) {
		value = value * 10 + (unsigned int)(*digit - '0');
		if (value > max)
			return false;
	}
	if (digit == *at)
		return false;
	*at = digit;
	*number = value;
	return true;
}

/** scan_ports() - PORT or LOW-HIGH, from 1 to 65535. Return: false for anything else */
static inline bool scan_ports(const char **at, uint16_t *low, uint16_t *high)
{
	unsigned int first, last;

	if (!scan_number(at, UINT16_MAX, &first))
		return false;
	last = first;
	if (**at == '-') {
		(*at)++;
		if (!scan_number(at, UINT16_MAX, &last))
			return false;
	}
	*low = (uint16_t)first;
	*high = (uint16_t)last;
	return first && first <= last;
}

/** scan_net() - ADDR or ADDR/BITS; IPv6 in brackets, or bare up to a slash. Advances @at */
static inline bool scan_net(const char **at, int *family, uint8_t bytes[16], unsigned int *bits)
{
	const char *colon = strchr(*at, ':');
	bool is_bracketed = **at == '[', is_v6 = is_bracketed || (colon && strchr(colon + 1, ':'));
	const char *end = is_v6 ? "/" : "/:";
	char text[INET6_ADDRSTRLEN];
	size_t len;

	*at += is_bracketed;
	len = strcspn(*at, is_bracketed ? "]" : end);
	if (len >= sizeof(text) || (is_bracketed && !(*at)[len]))
		return false;
	memcpy(text, *at, len);
	text[len] = '\0';
	*at += len + is_bracketed;
	*family = is_v6 ? AF_INET6 : AF_INET;
	*bits = is_v6 ? 128 : 32;
	if (inet_pton(*family, text, bytes) != 1)
		return false;
	if (**at != '/')
		return true;
	++*at;
	return scan_number(at, *bits, bits);
}

/** same_bits() - true if the first @bits bits are equal */
static inline bool same_bits(const uint8_t *a, const uint8_t *b, unsigned int bits)
{
	if (memcmp(a, b, bits / 8))
		return false;
	return !(bits % 8) || !((a[bits / 8] ^ b[bits / 8]) >> (8 - bits % 8));
}

/**
 * struct scan_end - addresses and ports at one end of connections
 * @family: AF_UNSPEC for any address; @bits: length of the prefix of @bytes
 * @low, @high: ports, host byte order; 0 and 65535 for any; @high is 0 if the end does not matter
 */
struct scan_end {
	int family;
	unsigned int bits;
	uint8_t bytes[16];
	uint16_t low, high;
};

/** scan_end() - a whole text: ADDR[/BITS][:PORTS] or PORTS; * for any; no IPv4-mapped address */
static inline bool scan_end(const char *at, struct scan_end *end)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool is_bracketed = *at == '[';

	*end = (struct scan_end){ .high = UINT16_MAX };
	if (at[strcspn(at, ".:[")]) {
		if (!scan_net(&at, &end->family, end->bytes, &end->bits) ||
		    (end->family == AF_INET6 && same_bits(end->bytes, mapped, 96)))
			return false;
		if (!*at)
			return true;
		if (*at++ != ':' || (end->family == AF_INET6 && !is_bracketed))
			return false;
	}
	if (*at == '*')
		return !at[1];
	return scan_ports(&at, &end->low, &end->high) && !*at;
}
