/* SPDX-License-Identifier: MIT */
/* Work in a private directory that is gone afterwards; programs that run meanwhile. */
#pragma once

#include <limits.h>
#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

/**
 * struct workdir - @path: private, of mode 0700; @before: signal mask of the caller
 * @signals: descriptor of the signals that end it; @caught: the one that did, 0 for none
 */
struct workdir {
	char path[PATH_MAX];
	sigset_t before;
	int signals, caught;
};

/**
 * workdir_begin() - make the directory in $TMPDIR or /tmp, and hold back the signals that would
 *	leave it
 *
 * Return: 0; -errno with @err, and then nothing is to be ended.
 */
int workdir_begin(struct workdir *work, struct smc_err *err);

/** workdir_is_stopped() - has a signal asked to end? */
bool workdir_is_stopped(struct workdir *work);

/**
 * workdir_run() - run one of our programs, from beside this one or else from PATH
 * @out, @errors: descriptors for what it writes, -1 for our own
 * @seconds: after which it is killed, 0 for never
 *
 * A signal that asks to end goes on to the program.
 *
 * Return: exit status, 128 + the signal that ended it; -errno when it could not be started.
 */
int workdir_run(struct workdir *work, char *const argv[], int out, int errors, int seconds);

/** workdir_end() - remove the directory; a signal that was held back now takes effect */
void workdir_end(struct workdir *work);
