/* SPDX-License-Identifier: MIT */
/* Check whether a connection may use SMC-R. */
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * shim_may_be_rdma() - may a connection that is about to be closed use SMC-R?
 *
 * False if the network namespace has no RDMA device. The kernel is queried once in one or two
 * seconds, and only after some calls since. Without an answer there may be one. A device added
 * after the query is noticed that much later: until then close(2) is left to the kernel, which
 * signals may interrupt; an existing connection never moves to SMC-R.
 *
 * Preserves errno.
 */
bool shim_may_be_rdma(void);

#pragma GCC visibility pop
