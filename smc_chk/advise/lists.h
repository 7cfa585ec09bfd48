/* SPDX-License-Identifier: MIT */
/* One look at all TCP sockets, which of them are SMC's, and whose they are. */
#pragma once

#include "base/err.h"
#include "process/proc.h"
#include "smc/inet.h"
#include "smc_chk/advise/tally.h"

#define LISTS_PROCESSES 1024

/** struct lists_process - a process that was looked at: which owner it is */
struct lists_process {
	pid_t pid;
	char comm[16];
	uint32_t owner;
};

/**
 * struct lists - what is needed for that; begin with all zero, except @tally
 * @processes: the last one of each remainder of its id
 * @procs: with @has_procs, and @procs_ret for 0 or the -errno of reading them
 * @is_blind: a socket's process could not be seen
 */
struct lists {
	struct tally *tally;
	struct smc_inet_table inet;
	struct smc_sock *smcs;
	size_t n_smcs, smcs_size;
	struct proc_table procs;
	struct lists_process processes[LISTS_PROCESSES];
	int procs_ret;
	bool has_procs, is_blind;
};

/** lists_read() - a poll. @now: in ms. Return: 0, -errno with @err */
int lists_read(struct lists *lists, uint64_t now, struct smc_err *err);

/** lists_owner() - by a process's name and control group, or, if it has ended, by its @unit */
uint32_t lists_owner(struct lists *lists, pid_t pid, const char *comm, const char *unit);
