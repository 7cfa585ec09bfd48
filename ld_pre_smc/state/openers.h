/* SPDX-License-Identifier: MIT */
/* Kind of sockets that socket(2) opens. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "ld_pre_smc/state/fd_query.h"

#pragma GCC visibility push(hidden)

/* Opens a socket with the arguments of socket(2), and marks it. */
typedef int (*shim_open_fn)(int domain, int type, int protocol);

/* Fast path for AF_INET and AF_INET6. NULL: socket() checks everything. */
extern _Atomic(shim_open_fn) shim_openers[2];

/* Most connections of this program use TCP: see choice.c. Then socket() opens TCP sockets. */
extern atomic_bool shim_is_tcp_first;

/** shim_look_again() - make the next socket() of each family find a working kind again */
void shim_look_again(void);

/**
 * shim_open_tcp_first() - true if socket() opens TCP sockets: see shim_fd_is_tcp()
 *
 * Never with SMC_STRICT or SMC_DEBUG. No system call.
 */
void shim_open_tcp_first(bool yes);

/* The SMC kind that worked last, by family. */
extern atomic_int shim_working_kinds[2];

static inline enum shim_kind shim_working_kind(int family)
{
	return (enum shim_kind)shim_working_kinds[family == AF_INET6];
}

#pragma GCC visibility pop
