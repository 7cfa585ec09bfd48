// SPDX-License-Identifier: MIT
/* Filters of sockets. */
#include <pwd.h>

#include "base/array.h"
#include "smc/filter.h"
#include "smc/sock.h"

#define ALL_STATES UINT32_MAX
#define STATE_BIT(state) (1U << (state))

static bool state_test(struct filter_node *node, const char *token)
{
	const uint32_t idle =
		STATE_BIT(SMC_ABI_LISTEN) | STATE_BIT(SMC_ABI_INIT) | STATE_BIT(SMC_ABI_CLOSED);
	const struct {
		const char *name;
		uint32_t states;
	} sets[] = {
		{ "all", ALL_STATES },
		{ "listening", STATE_BIT(SMC_ABI_LISTEN) },
		{ "established", STATE_BIT(SMC_ABI_ACTIVE) },
		{ "connected", ALL_STATES & ~idle },
		{ "closing", ALL_STATES & ~idle & ~STATE_BIT(SMC_ABI_ACTIVE) },
	};
	int state = smc_state_parse(token);

	if (state >= 0)
		node->states = STATE_BIT(state);
	for (size_t i = 0; state < 0 && i < ARRAY_SIZE(sets); i++)
		if (!strcasecmp(token, sets[i].name))
			node->states = sets[i].states;
	return node->states;
}

static bool mode_test(struct filter_node *node, const char *token)
{
	static const char *const names[] = { "none", "smcr", "smcd", "tcp" };

	while (node->value < 4 && strcasecmp(token, names[node->value]))
		node->value++;
	return node->value < 4;
}

static bool uid_test(struct filter_node *node, const char *token)
{
	struct passwd *user;

	if (filter_number(token, UINT32_MAX, &node->value))
		return true;
	user = getpwnam(token);
	node->value = user ? user->pw_uid : 0;
	return user;
}

int filter_parse(struct filter *filter, int argc, char *const *argv, struct smc_err *err)
{
	static const struct filter_test tests[] = {
		{ "state", FILTER_STATE, 0, false, state_test,
		  "a state such as active, listen, connected, closing or all" },
		{ "mode", FILTER_MODE, 0, false, mode_test, "a mode: smcr, smcd, tcp or none" },
		{ "uid", FILTER_UID, 0, true, uid_test, "a user" },
		{ "netns", FILTER_NETNS, 0, false, NULL, "a network namespace" },
		{ 0 },
	};

	return filter_parse_tests(filter, tests, argc, argv, err);
}

static bool compare(enum filter_op op, uint32_t a, uint32_t b)
{
	switch (op) {
	case FILTER_EQ: return a == b;
	case FILTER_NE: return a != b;
	case FILTER_LT: return a < b;
	case FILTER_LE: return a <= b;
	case FILTER_GT: return a > b;
	case FILTER_GE: return a >= b;
	}
	return false;
}

static bool match_addr(const struct filter_node *node, const struct smc_addr *addr)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const uint8_t *ip = addr->ip;

	if (addr->family == AF_UNSPEC && node->end.family != AF_UNSPEC)
		return false;
	if (node->has_port && node->value != addr->port)
		return node->op == FILTER_NE;
	if (node->end.family == AF_UNSPEC)
		return node->op == FILTER_EQ;
	if (node->end.family == AF_INET && addr->family == AF_INET6) {
		if (memcmp(ip, mapped, sizeof(mapped)))
			return node->op == FILTER_NE;
		ip += sizeof(mapped);
	} else if (node->end.family != addr->family) {
		return node->op == FILTER_NE;
	}
	return same_bits(node->end.bytes, ip, node->end.bits) == (node->op == FILTER_EQ);
}

/* A missing port is not port 0: a listener has no peer, a killed connection no local port. */
static bool match_port(const struct filter_node *node, const struct smc_addr *addr)
{
	return addr->port && compare(node->op, addr->port, node->value);
}

static bool match_state(const struct filter_node *node, uint8_t state)
{
	return (state < 32 ? !!(node->states & STATE_BIT(state)) : node->states == ALL_STATES) ==
	       (node->op == FILTER_EQ);
}

static bool match_netns(const struct filter_node *node, const char *netns)
{
	return netns && (strlen(netns) == node->name_len &&
			 !memcmp(netns, node->name, node->name_len)) == (node->op == FILTER_EQ);
}

static bool match_node(const struct filter *filter, uint8_t index, const struct smc_sock *sock)
{
	const struct filter_node *node = &filter->nodes[index];

	switch (node->kind) {
	case FILTER_AND:
		return match_node(filter, node->left, sock) &&
		       match_node(filter, node->right, sock);
	case FILTER_OR:
		return match_node(filter, node->left, sock) ||
		       match_node(filter, node->right, sock);
	case FILTER_NOT: return !match_node(filter, node->left, sock);
	case FILTER_STATE: return match_state(node, sock->state);
	case FILTER_MODE: return compare(node->op, smc_sock_mode(sock), node->value);
	case FILTER_SPORT: return match_port(node, &sock->local);
	case FILTER_DPORT: return match_port(node, &sock->peer);
	case FILTER_SRC: return match_addr(node, &sock->local);
	case FILTER_DST: return match_addr(node, &sock->peer);
	case FILTER_UID: return compare(node->op, sock->uid, node->value);
	case FILTER_NETNS: return match_netns(node, sock->netns);
	}
	return false;
}

bool filter_match(const struct filter *filter, const struct smc_sock *sock)
{
	return !filter->count || match_node(filter, filter->root, sock);
}

/* True if a node can evaluate to @want for any socket in a state. */
static bool can_be(const struct filter *filter, uint8_t index, uint8_t state, bool want)
{
	const struct filter_node *node = &filter->nodes[index];
	bool left;

	switch (node->kind) {
	case FILTER_AND:
	case FILTER_OR:
		left = can_be(filter, node->left, state, want);
		/* One operand is enough for a true "or" and for a false "and". */
		if (left == (want == (node->kind == FILTER_OR)))
			return left;
		return can_be(filter, node->right, state, want);
	case FILTER_NOT: return can_be(filter, node->left, state, !want);
	case FILTER_STATE: return match_state(node, state) == want;
	default: return true;
	}
}

bool filter_can_match(const struct filter *filter, uint8_t state)
{
	return !filter->count || can_be(filter, filter->root, state, true);
}
