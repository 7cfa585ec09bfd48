/* SPDX-License-Identifier: MIT */
/* One end of a connection: connect and exchange, with time limits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "smc_chk/live/endpoint.h"

/* Where a connection came to grief, besides an errno. */
enum stream_stage {
	STREAM_TCP,	  /* TCP's own handshake */
	STREAM_HANDSHAKE, /* SMC's, over a TCP connection that stands */
};

/**
 * stream_connect() - connect a socket of endpoint_socket()
 * @ns: how long it took; @stage: where it failed
 *
 * SMC's connect() ignores SO_SNDTIMEO, so it is never a blocking one. SMC keeps some errors of TCP
 * to itself; then a plain TCP connection is tried to learn them.
 *
 * Return: descriptor (non-blocking), or -errno. After @timeout_ms -ETIMEDOUT, or -ETIME if that
 * ended SMC's handshake; there -ETIMEDOUT is the kernel's word after six seconds of the peer's
 * silence.
 */
int stream_connect(const union endpoint_addr *addr, bool is_smc, int buffers, int timeout_ms,
		   uint64_t *ns, enum stream_stage *stage);

/**
 * struct stream_limit - how long to wait
 * @step_ms: without any progress
 * @end: of everything, as stream_now(): a peer that sends a byte now and then makes progress too
 */
struct stream_limit {
	int step_ms;
	uint64_t end;
};

/** stream_limit() - such a limit, from now on */
struct stream_limit stream_limit(int step_ms, uint64_t whole_ms);

/**
 * stream_exchange() - send and receive at the same time over a non-blocking socket
 *
 * Return: 0; -ECONNRESET when the peer ended it; -ETIMEDOUT after a step without progress, -ETIME
 * at the end of @limit; another -errno.
 */
int stream_exchange(int fd, const void *out, size_t out_len, void *in, size_t in_len,
		    const struct stream_limit *limit);

/** stream_receive() - up to @size bytes, as soon as there are some; 0 at the end, after an error */
size_t stream_receive(int fd, void *in, size_t size, const struct stream_limit *limit);

/** stream_now() - CLOCK_MONOTONIC in nanoseconds */
uint64_t stream_now(void);
