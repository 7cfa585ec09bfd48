/* SPDX-License-Identifier: MIT */
/* Work in a private folder that is gone afterwards, whatever happens; programs that run meanwhile. */
#ifndef SMC_CHK_WORK_H
#define SMC_CHK_WORK_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

/**
 * struct work - @folder: private, of mode 0700; @before: signal mask of the caller
 * @signals: descriptor of the signals that end it; @caught: the one that did, 0 for none
 */
struct work {
	char folder[PATH_MAX];
	sigset_t before;
	int signals, caught;
};

/**
 * work_begin() - make the folder in $TMPDIR or /tmp, and hold back the signals that would leave it
 *
 * Return: 0; -errno with @err, and then nothing is to be ended.
 */
int work_begin(struct work *work, struct smc_err *err);

/** work_is_stopped() - has a signal asked to end? */
bool work_is_stopped(struct work *work);

/**
 * work_run() - run one of our programs, from beside this one or else from PATH
 * @out, @errors: descriptors for what it writes, -1 for our own
 * @seconds: after which it is killed, 0 for never
 *
 * A signal that asks to end goes on to the program.
 *
 * Return: exit status, 128 + the signal that ended it; -errno when it could not be started.
 */
int work_run(struct work *work, char *const argv[], int out, int errors, int seconds);

/** work_end() - remove the folder; a signal that was held back now takes effect */
void work_end(struct work *work);

#endif
