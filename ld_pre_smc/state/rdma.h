/* SPDX-License-Identifier: MIT */
/* Whether a connection may be one of SMC-R. */
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * shim_may_be_rdma() - whether a connection that is to be closed may be one of SMC-R
 *
 * Not where the network namespace has no RDMA device. That is asked once in one or two seconds, and
 * not before some calls have been made since. While there is no answer there may be one. A device
 * that came after the answer is noticed that much later: until then close(2) is left to the kernel,
 * with signals that come; a connection that was there before never moves to SMC-R.
 *
 * Leaves errno as it was.
 */
bool shim_may_be_rdma(void);

#pragma GCC visibility pop
