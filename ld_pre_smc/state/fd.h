/* SPDX-License-Identifier: MIT */
/* A descriptor in one call of the program: read once when the call begins, and passed down. */
#pragma once

#include <stdbool.h>

#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/fd_table.h"

#pragma GCC visibility push(hidden)

/**
 * struct shim_fd - a descriptor, as it was when the program passed it
 * @number: as passed by the program, perhaps not open; @marks: its bits of enum shim_fd_bit
 * @answer: what the kernel said; do not read it elsewhere
 * @sock: for an SMC socket, after shim_fd_is_smc(): its kind and family
 */
struct shim_fd {
	int number;
	unsigned char marks;
	enum shim_answer { NOT_ASKED, IS_OTHER, IS_SMC, HAS_SOCK } answer;
	struct shim_sock sock;
};

static inline struct shim_fd shim_fd_enter(int number)
{
	return (struct shim_fd){ .number = number, .marks = shim_fd_marks(number) };
}

/* shim_fd_is_set() and shim_fd_is_tcp(), as of the beginning of the call. */
static inline bool shim_fd_has(const struct shim_fd *fd, unsigned int bit)
{
	return fd->marks & bit;
}

static inline bool shim_fd_is_tcp_first(const struct shim_fd *fd)
{
	return (fd->marks & (FD_OWN | FD_SMC)) == FD_OWN;
}

/** shim_fd_lose() - shim_fd_drop(), in @fd, too */
static inline void shim_fd_lose(struct shim_fd *fd, unsigned int bits)
{
	shim_fd_drop(bits, fd->number);
	fd->marks &= (unsigned char)~bits;
}

/** shim_fd_is_smc() - shim_is_smc(); only the first call for a descriptor asks the kernel */
static inline bool shim_fd_is_smc(struct shim_fd *fd)
{
	if (fd->answer == NOT_ASKED || fd->answer == IS_SMC)
		fd->answer = shim_is_smc(fd->number, &fd->sock) ? HAS_SOCK : IS_OTHER;
	return fd->answer == HAS_SOCK;
}

/** shim_fd_is_any_smc() - with fewer system calls, as @sock is not needed; clears a wrong mark */
static inline bool shim_fd_is_any_smc(struct shim_fd *fd)
{
	if (fd->answer == NOT_ASKED && shim_fd_has(fd, FD_SMC))
		fd->answer = shim_marked_is_smc(fd->number) ? IS_SMC : IS_OTHER;
	else if (fd->answer == NOT_ASKED)
		fd->answer = shim_is_smc(fd->number, NULL) ? IS_SMC : IS_OTHER;
	return fd->answer != IS_OTHER;
}

/** shim_fd_is_any_tcp() - true for a TCP socket that never was an SMC socket; fills in @sock */
static inline bool shim_fd_is_any_tcp(struct shim_fd *fd)
{
	if (shim_int_option(fd->number, SOL_SOCKET, SO_PROTOCOL) != IPPROTO_TCP)
		return false;
	fd->sock.kind = KIND_TCP;
	fd->sock.family = shim_int_option(fd->number, SOL_SOCKET, SO_DOMAIN);
	return true;
}

/** shim_fd_became() - the number is another socket now, of this kind and the same family */
static inline void shim_fd_became(struct shim_fd *fd, enum shim_kind kind)
{
	fd->marks = shim_fd_marks(fd->number);
	fd->answer = kind == KIND_TCP ? IS_OTHER : HAS_SOCK;
	fd->sock.kind = kind;
}

#pragma GCC visibility pop
