/* SPDX-License-Identifier: MIT */
/*
 * Shared by the eBPF program of scopes, its loader and smc_run: whose sockets become SMC sockets.
 * Compiled for BPF too, so it needs no header but the kernel's.
 */
#pragma once

#include <linux/types.h>

/* Where everything is pinned, and under which names. */
#define SCOPE_BPFFS "/sys/fs/bpf"
#define SCOPE_DIR SCOPE_BPFFS "/smc-tools"
#define SCOPE_TASKS "tasks"
#define SCOPE_SCOPES "scopes"
#define SCOPE_HOOK "socket"
#define SCOPE_FORK "fork"

/*
 * A scope of a control group has that group's id, which is never used again before the next boot;
 * all others have the highest bit.
 */
#define SCOPE_NOT_CGROUP (1ULL << 63)
/* Everything that smc_run starts. */
#define SCOPE_RUN_ID SCOPE_NOT_CGROUP

/*
 * A protocol that nobody has: a member of the scope's group who asks for such a TCP socket is
 * marked, and gets an SMC socket for an answer. Everybody else gets what the kernel says to it.
 * So members need no map, through which they could change what is not theirs.
 */
#define SCOPE_ASK 0x736d63

/* AF_UNIX, which TCP sockets never are: a scope of that family converts nothing. */
#define SCOPE_NO_FAMILY 1

#define SCOPE_MAX 1024
#define SCOPE_COMMS 8
#define SCOPE_COMM_SIZE 16 /* TASK_COMM_LEN */
#define SCOPE_NAME_SIZE 512

enum scope_kind {
	SCOPE_CGROUP = 1,
	SCOPE_PROCESS = 2,
	SCOPE_RUN = 3,
};

/**
 * struct smc_scope - value of the map "scopes", by its id
 * @converted: TCP sockets that became SMC sockets
 * @excluded: TCP sockets that the rules below left alone
 * @other: sockets that were no TCP sockets
 * @kind: enum scope_kind
 * @family: AF_INET or AF_INET6 if only these are converted, SCOPE_NO_FAMILY for none, else 0
 * @has_uid: whether only sockets of @uid are converted
 * @has_gid: of SCOPE_RUN_ID: whether members of group @gid may have themselves marked
 * @comms: command names of processes that are left alone, filled up with zeros; "" ends the list
 * @name: for people: path of the control group, or "1234 (redis-server)"
 */
struct smc_scope {
	__u64 converted;
	__u64 excluded;
	__u64 other;
	__u32 kind;
	__u32 family;
	__u32 has_uid;
	__u32 uid;
	__u32 has_gid;
	__u32 gid;
	char comms[SCOPE_COMMS][SCOPE_COMM_SIZE] __attribute__((aligned(8)));
	char name[SCOPE_NAME_SIZE];
};
