// SPDX-License-Identifier: MIT
/* Which connections use SMC: SMC_INCLUDE and SMC_EXCLUDE. */
#include "launch/rules.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>

#define MAPPED_BITS 96 /* of an IPv4 address in IPv6, RFC 4291 2.5.5.2 */

static const uint8_t mapped_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/** struct place - an address and a port as rules see them */
struct place {
	uint8_t addr[16];
	uint16_t port;
	bool is_v6;
};

static bool is_separator(char c)
{
	return c == ',' || c == ' ' || c == '\t' || c == '\n';
}

/* A number up to @max in front of @end. False leaves @at. */
static bool take_number(const char **at, const char *end, unsigned int max, unsigned int *number)
{
	const char *digit = *at;
	unsigned int value = 0;

	for (; digit < end && *digit >= '0' && *digit <= '9'; digit++) {
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

static bool take_char(const char **at, const char *end, char c)
{
	if (*at == end || **at != c)
		return false;
	(*at)++;
	return true;
}

/* PORT, LOW-HIGH or *, up to the end of the item. */
static bool take_ports(struct rule *rule, const char *at, const char *end)
{
	unsigned int low, high;

	if (take_char(&at, end, '*'))
		return at == end;
	if (!take_number(&at, end, UINT16_MAX, &low))
		return false;
	high = low;
	if (take_char(&at, end, '-') && !take_number(&at, end, UINT16_MAX, &high))
		return false;
	rule->low = (uint16_t)low;
	rule->high = (uint16_t)high;
	return at == end && low && low <= high;
}

/* The text up to @end as an address of this family. */
static bool read_addr(struct rule *rule, const char *start, const char *end, bool is_v6)
{
	size_t len = (size_t)(end - start);
	char text[INET6_ADDRSTRLEN];

	if (len >= sizeof(text))
		return false;
	memcpy(text, start, len);
	text[len] = '\0';
	rule->has_addr = true;
	rule->is_v6 = is_v6;
	rule->bits = 128;
	if (is_v6)
		return inet_pton(AF_INET6, text, rule->addr) == 1 &&
		       memcmp(rule->addr, mapped_prefix, sizeof(mapped_prefix)) != 0;
	memcpy(rule->addr, mapped_prefix, sizeof(mapped_prefix));
	return inet_pton(AF_INET, text, rule->addr + sizeof(mapped_prefix)) == 1;
}

/* 10.0.0.1 or [fd00::1]. */
static bool take_addr(struct rule *rule, const char **at, const char *end)
{
	const char *start = *at, *stop;

	if (take_char(&start, end, '[')) {
		stop = memchr(start, ']', (size_t)(end - start));
		*at = stop ? stop + 1 : end;
		return stop && read_addr(rule, start, stop, true);
	}
	while (*at < end && (**at == '.' || (**at >= '0' && **at <= '9')))
		(*at)++;
	return read_addr(rule, start, *at, false);
}

static bool take_prefix(struct rule *rule, const char **at, const char *end)
{
	unsigned int bits;

	if (!take_char(at, end, '/'))
		return true;
	if (!take_number(at, end, rule->is_v6 ? 128 : 32, &bits))
		return false;
	rule->bits = (uint8_t)(rule->is_v6 ? bits : bits + MAPPED_BITS);
	return true;
}

static bool has_addr(const char *at, const char *end)
{
	return at < end && (*at == '[' || memchr(at, '.', (size_t)(end - at)));
}

/* One item, all of it. */
static bool read_item(struct rule *rule, const char *at, const char *end)
{
	static const char listen[] = "listen";
	size_t len = sizeof(listen) - 1;

	if ((size_t)(end - at) >= len && !memcmp(at, listen, len)) {
		rule->is_listen = true;
		at += len;
		if (at == end)
			return true;
		if (!take_char(&at, end, ':'))
			return false;
	}
	if (!has_addr(at, end))
		return take_ports(rule, at, end);
	if (!take_addr(rule, &at, end) || !take_prefix(rule, &at, end))
		return false;
	return at == end || (take_char(&at, end, ':') && take_ports(rule, at, end));
}

int rules_parse(struct rules *rules, bool is_exclude, const char *text, const char **bad)
{
	uint8_t count = rules->count;
	const char *end;

	for (;; text = end) {
		while (is_separator(*text))
			text++;
		if (!*text)
			break;
		for (end = text; *end && !is_separator(*end);)
			end++;
		*bad = text;
		if (count == RULES_MAX)
			return -E2BIG;
		rules->items[count] = (struct rule){ .is_exclude = is_exclude, .high = UINT16_MAX };
		if (!read_item(&rules->items[count], text, end))
			return -EINVAL;
		count++;
	}
	rules->has_include |= !is_exclude && count > rules->count;
	rules->count = count;
	return 0;
}

static bool find_place(struct place *place, const struct sockaddr *addr, socklen_t len)
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	if (len >= sizeof(in) && addr->sa_family == AF_INET) {
		memcpy(&in, addr, sizeof(in));
		memcpy(place->addr, mapped_prefix, sizeof(mapped_prefix));
		memcpy(place->addr + sizeof(mapped_prefix), &in.sin_addr, sizeof(in.sin_addr));
		place->port = ntohs(in.sin_port);
		place->is_v6 = false;
		return true;
	}
	if (len < offsetof(struct sockaddr_in6, sin6_scope_id) || addr->sa_family != AF_INET6)
		return false;
	memcpy(&in6, addr, offsetof(struct sockaddr_in6, sin6_scope_id));
	memcpy(place->addr, &in6.sin6_addr, sizeof(place->addr));
	place->port = ntohs(in6.sin6_port);
	place->is_v6 = memcmp(place->addr, mapped_prefix, sizeof(mapped_prefix)) != 0;
	return true;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned int bits)
{
	unsigned int left = bits % 8;

	if (memcmp(a, b, bits / 8))
		return false;
	return !left || (a[bits / 8] ^ b[bits / 8]) >> (8 - left) == 0;
}

static bool matches(const struct rule *rule, bool is_listen, const struct place *place)
{
	return rule->is_listen == is_listen && place->port >= rule->low &&
	       place->port <= rule->high &&
	       (!rule->has_addr ||
		(rule->is_v6 == place->is_v6 && same_bits(rule->addr, place->addr, rule->bits)));
}

bool rules_allow(const struct rules *rules, bool is_listen, const struct sockaddr *addr,
		 socklen_t len)
{
	bool is_included = !rules->has_include;
	struct place place;

	if (!rules->count || !find_place(&place, addr, len))
		return true;
	for (int i = 0; i < rules->count; i++) {
		const struct rule *rule = &rules->items[i];

		if (!matches(rule, is_listen, &place))
			continue;
		if (rule->is_exclude)
			return false;
		is_included = true;
	}
	return is_included;
}
