// SPDX-License-Identifier: MIT
/* Consecutive samples of all SMC sockets, and each socket's traffic between two samples. */
#include "smc_top/rates.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/memory.h"
#include "netlink/genl.h"
#include "sockets/fetch.h"

/* While sockets open and close, a dump may miss an existing one. */
#define MISSES_MAX 5

/**
 * struct known - data on a socket from an earlier sample
 * @is_looked_up: @local and @peer are final, whether known or not
 * @is_connected: it was a connection; @misses: number of samples since then without it
 */
struct known {
	uint64_t cookie;
	struct smc_sample sample;
	struct smc_addr local, peer;
	bool is_looked_up, is_connected, is_seen;
	unsigned int misses;
};

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
	struct top_row *row = smc_array_add(&rates->rows, &rates->count);

	if (!rates->now)
		rates->now = clock_ns(CLOCK_MONOTONIC);
	if (smc_sock_decode(&row->base.sock, nlh))
		return smc_err_say(rates->err, EBADMSG,
				   "the kernel's answer about a socket is too short");
	smc_sample_sock(&row->sample, &row->base.sock, rates->now);
	return 0;
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
	/* Kernels before 5.11 and 5.14, and records, have no sums: rates are less certain. */
	return ret == -ENOENT || ret == -EOPNOTSUPP || ret == -ENODATA ? 0 : ret;
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
	struct rates *rates = arg;

	return smc_tcp_decode(smc_array_add(&rates->tcp, &rates->n_tcp), nlh);
}

static int load_tcp(struct rates *rates)
{
	int ret;

	rates->n_tcp = 0;
	ret = sockets_tcp_dump(AF_INET, smc_tcp_request, on_tcp, rates, rates->err);
	if (!ret)
		ret = sockets_tcp_dump(AF_INET6, smc_tcp_request, on_tcp, rates, rates->err);
	smc_array_sort(rates->tcp, rates->n_tcp, compare_tcp);
	return ret;
}

static void sample_tcp(const struct rates *rates, struct top_row *row)
{
	struct smc_tcp key = { .local = row->base.sock.local, .peer = row->base.sock.peer };
	const struct smc_tcp *tcp;

	smc_addr_unmap(&key.local);
	smc_addr_unmap(&key.peer);
	tcp = smc_array_search(&key, rates->tcp, rates->n_tcp, compare_tcp);
	if (tcp)
		smc_sample_tcp(&row->sample, tcp, rates->now);
}

/* ---- earlier samples ---- */

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return (x->cookie > y->cookie) - (x->cookie < y->cookie);
}

static struct known *find(const struct rates *rates, uint64_t cookie)
{
	const struct known key = { .cookie = cookie };

	return smc_array_search(&key, rates->known, rates->n_known, compare_known);
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
		struct smc_sock *sock = &rates->rows[i].base.sock;
		const struct known *known;

		if (!rates_selects(opts, sock) || !smc_sock_needs_lookup(sock))
			continue;
		known = find(rates, sock->cookie);
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
		struct top_row *row = &rates->rows[i];

		if (smc_sock_mode(&row->base.sock) != SMC_MODE_TCP)
			continue;
		if (!is_loaded)
			ret = load_tcp(rates);
		is_loaded = true;
		if (!ret)
			sample_tcp(rates, row);
	}
	return ret;
}

/* ---- traffic ---- */

/*
 * Previous sample of a row; NULL if the connection is new, or was none at that time. @since: start
 * of the interval; time of the current sample if there is nothing to report
 */
static const struct smc_sample *base_of(struct rates *rates, const struct top_row *row,
					int64_t *since)
{
	struct known *known = find(rates, row->base.sock.cookie);

	*since = rates->at ? rates->at : rates->now;
	if (!known)
		return NULL;
	known->is_seen = true;
	*since = known->sample.at;
	/* The socket was a connection before, but its traffic until then is unknown. */
	if (known->is_connected && known->sample.mode != row->sample.mode)
		*since = rates->now;
	return &known->sample;
}

static void add_moved(struct rates *rates, const struct top_row *row, uint64_t *in, uint64_t *out)
{
	uint64_t moved_in, moved_out;
	int64_t since;
	const struct smc_sample *base = base_of(rates, row, &since);

	if (since >= rates->now)
		return;
	smc_moved(base, &row->sample, &moved_in, &moved_out);
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
 * UINT64_MAX if unknown because of calls whose bytes it does not count. @uncounted: index of their
 * number
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
		if (rates->rows[i].sample.mode == mode)
			add_moved(rates, &rates->rows[i], &in, &out);
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
		struct top_row *row = &rates->rows[i];
		int64_t since;
		const struct smc_sample *base = base_of(rates, row, &since);

		smc_rate(&row->rate, base, &row->sample, since, &unseen[row->sample.mode]);
	}
	rates->stats = stats;
	rates->has_stats = has_stats;
	return 0;
}

/* ---- prepare the next sample ---- */

/* Keep the sockets of this sample, and those that it may have missed. */
static void renew(struct rates *rates)
{
	struct known *all = NULL;
	size_t count = 0;

	for_each(row, rates->rows, rates->count) {
		const struct smc_sock *sock = &row->base.sock;
		bool is_connected = smc_sock_connected(sock);

		*smc_array_add(&all, &count) = (struct known){
			.cookie = sock->cookie,
			.sample = row->sample,
			.local = sock->local,
			.peer = sock->peer,
			.is_looked_up = is_connected && smc_sock_mode(sock) != SMC_MODE_NONE,
			.is_connected = is_connected,
		};
	}
	for (size_t i = 0; i < rates->n_known; i++) {
		struct known *known = &rates->known[i];

		if (!known->is_seen && ++known->misses <= MISSES_MAX)
			*smc_array_add(&all, &count) = *known;
	}
	smc_array_sort(all, count, compare_known);
	free(rates->known);
	rates->known = all;
	rates->n_known = count;
}

int rates_take(struct rates *rates, const struct top_opts *opts, struct smc_err *err)
{
	const struct sockets_source source = {
		.ext = SOCKETS_EXT_ALL,
		.begin = begin,
		.on_message = on_message,
		.arg = rates,
	};
	int64_t before = rates->at;
	int ret;

	rates->err = err;
	ret = sockets_fetch(&source, err) ?: complete(rates, opts);
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
	rates->at = rates->now ? rates->now : clock_ns(CLOCK_MONOTONIC);
	rates->seconds = before ? (double)(rates->at - before) / 1e9 : 0;
	return 0;
}

void rates_free(struct rates *rates)
{
	smc_genl_close(rates->genl);
	sockets_lookup_free(&rates->lookup);
	free(rates->rows);
	free(rates->known);
	free(rates->tcp);
}
