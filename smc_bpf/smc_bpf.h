/* SPDX-License-Identifier: MIT */
/* smc_bpf: programs that a preload library cannot reach, by eBPF. */
#ifndef SMC_BPF_H
#define SMC_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "base/err.h"
#include "sys/scope.h"

/**
 * struct pins - what is pinned, open
 * @dir: the folder, locked while something is changed; -1 without a lock
 * @tasks: map of marks, -1 while closed
 * @scopes: map of scopes, -1 while closed
 */
struct pins {
	int dir, tasks, scopes;
};

#define PINS_CLOSED { -1, -1, -1 }

/** pins_check() - could something be attached? Nothing is changed. Return: 0, -errno with a sentence */
int pins_check(struct smc_err *err);

/**
 * pins_read() - open what is pinned, for reading
 *
 * Return: 0; -ENOENT when nothing is loaded; -errno with a sentence.
 */
int pins_read(struct pins *pins, struct smc_err *err);

/**
 * pins_change() - open it for changes, and keep others from changing it until pins_close()
 * @load: load and attach the programs if they are not; else -ENOENT
 *
 * What a loader left behind that died half-way is removed.
 *
 * Return: 0, -errno with a sentence.
 */
int pins_change(struct pins *pins, bool load, struct smc_err *err);

/** pins_allow() - let a group mark processes for smc_run. Return: 0, -errno with a sentence */
int pins_allow(gid_t gid, struct smc_err *err);

/** pins_remove() - unpin all: the kernel ends the programs. Return: 0, -errno with a sentence */
int pins_remove(struct smc_err *err);

void pins_close(struct pins *pins);

enum scope_state {
	STATE_GONE,		/* its control group was removed, its processes have ended */
	STATE_EMPTY,		/* no process now, but there may be one again */
	STATE_ACTIVE,
};

struct scope_entry {
	uint64_t id;
	struct smc_scope scope;
	enum scope_state state;
};

struct scope_list {
	struct scope_entry *entries;
	size_t count;
};

/** scopes_load() - all scopes with their states. Return: 0, -errno with a sentence */
int scopes_load(struct scope_list *list, const struct pins *pins, struct smc_err *err);

void scopes_free(struct scope_list *list);

/**
 * scopes_mark_tree() - mark a process, its threads and all their children
 *
 * Return: 0, -ESRCH when there is no such process, -errno with a sentence.
 */
int scopes_mark_tree(const struct pins *pins, pid_t pid, uint64_t id, struct smc_err *err);

/** process_number() - a line of /proc/PID/status: "PPid:". Return: 0 if it has gone */
pid_t process_number(pid_t pid, const char *key);

/** struct target - whose sockets are meant; @kind 0: nobody named yet */
struct target {
	enum scope_kind kind;
	uint64_t id;		/* 0: a process without a mark */
	pid_t pid;
	char name[SCOPE_NAME_SIZE];
};

/**
 * target_cgroup() - a control group, in one of four ways to name it
 * @option: 'c' path, 'u' unit, 'C' container, 'o' process that is in it
 */
int target_cgroup(struct target *target, int option, const char *text, struct smc_err *err);

/** target_process() - a process and its children. Return: 0, -errno with a sentence */
int target_process(struct target *target, const char *text, struct smc_err *err);

/** target_run() - all that smc_run starts */
void target_run(struct target *target);

/** status_print() - the scopes as a table or JSON. Return: 0, -errno with a sentence */
int status_print(const struct cli_tool *tool, const struct scope_list *list, bool is_json,
		 struct smc_err *err);

#endif
