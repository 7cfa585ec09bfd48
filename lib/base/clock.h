/* SPDX-License-Identifier: MIT */
/* Clocks. */
#pragma once

#include <stdint.h>
#include <time.h>

/** clock_ns() - time of a clock of clock_gettime(2), in nanoseconds */
static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
