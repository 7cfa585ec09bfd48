/* SPDX-License-Identifier: MIT */
/* The calling thread's signals, for a moment. */
#pragma once

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The size of the kernel's set. */
#define SHIM_SIGSET 8

/**
 * shim_signals_block() - keep all signals from this thread, also those that libc needs itself
 * @old: what shim_signals_restore() needs
 *
 * Leaves errno as it was.
 *
 * Return: whether it did.
 */
static inline bool shim_signals_block(uint64_t *old)
{
	uint64_t all = ~0ULL;
	int saved = errno;
	bool blocked = !syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, old, SHIM_SIGSET);

	errno = saved;
	return blocked;
}

/** shim_signals_restore() - end what shim_signals_block() began. Leaves errno as it was. */
static inline void shim_signals_restore(const uint64_t *old)
{
	int saved = errno;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, old, NULL, SHIM_SIGSET);
	errno = saved;
}
