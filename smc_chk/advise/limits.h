/* SPDX-License-Identifier: MIT */
/* Which connections SMC pays for: the only place that has the thresholds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * A whole life of a connection with one small request (socket, connect, accept, 64 bytes each way,
 * close) costs 2.75 times over SMC what it costs over TCP: SMC begins as TCP, and then agrees on
 * devices and buffers. That is 1.75 lives more, each worth about six exchanges; where an exchange
 * then saves a third, 32 of them have earned it back. What comes in large pieces has fewer
 * segments, and no slow start: there it is earned by 256 KiB.
 */
#define ADVISE_SEGMENTS 32
#define ADVISE_BYTES (256 * 1024)

/* What moved less, and was over before this, did not live long enough: ms. */
#define ADVISE_SHORT_LIFE 10000

/** advise_is_suited() - has a connection, or have @conns of them on average, moved enough? */
static inline bool advise_is_suited(uint64_t conns, uint64_t segments, uint64_t bytes)
{
	return conns && (segments / conns >= ADVISE_SEGMENTS || bytes / conns >= ADVISE_BYTES);
}
