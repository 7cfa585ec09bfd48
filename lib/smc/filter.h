/* SPDX-License-Identifier: MIT */
/* Filters for sockets: expressions like those of ss(8). */
#pragma once

#include "base/err.h"
#include "base/scan.h"

struct smc_sock;

#define FILTER_MAX_NODES 64

/* For --help; completion takes words from it. Events have no states. */
#define FILTER_HELP "FILTER is made of these tests, joined by and, or, not and parentheses:\n"
#define FILTER_HELP_STATE                                                                          \
	"  state NAME         active, listen, init, closed, ...; connected, closing, all\n"
#define FILTER_HELP_TESTS                                                                          \
	"  mode MODE          smcr, smcd, tcp or none\n"                                           \
	"  port OP PORT       sport: local, dport: the peer's; OP: =, !=, <, <=, > or >=\n"        \
	"  host ADDR          address[/prefix][:port]; src: local, dst: the peer's\n"              \
	"  uid USER           owner, by name or number\n"

enum filter_op { FILTER_EQ, FILTER_NE, FILTER_LT, FILTER_LE, FILTER_GT, FILTER_GE };

enum filter_kind {
	FILTER_AND,
	FILTER_OR,
	FILTER_NOT,
	FILTER_STATE,
	FILTER_MODE,
	FILTER_SPORT,
	FILTER_DPORT,
	FILTER_SRC,
	FILTER_DST,
	FILTER_UID,
	FILTER_NETNS,
};

/** struct filter_node - a test or a connective; operands are indexes of earlier nodes */
struct filter_node {
	enum filter_kind kind;
	enum filter_op op;
	uint8_t left, right;
	uint32_t states;     /* bit per state number */
	uint32_t value;	     /* mode, port or uid */
	struct scan_end end; /* an address; its port is @value */
	bool has_port;
	const char *name; /* part of an argument, not NUL-terminated */
	uint16_t name_len;
};

/**
 * struct filter - an expression; zero-initialize, which passes everything
 * @has_state: it tests states, so the default choice of states is off
 * @has_netns: it tests network namespaces, whose names the caller has to provide
 * @has_addr: it tests addresses
 */
struct filter {
	struct filter_node nodes[FILTER_MAX_NODES];
	uint8_t count, root;
	bool has_state, has_netns, has_addr;
};

/**
 * struct filter_test - a test of an expression
 * @peer_kind: for tests of either end, the test of the other end
 * @has_order: it compares numbers
 * @read: converts the token into a value; NULL: it is a name
 * @wanted: describes valid tokens
 */
struct filter_test {
	const char *name;
	enum filter_kind kind, peer_kind;
	bool has_order;
	bool (*read)(struct filter_node *node, const char *token);
	const char *wanted;
};

/**
 * filter_parse_tests() - parse an expression, smc-filter(7)
 * @more: tests besides those of addresses and ports, ended by one without a name; or NULL
 * @argv: must outlive the filter
 *
 * "and", even if implied, binds closer than "or". Names of services are looked up.
 * Return: 0, or -EINVAL with one sentence in @err.
 */
int filter_parse_tests(struct filter *filter, const struct filter_test *more, int argc,
		       char *const *argv, struct smc_err *err);

/** filter_number() - a decimal number without sign. Return: false if it is not, or above @max */
bool filter_number(const char *text, uint32_t max, uint32_t *value);

/* ---- filter_match.c: sockets ---- */

/** filter_parse() - parse an expression with all tests; looks up users, too */
int filter_parse(struct filter *filter, int argc, char *const *argv, struct smc_err *err);

/** filter_match() - true if a socket passes. An unknown address matches no address test */
bool filter_match(const struct filter *filter, const struct smc_sock *sock);

/** filter_can_match() - true if any socket in this state could pass */
bool filter_can_match(const struct filter *filter, uint8_t state);
