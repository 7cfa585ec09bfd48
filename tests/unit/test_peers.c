// SPDX-License-Identifier: MIT
/* One table of filters for all that read them: sockets, the library's rules, policies. */
#include "addr.h"

#include "launch/rules.h"
#include "settings/policy.h"
#include "smc/filter.h"
#include "smc/sock.h"
#include "smc/peer_list.h"

/* Connections and listeners; expectations name each by a letter. */
static const struct {
	char letter;
	bool is_listen;
	const char *local;
	uint16_t lport;
	const char *peer;
	uint16_t pport;
} places[] = {
	{ 'a', false, "10.0.0.1", 40000, "10.0.0.2", 6379 },
	{ 'b', false, "10.0.0.1", 40000, "10.9.0.2", 80 },
	{ 'c', false, "fd00::1", 40000, "fd00::2", 6379 },
	{ 'd', false, "10.0.0.1", 6379, "192.168.0.1", 50000 },
	{ 'L', true, "10.0.0.1", 6379, NULL, 0 },
	{ 'M', true, "fd00::1", 80, NULL, 0 },
};

/*
 * @sockets: those that smcss and others show. @rules: those that the library gives SMC; @items: of
 * a policy that allows them, separated by ';'; @rules_word, @items_word: refused instead
 */
static const struct {
	const char *filter, *sockets, *rules, *rules_word, *items, *items_word;
} rows[] = {
	{ "dport = 6379", "ac", "ac", NULL, "to 0.0.0.0/0:6379;to [::]/0:6379", NULL },
	{ "dport 6379 and dst 10.0.0.0/8", "a", "a", NULL, "to 10.0.0.0/8:6379", NULL },
	{ "dst 10.0.0.0/8", "ab", "ab", NULL, "10.0.0.0/8", NULL },
	{ "dst = 10.0.0.0/16 or dst fd00::/8", "ac", "ac", NULL, "10.0.0.0/16;fd00::/8", NULL },
	{ "dst 10.0.0.0/8 and not dport 80", "a", "a", NULL,
	  "to 10.0.0.0/8:1-79;to 10.0.0.0/8:81-65535", NULL },
	{ "dport >= 80 and dport < 6379", "b", "b", NULL, "to 0.0.0.0/0:80-6378;to [::]/0:80-6378",
	  NULL },
	{ "dst 10.0.0.0/8 dst 10.9.0.0/16", "b", "b", NULL, "10.9.0.0/16", NULL },
	{ "dst 10.0.0.2:6379", "a", "a", NULL, "to 10.0.0.2:6379", NULL },
	{ "sport = 6379", "dL", "L", NULL, "from 0.0.0.0/0:6379;from [::]/0:6379", NULL },
	{ "sport 6379 dst 192.168.0.0/16", "d", NULL, "'sport'", "from 192.168.0.0/16:6379", NULL },
	{ "src fd00::/8", "cM", "M", NULL, NULL, "'src'" },
	{ "port = 6379 and dst 10.0.0.2", "a", NULL, "'sport'",
	  "from 10.0.0.2:6379;to 10.0.0.2:6379", NULL },
	{ "not (dport != 80)", "bLM", "b", NULL, "to 0.0.0.0/0:80;to [::]/0:80", NULL },
	{ "dst != 10.0.0.2", "bcd", NULL, "'dst'", NULL, "'dst'" },
	{ "not src 10.0.0.1", "cM", NULL, "'src'", NULL, "'src'" },
	{ "sport 1 dport 2", "", NULL, "'sport'", NULL, "'sport'" },
	{ "mode smcd", "", NULL, "'mode'", NULL, "'mode'" },
	{ "state listen", "LM", NULL, "'state'", NULL, "'state'" },
	{ "uid 0", "abcdLM", NULL, "'uid'", NULL, "'uid'" },
	{ "dport 80 dport 81", "", NULL, "no connection", NULL, "no connection" },
};

static bool is_shown(const struct filter *filter, size_t i)
{
	const struct smc_sock sock = {
		.state = places[i].is_listen ? SMC_ABI_LISTEN : SMC_ABI_ACTIVE,
		.local = address(places[i].local, places[i].lport),
		.peer = address(places[i].peer, places[i].pport),
	};

	return filter_match(filter, &sock);
}

static bool is_allowed(const struct rules *rules, size_t i)
{
	bool is_listen = places[i].is_listen;
	const char *host = is_listen ? places[i].local : places[i].peer;
	uint16_t port = htons(is_listen ? places[i].lport : places[i].pport);
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = port };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = port };

	if (inet_pton(AF_INET, host, &in.sin_addr) == 1)
		return rules_allow(rules, is_listen, (struct sockaddr *)&in, sizeof(in));
	assert_int_equal(inet_pton(AF_INET6, host, &in6.sin6_addr), 1);
	return rules_allow(rules, is_listen, (struct sockaddr *)&in6, sizeof(in6));
}

TEST(sockets)
{
	struct filter filter;
	struct smc_err err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *const words[] = { (char *)(uintptr_t)rows[i].filter };
		char shown[16] = "", *at = shown;

		assert_int_equal(filter_parse(&filter, 1, words, &err), 0);
		for (size_t k = 0; k < ARRAY_SIZE(places); k++)
			if (is_shown(&filter, k))
				*at++ = places[k].letter;
		if (strcmp(shown, rows[i].sockets))
			fail_msg("%s: %s", rows[i].filter, shown);
	}
}

TEST(rules_of_the_library)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct peers peers = { .count = 0 };
		char allowed[16] = "", *at = allowed;
		struct rules rules = { .count = 0 };
		const char *list = NULL, *bad;
		struct smc_err err = { 0 };
		int ret = peers_parse(&peers, rows[i].filter, false, &err);

		ret = ret ? ret : peers_list(&list, &peers, &err);
		assert_int_equal(ret, rows[i].rules ? 0 : -EINVAL);
		if (ret && !strstr(err.text, rows[i].rules_word))
			fail_msg("%s: %s", rows[i].filter, err.text);
		assert_int_equal(ret ? 0 : rules_parse(&rules, false, list, &bad), 0);
		for (size_t k = 0; !ret && k < ARRAY_SIZE(places); k++)
			if (is_allowed(&rules, k))
				*at++ = places[k].letter;
		if (!ret && strcmp(allowed, rows[i].rules))
			fail_msg("%s: %s: %s", rows[i].filter, list, allowed);
		free((void *)(uintptr_t)list);
	}
}

static int take(void *text, const char *item)
{
	size_t len = strlen(text);

	assert_int_equal(strncmp(item, "allow ", 6), 0);
	snprintf((char *)text + len, 400 - len, "%s%s", len ? ";" : "", item + 6);
	return 0;
}

TEST(policies)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *words[] = { "allow", rows[i].filter };
		struct smc_err err = { 0 };
		char items[400] = "";
		size_t bad;
		int ret = policy_line(words, 2, &bad, take, items, &err);

		assert_int_equal(ret, rows[i].items ? 0 : -EINVAL);
		if (!ret && strcmp(items, rows[i].items))
			fail_msg("%s: %s", rows[i].filter, items);
		if (ret && !strstr(err.text, rows[i].items_word))
			fail_msg("%s: %s", rows[i].filter, err.text);
	}
}
