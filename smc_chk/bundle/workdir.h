/* SPDX-License-Identifier: MIT */
/* A private temporary directory, and programs that run with it. */
#pragma once

#include <signal.h>

#include "base/err.h"

struct workdir {
	char path[PATH_MAX]; /* private, of mode 0700 */
	int fd;		     /* its descriptor */
	sigset_t before;     /* signal mask of the caller */
	int signals;	     /* signalfd of the signals that end it */
	int caught;	     /* the signal that ended it, 0 for none */
};

/**
 * workdir_begin() - make the directory in $TMPDIR or /tmp; block signals until it is removed
 *
 * Removes directories of this user's processes that were killed.
 *
 * Return: 0; -errno with @err, then do not call workdir_end().
 */
int workdir_begin(struct workdir *work, struct smc_err *err);

/** workdir_is_stopped() - true after a signal to end */
bool workdir_is_stopped(struct workdir *work);

/**
 * workdir_run() - run a program of smc-tools, from the directory of this one or else from PATH
 * @out, @errors: descriptors for its output, -1 to share ours
 * @seconds: timeout after which it is killed, 0 for none
 *
 * A signal to end this process is passed on to the program.
 *
 * Return: exit status, 128 + the signal that ended it; -errno if it could not be started.
 */
int workdir_run(struct workdir *work, char *const argv[], int out, int errors, int seconds);

/** typedef workdir_fn - work of a separate process */
typedef int (*workdir_fn)(void *arg, struct smc_err *err);

/**
 * workdir_fork() - work in a separate process, whose crash does not end this process
 * @what: for the message after a crash, "unpack FILE"
 *
 * It is killed with this process, unless it has changed its user.
 *
 * Return: 0; -errno with @err, of @fn or of the crash.
 */
int workdir_fork(struct workdir *work, workdir_fn fn, void *arg, const char *what,
		 struct smc_err *err);

/** workdir_why() - explain a status of workdir_run(), "" unless a limit or a crash ended it */
const char *workdir_why(int status);

/** workdir_end() - remove the directory, without allocating; blocked signals take effect then */
void workdir_end(struct workdir *work);
