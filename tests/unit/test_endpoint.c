// SPDX-License-Identifier: MIT
/* smc_chk/live/endpoint: addresses that count as one client. */
#include "test.h"

#include "smc_chk/live/endpoint.h"

static union endpoint_addr address(const char *text)
{
	union endpoint_addr addr = { 0 };

	if (inet_pton(AF_INET, text, &addr.in.sin_addr) == 1) {
		addr.in.sin_family = AF_INET;
		return addr;
	}
	assert_int_equal(inet_pton(AF_INET6, text, &addr.in6.sin6_addr), 1);
	addr.in6.sin6_family = AF_INET6;
	return addr;
}

TEST(origins)
{
	static const struct {
		const char *one, *other;
		bool are_same;
	} rows[] = {
		{ "192.0.2.1", "192.0.2.1", true },
		{ "192.0.2.1", "192.0.2.2", false },
		{ "127.0.0.1", "127.9.9.9", true },
		{ "127.0.0.1", "128.0.0.1", false },
		{ "::1", "127.0.0.1", false },
		{ "2001:db8::1", "2001:db8::ffff:1", true },
		{ "2001:db8::1", "2001:db8:0:1::1", false },
		{ "fe80::1", "fe80::2", false },
		{ "fe80::1", "fe80::1", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		union endpoint_addr one = address(rows[i].one), other = address(rows[i].other);
		uint8_t a[ENDPOINT_ORIGIN_SIZE], b[ENDPOINT_ORIGIN_SIZE];

		one.in.sin_port = 1; /* does not count */
		endpoint_origin(a, &one);
		endpoint_origin(b, &other);
		assert_int_equal(!memcmp(a, b, sizeof(a)), rows[i].are_same);
	}
}
