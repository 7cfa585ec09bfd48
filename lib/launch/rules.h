/* SPDX-License-Identifier: MIT */
/* Rules for connections that use SMC: SMC_INCLUDE and SMC_EXCLUDE. */
#pragma once

#include "base/scan.h"

#pragma GCC visibility push(hidden)

#define RULES_MAX 64

/**
 * struct rule - one item of a list
 * @is_exclude: from SMC_EXCLUDE
 * @is_listen: matches listening sockets by local address; else connecting ones by peer address
 */
struct rule {
	struct scan_end end;
	bool is_exclude, is_listen;
};

/** struct rules - both lists; all zero means that everything uses SMC */
struct rules {
	struct rule items[RULES_MAX];
	uint8_t count;
	bool has_include;
};

/**
 * rules_parse() - add a list
 * @is_exclude: which of the two
 * @text: items separated by commas or blanks, each [listen:][ADDR[/BITS]:]PORTS or
 *	[listen:]ADDR[/BITS], or "listen" alone; ADDR is 10.0.0.1 or [fd00::1], PORTS is 80, 80-90
 *	or *
 * @bad: on failure, set to the start of the item that is invalid, or beyond RULES_MAX
 *
 * An empty list has no effect. Uses no memory, no locale, no errno: safe in a signal handler.
 * Return: 0; -EINVAL, -E2BIG (more than RULES_MAX), with @rules unchanged.
 */
int rules_parse(struct rules *rules, bool is_exclude, const char *text, const char **bad);

/**
 * rules_allow() - true if this socket may use SMC
 * @is_listen: @addr is the listening address; else the peer's
 * @addr: AF_INET or AF_INET6; an IPv4 address mapped into IPv6 counts as IPv4
 *
 * Excluded sockets may not use SMC, even if they are also included. With SMC_INCLUDE, only included
 * sockets may. Return: true for other families, too.
 */
bool rules_allow(const struct rules *rules, bool is_listen, const struct sockaddr *addr,
		 socklen_t len);

#pragma GCC visibility pop
