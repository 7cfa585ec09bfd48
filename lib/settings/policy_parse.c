// SPDX-License-Identifier: MIT
/* Lines of a policy to its rules. */
#include "settings/policy.h"

#include <errno.h>
#include <string.h>
#include <arpa/inet.h>

#include "base/array.h"
#include "base/words.h"

#define MAPPED_BITS 96 /* of an IPv4 address in IPv6, RFC 4291 2.5.5.2 */

struct item {
	struct netaddr net;
	struct policy_range ports;
};

/* Digits at @at, up to @max. */
static bool take_number(const char **at, unsigned long max, unsigned long *number)
{
	const char *digit = *at;

	for (*number = 0; *digit >= '0' && *digit <= '9' && *number <= max; digit++)
		*number = *number * 10 + (unsigned long)(*digit - '0');
	if (digit == *at || *number > max)
		return false;
	*at = digit;
	return true;
}

/* PORT or LOW-HIGH. */
static bool take_ports(const char **at, struct policy_range *ports)
{
	unsigned long low, high;

	if (!take_number(at, UINT16_MAX, &low))
		return false;
	high = low;
	if (**at == '-') {
		(*at)++;
		if (!take_number(at, UINT16_MAX, &high))
			return false;
	}
	*ports = (struct policy_range){ (uint16_t)low, (uint16_t)high };
	return low && low <= high;
}

/* An address: of IPv4, of IPv6 in brackets, or of IPv6, which no port can follow. */
static bool take_host(const char **at, struct netaddr *net)
{
	const char *colon = strchr(*at, ':');
	bool is_bracketed = **at == '[', is_v6 = is_bracketed || (colon && strchr(colon + 1, ':'));
	char text[INET6_ADDRSTRLEN];
	size_t len;

	*at += is_bracketed;
	len = strcspn(*at, is_bracketed ? "]" : is_v6 ? "/" : "/:");
	if (len >= sizeof(text) || (is_bracketed && !(*at)[len]))
		return false;
	memcpy(text, *at, len);
	text[len] = '\0';
	*at += len + is_bracketed;
	net->family = is_v6 ? AF_INET6 : AF_INET;
	net->prefix = is_v6 ? 128 : 32;
	return inet_pton(net->family, text, net->bytes) == 1;
}

static bool is_mapped(const struct netaddr *net)
{
	static const uint8_t prefix[12] = { [10] = 0xff, 0xff };

	return net->family == AF_INET6 && net->prefix >= MAPPED_BITS &&
	       !memcmp(net->bytes, prefix, sizeof(prefix));
}

/* May only be called with a whole address. Return: 0, -EINVAL with the network that it is in */
static int check_bits(const struct netaddr *net, struct smc_err *err)
{
	char text[NETADDR_TEXT_SIZE], subnet[NETADDR_TEXT_SIZE];

	netaddr_text(text, net, false);
	netaddr_text(subnet, net, true);
	return strcmp(text, subnet) ? smc_err_say(err, EINVAL,
						  "has bits behind its prefix: the "
						  "network is %s",
						  subnet) :
				      0;
}

static int take_item(const char *word, struct item *item, struct smc_err *err)
{
	bool is_bracketed = *word == '[';
	unsigned long prefix;

	*item = (struct item){ .ports = { 0, UINT16_MAX } };
	if (!take_host(&word, &item->net))
		goto wrong;
	if (*word == '/') {
		word++;
		if (!take_number(&word, item->net.prefix, &prefix))
			goto wrong;
		item->net.prefix = (unsigned int)prefix;
	}
	if (*word == ':' && (is_bracketed || item->net.family == AF_INET)) {
		word++;
		if (!take_ports(&word, &item->ports) || *word)
			return smc_err_say(err, EINVAL,
					   "expected a port from 1 to 65535 behind "
					   "the colon, or some as 8000-8100");
	}
	if (*word)
		goto wrong;
	if (is_mapped(&item->net))
		return smc_err_say(err, EINVAL,
				   "expected an address of IPv4 to be written as one, "
				   "such as 10.0.0.1");
	return check_bits(&item->net, err);
wrong:
	return smc_err_say(err, EINVAL,
			   "expected a network such as 10.0.0.0/8, fd00::/8, "
			   "10.9.0.7:5432 or [fd00::]/8:5432");
}

static int add_network(struct policy *policy, enum policy_action action, enum policy_side side,
		       const struct item *item, struct smc_err *err)
{
	struct policy_rule *rule = policy_rule(policy, action, side, item->ports);

	if (policy->count > POLICY_RULES_MAX) {
		policy->count--;
		return smc_err_say(err, EINVAL,
				   "one combination too many of allow or deny, to or "
				   "from, and ports: %d are possible",
				   POLICY_RULES_MAX);
	}
	smc_array_append(&rule->nets, &rule->count, &rule->size, &item->net, sizeof(item->net));
	return 0;
}

/* PORTS, more of them behind commas. */
static int add_ports(struct policy *policy, const char *word, struct smc_err *err)
{
	struct policy_range ports;

	do {
		if (!take_ports(&word, &ports) || (*word && *word != ','))
			return smc_err_say(err, EINVAL,
					   "expected ports from 1 to 65535 such as "
					   "22,443,8000-8100");
		smc_array_append(&policy->ports, &policy->port_count, &policy->port_size, &ports,
				 sizeof(ports));
	} while (*word++);
	return 0;
}

static int read_rule(struct policy *policy, enum policy_action action, const char *const *words,
		     size_t count, size_t *bad, struct smc_err *err)
{
	enum policy_side side = POLICY_BOTH;
	bool is_ports = false;
	struct item item;
	int ret = 0;

	if (count > 1 && !strcmp(words[1], "to"))
		side = POLICY_TO;
	else if (count > 1 && !strcmp(words[1], "from"))
		side = POLICY_FROM;
	else if (count > 1 && action == POLICY_DENY && !strcmp(words[1], "port"))
		is_ports = true;
	*bad = side || is_ports;
	if (count == *bad + 1)
		return smc_err_say(
			err, EINVAL,
			is_ports ? "expected ports behind it" :
				   "expected networks behind it, such as 10.0.0.0/8 or fd00::/8");
	while (!ret && ++*bad < count) {
		if (is_ports) {
			ret = add_ports(policy, words[*bad], err);
			continue;
		}
		ret = take_item(words[*bad], &item, err);
		if (!ret)
			ret = add_network(policy, action, side, &item, err);
	}
	return ret;
}

static int only_nft(struct smc_err *err)
{
	return smc_err_say(err, EINVAL, "only nftables can learn: 'by bpf' cannot have 'learn'");
}

static int read_learn(struct policy *policy, const char *word, struct smc_err *err)
{
	static const struct {
		char unit;
		unsigned int seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	unsigned long number;

	if (!take_number(&word, POLICY_LEARN_MAX, &number))
		goto wrong;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (word[0] != units[i].unit || word[1])
			continue;
		if (!number || number > POLICY_LEARN_MAX / units[i].seconds)
			break;
		number *= units[i].seconds;
		if (policy->learn && policy->learn != number)
			return smc_err_say(err, EINVAL, "another time was given before");
		if (policy->by == POLICY_BY_BPF)
			return only_nft(err);
		policy->learn = (uint32_t)number;
		return 0;
	}
wrong:
	return smc_err_say(err, EINVAL, "expected a time from 1s to 365d, with s, m, h or d");
}

static int read_by(struct policy *policy, const char *word, struct smc_err *err)
{
	enum policy_by by = POLICY_BY_NFT;

	while (by <= POLICY_BY_BPF && strcmp(word, policy_by_name(by)))
		by++;
	if (by > POLICY_BY_BPF)
		return smc_err_say(err, EINVAL, "expected nft or bpf");
	if (policy->by && policy->by != by)
		return smc_err_say(err, EINVAL, "the other one was given before");
	if (by == POLICY_BY_BPF && policy->learn)
		return only_nft(err);
	policy->by = by;
	return 0;
}

static const char *const keywords[] = { "allow", "deny", "learn", "by", NULL };

bool policy_is_keyword(const char *word)
{
	for (size_t i = 0; keywords[i]; i++)
		if (!strcmp(word, keywords[i]))
			return true;
	return false;
}

int policy_line(struct policy *policy, const char *const *words, size_t count, size_t *bad,
		struct smc_err *err)
{
	bool is_learn;

	*bad = 0;
	if (!count || !policy_is_keyword(words[0]))
		return smc_err_say(err, EINVAL, "expected allow, deny, learn or by");
	if (!strcmp(words[0], "allow"))
		return read_rule(policy, POLICY_ALLOW, words, count, bad, err);
	if (!strcmp(words[0], "deny"))
		return read_rule(policy, POLICY_DENY, words, count, bad, err);
	is_learn = !strcmp(words[0], "learn");
	if (count == 1)
		return smc_err_say(err, EINVAL,
				   is_learn ? "expected a time behind it, such as "
					      "24h" :
					      "expected nft or bpf behind it");
	*bad = 2;
	if (count > 2)
		return smc_err_say(err, EINVAL, "expected the end of the line");
	*bad = 1;
	return is_learn ? read_learn(policy, words[1], err) : read_by(policy, words[1], err);
}

void policy_lines(struct policy *policy, char *text)
{
	struct smc_err ignored = { 0 };
	char *line, *words[256];
	size_t count, bad;

	while ((line = strsep(&text, "\n"))) {
		count = words_split(line, words, 256);
		if (count && !strcmp(words[0], "netns"))
			break;
		if (count && count < 256 && policy_is_keyword(words[0]))
			policy_line(policy, (const char *const *)words, count, &bad, &ignored);
	}
	policy_settle(policy);
}
