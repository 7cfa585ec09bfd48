// SPDX-License-Identifier: MIT
/* extra/smc_top/rate: wrapping cursors, buffers of every size, and the bottleneck. */
#include "test.h"

#include "smc_top/rate.h"

#define SECOND 1000000000LL
#define BUF 65536U
#define DMB 65504U
#define LAPS 65536ULL

static const struct smc_unseen unknown = { UINT64_MAX, UINT64_MAX };

/* The kernel's counters match the cursors. */
static const struct smc_unseen nothing;

static struct smc_diag_cursor at(uint64_t bytes, uint32_t size)
{
	return (struct smc_diag_cursor){ .wrap = (uint16_t)(bytes / size),
					 .count = (uint32_t)(bytes % size) };
}

/* struct where - bytes since the beginning */
struct where {
	uint64_t arrived, read, written, sent, gone, peer_read;
};

static struct smc_sock sock_of(uint8_t mode, uint32_t rcvbuf, uint32_t sndbuf, uint32_t peerbuf,
			       struct where where)
{
	return (struct smc_sock){
		.has = SMC_SOCK_HAS_CONN,
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.mode = mode,
		.conn = {
			.rmbe_size = rcvbuf,
			.sndbuf_size = sndbuf,
			.peer_rmbe_size = peerbuf,
			.rx_prod = at(where.arrived, rcvbuf),
			.tx_cons = at(where.read, rcvbuf),
			.tx_prod = at(where.sent, peerbuf),
			.rx_cons = at(where.peer_read, peerbuf),
			.tx_prep = at(where.written, sndbuf),
			.tx_sent = at(where.sent, sndbuf),
			.tx_fin = at(where.gone, sndbuf),
		},
	};
}

static struct smc_sample smcr_at(int64_t time, struct where where)
{
	struct smc_sock sock = sock_of(SMC_DIAG_MODE_SMCR, BUF, BUF, BUF, where);
	struct smc_sample sample;

	smc_sample_sock(&sample, &sock, time);
	return sample;
}

static struct smc_rate rate_of(struct where before, struct where now)
{
	struct smc_sample first = smcr_at(0, before), last = smcr_at(SECOND, now);
	struct smc_rate rate;

	smc_rate(&rate, &first, &last, first.at, &nothing);
	assert_int_equal(rate.has, SMC_RATE_HAS_RATES | SMC_RATE_HAS_FILL);
	return rate;
}

/* All written bytes have arrived and were read. */
static struct where idle(uint64_t in, uint64_t out)
{
	return (struct where){ in, in, out, out, out, out };
}

TEST(rates)
{
	struct smc_sample first = smcr_at(SECOND, idle(1000, 5)), last;
	struct smc_rate rate = rate_of(idle(1000, 5), idle(4001000, 3000005));

	assert_int_equal(rate.in.bytes, 4000000);
	assert_int_equal(rate.out.bytes, 3000000);
	assert_false(rate.in.is_least || rate.out.is_least);
	last = smcr_at(SECOND + SECOND / 4, idle(1500, 5));
	smc_rate(&rate, &first, &last, first.at, &nothing);
	assert_int_equal(rate.in.bytes, 2000);
	assert_int_equal(rate.out.bytes, 0);
}

TEST(wraps)
{
	/* Wrap of a cursor's 16-bit lap counter, for each size of buffer. */
	static const uint32_t sizes[] = { 16384, 16352, DMB, BUF, 524288, 524256, 1U << 31 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint64_t end = LAPS * sizes[i];
		struct smc_sock one = sock_of(SMC_DIAG_MODE_SMCD, sizes[i], sizes[i], sizes[i],
					      idle(end - 3, end - sizes[i]));
		struct smc_sock other = sock_of(SMC_DIAG_MODE_SMCD, sizes[i], sizes[i], sizes[i],
						idle(end + 4, end + 1));
		struct smc_sample before, now;
		uint64_t in, out;

		smc_sample_sock(&before, &one, 0);
		smc_sample_sock(&now, &other, SECOND);
		assert_int_equal(before.in, end - 3);
		assert_int_equal(now.in, 4);
		smc_moved(&before, &now, &in, &out);
		assert_int_equal(in, 7);
		assert_int_equal(out, sizes[i] + 1);
	}
}

/* Each cursor counts laps of its own buffer. */
TEST(sizes)
{
	struct smc_sock sock =
		sock_of(SMC_DIAG_MODE_SMCR, 16384, 131072, 524288,
			(struct where){ 100000, 90000, 700000, 600000, 590000, 200000 });
	struct smc_sample sample;

	smc_sample_sock(&sample, &sock, 7);
	assert_int_equal(sample.at, 7);
	assert_int_equal(sample.mode, SMC_MODE_SMCR);
	assert_int_equal(sample.in, 100000);
	assert_int_equal(sample.out, 600000);
	assert_int_equal(sample.in_lap, LAPS * 16384);
	assert_int_equal(sample.out_lap, LAPS * 524288);
	assert_int_equal(sample.unread.bytes, 10000);
	assert_int_equal(sample.unsent.bytes, 110000);
	assert_int_equal(sample.peer_unread.bytes, 400000);
}

/* The kernel reads the cursors one after the other: some are newer than others. */
TEST(unlocked)
{
	struct smc_sample sample = smcr_at(0, (struct where){ 100, 200, 50, 60, 70, 0 });
	struct smc_sample older = smcr_at(0, idle(2 * BUF, 3 * BUF)), newer;
	uint64_t in, out;

	assert_int_equal(sample.unread.bytes, 0);
	assert_int_equal(sample.unsent.bytes, 0);
	/* More than fits counts as full. */
	sample = smcr_at(0, (struct where){ 3 * BUF, BUF, 0, 3 * BUF, 0, 0 });
	assert_int_equal(sample.unread.bytes, BUF);
	assert_int_equal(sample.peer_unread.bytes, BUF);
	/* Laps and bytes are read separately: a cursor may go back by less than a buffer. */
	newer = smcr_at(SECOND, idle(BUF + 1, 2 * BUF + 1));
	smc_moved(&older, &newer, &in, &out);
	assert_int_equal(in, 0);
	assert_int_equal(out, 0);
}

/* More than 65536 laps look like fewer. */
TEST(doubt)
{
	struct smc_sample first = smcr_at(0, idle(0, 0)), last = smcr_at(SECOND, idle(10, 20));
	struct smc_unseen unseen = nothing;
	struct smc_rate rate;

	smc_rate(&rate, &first, &last, 0, &unknown);
	assert_true(rate.in.is_least && rate.out.is_least);
	assert_int_equal(rate.in.bytes, 10);
	unseen.in = LAPS * BUF / 2;
	unseen.out = LAPS * BUF / 2 - 1;
	smc_rate(&rate, &first, &last, 0, &unseen);
	assert_true(rate.in.is_least && !rate.out.is_least);
	unseen = (struct smc_unseen){ .in = UINT64_MAX };
	smc_rate(&rate, &first, &last, 0, &unseen);
	assert_true(rate.in.is_least && !rate.out.is_least);
	/* Impossible speed: 4 GiB in 80 ms exceed 400 Gbit/s. */
	last.at = 80000000;
	smc_rate(&rate, &first, &last, 0, &unknown);
	assert_false(rate.in.is_least || rate.out.is_least);
	last.at = 90000000;
	smc_rate(&rate, &first, &last, 0, &unknown);
	assert_true(rate.in.is_least && rate.out.is_least);
}

TEST(newcomers)
{
	struct smc_sample none = { .at = 0, .mode = SMC_MODE_NONE };
	struct smc_sample now = smcr_at(2 * SECOND, idle(300, 400));
	struct smc_rate rate;

	smc_rate(&rate, NULL, &now, SECOND, &nothing);
	assert_int_equal(rate.in.bytes, 300);
	assert_int_equal(rate.out.bytes, 400);
	smc_rate(&rate, &none, &now, none.at, &nothing);
	assert_int_equal(rate.in.bytes, 150);
	/* No previous sample: no rate, only the fill of the buffers. */
	smc_rate(&rate, NULL, &now, now.at, &nothing);
	assert_int_equal(rate.has, SMC_RATE_HAS_FILL);
	smc_rate(&rate, &now, &none, 0, &nothing);
	assert_int_equal(rate.has, 0);
}

static enum smc_bottleneck bottleneck_of(struct where now)
{
	return rate_of(idle(0, 0), now).bottleneck;
}

TEST(bottlenecks)
{
	const uint32_t most = BUF - BUF / 4;

	assert_int_equal(rate_of(idle(9, 9), idle(9, 9)).bottleneck, SMC_BOTTLENECK_NONE);
	assert_int_equal(bottleneck_of(idle(10, 20)), SMC_BOTTLENECK_WRITER);
	assert_int_equal(bottleneck_of(idle(20, 10)), SMC_BOTTLENECK_PEER_WRITER);
	assert_int_equal(bottleneck_of((struct where){ .arrived = most }), SMC_BOTTLENECK_READER);
	assert_int_equal(bottleneck_of((struct where){ .arrived = most - 1 }),
			 SMC_BOTTLENECK_PEER_WRITER);
	assert_int_equal(
		bottleneck_of((struct where){ .written = most, .sent = most, .gone = most }),
		SMC_BOTTLENECK_PEER_READER);
	/* Both buffers are full: the peer's is reported. */
	assert_int_equal(
		bottleneck_of((struct where){ .written = 2 * BUF, .sent = BUF, .gone = BUF }),
		SMC_BOTTLENECK_PEER_READER);
	assert_int_equal(bottleneck_of((struct where){ .written = BUF }), SMC_BOTTLENECK_LINK);
	/* If both directions are limited, the one limited by the local program is reported. */
	assert_int_equal(
		bottleneck_of((struct where){ .arrived = BUF, .written = BUF, .sent = BUF }),
		SMC_BOTTLENECK_READER);
}

TEST(tcp)
{
	struct smc_tcp one = { .has_info = true, .received = 1ULL << 40, .sent = 5 }, other = one;
	struct smc_sample before, now;
	struct smc_rate rate;

	other.received += 700;
	other.sent += 800;
	smc_sample_tcp(&before, &one, 0);
	smc_sample_tcp(&now, &other, SECOND);
	smc_rate(&rate, &before, &now, 0, &unknown);
	assert_int_equal(rate.has, SMC_RATE_HAS_RATES);
	assert_int_equal(rate.in.bytes, 700);
	assert_int_equal(rate.out.bytes, 800);
	assert_false(rate.in.is_least || rate.out.is_least);
	/* Another socket: received bytes cannot decrease. */
	smc_rate(&rate, &now, &before, -SECOND, &unknown);
	assert_int_equal(rate.in.bytes, 0);
	one.has_info = false;
	smc_sample_tcp(&now, &one, SECOND);
	assert_int_equal(now.mode, SMC_MODE_NONE);
}

/* Arbitrary values of a record. */
TEST(nonsense)
{
	struct smc_sock sock = sock_of(SMC_DIAG_MODE_SMCR, BUF, BUF, BUF, idle(1, 1));
	struct smc_sample sample;

	sock.conn.rx_prod = (struct smc_diag_cursor){ .wrap = 65535, .count = UINT32_MAX };
	sock.conn.sndbuf_size = 0;
	smc_sample_sock(&sample, &sock, 0);
	assert_true(sample.in < sample.in_lap);
	assert_int_equal(sample.unsent.bytes, 0);
	sock.conn.peer_rmbe_size = 0;
	smc_sample_sock(&sample, &sock, 0);
	assert_int_equal(sample.mode, SMC_MODE_NONE);
	sock = sock_of(SMC_DIAG_MODE_SMCR, BUF, BUF, BUF, idle(1, 1));
	sock.has = 0;
	smc_sample_sock(&sample, &sock, 0);
	assert_int_equal(sample.mode, SMC_MODE_NONE);
	sock.has = SMC_SOCK_HAS_CONN;
	sock.mode = SMC_DIAG_MODE_FALLBACK_TCP;
	smc_sample_sock(&sample, &sock, 0);
	assert_int_equal(sample.mode, SMC_MODE_NONE);
}
