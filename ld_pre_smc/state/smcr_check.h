/* SPDX-License-Identifier: MIT */
/* Check whether a connection may use SMC-R. */
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * shim_may_be_rdma() - true if a connection may use SMC-R
 * @is_certain: query the kernel, even if it is one of the first calls after a query
 *
 * False if the network namespace has no RDMA device. The kernel is queried at most once a second.
 * Without an answer the result is true. A device that is added after a query is noticed at the next
 * one: until then close(2) is left to the kernel, and signals may interrupt it. An existing
 * connection never moves to SMC-R.
 *
 * Preserves errno.
 */
bool shim_may_be_rdma(bool is_certain);

#pragma GCC visibility pop
