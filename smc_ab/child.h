/* SPDX-License-Identifier: MIT */
/* Commands that are started, waited for and ended, with all that they start. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <signal.h>
#include <sys/types.h>

#include "smc_ab/metric.h"
#include "launch/launch.h"

/** struct usage - processor time and context switches */
struct usage {
	uint64_t cpu_ns, switches;
};

/**
 * struct nursery - the children of this process; signals that would end it wait in @signal_fd
 * @alive: those that were started and have not ended: whoever waits, the end of each is noted
 * @null: /dev/null
 * @before: the caller's signals, which children get back
 * @caught: the signal that asks to end, 0 for none
 * @used: by all that were waited for since it was 0
 */
struct nursery {
	struct child *alive;
	int signal_fd, null;
	sigset_t before;
	int caught;
	struct usage used;
};

/**
 * struct child - one command
 * @next: in the nursery's list
 * @pid: 0 when it has ended, and before it was started
 * @status: as wait(2) has it, once it has ended
 * @start_ns, @end_ns: CLOCK_MONOTONIC, from its exec to its end
 */
struct child {
	struct child *next;
	pid_t pid;
	int status;
	uint64_t start_ns, end_ns;
};

/**
 * struct child_how - what to start
 * @launch: prepare it to use SMC so; NULL: start it as it is
 * @out: where both its outputs go, -1 for /dev/null
 */
struct child_how {
	const struct launch *launch;
	char *const *argv;
	int out;
};

/** nursery_open() - from now on orphans become children. Return: 0, -errno */
int nursery_open(struct nursery *nursery);

/**
 * child_start() - start a command in a process group of its own, with /dev/null as input
 *
 * It is prepared for SMC before its time begins; that is not counted.
 * Return: 0; -ECANCELED after a message of what prepares it; -errno with a sentence.
 */
int child_start(struct nursery *nursery, struct child *child, const struct child_how *how,
		struct smc_err *err);

/**
 * child_wait() - until something ends, is read, or a signal comes
 * @output: takes what can be read of @out, which does not wait; @out -1: nothing
 * @ms: at most; -1 for no limit
 *
 * The pid of a child that has ended is then 0.
 */
void child_wait(struct nursery *nursery, int *out, struct out_text *output, int ms);

/** child_end() - SIGTERM for its process group, and SIGKILL when that takes too long, if allowed */
void child_end(struct nursery *nursery, struct child *child);

/** nursery_clear() - end all that children left. Return: false if set-uid programs stay */
bool nursery_clear(struct nursery *nursery);

/** child_how_it_ended() - "exit status 3", "signal 9 (Killed)" */
const char *child_how_it_ended(int status, char text[64]);
