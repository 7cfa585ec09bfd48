// SPDX-License-Identifier: MIT
/*
 * smc_top/rates: samples of a simulated kernel, at given times: new and closed connections, gaps in
 * dumps, and totals that detect wrapped cursors.
 */
#include "test.h"

#include <time.h>

#include "netlink/diag.h"
#include "netlink/genl.h"
#include "smc/stats.h"
#include "smc_top/rates.h"

#define BUF 65536U
#define LAP (65536ULL * BUF)
#define SECOND 1000000000LL

/* ---- the kernel ---- */

struct conn {
	uint32_t cookie;
	uint8_t mode;
	uint64_t in, out;
	bool is_nameless; /* like IPPROTO_SMC sockets: ports, but no addresses */
};

static struct {
	int64_t time;
	struct conn conns[8];
	size_t count;
	uint64_t rx, tx, splices; /* totals of the statistics */
	int stats_result, dump_result;
	uint64_t tcp_received;
	unsigned int tcp_dumps;
} kernel;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	*time = (struct timespec){ .tv_sec = (time_t)(kernel.time / SECOND),
				   .tv_nsec = (long)(kernel.time % SECOND) };
	return 0;
}

static struct smc_diag_cursor cursor(uint64_t bytes)
{
	return (struct smc_diag_cursor){ .wrap = (uint16_t)(bytes / BUF),
					 .count = (uint32_t)(bytes % BUF) };
}

static int tell(const struct conn *conn, smc_diag_fn fn, void *arg)
{
	struct smc_abi_diag_msg msg = {
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.mode = conn->mode,
		.id.cookie = { conn->cookie, 0 },
		.id.sport = htons((uint16_t)conn->cookie),
		.id.dport = htons(9),
	};
	const struct smc_diag_conninfo info = {
		.sndbuf_size = BUF,
		.rmbe_size = BUF,
		.peer_rmbe_size = BUF,
		.rx_prod = cursor(conn->in),
		.tx_cons = cursor(conn->in),
		.tx_prod = cursor(conn->out),
		.rx_cons = cursor(conn->out),
		.tx_prep = cursor(conn->out),
		.tx_fin = cursor(conn->out),
	};
	struct message m;

	if (!conn->is_nameless) {
		set_words(msg.id.src, AF_INET, "10.0.0.1");
		set_words(msg.id.dst, AF_INET, "10.0.0.2");
	}
	message_sock(&m, &msg);
	if (conn->mode != SMC_DIAG_MODE_FALLBACK_TCP)
		message_attr(&m, SMC_DIAG_CONNINFO, &info, sizeof(info));
	return fn(&m.nlh, arg);
}

/* The TCP socket inside connection 7. */
static int tell_tcp(smc_diag_fn fn, void *arg)
{
	struct inet_diag_msg msg = { .idiag_family = AF_INET,
				     .idiag_state = 1,
				     .id.idiag_sport = htons(7),
				     .id.idiag_dport = htons(9) };
	uint8_t info[216] = { 0 };
	struct message m;

	set_words(msg.id.idiag_src, AF_INET, "10.0.0.1");
	set_words(msg.id.idiag_dst, AF_INET, "10.0.0.2");
	memcpy(info + 128, &kernel.tcp_received, sizeof(kernel.tcp_received));
	message_start(&m, SOCK_DIAG_BY_FAMILY);
	message_put(&m, &msg, sizeof(msg));
	message_attr(&m, INET_DIAG_INFO, info, sizeof(info));
	return fn(&m.nlh, arg);
}

int smc_diag_dump(const void *req, size_t len, size_t body, smc_diag_fn fn, void *arg,
		  struct smc_err *err)
{
	uint8_t family = *(const uint8_t *)req;
	int ret = kernel.dump_result;

	kernel.tcp_dumps += family == AF_INET;
	if (family == AF_INET)
		return tell_tcp(fn, arg);
	if (family == AF_INET6)
		return -ENOENT;
	for (size_t i = 0; !ret && i < kernel.count; i++)
		ret = tell(&kernel.conns[i], fn, arg);
	return ret ? smc_err_set(err, -ret, "dump") : 0;
}

int smc_genl_open(struct smc_genl **nl, const char *family, struct smc_err *err)
{
	static char socket;

	assert_string_equal(family, "SMC_GEN_NETLINK");
	*nl = (struct smc_genl *)(void *)&socket;
	return 0;
}

void smc_genl_close(struct smc_genl *nl)
{
}

static int put_stats(smc_genl_fn fn, void *arg)
{
	/* test_stats tests the decoding. */
	struct smc_tech_stats *stats = &((struct smc_stats *)arg)->tech[SMC_TECH_D];

	stats->has[SMC_STAT_RX_BYTES] = stats->has[SMC_STAT_TX_BYTES] = true;
	stats->has[SMC_STAT_SPLICE] = stats->has[SMC_STAT_SENDPAGE] = true;
	stats->value[SMC_STAT_RX_BYTES] = kernel.rx;
	stats->value[SMC_STAT_TX_BYTES] = kernel.tx;
	stats->value[SMC_STAT_SPLICE] = kernel.splices;
	return 0;
}

int smc_genl_dump(struct smc_genl *nl, uint8_t cmd, smc_genl_fn fn, void *arg, struct smc_err *err)
{
	assert_non_null(nl);
	assert_int_equal(cmd, SMC_NETLINK_GET_STATS);
	if (kernel.stats_result)
		return smc_err_set(err, -kernel.stats_result, "statistics");
	return put_stats(fn, arg);
}

/* ---- the tests ---- */

static const struct top_opts opts = { 0 };
static struct rates rates;

FIXTURE(reset)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.time = 1000 * SECOND;
	rates = (struct rates){ 0 };
	return 0;
}

FIXTURE(clean)
{
	rates_free(&rates);
	return 0;
}

static struct conn *add(uint32_t cookie, uint8_t mode, uint64_t in, uint64_t out)
{
	kernel.conns[kernel.count] = (struct conn){ cookie, mode, in, out, false };
	return &kernel.conns[kernel.count++];
}

static void after(double seconds)
{
	struct smc_err err = { 0 };

	kernel.time += (int64_t)(seconds * (double)SECOND);
	assert_int_equal(rates_take(&rates, &opts, &err), 0);
}

/* Rate of the connection with this cookie. */
static const struct smc_rate *rate(uint32_t cookie)
{
	for (size_t i = 0; i < rates.count; i++)
		if (rates.rows[i].base.sock.cookie == cookie)
			return &rates.rows[i].rate;
	return NULL;
}

TEST(moving)
{
	struct conn *conn = add(3, SMC_DIAG_MODE_SMCD, 5 * LAP / 10, LAP - 1);

	add(1, SMC_DIAG_MODE_SMCD, 7, 8);
	after(0);
	assert_int_equal(rates.count, 2);
	assert_int_equal(rate(3)->has, SMC_RATE_HAS_FILL);
	assert_true(rates.seconds == 0);
	conn->in += 4000;
	conn->out = 1999;
	after(2);
	assert_true(rates.seconds == 2);
	assert_int_equal(rate(3)->in.bytes, 2000);
	assert_int_equal(rate(3)->out.bytes, 1000);
	assert_int_equal(rate(1)->in.bytes, 0);
	assert_int_equal(rate(1)->has, SMC_RATE_HAS_RATES | SMC_RATE_HAS_FILL);
	after(1);
	assert_int_equal(rate(3)->in.bytes, 0);
}

TEST(coming_and_going)
{
	add(1, SMC_DIAG_MODE_SMCD, 7, 8);
	after(0);
	/* A new one: all of its bytes were moved since the previous sample. */
	add(2, SMC_DIAG_MODE_SMCD, 300, 600);
	after(3);
	assert_int_equal(rate(2)->in.bytes, 100);
	assert_int_equal(rate(2)->out.bytes, 200);
	kernel.count = 1;
	after(1);
	assert_null(rate(2));
	assert_non_null(rate(1));
}

/* Sockets come and go during a dump: it may skip one that stays. */
TEST(left_out)
{
	add(1, SMC_DIAG_MODE_SMCD, 7, 8);
	add(2, SMC_DIAG_MODE_SMCD, 1000000, 0);
	after(0);
	for (int i = 0; i < 5; i++) {
		kernel.count = 1;
		after(1);
	}
	kernel.count = 2;
	kernel.conns[1].in += 6000;
	after(1);
	assert_int_equal(rate(2)->in.bytes, 1000);
	/* A connection that is missing in this many samples is closed; its cookie is new then. */
	for (int i = 0; i < 6; i++) {
		kernel.count = 1;
		after(1);
	}
	kernel.count = 2;
	kernel.conns[1].in = 50;
	after(1);
	assert_int_equal(rate(2)->in.bytes, 50);
}

TEST(sums)
{
	struct conn *conn = add(1, SMC_DIAG_MODE_SMCD, 0, 0);

	add(2, SMC_DIAG_MODE_SMCD, 0, 0);
	after(0);
	/* No gap. */
	conn->in = kernel.rx = 500000000;
	after(1);
	assert_int_equal(rate(1)->in.bytes, 500000000);
	assert_false(rate(1)->in.is_least || rate(2)->in.is_least || rate(1)->out.is_least);
	/* The totals show one more wrap than the cursors: it may be of any connection. */
	conn->in += 100;
	kernel.rx += 100 + LAP;
	after(1);
	assert_int_equal(rate(1)->in.bytes, 100);
	assert_true(rate(1)->in.is_least && rate(2)->in.is_least);
	assert_false(rate(1)->out.is_least);
	after(1);
	assert_false(rate(1)->in.is_least);
	/* Calls that are missing in the totals. */
	kernel.splices++;
	after(1);
	assert_true(rate(1)->in.is_least);
	assert_false(rate(1)->out.is_least);
	/* A kernel without statistics. */
	kernel.stats_result = -EOPNOTSUPP;
	after(1);
	assert_true(rate(1)->in.is_least && rate(1)->out.is_least);
	/* The first totals after the gap do not count. */
	kernel.stats_result = 0;
	after(1);
	assert_true(rate(1)->in.is_least && rate(1)->out.is_least);
	after(1);
	assert_false(rate(1)->in.is_least || rate(1)->out.is_least);
}

TEST(fallen_back)
{
	kernel.tcp_received = 1ULL << 40;
	add(7, SMC_DIAG_MODE_FALLBACK_TCP, 0, 0);
	add(8, SMC_DIAG_MODE_FALLBACK_TCP, 0, 0);
	after(0);
	kernel.tcp_received += 3000;
	after(2);
	assert_int_equal(rate(7)->has, SMC_RATE_HAS_RATES);
	assert_int_equal(rate(7)->in.bytes, 1500);
	/* The TCP socket of connection 8 is unknown. */
	assert_int_equal(rate(8)->has, 0);
	/* A new cookie is a new connection: earlier bytes do not count. */
	kernel.conns[1].cookie = 7;
	kernel.conns[0].cookie = 8;
	after(1);
	assert_non_null(rate(8));
	assert_int_equal(rate(8)->has, 0);
}

/* Each look-up is a dump of all TCP sockets: only one per connection. */
TEST(nameless)
{
	add(7, SMC_DIAG_MODE_SMCD, 0, 0)->is_nameless = true;
	for (unsigned int i = 0; i < 3; i++) {
		after(1);
		assert_int_equal(rates.rows[0].base.sock.local.family, AF_INET);
		assert_int_equal(rates.rows[0].base.sock.peer.ip[3], 2);
		assert_int_equal(kernel.tcp_dumps, 1);
	}
}

TEST(failing)
{
	struct conn *conn = add(1, SMC_DIAG_MODE_SMCD, 0, 0);
	struct smc_err err = { 0 };

	after(0);
	kernel.dump_result = -EPERM;
	kernel.time += SECOND;
	assert_int_equal(rates_take(&rates, &opts, &err), -EPERM);
	assert_int_equal(rates.count, 0);
	kernel.dump_result = 0;
	kernel.stats_result = -ENOBUFS;
	assert_int_equal(rates_take(&rates, &opts, &err), -ENOBUFS);
	kernel.stats_result = 0;
	conn->in = 4000;
	after(1);
	assert_int_equal(rate(1)->in.bytes, 2000);
}

static struct fixture fixture = { .setup = reset, .teardown = clean };
