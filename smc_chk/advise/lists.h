/* SPDX-License-Identifier: MIT */
/* Poll all TCP sockets: which belong to SMC, and to which process. */
#pragma once

#include "base/err.h"
#include "process/proc.h"
#include "smc/inet.h"
#include "smc_chk/advise/tally.h"

#define LISTS_PROCESSES 1024

/** struct lists_process - cached owner of a process */
struct lists_process {
	pid_t pid;
	char comm[16];
	uint32_t owner;
};

/**
 * struct lists - state of the polls; begin with all zero, except @tally
 * @processes: cache, indexed by the process id modulo its size
 * @procs: with @has_procs; @procs_ret: 0, or -errno of reading them
 * @is_blind: the process of a socket could not be seen
 */
struct lists {
	struct tally *tally;
	struct smc_inet_table inet;
	struct smc_sock *smcs;
	size_t n_smcs;
	struct proc_table procs;
	struct lists_process processes[LISTS_PROCESSES];
	int procs_ret;
	bool has_procs, is_blind;
};

/** lists_read() - poll once. @now: in ms */
int lists_read(struct lists *lists, uint64_t now, struct smc_err *err);

/**
 * lists_owner() - number of the owner: process name and control group; @unit if the process has
 * ended
 */
uint32_t lists_owner(struct lists *lists, pid_t pid, const char *comm, const char *unit);
