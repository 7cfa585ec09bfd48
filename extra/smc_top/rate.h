/* SPDX-License-Identifier: MIT */
/* Rate of a connection, and its bottleneck: two samples -> rates. Pure. */
#pragma once

#include "smc/sock.h"
#include "smc/tcp.h"

enum smc_bottleneck {
	SMC_BOTTLENECK_NONE,	    /* no traffic, no waiting data */
	SMC_BOTTLENECK_READER,	    /* the local program does not read */
	SMC_BOTTLENECK_PEER_READER, /* the peer's program does not read */
	SMC_BOTTLENECK_LINK,	    /* the peer has room, but data waits here */
	SMC_BOTTLENECK_WRITER,	    /* no buffer is full: the local program does not write faster */
	SMC_BOTTLENECK_PEER_WRITER, /* the peer's program does not write faster */
};

/** struct smc_fill - fill level of a buffer of @size */
struct smc_fill {
	uint32_t bytes, size;
};

/** struct smc_speed - bytes per second; @is_least: a lower bound, as a cursor may have wrapped */
struct smc_speed {
	uint64_t bytes;
	bool is_least;
};

/**
 * struct smc_sample - state of a connection at one time
 * @at: nanoseconds of a monotonic clock
 * @mode: SMC_MODE_SMCR, SMC_MODE_SMCD, SMC_MODE_TCP; SMC_MODE_NONE: not measurable
 * @in, @out: bytes received and sent since the start, modulo the laps
 * @in_lap, @out_lap: bytes after which the kernel's cursor wraps; 0: never
 * @unread: bytes in the receive buffer that the program has not read
 * @unsent: bytes in the send buffer
 * @peer_unread: bytes in the peer's receive buffer that are not read, as far as reported
 */
struct smc_sample {
	int64_t at;
	enum smc_mode mode;
	uint64_t in, out, in_lap, out_lap;
	struct smc_fill unread, unsent, peer_unread;
};

/* struct smc_rate.has */
enum {
	SMC_RATE_HAS_RATES = 1 << 0, /* there is an earlier sample */
	SMC_RATE_HAS_FILL = 1 << 1,  /* @unread to @bottleneck: not for TCP */
};

/** struct smc_rate - rates between two samples; @unread, @unsent: of the later sample */
struct smc_rate {
	uint32_t has;
	struct smc_speed in, out;
	struct smc_fill unread, unsent;
	enum smc_bottleneck bottleneck;
};

/**
 * struct smc_unseen - bounds for the number of cursor wraps between two samples
 * @in, @out: bytes that the kernel counted beyond the sum of smc_moved() over all connections of
 *	the mode; UINT64_MAX: not known
 */
struct smc_unseen {
	uint64_t in, out;
};

/**
 * smc_sample_sock() - sample an SMC connection
 *
 * A cursor consists of the bytes in a buffer's lap, and the number of laps in 16 bits: it wraps
 * after 65536 laps. The peer's producer cursor counts received data, the local consumer cursor data
 * that was read, both in laps of the local receive buffer; the local producer cursor counts sent
 * data, in laps of the peer's; the cursors of written and acknowledged data are in laps of the send
 * buffer. A receive buffer of SMC-D ends before the 32 bytes that the peer keeps after it; sizes
 * reported by the kernel already exclude them. The kernel reads the cursors one after the other,
 * without a lock: negative differences count as 0.
 *
 * With loopback, since Linux 6.11, the send buffer is the peer's receive buffer: data not read by
 * the peer then counts as unsent. A reader reports small pieces late, so up to a sixth of a buffer
 * that looks unread by the peer may have been read. The flag of a blocked writer stays set until it
 * writes again, so it is not used.
 */
void smc_sample_sock(struct smc_sample *sample, const struct smc_sock *sock, int64_t at);

/** smc_sample_tcp() - sample the TCP socket of a fallback; empty without TCP_INFO */
void smc_sample_tcp(struct smc_sample *sample, const struct smc_tcp *tcp, int64_t at);

/**
 * smc_moved() - bytes between two samples, at least
 * @before: NULL if the connection is new; a sample with another mode counts as NULL
 *
 * A cursor that seems to have gone back by less than a buffer counts as unchanged: the kernel read
 * its two halves during an update.
 */
void smc_moved(const struct smc_sample *before, const struct smc_sample *now, uint64_t *in,
	       uint64_t *out);

/**
 * smc_rate() - compute rates from two samples
 * @before: as in smc_moved()
 * @since: time of @before, or a time before the connection existed; equal to the time of @now: no
 *	rates
 *
 * A rate is a lower bound if the cursor could have wrapped again in that time at 400 Gbit/s, and
 * the kernel's sums are unknown, or exceed all cursors by half a wrap or more. (Half a wrap,
 * because one call of a program may move up to 2 GiB before it is counted.)
 */
void smc_rate(struct smc_rate *rate, const struct smc_sample *before, const struct smc_sample *now,
	      int64_t since, const struct smc_unseen *unseen);
