// SPDX-License-Identifier: MIT
/* Which sockets to show: expressions like those of ss(8). */
#include "filter.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH 16
#define ALL_STATES UINT32_MAX
#define STATE_BIT(state) (1U << (state))

struct parser {
	struct filter *filter;
	struct smc_err *err;
	int argc;
	char *const *argv;
	const char *rest; /* of argv[0] */
	char token[128];
	bool is_cut; /* some word was longer than that */
	int depth;
};

static const char delimiters[] = "()!=<>&|";

/* Cut the next word or operator off the arguments; an empty token is the end. */
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

static int unexpected(struct parser *p, const char *wanted)
{
	if (!p->token[0])
		return smc_err_say(p->err, EINVAL, "the filter ends where %s should follow", wanted);
	return smc_err_say(p->err, EINVAL, "'%s' in the filter is not %s", p->token, wanted);
}

static enum filter_op parse_op(struct parser *p)
{
	static const struct {
		const char *sign, *word;
		enum filter_op op;
	} ops[] = {
		{ "=", "eq", FILTER_EQ },  { "==", "eq", FILTER_EQ }, { "!=", "ne", FILTER_NE },
		{ "<", "lt", FILTER_LT },  { "<=", "le", FILTER_LE }, { ">", "gt", FILTER_GT },
		{ ">=", "ge", FILTER_GE },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (is(p, ops[i].sign, ops[i].word)) {
			next(p);
			return ops[i].op;
		}
	}
	return FILTER_EQ; /* "sport :22" as well as "sport = :22" */
}

static int parse_port(const char *text, uint32_t *port)
{
	struct servent *service;
	unsigned long value;
	char *end;

	if (!*text)
		return -EINVAL;
	if (strspn(text, "0123456789") == strlen(text)) {
		value = strtoul(text, &end, 10);
		*port = (uint32_t)value;
		return value <= UINT16_MAX ? 0 : -EINVAL;
	}
	service = getservbyname(text, "tcp");
	if (!service)
		return -EINVAL;
	*port = ntohs((uint16_t)service->s_port);
	return 0;
}

static int port_test(struct parser *p, enum filter_kind kind)
{
	struct filter_node node = { .kind = kind };

	node.op = parse_op(p);
	/* "80", ":80", "http" or ":http" */
	if (parse_port(p->token + (p->token[0] == ':'), &node.value))
		return unexpected(p, "a port");
	return add(p, node);
}

static int parse_ip(struct filter_node *node, const char *text)
{
	uint8_t bits = 32;

	if (!strcmp(text, "*") || !strcmp(text, "any") || !*text)
		return 0;
	node->addr.family = AF_INET;
	if (inet_pton(AF_INET, text, node->addr.ip) != 1) {
		node->addr.family = AF_INET6;
		bits = 128;
		if (inet_pton(AF_INET6, text, node->addr.ip) != 1)
			return -EINVAL;
	}
	node->prefix = bits;
	return 0;
}

static int parse_prefix(struct filter_node *node, const char *text)
{
	unsigned long bits = strtoul(text, NULL, 10);

	if (node->addr.family == AF_UNSPEC || !*text ||
	    strspn(text, "0123456789") != strlen(text) || bits > node->prefix)
		return -EINVAL;
	node->prefix = (uint8_t)bits;
	return 0;
}

/* ADDR, ADDR/PREFIX, ADDR:PORT, [ADDR6]/PREFIX:PORT, :PORT */
static int parse_addr(struct filter_node *node, char *text)
{
	char *port = strrchr(text, ':'), *slash, *close = strchr(text, ']');
	bool is_bracketed = text[0] == '[';

	if (is_bracketed) {
		if (!close)
			return -EINVAL;
		port = strchr(close, ':');
	} else if (port && strchr(text, ':') != port) {
		port = NULL; /* bare IPv6 */
	}
	if (port) {
		*port = '\0';
		if (parse_port(port + 1, &node->value))
			return -EINVAL;
		node->has_port = true;
	}
	slash = strchr(text, '/');
	if (slash)
		*slash = '\0';
	if (is_bracketed) {
		if (close[1])
			return -EINVAL;
		text++;
		*close = '\0';
	}
	if (parse_ip(node, text) || (is_bracketed && node->addr.family != AF_INET6))
		return -EINVAL;
	return slash ? parse_prefix(node, slash + 1) : 0;
}

static int addr_test(struct parser *p, enum filter_kind kind)
{
	struct filter_node node = { .kind = kind };
	char text[sizeof(p->token)];

	node.op = parse_op(p);
	if (node.op > FILTER_NE)
		return smc_err_say(p->err, EINVAL, "addresses in a filter can only be compared by = and !=");
	memcpy(text, p->token, sizeof(text));
	if (!*text || parse_addr(&node, text))
		return unexpected(p, "a numeric address such as 10.0.0.0/8 or [2001:db8::1]:80");
	return add(p, node);
}

static uint32_t state_set(const char *name)
{
	const uint32_t idle = STATE_BIT(SMC_ABI_LISTEN) | STATE_BIT(SMC_ABI_INIT);
	int state = smc_state_parse(name);

	if (state >= 0)
		return STATE_BIT(state);
	if (!strcasecmp(name, "all"))
		return ALL_STATES;
	if (!strcasecmp(name, "listening"))
		return STATE_BIT(SMC_ABI_LISTEN);
	if (!strcasecmp(name, "established"))
		return STATE_BIT(SMC_ABI_ACTIVE);
	if (!strcasecmp(name, "connected"))
		return ALL_STATES & ~idle & ~STATE_BIT(SMC_ABI_CLOSED);
	if (!strcasecmp(name, "closing"))
		return ALL_STATES & ~idle & ~STATE_BIT(SMC_ABI_CLOSED) & ~STATE_BIT(SMC_ABI_ACTIVE);
	return 0;
}

static int state_test(struct parser *p)
{
	struct filter_node node = { .kind = FILTER_STATE };

	node.op = parse_op(p);
	node.states = state_set(p->token);
	if (!node.states || node.op > FILTER_NE)
		return unexpected(p, "a state such as active, listen, connected, closing or all");
	p->filter->has_state = true;
	return add(p, node);
}

static int mode_test(struct parser *p)
{
	static const char *const names[] = { "none", "smcr", "smcd", "tcp" };
	struct filter_node node = { .kind = FILTER_MODE };

	node.op = parse_op(p);
	while (node.value < 4 && strcasecmp(p->token, names[node.value]))
		node.value++;
	if (node.value == 4 || node.op > FILTER_NE)
		return unexpected(p, "a mode: smcr, smcd, tcp or none");
	return add(p, node);
}

static int uid_test(struct parser *p)
{
	struct filter_node node = { .kind = FILTER_UID };
	unsigned long value;
	struct passwd *user;

	node.op = parse_op(p);
	value = strtoul(p->token, NULL, 10);
	if (p->token[0] && strspn(p->token, "0123456789") == strlen(p->token) &&
	    value <= UINT32_MAX) {
		node.value = (uint32_t)value;
		return add(p, node);
	}
	user = p->token[0] ? getpwnam(p->token) : NULL;
	if (!user)
		return unexpected(p, "a user");
	node.value = user->pw_uid;
	return add(p, node);
}

static int parse_test(struct parser *p)
{
	char word[sizeof(p->token)];
	int ret;

	memcpy(word, p->token, sizeof(word));
	next(p);
	if (!strcasecmp(word, "state"))
		ret = state_test(p);
	else if (!strcasecmp(word, "mode"))
		ret = mode_test(p);
	else if (!strcasecmp(word, "sport"))
		ret = port_test(p, FILTER_SPORT);
	else if (!strcasecmp(word, "dport"))
		ret = port_test(p, FILTER_DPORT);
	else if (!strcasecmp(word, "src"))
		ret = addr_test(p, FILTER_SRC);
	else if (!strcasecmp(word, "dst"))
		ret = addr_test(p, FILTER_DST);
	else if (!strcasecmp(word, "uid"))
		ret = uid_test(p);
	else
		return smc_err_say(p->err, EINVAL, "'%s' is not a filter (state, mode, sport, dport, src, dst, uid)",
				   word);
	if (ret >= 0)
		next(p);
	return ret;
}

static int parse_or(struct parser *p);

static int parse_factor(struct parser *p)
{
	int ret;

	if (is(p, "!", "not")) {
		next(p);
		if (++p->depth > MAX_DEPTH)
			return smc_err_say(p->err, EINVAL, "the filter is nested too deeply");
		ret = parse_factor(p);
		p->depth--;
		return ret < 0 ? ret : add(p, (struct filter_node){ .kind = FILTER_NOT,
								     .left = (uint8_t)ret });
	}
	if (strcmp(p->token, "(")) {
		if (!p->token[0] || strchr(delimiters, p->token[0]))
			return unexpected(p, "a test");
		return parse_test(p);
	}
	next(p);
	if (++p->depth > MAX_DEPTH)
		return smc_err_say(p->err, EINVAL, "the filter is nested too deeply");
	ret = parse_or(p);
	p->depth--;
	if (ret >= 0 && strcmp(p->token, ")"))
		return unexpected(p, "a closing parenthesis");
	next(p);
	return ret;
}

static int join(struct parser *p, enum filter_kind kind, int left, int right)
{
	return add(p, (struct filter_node){ .kind = kind,
					    .left = (uint8_t)left,
					    .right = (uint8_t)right });
}

static int parse_and(struct parser *p)
{
	int left = parse_factor(p), right;

	while (left >= 0 && p->token[0] && strcmp(p->token, ")") && !is(p, "or", "|") &&
	       !is(p, "||", "||")) {
		if (is(p, "and", "&") || is(p, "&&", "&&"))
			next(p);
		right = parse_factor(p);
		left = right < 0 ? right : join(p, FILTER_AND, left, right);
	}
	return left;
}

static int parse_or(struct parser *p)
{
	int left = parse_and(p), right;

	while (left >= 0 && (is(p, "or", "|") || is(p, "||", "||"))) {
		next(p);
		right = parse_and(p);
		left = right < 0 ? right : join(p, FILTER_OR, left, right);
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

static bool same_prefix(const uint8_t *a, const uint8_t *b, unsigned int bits)
{
	if (memcmp(a, b, bits / 8))
		return false;
	return !(bits % 8) || !((a[bits / 8] ^ b[bits / 8]) >> (8 - bits % 8));
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
	return same_prefix(node->addr.ip, ip, node->prefix) == (node->op == FILTER_EQ);
}

/* No port is not port 0: a listener has no peer, a killed connection no local port. */
static bool match_port(const struct filter_node *node, const struct smc_addr *addr)
{
	return addr->port && compare(node->op, addr->port, node->value);
}

static bool match_node(const struct filter *filter, uint8_t index, const struct smc_sock *sock)
{
	const struct filter_node *node = &filter->nodes[index];

	switch (node->kind) {
	case FILTER_AND:
		return match_node(filter, node->left, sock) && match_node(filter, node->right, sock);
	case FILTER_OR:
		return match_node(filter, node->left, sock) || match_node(filter, node->right, sock);
	case FILTER_NOT: return !match_node(filter, node->left, sock);
	case FILTER_STATE:
		return (sock->state < 32 ? !!(node->states & STATE_BIT(sock->state)) :
					   node->states == ALL_STATES) == (node->op == FILTER_EQ);
	case FILTER_MODE: return compare(node->op, smc_sock_mode(sock), node->value);
	case FILTER_SPORT: return match_port(node, &sock->local);
	case FILTER_DPORT: return match_port(node, &sock->peer);
	case FILTER_SRC: return match_addr(node, &sock->local);
	case FILTER_DST: return match_addr(node, &sock->peer);
	case FILTER_UID: return compare(node->op, sock->uid, node->value);
	}
	return false;
}

bool filter_match(const struct filter *filter, const struct smc_sock *sock)
{
	return !filter->count || match_node(filter, filter->root, sock);
}
