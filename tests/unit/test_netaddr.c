// SPDX-License-Identifier: MIT
/* Addresses: private ones, and reachable ones. */
#include "test.h"

#include "net/netaddr.h"

static struct netaddr parsed(const char *text)
{
	struct netaddr addr;

	assert_true(netaddr_parse(&addr, text));
	return addr;
}

static void assert_private(const char *text, bool is_private)
{
	const struct netaddr addr = parsed(text);

	if (netaddr_is_private(&addr) != is_private)
		fail_msg("%s", text);
}

TEST(private_ones)
{
	static const char *const private[] = {
		"10.0.0.1/32",	 "172.16.0.1/32", "172.31.255.255/32", "192.168.1.1/32",
		"100.64.0.1/32", "127.0.0.1/32",  "169.254.1.1/32",    "::1/128",
		"fc00::1/128",	 "fdff::1/128",	  "fe80::1/128",       "febf::1/128",
	};
	static const char *const public[] = {
		"9.255.255.255/32", "11.0.0.1/32",     "172.15.255.255/32", "172.32.0.1/32",
		"192.167.1.1/32",   "100.63.0.1/32",   "100.128.0.1/32",    "203.0.113.7/32",
		"::2/128",	    "2001:db8::1/128", "fe00::1/128",	    "fec0::1/128",
	};

	for (size_t i = 0; i < ARRAY_SIZE(private); i++)
		assert_private(private[i], true);
	for (size_t i = 0; i < ARRAY_SIZE(public); i++)
		assert_private(public[i], false);
}
