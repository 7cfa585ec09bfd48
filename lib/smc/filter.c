// SPDX-License-Identifier: MIT
#include "smc/filter.h"

#include <netdb.h>
#include <pwd.h>
#include <strings.h>

#include "base/array.h"
#include "base/scan.h"

#define MAX_DEPTH 16
#define ALL_STATES UINT32_MAX
#define STATE_BIT(state) (1U << (state))
#define WANTED_ADDR "a numeric address such as 10.0.0.0/8 or [2001:db8::1]:80"

struct parser {
	struct filter *filter;
	struct smc_err *err;
	int argc;
	char *const *argv;
	const char *rest; /* of argv[0] */
	char token[320];  /* as long as the name of a network namespace */
	bool is_cut;	  /* a word did not fit into token */
	int depth;
};

/* Take the next word or operator of the arguments; an empty token is the end. */
static void next(struct parser *p)
{
	size_t len;

	while (p->argc && !*(p->rest += strspn(p->rest, " \t\n"))) {
		p->argv++;
		p->rest = --p->argc ? *p->argv : "";
	}
	len = strcspn(p->rest, "()!=<>&| \t\n");
	if (!len && *p->rest) {
		len = 1;
		if (strchr("!=<>", p->rest[0]) && p->rest[1] == '=')
			len = 2;
		else if (strchr("&|", p->rest[0]) && p->rest[1] == p->rest[0])
			len = 2;
	}
	p->is_cut |= len >= sizeof(p->token);
	snprintf(p->token, sizeof(p->token), "%.*s", (int)len, p->rest);
	p->rest += len;
}

static bool is(const struct parser *p, const char *a, const char *b)
{
	return !strcasecmp(p->token, a) || !strcasecmp(p->token, b);
}

static int add(struct parser *p, struct filter_node node)
{
	if (p->filter->count == FILTER_MAX_NODES)
		return smc_err_say(p->err, EINVAL, "the filter is too long");
	p->filter->nodes[p->filter->count] = node;
	return p->filter->count++;
}

static int join(struct parser *p, enum filter_kind kind, int left, int right)
{
	if (left < 0 || right < 0)
		return left < 0 ? left : right;
	return add(p, (struct filter_node){
			      .kind = kind, .left = (uint8_t)left, .right = (uint8_t)right });
}

static int unexpected(struct parser *p, const char *wanted)
{
	if (!p->token[0])
		return smc_err_say(p->err, EINVAL, "the filter ends where %s should follow",
				   wanted);
	return smc_err_say(p->err, EINVAL, "'%s' in the filter is not %s", p->token, wanted);
}

/* "sport :22" has no operator, it means "sport = :22". */
static enum filter_op parse_op(struct parser *p)
{
	static const char *const ops[][2] = {
		[FILTER_EQ] = { "=", "eq" }, [FILTER_NE] = { "!=", "ne" },
		[FILTER_LT] = { "<", "lt" }, [FILTER_LE] = { "<=", "le" },
		[FILTER_GT] = { ">", "gt" }, [FILTER_GE] = { ">=", "ge" },
	};
	enum filter_op op = FILTER_EQ;

	while (op <= FILTER_GE && !is(p, ops[op][0], ops[op][1]))
		op++;
	if (op <= FILTER_GE || is(p, "==", "=="))
		next(p);
	return op <= FILTER_GE ? op : FILTER_EQ;
}

/* A decimal number without sign. */
static bool parse_number(const char *text, uint32_t max, uint32_t *value)
{
	/* A 32-bit long would saturate at 4294967295. */
	unsigned long long number = strtoull(text, NULL, 10);

	*value = (uint32_t)number;
	return *text && strspn(text, "0123456789") == strlen(text) && number <= max;
}

static int parse_port(const char *text, uint32_t *port)
{
	bool is_name = text[strspn(text, "0123456789")];
	struct servent *service = is_name ? getservbyname(text, "tcp") : NULL;

	if (!service)
		return parse_number(text, UINT16_MAX, port) ? 0 : -EINVAL;
	*port = ntohs((uint16_t)service->s_port);
	return 0;
}

/* "80", ":80", "http" or ":http" */
static bool port_test(struct filter_node *node, char *token)
{
	return !parse_port(token + (token[0] == ':'), &node->value);
}

/* ADDR, ADDR/PREFIX, ADDR:PORT, [ADDR6]/PREFIX:PORT, :PORT; ADDR may be * or any */
static bool addr_test(struct filter_node *node, char *token)
{
	const char *at = token, *colon = strchr(token, ':');
	size_t len = strcspn(token, ":");
	bool is_any = !(colon && strchr(colon + 1, ':')) &&
		      (!len || (len == 1 && *at == '*') || (len == 3 && !memcmp(at, "any", 3)));
	int family = AF_UNSPEC;
	unsigned int bits = 0;

	if (!is_any && !scan_net(&at, &family, node->addr.ip, &bits))
		return false;
	at += is_any ? len : 0;
	node->addr.family = (uint8_t)family;
	node->prefix = (uint8_t)bits;
	node->has_port = *at == ':' && (family != AF_INET6 || *token == '[');
	return node->has_port ? !parse_port(at + 1, &node->value) : !*at;
}

static bool state_test(struct filter_node *node, char *token)
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

static bool mode_test(struct filter_node *node, char *token)
{
	static const char *const names[] = { "none", "smcr", "smcd", "tcp" };

	while (node->value < 4 && strcasecmp(token, names[node->value]))
		node->value++;
	return node->value < 4;
}

static bool uid_test(struct filter_node *node, char *token)
{
	struct passwd *user;

	if (parse_number(token, UINT32_MAX, &node->value))
		return true;
	user = getpwnam(token);
	node->value = user ? user->pw_uid : 0;
	return user;
}

/*
 * Tests. @read converts the token, which it may modify, into a value; NULL: it is a name. @wanted
 * describes valid tokens. Tests of numbers have an order. @peer_kind: for tests of either end, the
 * test of the other end.
 */
static const struct test {
	const char *name;
	enum filter_kind kind, peer_kind;
	bool has_order;
	bool (*read)(struct filter_node *node, char *token);
	const char *wanted;
} tests[] = {
	{ "state", FILTER_STATE, 0, false, state_test,
	  "a state such as active, listen, connected, closing or all" },
	{ "mode", FILTER_MODE, 0, false, mode_test, "a mode: smcr, smcd, tcp or none" },
	{ "port", FILTER_SPORT, FILTER_DPORT, true, port_test, "a port" },
	{ "sport", FILTER_SPORT, 0, true, port_test, "a port" },
	{ "dport", FILTER_DPORT, 0, true, port_test, "a port" },
	{ "host", FILTER_SRC, FILTER_DST, false, addr_test, WANTED_ADDR },
	{ "src", FILTER_SRC, 0, false, addr_test, WANTED_ADDR },
	{ "dst", FILTER_DST, 0, false, addr_test, WANTED_ADDR },
	{ "uid", FILTER_UID, 0, true, uid_test, "a user" },
	{ "netns", FILTER_NETNS, 0, false, NULL, "a network namespace" },
	{ 0 },
};

/* Match either end; "port != 80" is "not port = 80", even if there is one port only. */
static int add_either(struct parser *p, struct filter_node node, enum filter_kind peer_kind)
{
	bool is_negated = node.op == FILTER_NE;
	int ret;

	if (is_negated)
		node.op = FILTER_EQ;
	ret = add(p, node);
	node.kind = peer_kind;
	ret = join(p, FILTER_OR, ret, add(p, node));
	return is_negated ? join(p, FILTER_NOT, ret, 0) : ret;
}

static int parse_test(struct parser *p)
{
	const struct test *test = tests;
	struct filter_node node = { 0 };
	char token[sizeof(p->token)];
	int ret;

	memcpy(token, p->token, sizeof(token));
	next(p);
	while (test->name && strcasecmp(token, test->name))
		test++;
	if (!test->name)
		return smc_err_say(p->err, EINVAL,
				   "'%s' is not a filter (state, mode, port, "
				   "sport, dport, host, src, dst, uid, netns)",
				   token);
	node.kind = test->kind;
	node.op = parse_op(p);
	if (node.op > FILTER_NE && test->read == addr_test)
		return smc_err_say(p->err, EINVAL,
				   "addresses in a filter can only be compared by = and !=");
	memcpy(token, p->token, sizeof(token));
	node.name_len = (uint16_t)strlen(token);
	node.name = p->rest - node.name_len;
	if ((node.op > FILTER_NE && !test->has_order) || !*token ||
	    (test->read && !test->read(&node, token)))
		return unexpected(p, test->wanted);
	p->filter->has_state |= test->kind == FILTER_STATE;
	p->filter->has_netns |= test->kind == FILTER_NETNS;
	p->filter->has_addr |= test->read == addr_test;
	ret = test->peer_kind ? add_either(p, node, test->peer_kind) : add(p, node);
	next(p);
	return ret;
}

static int parse_or(struct parser *p);

/* Parse the operand of "not", or an expression in parentheses, one level deeper. */
static int parse_inner(struct parser *p, int (*parse)(struct parser *p))
{
	int ret;

	next(p);
	if (++p->depth > MAX_DEPTH)
		return smc_err_say(p->err, EINVAL, "the filter is nested too deeply");
	ret = parse(p);
	p->depth--;
	return ret;
}

static int parse_factor(struct parser *p)
{
	int ret;

	if (is(p, "!", "not"))
		return join(p, FILTER_NOT, parse_inner(p, parse_factor), 0);
	if (strcmp(p->token, "(")) {
		if (!p->token[0] || strchr("()!=<>&|", p->token[0]))
			return unexpected(p, "a test");
		return parse_test(p);
	}
	ret = parse_inner(p, parse_or);
	if (ret >= 0 && strcmp(p->token, ")"))
		return unexpected(p, "a closing parenthesis");
	next(p);
	return ret;
}

static bool is_or(const struct parser *p)
{
	return is(p, "or", "|") || is(p, "||", "||");
}

static int parse_and(struct parser *p)
{
	int left = parse_factor(p);

	while (left >= 0 && p->token[0] && strcmp(p->token, ")") && !is_or(p)) {
		if (is(p, "and", "&") || is(p, "&&", "&&"))
			next(p);
		left = join(p, FILTER_AND, left, parse_factor(p));
	}
	return left;
}

static int parse_or(struct parser *p)
{
	int left = parse_and(p);

	while (left >= 0 && is_or(p)) {
		next(p);
		left = join(p, FILTER_OR, left, parse_and(p));
	}
	return left;
}

int filter_parse(struct filter *filter, int argc, char *const *argv, struct smc_err *err)
{
	struct parser p = { .filter = filter, .err = err, .argc = argc, .argv = argv };
	int ret;

	*filter = (struct filter){ 0 };
	if (!argc)
		return 0;
	p.rest = argv[0];
	next(&p);
	ret = parse_or(&p);
	if (p.is_cut)
		return smc_err_say(err, EINVAL, "a word of the filter is too long");
	if (ret < 0)
		return ret;
	if (p.token[0])
		return unexpected(&p, "expected here");
	filter->root = (uint8_t)ret;
	return 0;
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

	if (addr->family == AF_UNSPEC && node->addr.family != AF_UNSPEC)
		return false;
	if (node->has_port && node->value != addr->port)
		return node->op == FILTER_NE;
	if (node->addr.family == AF_UNSPEC)
		return node->op == FILTER_EQ;
	if (node->addr.family == AF_INET && addr->family == AF_INET6) {
		if (memcmp(ip, mapped, sizeof(mapped)))
			return node->op == FILTER_NE;
		ip += sizeof(mapped);
	} else if (node->addr.family != addr->family) {
		return node->op == FILTER_NE;
	}
	return same_bits(node->addr.ip, ip, node->prefix) == (node->op == FILTER_EQ);
}

/* No port is not port 0: a listener has no peer, a killed connection no local port. */
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
