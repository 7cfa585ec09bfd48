// SPDX-License-Identifier: MIT
#include "smc/peer_list.h"

#include <ctype.h>
#include <sys/param.h>

#include "base/memory.h"
#include "smc/filter.h"

static const char separators[] = ", \t\n";
static const char listen_word[] = "listen";

static int add(struct peers *peers, const struct peer *peer, struct smc_err *err)
{
	if (peers->count == PEERS_MAX)
		return smc_err_say(err, EINVAL, "more than %d rules", PEERS_MAX);
	peers->all[peers->count++] = *peer;
	return 0;
}

/* ---- expressions ---- */

static int add_ports(struct peers *peers, enum peer_side side, uint32_t low, uint32_t high,
		     struct smc_err *err)
{
	struct peer peer = { 0 };

	peer.ends[side].low = (uint16_t)low;
	peer.ends[side].high = (uint16_t)high;
	return high && low <= high ? add(peers, &peer, err) : 0;
}

static int add_test(struct peers *peers, const struct filter_node *node, bool is_negated,
		    struct smc_err *err)
{
	static const enum filter_op opposite[] = {
		[FILTER_EQ] = FILTER_NE, [FILTER_NE] = FILTER_EQ, [FILTER_LT] = FILTER_GE,
		[FILTER_LE] = FILTER_GT, [FILTER_GT] = FILTER_LE, [FILTER_GE] = FILTER_LT,
	};
	enum filter_op op = is_negated ? opposite[node->op] : node->op;
	bool is_addr = node->kind == FILTER_SRC || node->kind == FILTER_DST;
	bool is_local = node->kind == FILTER_SRC || node->kind == FILTER_SPORT;
	enum peer_side side = is_local ? PEER_LOCAL : PEER_REMOTE;
	struct peer peer = { 0 };
	int ret = 0;

	if (is_addr && op != FILTER_EQ)
		return smc_err_say(err, EINVAL, "'%s' cannot exclude addresses here",
				   is_local ? "src" : "dst");
	if (is_addr) {
		peer.ends[side] = node->end;
		peer.ends[side].low = node->has_port ? (uint16_t)node->value : 0;
		peer.ends[side].high = node->has_port ? (uint16_t)node->value : UINT16_MAX;
		return add(peers, &peer, err);
	}
	if (op == FILTER_EQ)
		return add_ports(peers, side, node->value, node->value, err);
	if (op == FILTER_NE || op == FILTER_LT || op == FILTER_LE)
		ret = add_ports(peers, side, 1, node->value - (op != FILTER_LE), err);
	if (!ret && (op == FILTER_NE || op == FILTER_GT || op == FILTER_GE))
		ret = add_ports(peers, side, node->value + (op != FILTER_GE), UINT16_MAX, err);
	return ret;
}

/* Reduce an end to what is in both. Return: false for nothing */
static bool meet(struct scan_end *end, const struct scan_end *other)
{
	uint16_t low = MAX(end->low, other->low), high = MIN(end->high, other->high);

	if (!other->high)
		return true;
	if (end->high && end->family && other->family &&
	    (end->family != other->family ||
	     !same_bits(end->bytes, other->bytes, MIN(end->bits, other->bits))))
		return false;
	if (!end->high)
		high = other->high;
	if (!end->family || other->bits > end->bits)
		*end = *other;
	end->low = low;
	end->high = high;
	return low <= high;
}

/* Add all alternatives for which a node is true, or false. */
static int flatten(struct peers *peers, const struct filter *filter, uint8_t index, bool is_negated,
		   struct smc_err *err)
{
	const struct filter_node *node = &filter->nodes[index];
	struct peers left = { .count = 0 }, right = { .count = 0 };
	int ret;

	if (node->kind == FILTER_NOT)
		return flatten(peers, filter, node->left, !is_negated, err);
	if (node->kind != FILTER_AND && node->kind != FILTER_OR)
		return add_test(peers, node, is_negated, err);
	if ((node->kind == FILTER_OR) != is_negated) {
		ret = flatten(peers, filter, node->left, is_negated, err);
		return ret ? ret : flatten(peers, filter, node->right, is_negated, err);
	}
	ret = flatten(&left, filter, node->left, is_negated, err);
	ret = ret ? ret : flatten(&right, filter, node->right, is_negated, err);
	for (size_t i = 0; !ret && i < left.count * right.count; i++) {
		const struct peer *other = &right.all[i % right.count];
		struct peer both = left.all[i / right.count];

		if (meet(&both.ends[0], &other->ends[0]) && meet(&both.ends[1], &other->ends[1]))
			ret = add(peers, &both, err);
	}
	return ret;
}

static int parse_filter(struct peers *peers, const char *text, struct smc_err *err)
{
	char *const words[] = { (char *)(uintptr_t)text };
	size_t before = peers->count;
	struct filter filter;
	int ret = filter_parse_tests(&filter, NULL, 1, words, err);

	if (!ret)
		ret = flatten(peers, &filter, filter.root, false, err);
	if (!ret && peers->count == before)
		ret = smc_err_say(err, EINVAL, "no connection can match '%s'", text);
	return ret;
}

/* ---- lists ---- */

static bool read_item(struct peer *peer, const char *item, bool is_server)
{
	size_t len = strlen(listen_word);
	bool is_listen = !strncmp(item, listen_word, len) && (!item[len] || item[len] == ':');
	struct scan_end end = { .high = UINT16_MAX };

	if (is_listen)
		item += len + !!item[len];
	if ((!is_listen || item[-1] == ':') && !scan_end(item, &end))
		return false;
	*peer = (struct peer){ 0 };
	if (is_server) {
		peer->ends[PEER_LOCAL] = (struct scan_end){ .low = end.low, .high = end.high };
		end.low = 0;
		end.high = UINT16_MAX;
	}
	peer->ends[is_listen ? PEER_LOCAL : PEER_REMOTE] = end;
	return true;
}

bool peers_are_filter(const char *text)
{
	size_t word;

	text += strspn(text, separators);
	word = strcspn(text, ", \t\n()!=<>&|");
	return strspn(text, "(!") || (isalpha((unsigned char)*text) && !memchr(text, ':', word) &&
				      strncmp(text, listen_word, strlen(listen_word)));
}

int peers_parse(struct peers *peers, const char *text, bool is_server, struct smc_err *err)
{
	char item[128]; /* "listen:[ADDR]/128:65534-65535" has 71 characters */
	struct peer peer;
	int ret = 0;

	if (peers_are_filter(text))
		return parse_filter(peers, text, err);
	while (!ret && *(text += strspn(text, separators))) {
		size_t len = strcspn(text, separators);

		snprintf(item, sizeof(item), "%.*s", (int)len, text);
		if (!read_item(&peer, item, is_server))
			return smc_err_say(err, EINVAL,
					   "'%s' is not a rule such as 6379, listen:80-90, "
					   "10.0.0.0/8:6379, [fd00::1]:80, or a filter",
					   item);
		ret = add(peers, &peer, err);
		text += len;
	}
	return ret;
}

void peer_end_text(char text[PEER_TEXT_SIZE], const struct scan_end *end)
{
	bool is_v6 = end->family == AF_INET6;
	char addr[INET6_ADDRSTRLEN];
	int len = 0;

	if (end->family)
		len = snprintf(text, PEER_TEXT_SIZE, is_v6 && end->low ? "[%s]" : "%s",
			       inet_ntop(end->family, end->bytes, addr, sizeof(addr)));
	if (end->family && end->bits != (is_v6 ? 128 : 32))
		len += snprintf(text + len, PEER_TEXT_SIZE - (size_t)len, "/%u", end->bits);
	if (!end->low)
		strcpy(text + len, len ? "" : "*");
	else if (end->low == end->high)
		sprintf(text + len, "%s%u", len ? ":" : "", end->low);
	else
		sprintf(text + len, "%s%u-%u", len ? ":" : "", end->low, end->high);
}

int peers_list(const char **list, const struct peers *peers, struct smc_err *err)
{
	char text[PEER_TEXT_SIZE], *before;

	for (size_t i = 0; i < peers->count; i++) {
		const struct scan_end *ends = peers->all[i].ends;
		bool is_listen = ends[PEER_LOCAL].high;

		if (is_listen && ends[PEER_REMOTE].high)
			return smc_err_say(err, EINVAL,
					   "'src' and 'sport' are of listening sockets here, "
					   "which have no 'dst' and 'dport'");
		peer_end_text(text, &ends[is_listen ? PEER_LOCAL : PEER_REMOTE]);
		before = (char *)(uintptr_t)*list;
		*list = xprintf("%s%s%s%s", before ? before : "", before ? "," : "",
				is_listen ? "listen:" : "", text);
		free(before);
	}
	return 0;
}
