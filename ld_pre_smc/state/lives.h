/* SPDX-License-Identifier: MIT */
/* How long connections live, and what is learned from that: lib/launch/learned.h. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "launch/learned.h"
#include "ld_pre_smc/state/fd_table.h"

#pragma GCC visibility push(hidden)

/** enum shim_advice - what is known of a destination before connect(2) */
enum shim_advice {
	ADVICE_NONE,
	ADVICE_SHORT, /* connections there are too short for SMC */
	ADVICE_BROKE, /* a handshake of SMC broke there not long ago */
};

/**
 * shim_lives_advice() - ask before connect(2), once for each connection
 * @addr: AF_INET or AF_INET6
 * @timed: for shim_lives_begin(); entry NULL for a connection whose life is not measured
 *
 * At the first call a file in /dev/shm is opened and mapped, where the program may do so. After
 * that no system call, no lock. Leaves errno as it was.
 */
enum shim_advice shim_lives_advice(int fd, const struct sockaddr *addr, socklen_t len,
				   struct learned_place *timed);

/** shim_lives_begin() - connect(2) of a socket that is what it will be */
void shim_lives_begin(int fd, struct learned_place timed);

/** shim_lives_has() - whether the life of a connection is measured */
static inline bool shim_lives_has(int fd)
{
	return (unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_is_set(FD_TIMED, fd);
}

/** shim_lives_connected() - connect(2) gave @ret and errno; 0: the connection is there */
void shim_lives_connected(int fd, int ret);

/**
 * shim_lives_error() - the program was given this SO_ERROR
 *
 * 0 says that a TCP connection is there; one of SMC may still be on its way.
 */
void shim_lives_error(int fd, int err);

/** shim_lives_end() - a connection whose life is measured is to be closed */
void shim_lives_end(int fd);

/**
 * shim_lives_share() - another descriptor or process gets it, too: nobody knows when it will end
 *
 * If it is long already, that is learned. A short one is not: it would seem to end now.
 */
void shim_lives_share(int fd);

/** shim_lives_broke() - the SMC handshake with this peer broke: none for LEARNED_BROKEN seconds */
void shim_lives_broke(int fd, const struct sockaddr *addr);

/** shim_lives_leave() - the process ends, and its connections with it */
void shim_lives_leave(void);

#pragma GCC visibility pop
