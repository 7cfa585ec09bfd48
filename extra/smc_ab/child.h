/* SPDX-License-Identifier: MIT */
/* Start, wait for and end commands, with all of their descendants. */
#pragma once

#include <signal.h>

#include "smc_ab/metric.h"
#include "launch/launch.h"

/** struct usage - processor time and context switches */
struct usage {
	uint64_t cpu_ns, switches;
};

/**
 * struct nursery - the children of this process; terminating signals are queued in @signal_fd
 * @alive: children that have not been reaped; any wait also records the ends of others
 * @null: /dev/null; @before: the caller's signal mask, restored in children
 * @caught: signal that requests an end, 0 for none
 * @used: sum over all reaped children since it was set to 0
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
 * @next: in the nursery's list; @pid: 0 after its end, and before its start
 * @status: as of wait(2), after its end
 * @start_ns, @end_ns: CLOCK_MONOTONIC, from its exec to its end
 */
struct child {
	struct child *next;
	pid_t pid;
	int status;
	uint64_t start_ns, end_ns;
};

/** struct child_how - @launch: way to SMC, or NULL; @out: of stdout and stderr, -1: /dev/null */
struct child_how {
	const struct launch *launch;
	char *const *argv;
	int out;
};

/** nursery_open() - become the subreaper of all descendants. Return: 0, -errno */
int nursery_open(struct nursery *nursery);

/**
 * child_start() - start a command in its own process group, with /dev/null as input
 *
 * The preparation for SMC is not part of its time.
 * Return: 0; -ECANCELED after a message of the preparation; -errno with a sentence.
 */
int child_start(struct nursery *nursery, struct child *child, const struct child_how *how,
		struct smc_err *err);

/**
 * child_wait() - wait for the end of a child, for output, or for a signal
 * @output: receives the data available from @out, without waiting; @out -1: none
 * @ms: maximum; -1 for no limit
 *
 * The pid of a child that has ended is then 0.
 */
void child_wait(struct nursery *nursery, int *out, struct out_text *output, int ms);

/** child_end() - send SIGTERM to its process group, and SIGKILL after a delay, if permitted */
void child_end(struct nursery *nursery, struct child *child);

/** nursery_clear() - end all remaining descendants. Return: false if set-uid programs stay */
bool nursery_clear(struct nursery *nursery);

/** child_how_it_ended() - "exit status 3", "signal 9 (Killed)" */
const char *child_how_it_ended(int status, char text[64]);

/** struct family - processes, in no order; zero-initialize, free @pids */
struct family {
	pid_t *pids;
	size_t count;
};

/**
 * family_add() - add all descendants of a process, but not itself, to an empty family
 *
 * Reads /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN). Those that start now may be missing.
 */
void family_add(struct family *family, pid_t root);
