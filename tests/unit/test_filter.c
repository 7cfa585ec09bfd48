// SPDX-License-Identifier: MIT
/* smc/filter: filter expressions, and the sockets that each selects. */
#include "addr.h"

#include <netdb.h>
#include <pwd.h>

#include "smc/filter.h"
#include "smc/sock.h"

/* Independent of the services and users of this machine. */
struct servent *getservbyname(const char *name, const char *proto)
{
	static struct servent service;

	assert_string_equal(proto, "tcp");
	if (strcmp(name, "http"))
		return NULL;
	service.s_port = htons(80);
	return &service;
}

struct passwd *getpwnam(const char *name)
{
	static struct passwd user;

	if (strcmp(name, "www-data") && strcmp(name, "w"))
		return NULL;
	user.pw_uid = 33;
	return &user;
}

/* A filter of one argument, or none. */
static int parse(struct filter *filter, const char *text, struct smc_err *err)
{
	char *const argv[] = { (char *)(uintptr_t)text };

	return filter_parse(filter, text[0] != '\0', argv, err);
}

/* The sockets; expectations name each by a letter. */
static const struct {
	char letter;
	uint8_t state, mode;
	const char *src;
	uint16_t sport;
	const char *dst;
	uint16_t dport;
	uint32_t uid;
} socks[] = {
	{ 'a', SMC_ABI_LISTEN, 0, "0.0.0.0", 80, "0.0.0.0", 0, 0 },
	{ 'b', SMC_ABI_ACTIVE, 2, "10.0.0.1", 80, "10.0.0.2", 40000, 1000 },
	{ 'c', SMC_ABI_ACTIVE, 1, "10.0.1.1", 443, "192.168.7.9", 50000, 1000 },
	{ 'd', SMC_ABI_ACTIVE, 0, "2001:db8::1", 80, "2001:db8::2", 40001, 0 },
	{ 'e', SMC_ABI_ACTIVE, 0, "::ffff:10.0.0.1", 6379, "::ffff:10.0.0.3", 40002, 4294967294 },
	{ 'f', SMC_ABI_APPCLOSEWAIT1, 2, "10.0.0.1", 8080, "10.0.0.2", 40003, 33 },
	{ 'g', SMC_ABI_INIT, 0, NULL, 0, NULL, 0, 1000 },
	{ 'h', SMC_ABI_CLOSED, 0, "10.0.0.4", 80, "10.0.0.5", 7, 0 },
	{ 'i', 99, 1, NULL, 81, NULL, 40004, 0 },
};

#define ALL "abcdefghi"

/* The letters of the selected sockets. */
static void match(const struct filter *filter, char *letters)
{
	for (size_t i = 0; i < ARRAY_SIZE(socks); i++) {
		const struct smc_sock sock = {
			.state = socks[i].state,
			.mode = socks[i].mode,
			.uid = socks[i].uid,
			.local = address(socks[i].src, socks[i].sport),
			.peer = address(socks[i].dst, socks[i].dport),
		};

		if (filter_match(filter, &sock))
			*letters++ = socks[i].letter;
	}
	*letters = '\0';
}

static struct filter filter;

/* The arguments select these sockets; NULL: they are refused. */
static void check(int argc, const char *const *argv, const char *want)
{
	struct smc_err err = { 0 };
	char letters[sizeof(ALL)];
	int ret = filter_parse(&filter, argc, (char *const *)(uintptr_t)argv, &err);

	if (ret != (want ? 0 : -EINVAL))
		fail_msg("'%s' ...: %d, %s", argv[0], ret, err.text);
	if (ret) {
		assert_int_equal(err.code, EINVAL);
		assert_true(err.text[0] && !strchr(err.text, '\n'));
		return;
	}
	match(&filter, letters);
	if (strcmp(letters, want))
		fail_msg("'%s' ...: %s, not %s", argv[0], letters, want);
}

/* Each of these filters, as one argument and as a word each. */
static void check_each(const char *want, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *argv[64];
		char *at, text[256];
		int argc = 0;

		check(1, &texts[i], want);
		snprintf(text, sizeof(text), "%s", texts[i]);
		for (char *word = strtok_r(text, " ", &at); word; word = strtok_r(NULL, " ", &at))
			argv[argc++] = word;
		check(argc, argv, want);
	}
}

#define SELECT(want, ...)                                                                          \
	check_each(want, (const char *const[]){ __VA_ARGS__ },                                     \
		   sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))
#define REFUSE(...) SELECT(NULL, __VA_ARGS__)

TEST(states)
{
	SELECT("bcde", "state active", "state ACTIVE", "STATE Established");
	SELECT("a", "state listen", "state listening", "state = listen");
	SELECT("g", "state init");
	SELECT("h", "state closed");
	SELECT("f", "state appclosewait1", "state APPLCLW1", "state closing");
	SELECT("bcdef", "state connected");
	SELECT(ALL, "state all");
	SELECT("bcdefghi", "state != listen", "state ne listen");
	REFUSE("state nonsense", "state < listen", "state");
	check(2, (const char *[]){ "state", "" }, NULL);
}

TEST(modes)
{
	SELECT("de", "mode smcr", "mode = SMCR");
	SELECT("bf", "mode smcd");
	SELECT("ci", "mode tcp");
	SELECT("agh", "mode none");
	SELECT("abdefgh", "mode != TCP");
	REFUSE("mode fallback", "mode > tcp", "mode");
}

TEST(ports)
{
	SELECT("b", "port 40000", "dport = 40000");
	SELECT("abdh", "port 80", "port <= 80", "sport 80", "sport = 80", "sport == 80",
	       "sport eq :80", "sport http", "sport = :http", "sport=80", "sport <= 80");
	SELECT("cefgi", "port ne 80", "not port 7 port != 80");
	SELECT("cefi", "sport!=80", "sport ne 80");
	SELECT("ef", "sport > 443");
	SELECT("cef", "sport>=443");
	SELECT("", "sport<80", "dport 0", "sport 65535");
	SELECT("i", "sport gt 80 sport lt 443");
	SELECT("bcdefi", "dport >= 40000");
	REFUSE("sport 65536", "sport -1", "sport 80x", "sport 0x50", "sport 4294967376",
	       "sport 18446744073709551696", "sport 99999999999999999999999",
	       "sport no-such-service", "sport ::80", "sport :", "sport =", "sport = = 80",
	       "sport");
}

/* A v4-mapped address equals the IPv4 address; an unknown value neither equals nor differs. */
TEST(addresses)
{
	SELECT("bef", "src 10.0.0.1", "src = 10.0.0.1", "src 10.0.0.0/30", "src 10.0.0.1/32");
	SELECT("bcefh", "src 10.0.0.0/8", "src 10.0.0.0/23");
	SELECT("befh", "src 10.0.0.0/24", "src 10.0.0.0/29");
	SELECT("abcefh", "src 0.0.0.0/0");
	SELECT("b", "src 10.0.0.1:80", "src 10.0.0.1:http", "src=10.0.0.1:80",
	       "host 10.0.0.1 host 10.0.0.2:40000");
	SELECT("bh", "src 10.0.0.0/8:80");
	SELECT("abdh", "src :80", "src *:80");
	SELECT(ALL, "src any", "src *");
	SELECT("bf", "host 10.0.0.2");
	SELECT("adgi", "host != 10.0.0.0/8");
	REFUSE("host > 10.0.0.1");
	SELECT("c", "dst 192.168.0.0/16", "dst 192.168.7.9:50000");
	SELECT("d", "dst 2001:db8::2", "dst [2001:db8::2]", "dst [2001:db8::2]:40001",
	       "dst 2001:db8::/32", "dst [2001:db8::]/32:40001");
	SELECT("", "dst [2001:db8::2]:40002", "dst 2001:db8::/127");
	SELECT("de", "dst ::/0");
	SELECT("e", "dst ::ffff:10.0.0.3", "dst ::ffff:0:0/96");
	SELECT("acdh", "src != 10.0.0.1");
	SELECT("ad", "src != 10.0.0.0/8");
	SELECT("acdefh", "src != 10.0.0.1:80");
}

TEST(bad_addresses)
{
	REFUSE("src < 10.0.0.1", "src 10.0.0", "src 10.0.0.256", "src 10.0.0.1/33", "src 10.0.0.1/",
	       "src 10.0.0.1/-1", "src 10.0.0.1/8/8", "src 10.0.0.1:", "src 10.0.0.1:65536",
	       "src 2001:db8::/129", "src [2001:db8::1", "src 2001:db8::1]", "src [2001:db8::1]80",
	       "src [2001:db8::1]::80", "src []", "src []:80", "src [/0]", "src [10.0.0.1]",
	       "src /0", "src */0", "src localhost", "src");
	check(2, (const char *[]){ "src", "" }, NULL);
}

TEST(users)
{
	SELECT("bcg", "uid 1000");
	SELECT("f", "uid www-data");
	SELECT("adhi", "uid = 0");
	SELECT("bcefg", "uid!=0");
	SELECT("e", "uid 4294967294", "uid > 1000");
	REFUSE("uid 4294967296", "uid 99999999999999999999999", "uid -1", "uid nobody-here", "uid");
}

/* "and" binds closer than "or", "not" closer than both. */
TEST(connectives)
{
	SELECT("b", "state active mode smcd", "state active and mode smcd",
	       "state active & mode smcd", "state active && mode smcd", "state=active&&mode=smcd",
	       "(mode tcp or mode smcd) and sport 80");
	SELECT("bcfi", "mode smcd or mode tcp", "mode=smcd|mode=tcp", "mode=smcd || mode=tcp",
	       "mode smcd OR mode tcp", "mode tcp or mode smcd");
	SELECT("afghi", "not state active", "! state active", "!state=active");
	SELECT("bcde", "not not state active");
	SELECT("bci", "mode tcp or mode smcd and sport 80", "sport 80 and mode smcd or mode tcp",
	       "mode tcp or mode smcd sport 80");
	SELECT("abdh", "not mode tcp and sport 80", "not(mode tcp)and(sport 80)");
	SELECT("efg", "not ( mode tcp or sport 80 )");
	SELECT("ci", "( ( mode tcp ) )", " mode\ttcp\n");
	SELECT("aef", "dst 10.0.0.0/24 and dport >= 40002 or uid 0 and state listen");
	REFUSE("(", ")", "()", "(mode tcp", "mode tcp)", "mode tcp or", "or mode tcp",
	       "and mode tcp", "mode tcp and and mode tcp", "mode tcp or or mode tcp", "not",
	       "! = 80", "=", "tcp", "mode tcp nonsense", "-j", "\x1b[31m");
	check(0, (const char *[]){ NULL }, ALL);
	check(5, (const char *[]){ "", "mode", "", "tcp", "" }, "ci");
	check(1, (const char *[]){ "" }, NULL);
	check(2, (const char *[]){ " ", "" }, NULL);
}

/* Limits of numbers and prefixes. */
TEST(edges)
{
	SELECT("d", "dst 2001:db8::2/128", "dst 2001:db8::3/127");
	SELECT("", "dst 2001:db8::3", "dst 2001:db8::3/128", "src 10.0.0.0", "src 128.0.0.0/1",
	       "src 12.0.0.0/7", "src 10.128.0.0/9", "src != *", "uid 4294967295");
	SELECT("abcefh", "src 64.0.0.0/1", "src != 2001:db8::1", "src != [2001:db8::1]:80");
	SELECT("bcefh", "src 11.0.0.0/7", "src 10.127.0.0/9");
	SELECT("cefgi", "src != :80");
	SELECT("f", "uid w");
	SELECT(ALL, "uid <= 4294967295");
	SELECT("bceg", "uid >= 1000");
	SELECT("adhi", "uid lt 33");
	SELECT("adfhi", "uid le 33");
	SELECT("bcefg", "uid ge 33");
	SELECT("h", "dport < 8");
	SELECT("abcdefhi", "sport > 0");
}

/* @prefix n times, then "mode tcp", then @suffix n times. */
static int nest(const char *prefix, unsigned int n, const char *suffix, struct smc_err *err)
{
	char text[8192] = "";

	for (unsigned int i = 0; i < n; i++)
		strcat(text, prefix);
	strcat(text, "mode tcp");
	for (unsigned int i = 0; i < n; i++)
		strcat(text, suffix);
	return parse(&filter, text, err);
}

TEST(limits)
{
	struct smc_err err;

	assert_int_equal(nest("(", 16, ")", &err), 0);
	assert_int_equal(nest("(", 17, ")", &err), -EINVAL);
	assert_like(err.text, "*nested*");
	assert_int_equal(nest("!", 16, "", &err), 0);
	assert_int_equal(nest("!", 17, "", &err), -EINVAL);
	assert_int_equal(nest("not (", 9, ")", &err), -EINVAL);
	assert_int_equal(nest("(", 1000, "", &err), -EINVAL);
	/* n + 1 tests need n connectives: 2n + 1 nodes of 64. */
	assert_int_equal(nest("", 31, " or mode tcp", &err), 0);
	assert_int_equal(nest("", 32, " or mode tcp", &err), -EINVAL);
	assert_like(err.text, "*filter *too long");
	assert_int_equal(nest("", 300, " mode tcp", &err), -EINVAL);
	assert_int_equal(nest("sport 1 ", 500, "", &err), -EINVAL);
}

/* An overlong word is refused, not truncated to another one. */
TEST(long_words)
{
	char text[1000];

	for (size_t digits = 120; digits < 900; digits += 60) {
		struct smc_err err = { 0 };
		int ret;

		snprintf(text, sizeof(text), "sport %0*d", (int)digits, 80);
		ret = parse(&filter, text, &err);
		if (!ret)
			assert_int_equal(filter.nodes[filter.root].value, 80);
		else
			assert_true(err.text[0]);
		memset(text, 'x', digits);
		text[digits] = '\0';
		assert_int_equal(parse(&filter, text, &err), -EINVAL);
		assert_true(strlen(err.text) < sizeof(err.text));
	}
}

/* One character more is too many; preceding words count, too. */
TEST(longest_word)
{
	struct smc_err err = { 0 };
	char text[400];

	snprintf(text, sizeof(text), "sport %0319d", 80);
	assert_int_equal(parse(&filter, text, &err), 0);
	assert_int_equal(filter.nodes[filter.root].value, 80);
	snprintf(text, sizeof(text), "sport %0320d", 80);
	assert_int_equal(parse(&filter, text, &err), -EINVAL);
	assert_like(err.text, "a word *too long");
	snprintf(text, sizeof(text), "sport %0320d sport 80", 80);
	assert_int_equal(parse(&filter, text, &err), -EINVAL);
	assert_like(err.text, "a word *too long");
}

/* Depth counts open parentheses, not all of them. */
TEST(wide)
{
	struct smc_err err;

	assert_int_equal(nest("(mode tcp) or ", 20, "", &err), 0);
	assert_int_equal(nest("!mode tcp or ", 20, "", &err), 0);
	assert_int_equal(nest("((((((((", 2, "))))))))", &err), 0);
	assert_int_equal(nest("!(", 8, ")", &err), 0);
	assert_int_equal(nest("!(", 9, ")", &err), -EINVAL);
	assert_like(err.text, "*nested*");
}

/* A state beyond those in a set is only in "all". */
TEST(later_states)
{
	static const struct {
		uint8_t state;
		bool is_connected;
	} rows[] = { { 31, true }, { 32, false }, { 33, false }, { 255, false } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct smc_sock sock = { .state = rows[i].state };
		char *const connected[] = { (char[]){ "state connected" } };
		char *const all[] = { (char[]){ "state all" } };

		assert_int_equal(filter_parse(&filter, 1, connected, NULL), 0);
		assert_int_equal(filter_match(&filter, &sock), rows[i].is_connected);
		assert_int_equal(filter_parse(&filter, 1, all, NULL), 0);
		assert_true(filter_match(&filter, &sock));
	}
}

/* A name is matched as a whole word, with case. */
TEST(namespaces)
{
	static const struct {
		const char *text, *netns;
		bool is_match;
	} rows[] = {
		{ "netns shop/web-1", "shop/web-1", true },
		{ "netns shop/web-1", "shop/web-12", false },
		{ "netns shop/web-12", "shop/web-1", false },
		{ "netns = shop/web-1 mode smcr", "shop/web-1", true },
		{ "(netns==host)", "host", true },
		{ "netns Host", "host", false },
		{ "netns != host", "host", false },
		{ "netns!=host", "web", true },
		{ "netns net:[4026532281]", "net:[4026532281]", true },
		{ "netns host", NULL, false },
		{ "netns != host", NULL, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct smc_sock sock = { .netns = rows[i].netns };

		assert_int_equal(parse(&filter, rows[i].text, NULL), 0);
		assert_true(filter.has_netns);
		assert_int_equal(filter_match(&filter, &sock), rows[i].is_match);
	}
}

/* Addresses are looked up only for these; a state replaces the defaults. */
TEST(asks_for)
{
	static const struct {
		const char *text;
		bool has_addr, has_state;
	} rows[] = {
		{ "src 10.0.0.1", true, false },
		{ "mode tcp and not dst 10.0.0.0/8", true, false },
		{ "uid 0 host ::1", true, false },
		{ "sport = 80 dport > 1", false, false },
		{ "port 80 netns host mode smcd state all", false, true },
		{ "sport 80", false, false },
		{ "state all", false, true },
		{ "sport 80 and not state listen", false, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(parse(&filter, rows[i].text, NULL), 0);
		assert_int_equal(filter.has_addr, rows[i].has_addr);
		assert_int_equal(filter.has_state, rows[i].has_state);
	}
}

/* Position of the error, and the expected word. */
TEST(sentences)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "(", "*ends *a test *" },
		{ ")", "')' *not a test" },
		{ ">= 80", "'>=' *not a test" },
		{ "(mode tcp", "*ends *a closing parenthesis *" },
		{ "x", "'x' *(state, mode, uid, netns, port, sport, dport, host, src, dst)" },
		{ "stat active", "*did you mean 'state'*" },
		{ "netns", "*ends *a network namespace *" },
		{ "netns < a", "'a' *not a network namespace" },
		{ "sport", "*ends *a port *" },
		{ "sport x", "'x' *not a port" },
		{ "uid u", "'u' *not a user" },
		{ "mode tcp )", "')' *not expected here" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct smc_err err;

		assert_int_equal(parse(&filter, rows[i].text, &err), -EINVAL);
		assert_like(err.text, rows[i].want);
	}
}

TEST(possible_states)
{
	static const struct {
		const char *text;
		bool listens, is_active;
	} rows[] = {
		{ "", true, true },
		{ "sport 80", true, true },
		{ "not sport 80", true, true },
		{ "state all", true, true },
		{ "state listen", true, false },
		{ "state listen and sport 80", true, false },
		{ "sport 80 and state listen", true, false },
		{ "state listen or sport 80", true, true },
		{ "state listen or state init", true, false },
		{ "state != listen", false, true },
		{ "not state listen", false, true },
		{ "not (state listen or sport 80)", false, true },
		{ "not (state active and sport 80)", true, true },
		{ "not (state active or sport 80)", true, false },
		{ "state active and state listen", false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(parse(&filter, rows[i].text, NULL), 0);
		assert_int_equal(filter_can_match(&filter, SMC_ABI_LISTEN), rows[i].listens);
		assert_int_equal(filter_can_match(&filter, SMC_ABI_ACTIVE), rows[i].is_active);
	}
}
