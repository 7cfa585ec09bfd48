/* SPDX-License-Identifier: MIT */
/* Options and flags of one socket given to another. */
#ifndef SHIM_COPY_H
#define SHIM_COPY_H

#include "ld_pre_smc/sock.h"

#pragma GCC visibility push(hidden)

/**
 * shim_copy_settings() - give a new socket what a program set on another one
 * @family: AF_INET or AF_INET6: of both
 * @kind: what @to is
 *
 * Copied: socket options that differ from those of a new socket, O_NONBLOCK, O_ASYNC, owner and
 * signal. Not copied: socket filters, MD5 and AO keys, multicast memberships; buffer sizes only if
 * they were set, for a TCP socket not those of SMC_SNDBUF and SMC_RCVBUF. Leaves errno as it was.
 */
void shim_copy_settings(int from, int to, int family, enum shim_kind kind);

#pragma GCC visibility pop

#endif
