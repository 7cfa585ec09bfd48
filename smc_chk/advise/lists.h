/* SPDX-License-Identifier: MIT */
/* One look at all TCP sockets, which of them are SMC's, and whose they are. */
#pragma once

#include "base/err.h"
#include "base/index.h"
#include "process/proc.h"
#include "smc/inet.h"
#include "smc_chk/advise/tally.h"

/** struct lists_process - a process that was looked at: which owner it is */
struct lists_process {
	pid_t pid;
	char comm[16];
	uint32_t owner;
};

/**
 * struct lists - what is needed for that; begin with all zero
 * @processes: those that hold sockets; @by_process finds them
 * @is_blind: a socket's process could not be seen
 */
struct lists {
	struct tally *tally;
	uint64_t now;
	struct smc_inet_table inet;
	struct smc_sock *smcs;
	size_t n_smcs, smcs_size;
	struct proc_table procs;
	struct lists_process *processes;
	size_t n_processes, processes_size;
	struct smc_index by_process;
	bool is_blind;
};

/** lists_read() - a poll. @now: in ms. Return: 0, -errno with @err */
int lists_read(struct lists *lists, struct tally *tally, uint64_t now, struct smc_err *err);

/**
 * lists_owner() - which owner a process is, by its name and its control group
 * @unit: a service that it is in if it has ended meanwhile, empty for none
 */
uint32_t lists_owner(struct lists *lists, struct tally *tally, pid_t pid, const char *comm,
		     const char *unit);

void lists_free(struct lists *lists);
