/* SPDX-License-Identifier: MIT */
/* For tests of addresses. */
#pragma once

#include "test.h"

#include "smc/sock.h"

/* NULL is no address. */
static inline struct smc_addr address(const char *ip, uint16_t port)
{
	struct smc_addr addr = { .port = port };

	if (!ip)
		return addr;
	addr.family = strchr(ip, ':') ? AF_INET6 : AF_INET;
	assert_int_equal(inet_pton(addr.family, ip, addr.ip), 1);
	return addr;
}
