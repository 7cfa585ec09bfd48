// SPDX-License-Identifier: MIT
/* Rules for connections that use SMC: SMC_INCLUDE and SMC_EXCLUDE. */
#include "launch/rules.h"

#define ITEM_SIZE 128 /* "listen:[ADDR]/128:65534-65535" has 71 characters */

static bool read_item(struct rule *rule, const char *item)
{
	static const char listen[] = "listen";

	rule->end.high = UINT16_MAX;
	rule->is_listen = !strncmp(item, listen, strlen(listen));
	if (rule->is_listen) {
		item += strlen(listen);
		if (!*item)
			return true;
		if (*item++ != ':')
			return false;
	}
	return scan_end(item, &rule->end);
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
		rules->items[count] = (struct rule){ .is_exclude = is_exclude };
		if (!read_item(&rules->items[count], item))
			return -EINVAL;
		count++;
	}
	rules->has_include |= !is_exclude && count > rules->count;
	rules->count = count;
	return 0;
}

/* The address and port as an end; an IPv4 address mapped into IPv6, RFC 4291 2.5.5.2, is IPv4. */
static bool find_end(struct scan_end *end, const struct sockaddr *addr, socklen_t len)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	if (len >= sizeof(in) && addr->sa_family == AF_INET) {
		memcpy(&in, addr, sizeof(in));
		memcpy(end->bytes, &in.sin_addr, sizeof(in.sin_addr));
		end->low = ntohs(in.sin_port);
		end->family = AF_INET;
		return true;
	}
	if (len < offsetof(struct sockaddr_in6, sin6_scope_id) || addr->sa_family != AF_INET6)
		return false;
	memcpy(&in6, addr, offsetof(struct sockaddr_in6, sin6_scope_id));
	memcpy(end->bytes, &in6.sin6_addr, sizeof(end->bytes));
	end->low = ntohs(in6.sin6_port);
	end->family = memcmp(end->bytes, mapped, sizeof(mapped)) ? AF_INET6 : AF_INET;
	if (end->family == AF_INET)
		memcpy(end->bytes, &end->bytes[sizeof(mapped)], 4);
	return true;
}

static bool matches(const struct rule *rule, bool is_listen, const struct scan_end *end)
{
	return rule->is_listen == is_listen && end->low >= rule->end.low &&
	       end->low <= rule->end.high &&
	       (!rule->end.family || (rule->end.family == end->family &&
				      same_bits(rule->end.bytes, end->bytes, rule->end.bits)));
}

bool rules_allow(const struct rules *rules, bool is_listen, const struct sockaddr *addr,
		 socklen_t len)
{
	bool is_included = !rules->has_include;
	struct scan_end end;

	if (!rules->count || !find_end(&end, addr, len))
		return true;
	for (int i = 0; i < rules->count; i++) {
		const struct rule *rule = &rules->items[i];

		if (!matches(rule, is_listen, &end))
			continue;
		if (rule->is_exclude)
			return false;
		is_included = true;
	}
	return is_included;
}
