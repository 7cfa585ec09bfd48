// SPDX-License-Identifier: MIT
/* Parse expressions of smc-filter(7). */
#include "smc/filter.h"

#include <netdb.h>
#include <strings.h>

#include "base/words.h"

#define MAX_DEPTH 16
#define WANTED_ADDR "a numeric address such as 10.0.0.0/8 or [2001:db8::1]:80"

struct parser {
	struct filter *filter;
	const struct filter_test *more;
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

bool filter_number(const char *text, uint32_t max, uint32_t *value)
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
		return filter_number(text, UINT16_MAX, port) ? 0 : -EINVAL;
	*port = ntohs((uint16_t)service->s_port);
	return 0;
}

/* "80", ":80", "http" or ":http" */
static bool port_test(struct filter_node *node, const char *token)
{
	return !parse_port(token + (token[0] == ':'), &node->value);
}

/* ADDR, ADDR/PREFIX, ADDR:PORT, [ADDR6]/PREFIX:PORT, :PORT; ADDR may be * or any */
static bool addr_test(struct filter_node *node, const char *token)
{
	struct scan_end *end = &node->end;
	const char *at = token, *colon = strchr(token, ':');
	size_t len = strcspn(token, ":");
	bool is_any = !(colon && strchr(colon + 1, ':')) &&
		      (!len || (len == 1 && *at == '*') || (len == 3 && !memcmp(at, "any", 3)));

	if (!is_any && !scan_net(&at, &end->family, end->bytes, &end->bits))
		return false;
	at += is_any ? len : 0;
	node->has_port = *at == ':' && (end->family != AF_INET6 || *token == '[');
	return node->has_port ? !parse_port(at + 1, &node->value) : !*at;
}

static const struct filter_test own_tests[] = {
	{ "port", FILTER_SPORT, FILTER_DPORT, true, port_test, "a port" },
	{ "sport", FILTER_SPORT, 0, true, port_test, "a port" },
	{ "dport", FILTER_DPORT, 0, true, port_test, "a port" },
	{ "host", FILTER_SRC, FILTER_DST, false, addr_test, WANTED_ADDR },
	{ "src", FILTER_SRC, 0, false, addr_test, WANTED_ADDR },
	{ "dst", FILTER_DST, 0, false, addr_test, WANTED_ADDR },
	{ 0 },
};

/* Match either end; "port != 80" is "not port = 80", even for a socket with a single port. */
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

static const struct filter_test *find_test(const struct filter_test *test, const char *name)
{
	while (test && test->name && strcasecmp(name, test->name))
		test++;
	return test && test->name ? test : NULL;
}

/* Name the test that was meant, or all of them. */
static int unknown(const struct parser *p, const char *token)
{
	const char *names[16] = { NULL }, *near;
	char all[120] = "";
	size_t count = 0;

	for (const struct filter_test *test = p->more; test && test->name; test++)
		names[count++] = test->name;
	for (const struct filter_test *test = own_tests; test->name; test++)
		names[count++] = test->name;
	near = word_near(names, token);
	if (near)
		return smc_err_say(p->err, EINVAL, "'%s' is not a filter (did you mean '%s'?)",
				   token, near);
	for (size_t i = 0; i < count; i++) {
		strcat(all, i ? ", " : "");
		strcat(all, names[i]);
	}
	return smc_err_say(p->err, EINVAL, "'%s' is not a filter here (%s)", token, all);
}

static int parse_test(struct parser *p)
{
	const struct filter_test *test = find_test(own_tests, p->token);
	struct filter_node node = { 0 };
	int ret;

	test = test ? test : find_test(p->more, p->token);
	if (!test)
		return unknown(p, p->token);
	next(p);
	node.kind = test->kind;
	node.op = parse_op(p);
	if (node.op > FILTER_NE && test->read == addr_test)
		return smc_err_say(p->err, EINVAL,
				   "addresses in a filter can only be compared by = and !=");
	node.name_len = (uint16_t)strlen(p->token);
	node.name = p->rest - node.name_len;
	if ((node.op > FILTER_NE && !test->has_order) || !node.name_len ||
	    (test->read && !test->read(&node, p->token)))
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

int filter_parse_tests(struct filter *filter, const struct filter_test *more, int argc,
		       char *const *argv, struct smc_err *err)
{
	struct parser p = {
		.filter = filter, .more = more, .err = err, .argc = argc, .argv = argv
	};
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
