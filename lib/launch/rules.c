// SPDX-License-Identifier: MIT
/* Rules for connections that use SMC: SMC_INCLUDE and SMC_EXCLUDE. */
#include "launch/rules.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/scan.h"

#define MAPPED_BITS 96 /* prefix of an IPv4-mapped IPv6 address, RFC 4291 2.5.5.2 */
#define ITEM_SIZE 128  /* "listen:[ADDR]/128:65534-65535" has 71 characters */

static const uint8_t mapped_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/** struct place - an address and a port in the form of rules */
struct place {
	uint8_t addr[16];
	uint16_t port;
	bool is_v6;
};

static bool take_char(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

/* Parse PORT, LOW-HIGH or *, up to the end of the item. */
static bool take_ports(struct rule *rule, const char *at)
{
	return (take_char(&at, '*') || scan_ports(&at, &rule->low, &rule->high)) && !*at;
}

static bool read_item(struct rule *rule, const char *at)
{
	static const char listen[] = "listen";
	unsigned int bits;
	bool is_bracketed;
	int family;

	if (!strncmp(at, listen, strlen(listen))) {
		rule->is_listen = true;
		at += strlen(listen);
		if (!*at)
			return true;
		if (!take_char(&at, ':'))
			return false;
	}
	is_bracketed = *at == '[';
	if (!is_bracketed && !strchr(at, '.'))
		return take_ports(rule, at);
	if (!scan_net(&at, &family, rule->addr, &bits))
		return false;
	rule->has_addr = true;
	rule->is_v6 = family == AF_INET6;
	if (rule->is_v6 != is_bracketed ||
	    (rule->is_v6 && !memcmp(rule->addr, mapped_prefix, sizeof(mapped_prefix))))
		return false;
	if (!rule->is_v6) {
		memcpy(rule->addr + sizeof(mapped_prefix), rule->addr, 4);
		memcpy(rule->addr, mapped_prefix, sizeof(mapped_prefix));
		bits += MAPPED_BITS;
	}
	rule->bits = (uint8_t)bits;
	return !*at || (take_char(&at, ':') && take_ports(rule, at));
}

int rules_parse(struct rules *rules, bool is_exclude, const char *text, const char **bad)
{
	static const char separators[] = ", \t\n";
	uint8_t count = rules->count;
	char item[ITEM_SIZE];
	size_t len;

	for (;; text += len) {
		text += strspn(text, separators);
		len = strcspn(text, separators);
		if (!len)
			break;
		*bad = text;
		if (count == RULES_MAX)
			return -E2BIG;
		if (len >= sizeof(item))
			return -EINVAL;
		memcpy(item, text, len);
		item[len] = '\0';
		rules->items[count] = (struct rule){ .is_exclude = is_exclude, .high = UINT16_MAX };
		if (!read_item(&rules->items[count], item))
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
