/* SPDX-License-Identifier: MIT */
/* The client's side of a connection: connect and exchange, with time limits. */
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
 * stream_connect() - connect to an address
 * @is_smc: over SMC
 * @ns: how long it took
 * @stage: where it failed
 *
 * SMC's connect() ignores SO_SNDTIMEO, so it is never a blocking one. SMC keeps some errors of TCP
 * to itself; then a plain TCP connection is tried to learn them.
 *
 * Return: descriptor (non-blocking), or -errno. After @timeout_ms -ETIMEDOUT, or -ETIME if that
 * ended SMC's handshake; there -ETIMEDOUT is the kernel's word after six seconds of the peer's
 * silence.
 */
int stream_connect(const union endpoint_addr *addr, bool is_smc, int timeout_ms, uint64_t *ns,
		   enum stream_stage *stage);

/**
 * stream_exchange() - send and receive at the same time
 * @timeout_ms: longest wait without any progress
 *
 * Return: 0; -ECONNRESET when the peer ended it, -ETIMEDOUT, another -errno.
 */
int stream_exchange(int fd, const void *out, size_t out_len, void *in, size_t in_len,
		    int timeout_ms);

/** stream_receive() - up to @size bytes that come within @timeout_ms; 0 for none */
size_t stream_receive(int fd, void *in, size_t size, int timeout_ms);

/** stream_now() - CLOCK_MONOTONIC in nanoseconds */
uint64_t stream_now(void);

/** stream_median() - sorts @count times, and takes the middle one */
uint64_t stream_median(uint64_t *times, int count);
