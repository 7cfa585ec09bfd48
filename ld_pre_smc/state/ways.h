/* SPDX-License-Identifier: MIT */
/* Which sockets socket(2) is to give. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "ld_pre_smc/state/sock.h"

#pragma GCC visibility push(hidden)

/* A function that opens a socket as socket(2) was asked to, and marks it. */
typedef int (*shim_open_fn)(int domain, int type, int protocol);

/* The shortest way, for AF_INET and AF_INET6. NULL: socket() looks at everything there is to do. */
extern _Atomic(shim_open_fn) shim_ways[2];

/* Most connections of this program go to TCP: see choice.c. Then socket() gives TCP sockets. */
extern atomic_bool shim_is_tcp_first;

/** shim_look_again() - the next socket() of each family looks for the kind that works */
void shim_look_again(void);

/**
 * shim_open_tcp_first() - whether socket() gives TCP sockets, see shim_fd_is_tcp()
 *
 * Never with SMC_STRICT or SMC_DEBUG. No system call.
 */
void shim_open_tcp_first(bool yes);

/* The kind of SMC socket that worked last, by family. */
extern atomic_int shim_working_kinds[2];

static inline enum shim_kind shim_working_kind(int family)
{
	return (enum shim_kind)shim_working_kinds[family == AF_INET6];
}

#pragma GCC visibility pop
