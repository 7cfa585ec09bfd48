/* SPDX-License-Identifier: MIT */
/* How fast a connection is, and who keeps it from being faster: two samples -> rates. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "smc/sock.h"
#include "smc/tcp.h"

/* Who keeps a connection from being faster; the names are in smc_brake_name(). */
enum smc_brake {
	SMC_BRAKE_NONE,	       /* nothing moves, and nothing waits */
	SMC_BRAKE_READER,      /* the program here does not read what has come */
	SMC_BRAKE_PEER_READER, /* the peer's does not */
	SMC_BRAKE_LINK,	       /* the peer has room, but data waits here */
	SMC_BRAKE_WRITER,      /* no buffer is full: the program here writes no faster */
	SMC_BRAKE_PEER_WRITER, /* the peer's does not */
};

/** struct smc_fill - how full a buffer of @size is */
struct smc_fill {
	uint32_t bytes, size;
};

/** struct smc_speed - bytes per second; @is_least: that or more, as a cursor may have gone round */
struct smc_speed {
	uint64_t bytes;
	bool is_least;
};

/**
 * struct smc_sample - where a connection stands at a moment
 * @at: nanoseconds of a clock that does not jump
 * @mode: SMC_MODE_SMCR, SMC_MODE_SMCD, SMC_MODE_TCP; SMC_MODE_NONE: there is nothing to measure
 * @in, @out: bytes that have arrived and that were sent, since the beginning, modulo the laps
 * @in_lap, @out_lap: bytes after which the kernel's cursor begins again; 0: never
 * @unread: arrived, and not yet read by the program, in the receive buffer
 * @unsent: written, and not yet gone from the send buffer
 * @peer_unread: what the peer has not read yet, as far as it has told, in its receive buffer
 */
struct smc_sample {
	int64_t at;
	enum smc_mode mode;
	uint64_t in, out, in_lap, out_lap;
	struct smc_fill unread, unsent, peer_unread;
};

/* struct smc_rate.has */
enum {
	SMC_RATE_HAS_RATES = 1 << 0, /* there was a sample before */
	SMC_RATE_HAS_FILL = 1 << 1,  /* @unread to @brake: not for TCP */
};

/** struct smc_rate - what two samples say; @unread, @unsent: as in the later one */
struct smc_rate {
	uint32_t has;
	struct smc_speed in, out;
	struct smc_fill unread, unsent;
	enum smc_brake brake;
};

/**
 * struct smc_unseen - what limits how often cursors went round between two samples
 * @in, @out: bytes that the kernel counted beyond the sum of smc_moved() over all connections of
 *	the mode; UINT64_MAX: not known
 */
struct smc_unseen {
	uint64_t in, out;
};

/**
 * smc_sample_sock() - of a connection over SMC
 *
 * A cursor is the bytes in a buffer's lap, and the laps in 16 bits: 65536 laps and it begins again.
 * Arrived is the peer's producer cursor and read is the own consumer cursor, both in laps of the
 * own receive buffer; sent is the own producer cursor, in laps of the peer's; written and gone are
 * in laps of the send buffer. A receive buffer of SMC-D ends before the 32 bytes that the peer
 * keeps after it, which the sizes that the kernel tells leave out already. The kernel reads the
 * cursors one after the other, without a lock: what would be less than nothing is 0.
 *
 * With loopback, since Linux 6.11, the send buffer is the peer's receive buffer: what the peer
 * has not read is then unsent. A reader tells of small pieces late, so up to a sixth of a buffer
 * that looks unread by the peer may be read. The flag that a writer is blocked stays set until it
 * writes again, so it is of no use here.
 */
void smc_sample_sock(struct smc_sample *sample, const struct smc_sock *sock, int64_t at);

/** smc_sample_tcp() - of the TCP socket inside one that fell back; without TCP_INFO: nothing */
void smc_sample_tcp(struct smc_sample *sample, const struct smc_tcp *tcp, int64_t at);

/**
 * smc_moved() - bytes between two samples, at least
 * @before: NULL: the connection has begun since; so it is when its mode was another
 *
 * A cursor that seems to have gone back by less than a buffer stood still: the kernel read its two
 * halves while it moved.
 */
void smc_moved(const struct smc_sample *before, const struct smc_sample *now, uint64_t *in,
	       uint64_t *out);

/**
 * smc_rate() - from two samples
 * @before: as in smc_moved()
 * @since: time of @before, or of when the connection was not there yet; that of @now: no rates
 *
 * A rate is a least one when the cursor could have gone round again in that time at 400 Gbit/s, and
 * nothing shows that it did not: the kernel's sums are not known, or they have half a round or more
 * that no cursor shows. Half of it, as one call of a program may move up to 2 GiB before it is
 * counted.
 */
void smc_rate(struct smc_rate *rate, const struct smc_sample *before, const struct smc_sample *now,
	      int64_t since, const struct smc_unseen *unseen);

/** smc_brake_name() - "this reader", "the peer's reader", ...; NULL for none */
const char *smc_brake_name(enum smc_brake brake);

/** smc_brake_word() - the same for a narrow column: "we read", "peer reads", ...; NULL for none */
const char *smc_brake_word(enum smc_brake brake);
