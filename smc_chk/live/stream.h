/* SPDX-License-Identifier: MIT */
/* One end of a connection: connect and exchange, with timeouts. */
#pragma once

#include "smc_chk/live/endpoint.h"

/* The stage at which connecting failed, in addition to an errno. */
enum stream_stage {
	STREAM_TCP,	  /* TCP handshake */
	STREAM_HANDSHAKE, /* SMC handshake, over an established TCP connection */
};

/**
 * stream_connect() - connect a socket of endpoint_socket()
 * @ns: duration; @stage: where it failed
 *
 * SMC's connect() ignores SO_SNDTIMEO, so the socket is non-blocking. SMC does not pass on some
 * errors of TCP; these are found with a plain TCP connection.
 *
 * Return: descriptor (non-blocking), or -errno. After @timeout_ms -ETIMEDOUT, or -ETIME in the SMC
 * handshake, where -ETIMEDOUT is the kernel's error after six seconds without an answer.
 */
int stream_connect(const union endpoint_addr *addr, bool is_smc, int buffers, int timeout_ms,
		   uint64_t *ns, enum stream_stage *stage);

/**
 * struct stream_limit - timeouts
 * @step_ms: limit without progress
 * @end: limit for everything, as stream_now(): a peer that sends a byte now and then makes progress
 */
struct stream_limit {
	int step_ms;
	uint64_t end;
};

/** stream_limit() - timeouts, starting now */
struct stream_limit stream_limit(int step_ms, uint64_t whole_ms);

/**
 * stream_exchange() - send and receive at the same time over a non-blocking socket
 *
 * Return: 0; -ECONNRESET if the peer closed; -ETIMEDOUT after a step without progress, -ETIME at
 * the end of @limit; another -errno.
 */
int stream_exchange(int fd, const void *out, size_t out_len, void *in, size_t in_len,
		    const struct stream_limit *limit);

/** stream_receive() - up to @size bytes, as soon as some arrive; 0 at the end or on error */
size_t stream_receive(int fd, void *in, size_t size, const struct stream_limit *limit);

/** stream_now() - CLOCK_MONOTONIC in nanoseconds */
uint64_t stream_now(void);
