/* SPDX-License-Identifier: MIT */
/* Work in a private directory that is gone afterwards; programs that run meanwhile. */
#pragma once

#include <limits.h>
#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

struct workdir {
	char path[PATH_MAX]; /* private, of mode 0700 */
	int fd;		     /* its descriptor */
	sigset_t before;     /* signal mask of the caller */
	int signals;	     /* descriptor of the signals that end it */
	int caught;	     /* the one that did, 0 for none */
};

/**
 * workdir_begin() - make the directory in $TMPDIR or /tmp; signals that would leave it wait
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

/** typedef workdir_fn - work of a process of its own. Return: 0, -errno with @err */
typedef int (*workdir_fn)(void *arg, struct smc_err *err);

/**
 * workdir_fork() - do work in a process of its own, so that its end is not ours
 * @what: for the message when it breaks down, "unpack FILE"
 *
 * When this one is killed, it ends too, unless it has become another user meanwhile.
 *
 * Return: 0; -errno with @err, of @fn or of the process's end.
 */
int workdir_fork(struct workdir *work, workdir_fn fn, void *arg, const char *what,
		 struct smc_err *err);

/** workdir_why() - what a status of workdir_run() means, "" unless a limit or a crash ended it */
const char *workdir_why(int status);

/** workdir_end() - remove the directory, without memory; a signal held back now takes effect */
void workdir_end(struct workdir *work);
