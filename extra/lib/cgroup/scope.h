/* SPDX-License-Identifier: MIT */
/* Definitions shared with the eBPF program of scopes: kernel headers only, as for BPF. */
#pragma once

#include <linux/types.h>

#include "process/mark.h"

/* Names of pinned objects. */
#define SCOPE_TASKS "tasks"
#define SCOPE_SCOPES "scopes"
#define SCOPE_FORK "fork"
#define SCOPE_SETSOCKOPT "setsockopt"
#define SCOPE_GETSOCKOPT "getsockopt"

/* The id of the programs of smc_run. A control group has its own id, unique until reboot. */
#define SCOPE_RUN_ID (1ULL << 63)

/* AF_UNIX, never the family of a TCP socket: a scope with it converts nothing. */
#define SCOPE_NO_FAMILY 1

#define SCOPE_MAX 1024
#define SCOPE_COMMS 8
#define SCOPE_COMM_SIZE 16 /* TASK_COMM_LEN */
#define SCOPE_NAME_SIZE 512

enum scope_kind {
	SCOPE_CGROUP = 1,
	SCOPE_RUN = 2,
};

/**
 * struct smc_scope - value of the map "scopes"; the key is its id
 * @converted: TCP sockets that became SMC sockets
 * @excluded: TCP sockets left alone by the rules below
 * @other: sockets that were not TCP sockets; @mptcp: MPTCP sockets left alone
 * @kind: enum scope_kind
 * @family: AF_INET or AF_INET6 to convert only these, SCOPE_NO_FAMILY for none, else 0
 * @has_gid: for SCOPE_RUN_ID: members of group @gid may have themselves marked
 * @keeps_mptcp: all MPTCP sockets are left alone, even those that the program's own code opens
 * @comms: command names of processes that are left alone, padded with zeros; "" ends the list
 * @name: for display: path of the control group, or "smc_run"
 */
struct smc_scope {
	__u64 converted, excluded, other, mptcp;
	__u32 kind, family, has_gid, gid, keeps_mptcp;
	char comms[SCOPE_COMMS][SCOPE_COMM_SIZE] __attribute__((aligned(8)));
	char name[SCOPE_NAME_SIZE];
};
