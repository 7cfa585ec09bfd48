/* SPDX-License-Identifier: MIT */
/* A process that opens the SMC sockets of a command, and of all that it starts. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* The process is called so, not as the command: whoever ends that by its name leaves this alone. */
#define SUPERVISOR "smc_supervise"

/**
 * struct supervise - what it does with each TCP socket
 * @inet: try IPPROTO_SMC before AF_SMC
 * @is_strict: no TCP where there is no SMC
 * @sndbuf, @rcvbuf: sizes for SO_SNDBUF and SO_RCVBUF, 0 for the kernel's own
 * @is_locked: they were asked for
 */
struct supervise {
	bool inet, is_strict;
	int sndbuf, rcvbuf;
	bool is_locked;
};

/**
 * supervise() - from now on the TCP sockets of this process, and of all it starts, are SMC sockets
 * @argv: of this process, the last arguments; the supervisor forgets them
 *
 * Return: 0; -EPIPE with a sentence if it cannot be taken back: this process must not go on;
 * another -errno with a sentence, nothing has happened then.
 */
int supervise(const struct supervise *how, char *const *argv, struct smc_err *err);
