/* SPDX-License-Identifier: MIT */
/* Block the calling thread's signals for a short time. */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto_errno.h"

/* The kernel's set has 64 signals, on MIPS 128; the call only accepts that size. */
#define SHIM_SIGSET (_NSIG / 8)
#define SHIM_SIGNAL(number) (1ULL << ((number)-1))
/* A fault of the thread itself kills the process if its signal is blocked. */
#define SHIM_FAULTS                                                                                \
	(SHIM_SIGNAL(SIGSEGV) | SHIM_SIGNAL(SIGBUS) | SHIM_SIGNAL(SIGFPE) | SHIM_SIGNAL(SIGILL) |  \
	 SHIM_SIGNAL(SIGTRAP) | SHIM_SIGNAL(SIGSYS))

struct shim_signals {
	uint64_t set[2];
	int cancel_state;
	bool are_blocked;
};

/**
 * shim_signals_block() - block signals in this thread, including those used by libc itself
 * @old: state for shim_signals_restore()
 *
 * The thread cannot be cancelled until then. Preserves errno.
 * Return: true if the signals were blocked.
 */
static inline bool shim_signals_block(struct shim_signals *old)
{
	const uint64_t all[2] = { ~SHIM_FAULTS, ~0ULL };
	AUTO_ERRNO();

	old->are_blocked = !syscall(SYS_rt_sigprocmask, SIG_SETMASK, all, old->set, SHIM_SIGSET);
	if (old->are_blocked)
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old->cancel_state);
	return old->are_blocked;
}

/** shim_signals_restore() - undo shim_signals_block(), if it succeeded. Preserves errno. */
static inline void shim_signals_restore(const struct shim_signals *old)
{
	AUTO_ERRNO();
	int state;

	if (!old->are_blocked)
		return;
	pthread_setcancelstate(old->cancel_state, &state);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, old->set, NULL, SHIM_SIGSET);
}
