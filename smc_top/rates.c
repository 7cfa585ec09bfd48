// SPDX-License-Identifier: MIT
/* Consecutive samples of all SMC sockets, and the traffic of each between them. */
#include "rates.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/memory.h"
#include "netlink/genl.h"
#include "smc/stats.h"
#include "sockets/fetch.h"
#include "sockets/lookup.h"

/* While sockets open and close, a dump may miss an existing one. */
#define MISSES_MAX 5

/** struct item - a socket of the last sample */
struct item {
	struct top_row row;
	struct smc_sample sample;
};

/**
 * struct known - data on a socket from an earlier sample
 * @is_looked_up: @local and @peer are final, whether known or not
 * @is_connected: it was a connection
 * @misses: number of samples since then without it
 */
struct known {
	uint64_t cookie;
	struct smc_sample sample;
	struct smc_addr local, peer;
	bool is_looked_up, is_connected, is_seen;
	unsigned int misses;
};

struct known_list {
	struct known *entries;
	size_t count;
};

/** struct tcp_list - the TCP sockets of this network namespace, by their ends */
struct tcp_list {
	struct smc_tcp *entries;
	size_t count;
};

/**
 * struct rates - the last sample
 * @known: by cookie, from that sample and earlier ones
 * @at: its time; @before: time of the previous one; 0: none
 * @now: time of the kernel's first answer in the current sample, used for all rows: then seconds
 *	times rate gives exactly the bytes moved
 * @genl: for the kernel's sums; NULL: unavailable
 * @stats, @has_stats: as of the last sample
 */
struct rates {
	struct item *items;
	size_t count;
	struct known_list known;
	struct tcp_list tcp;
	struct sockets_lookup lookup;
	int64_t at, before, now;
	struct smc_genl *genl;
	bool is_asked;
	struct smc_stats stats;
	bool has_stats;
	struct smc_err *err;
};

struct rates *rates_new(void)
{
	return xcalloc(1, sizeof(struct rates));
}

size_t rates_count(const struct rates *rates)
{
	return rates->count;
}

struct top_row *rates_row(struct rates *rates, size_t index)
{
	return &rates->items[index].row;
}

double rates_seconds(const struct rates *rates)
{
	return rates->before ? (double)(rates->at - rates->before) / 1e9 : 0;
}

/* ---- the kernel's sums ---- */

static int begin(void *arg)
{
	struct rates *rates = arg;

	rates->count = 0;
	rates->now = 0;
	return 0;
}

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	struct rates *rates = arg;
	struct item *item = smc_array_add(&rates->items, &rates->count);

	if (!rates->now)
		rates->now = clock_ns(CLOCK_MONOTONIC);
	if (smc_sock_decode(&item->row.base.sock, nlh))
		return smc_err_say(rates->err, EBADMSG,
				   "the kernel's answer about a socket is too short");
	smc_sample_sock(&item->sample, &item->row.base.sock, rates->now);
	return 0;
}

/* Error of kernels before 5.11 and 5.14, and of records? Then rates are less certain. */
static bool is_without(int ret)
{
	return ret == -ENOENT || ret == -EOPNOTSUPP || ret == -ENODATA;
}

/* Read the kernel's total counts. @has: receives whether they are available */
static int read_stats(struct rates *rates, struct smc_stats *stats, bool *has)
{
	int ret = 0;

	*stats = (struct smc_stats){ .tech = { { .value = { 0 } } } };
	if (!rates->is_asked)
		ret = smc_genl_open(&rates->genl, SMC_GENL_FAMILY_NAME, rates->err);
	rates->is_asked = true;
	if (!ret && rates->genl)
		ret = smc_genl_dump(rates->genl, SMC_NETLINK_GET_STATS, smc_stats_decode, stats,
				    rates->err);
	*has = !ret && rates->genl;
	return is_without(ret) ? 0 : ret;
}

/* ---- TCP sockets inside of fallen-back connections ---- */

static int compare_addr(const struct smc_addr *x, const struct smc_addr *y)
{
	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	return memcmp(x->ip, y->ip, sizeof(x->ip));
}

static int compare_tcp(const void *a, const void *b)
{
	const struct smc_tcp *x = a, *y = b;
	int order = compare_addr(&x->local, &y->local);

	return order ? order : compare_addr(&x->peer, &y->peer);
}

static int on_tcp(const struct nlmsghdr *nlh, void *arg)
{
	struct tcp_list *list = arg;
	struct smc_tcp *tcp = smc_array_add(&list->entries, &list->count);

	return smc_tcp_decode(tcp, nlh);
}

static int load_tcp(struct rates *rates)
{
	int ret;

	rates->tcp.count = 0;
	ret = sockets_tcp_dump(AF_INET, smc_tcp_request, on_tcp, &rates->tcp, rates->err);
	if (!ret)
		ret = sockets_tcp_dump(AF_INET6, smc_tcp_request, on_tcp, &rates->tcp, rates->err);
	if (rates->tcp.count)
		qsort(rates->tcp.entries, rates->tcp.count, sizeof(*rates->tcp.entries),
		      compare_tcp);
	return ret;
}

static void sample_tcp(const struct rates *rates, struct item *item)
{
	struct smc_tcp key = { .local = item->row.base.sock.local,
			       .peer = item->row.base.sock.peer };
	const struct smc_tcp *tcp = NULL;

	smc_addr_unmap(&key.local);
	smc_addr_unmap(&key.peer);
	if (rates->tcp.count)
		tcp = bsearch(&key, rates->tcp.entries, rates->tcp.count, sizeof(key), compare_tcp);
	if (tcp)
		smc_sample_tcp(&item->sample, tcp, rates->now);
}

/* ---- earlier samples ---- */

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return (x->cookie > y->cookie) - (x->cookie < y->cookie);
}

static struct known *find(const struct known_list *list, uint64_t cookie)
{
	const struct known key = { .cookie = cookie };

	return list->count ? bsearch(&key, list->entries, list->count, sizeof(key), compare_known) :
			     NULL;
}

bool rates_selects(const struct top_opts *opts, const struct smc_sock *sock)
{
	enum smc_mode mode = smc_sock_mode(sock);

	return smc_sock_connected(sock) && (!opts->only_smcd || mode == SMC_MODE_SMCD) &&
	       (!opts->only_smcr || mode == SMC_MODE_SMCR);
}

/* Cache addresses that had to be looked up, as each look-up dumps all TCP sockets. */
static int complete(struct rates *rates, const struct top_opts *opts)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < rates->count; i++) {
		struct smc_sock *sock = &rates->items[i].row.base.sock;
		const struct known *known;

		if (!rates_selects(opts, sock) || !smc_sock_needs_lookup(sock))
			continue;
		known = find(&rates->known, sock->cookie);
		if (known && known->is_looked_up) {
			sock->local = known->local;
			sock->peer = known->peer;
		} else {
			ret = sockets_complete(&rates->lookup, sock, rates->err);
		}
	}
	return ret;
}

static int sample_fallbacks(struct rates *rates)
{
	bool is_loaded = false;
	int ret = 0;

	for (size_t i = 0; !ret && i < rates->count; i++) {
		struct item *item = &rates->items[i];

		if (smc_sock_mode(&item->row.base.sock) != SMC_MODE_TCP)
			continue;
		if (!is_loaded)
			ret = load_tcp(rates);
		is_loaded = true;
		if (!ret)
			sample_tcp(rates, item);
	}
	return ret;
}

/* ---- traffic ---- */

/*
 * Previous sample of a row; NULL if the connection is new, or was none at that time. @since: start
 * of the interval; time of the current sample if there is nothing to report
 */
static const struct smc_sample *base_of(struct rates *rates, const struct item *item,
					int64_t *since)
{
	struct known *known = find(&rates->known, item->row.base.sock.cookie);

	*since = rates->at ? rates->at : rates->now;
	if (!known)
		return NULL;
	known->is_seen = true;
	*since = known->sample.at;
	/* It was a connection before, but its traffic until then is unknown. */
	if (known->is_connected && known->sample.mode != item->sample.mode)
		*since = rates->now;
	return &known->sample;
}

static void add_moved(struct rates *rates, const struct item *item, uint64_t *in, uint64_t *out)
{
	uint64_t moved_in, moved_out;
	int64_t since;
	const struct smc_sample *base = base_of(rates, item, &since);

	if (since >= rates->now)
		return;
	smc_moved(base, &item->sample, &moved_in, &moved_out);
	*in += moved_in;
	*out += moved_out;
}

static bool since(const struct smc_tech_stats *now, const struct smc_tech_stats *before, int index,
		  uint64_t *count)
{
	if (!now->has[index] || !before->has[index] || now->value[index] < before->value[index])
		return false;
	*count = now->value[index] - before->value[index];
	return true;
}

/*
 * Return: bytes of a direction that the kernel counted beyond @shown, the sum of the cursors;
 * UINT64_MAX if not known, as there were calls whose bytes it does not count. @uncounted: index of
 * their number
 */
static uint64_t unseen_of(const struct smc_tech_stats *now, const struct smc_tech_stats *before,
			  int index, int uncounted, uint64_t shown)
{
	uint64_t total, calls;

	if (!since(now, before, index, &total) || !since(now, before, uncounted, &calls) || calls)
		return UINT64_MAX;
	return total > shown ? total - shown : 0;
}

static struct smc_unseen compare_sums(struct rates *rates, enum smc_mode mode,
				      const struct smc_stats *stats)
{
	int tech = mode == SMC_MODE_SMCD ? SMC_TECH_D : SMC_TECH_R;
	const struct smc_tech_stats *last = &stats->tech[tech], *first = &rates->stats.tech[tech];
	uint64_t in = 0, out = 0;

	for (size_t i = 0; i < rates->count; i++)
		if (rates->items[i].sample.mode == mode)
			add_moved(rates, &rates->items[i], &in, &out);
	/* splice(2), and sendfile(2) before Linux 6.5, are counted as calls only. */
	return (struct smc_unseen){
		.in = unseen_of(last, first, SMC_STAT_RX_BYTES, SMC_STAT_SPLICE, in),
		.out = unseen_of(last, first, SMC_STAT_TX_BYTES, SMC_STAT_SENDPAGE, out),
	};
}

static int compute(struct rates *rates)
{
	struct smc_unseen unseen[SMC_MODE_TCP + 1];
	struct smc_stats stats;
	bool has_stats;
	int ret = read_stats(rates, &stats, &has_stats);

	if (ret)
		return ret;
	/* Not known. */
	memset(unseen, 0xff, sizeof(unseen));
	if (has_stats && rates->has_stats) {
		unseen[SMC_MODE_SMCR] = compare_sums(rates, SMC_MODE_SMCR, &stats);
		unseen[SMC_MODE_SMCD] = compare_sums(rates, SMC_MODE_SMCD, &stats);
	}
	for (size_t i = 0; i < rates->count; i++) {
		struct item *item = &rates->items[i];
		int64_t since;
		const struct smc_sample *base = base_of(rates, item, &since);

		smc_rate(&item->row.rate, base, &item->sample, since, &unseen[item->sample.mode]);
	}
	rates->stats = stats;
	rates->has_stats = has_stats;
	return 0;
}

/* ---- prepare the next sample ---- */

static void remember(struct known_list *list, const struct item *item)
{
	const struct smc_sock *sock = &item->row.base.sock;
	struct known known = {
		.cookie = sock->cookie,
		.sample = item->sample,
		.local = sock->local,
		.peer = sock->peer,
		.is_connected = smc_sock_connected(sock),
	};

	known.is_looked_up = known.is_connected && smc_sock_mode(sock) != SMC_MODE_NONE;
	*smc_array_add(&list->entries, &list->count) = known;
}

/* Keep the sockets of this sample, and those that it may have missed. */
static void renew(struct rates *rates)
{
	struct known_list list = { .entries = NULL };

	for (size_t i = 0; i < rates->count; i++)
		remember(&list, &rates->items[i]);
	for (size_t i = 0; i < rates->known.count; i++) {
		struct known *known = &rates->known.entries[i];

		if (!known->is_seen && ++known->misses <= MISSES_MAX)
			*smc_array_add(&list.entries, &list.count) = *known;
	}
	if (list.count)
		qsort(list.entries, list.count, sizeof(*list.entries), compare_known);
	free(rates->known.entries);
	rates->known = list;
}

int rates_take(struct rates *rates, const struct top_opts *opts, struct smc_err *err)
{
	const struct sockets_source source = {
		.ext = SOCKETS_EXT_ALL,
		.begin = begin,
		.on_message = on_message,
		.arg = rates,
	};
	int ret;

	rates->err = err;
	ret = sockets_fetch(&source, err);
	if (!ret)
		ret = complete(rates, opts);
	sockets_lookup_free(&rates->lookup);
	if (!ret)
		ret = sample_fallbacks(rates);
	if (!ret)
		ret = compute(rates);
	if (ret) {
		rates->count = 0;
		return ret;
	}
	renew(rates);
	rates->before = rates->at;
	rates->at = rates->now ? rates->now : clock_ns(CLOCK_MONOTONIC);
	return 0;
}

void rates_free(struct rates *rates)
{
	if (!rates)
		return;
	smc_genl_close(rates->genl);
	sockets_lookup_free(&rates->lookup);
	free(rates->items);
	free(rates->known.entries);
	free(rates->tcp.entries);
	free(rates);
}
