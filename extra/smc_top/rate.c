// SPDX-License-Identifier: MIT
/* Rate of a connection, and its bottleneck. */
#include "base/libc.h"
#include "smc_top/rate.h"

#define LAPS 65536ULL
/* 400 Gbit/s: no connection is faster, as one processor on either side copies each byte. */
#define FASTEST_BYTES_PER_SECOND 50e9
#define NS_PER_SECOND 1e9

/* A buffer at this fill level makes the writer wait, or soon will. */
static bool is_full(const struct smc_fill *buffer)
{
	return buffer->size && buffer->bytes >= buffer->size - buffer->size / 4;
}

/* Bytes since the start, modulo 65536 buffers. A record may contain any numbers. */
static uint64_t position(const struct smc_diag_cursor *cursor, uint32_t size)
{
	return size ? ((uint64_t)cursor->wrap * size + cursor->count) % (LAPS * size) : 0;
}

/* Distance from one cursor to the one ahead of it, in the same buffer. */
static struct smc_fill distance(const struct smc_diag_cursor *from,
				const struct smc_diag_cursor *to, uint32_t size)
{
	uint64_t lap = LAPS * size, bytes = 0;

	if (size)
		bytes = (position(to, size) + lap - position(from, size)) % lap;
	if (bytes > lap / 2)
		bytes = 0;
	return (struct smc_fill){ bytes < size ? (uint32_t)bytes : size, size };
}

void smc_sample_sock(struct smc_sample *sample, const struct smc_sock *sock, int64_t at)
{
	const struct smc_diag_conninfo *conn = &sock->conn;
	enum smc_mode mode = smc_sock_mode(sock);

	*sample = (struct smc_sample){ .at = at };
	if (!(sock->has & SMC_SOCK_HAS_CONN) || (mode != SMC_MODE_SMCR && mode != SMC_MODE_SMCD) ||
	    !conn->rmbe_size || !conn->peer_rmbe_size)
		return;
	sample->mode = mode;
	sample->in_lap = LAPS * conn->rmbe_size;
	sample->out_lap = LAPS * conn->peer_rmbe_size;
	sample->in = position(&conn->rx_prod, conn->rmbe_size);
	sample->out = position(&conn->tx_prod, conn->peer_rmbe_size);
	sample->unread = distance(&conn->tx_cons, &conn->rx_prod, conn->rmbe_size);
	sample->unsent = distance(&conn->tx_fin, &conn->tx_prep, conn->sndbuf_size);
	sample->peer_unread = distance(&conn->rx_cons, &conn->tx_prod, conn->peer_rmbe_size);
}

void smc_sample_tcp(struct smc_sample *sample, const struct smc_tcp *tcp, int64_t at)
{
	*sample = (struct smc_sample){ .at = at };
	if (!tcp->has_info)
		return;
	sample->mode = SMC_MODE_TCP;
	sample->in = tcp->received;
	sample->out = tcp->sent;
}

static uint64_t moved(uint64_t before, uint64_t now, uint64_t lap, uint32_t size)
{
	uint64_t bytes;

	if (!lap)
		return now > before ? now - before : 0;
	bytes = (now + lap - before % lap) % lap;
	return bytes > lap - size ? 0 : bytes;
}

void smc_moved(const struct smc_sample *before, const struct smc_sample *now, uint64_t *in,
	       uint64_t *out)
{
	/* Buffers never change their size, except in a record. */
	bool has_base = before && before->mode == now->mode && before->in_lap == now->in_lap &&
			before->out_lap == now->out_lap;

	*in = moved(has_base ? before->in : 0, now->in, now->in_lap, now->unread.size);
	*out = moved(has_base ? before->out : 0, now->out, now->out_lap, now->peer_unread.size);
}

/* A cursor may have wrapped once more than it shows. */
static struct smc_speed speed_of(uint64_t bytes, uint64_t lap, double seconds, uint64_t unseen)
{
	bool may_wrap = lap && (double)(bytes + lap) <= FASTEST_BYTES_PER_SECOND * seconds;

	return (struct smc_speed){ .bytes = (uint64_t)((double)bytes / seconds + 0.5),
				   .is_least = may_wrap && unseen >= lap / 2 };
}

static enum smc_bottleneck judge(const struct smc_sample *now, uint64_t in, uint64_t out)
{
	if (is_full(&now->unread))
		return SMC_BOTTLENECK_READER;
	if (is_full(&now->peer_unread))
		return SMC_BOTTLENECK_PEER_READER;
	if (is_full(&now->unsent))
		return SMC_BOTTLENECK_LINK;
	if (!in && !out)
		return SMC_BOTTLENECK_NONE;
	return out >= in ? SMC_BOTTLENECK_WRITER : SMC_BOTTLENECK_PEER_WRITER;
}

void smc_rate(struct smc_rate *rate, const struct smc_sample *before, const struct smc_sample *now,
	      int64_t since, const struct smc_unseen *unseen)
{
	double seconds = (double)(now->at - since) / NS_PER_SECOND;
	uint64_t in = 0, out = 0;

	*rate = (struct smc_rate){ .has = 0 };
	if (now->mode == SMC_MODE_NONE)
		return;
	if (seconds > 0) {
		smc_moved(before, now, &in, &out);
		rate->has = SMC_RATE_HAS_RATES;
		rate->in = speed_of(in, now->in_lap, seconds, unseen->in);
		rate->out = speed_of(out, now->out_lap, seconds, unseen->out);
	}
	if (now->mode == SMC_MODE_TCP)
		return;
	rate->has |= SMC_RATE_HAS_FILL;
	rate->unread = now->unread;
	rate->unsent = now->unsent;
	rate->bottleneck = judge(now, in, out);
}
