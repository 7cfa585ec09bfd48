/* SPDX-License-Identifier: MIT */
/* Measure the lives of connections, and learn from them: lib/launch/learned.h. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "launch/learned.h"
#include "ld_pre_smc/state/fd_table.h"

#pragma GCC visibility push(hidden)

/** enum shim_advice - knowledge about a destination before connect(2) */
enum shim_advice {
	ADVICE_NONE,
	ADVICE_SHORT, /* its connections are too short for SMC */
	ADVICE_BROKE, /* an SMC handshake broke recently */
};

/**
 * shim_lives_advice() - get advice before connect(2), once for each connection
 * @addr: AF_INET or AF_INET6
 * @timed: for shim_lives_begin(); entry NULL for a connection that is not measured
 *
 * The first call attaches shared memory, if the program has access. After that no system call, no
 * lock. Preserves errno.
 */
enum shim_advice shim_lives_advice(int fd, const struct sockaddr *addr, socklen_t len,
				   struct learned_place *timed);

/** shim_lives_begin() - start of connect(2), on the final socket */
void shim_lives_begin(int fd, struct learned_place timed);

/** shim_lives_has() - true if the life of a connection is measured */
static inline bool shim_lives_has(int fd)
{
	return (unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_is_set(FD_TIMED, fd);
}

/** shim_lives_connected() - result of connect(2): @err, errno; 0: it is connected */
void shim_lives_connected(int fd, int err);

/**
 * shim_lives_error() - the program has read this SO_ERROR
 *
 * 0 means that a TCP connection is established; an SMC one may still be in progress.
 */
void shim_lives_error(int fd, int err);

/** shim_lives_end() - a measured connection is about to be closed */
void shim_lives_end(int fd);

/**
 * shim_lives_share() - another descriptor or process shares it: its end will not be known
 *
 * Records a life that is already long, but not a short one, which would appear to end now.
 */
void shim_lives_share(int fd);

/**
 * shim_lives_broke() - the SMC handshake with this peer broke
 *
 * Use TCP for LEARNED_BROKEN seconds.
 */
void shim_lives_broke(int fd, const struct sockaddr *addr);

/** shim_lives_leave() - the process ends, with all its connections */
void shim_lives_leave(void);

#pragma GCC visibility pop
