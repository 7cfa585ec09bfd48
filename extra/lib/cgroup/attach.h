/* SPDX-License-Identifier: MIT */
/* Scopes: control groups, and programs of smc_run, whose TCP sockets become SMC sockets by eBPF. */
#pragma once

#include "base/err.h"
#include "cgroup/scope.h"

enum scope_state {
	STATE_GONE,  /* its control group was removed, or its processes have ended */
	STATE_EMPTY, /* no process now, but there may be one again */
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

/** struct scope_target - target named on the command line; @kind: 0 if none was named */
struct scope_target {
	enum scope_kind kind;
	uint64_t id;
	char name[SCOPE_NAME_SIZE];
};

/**
 * scope_target_cgroup() - set the target to a control group
 * @option: form of @text: 'c' path, 'p' path as in /proc/PID/cgroup, without the mount point, 'u'
 *	unit, 'C' container, 'o' process in the group
 */
int scope_target_cgroup(struct scope_target *target, int option, const char *text,
			struct smc_err *err);

/** scope_target_run() - set the target to all programs started by smc_run */
void scope_target_run(struct scope_target *target);

/** scope_target_has() - true for a process in the control group */
bool scope_target_has(const struct scope_target *target, pid_t pid);

/** scope_attach() - add or replace a scope, remove those gone; ignores @rules' kind and name */
int scope_attach(struct scope_target *target, const struct smc_scope *rules, struct smc_err *err);

/** scope_detach() - remove a scope, and those that are gone */
int scope_detach(struct scope_target *target, struct smc_err *err);

/** scope_detach_all() - remove everything */
int scope_detach_all(struct smc_err *err);

/** scope_detach_container() - remove the scopes of a container, by full @id, and those gone */
int scope_detach_container(const char *id, struct smc_err *err);

/** scope_remove_gone() - remove the scopes that are gone, if that is possible */
void scope_remove_gone(void);

/**
 * scope_list_load() - list the attached scopes, possibly none
 * @list: the caller frees it, even on failure
 * @target: only this one; NULL for all
 *
 * Return: 0, -ENOENT when there is no such target, -errno with a sentence.
 */
int scope_list_load(struct scope_list *list, const struct scope_target *target,
		    struct smc_err *err);

void scope_list_free(struct scope_list *list);

/* ---- loading, pinning and unpinning the eBPF programs ---- */

/**
 * struct pins - descriptors of pinned objects
 * @dir: the directory, locked during changes; -1 without a lock
 * @tasks: map of marks, -1 if not open; @scopes: map of scopes, -1 if not open
 */
struct pins {
	int dir, tasks, scopes;
};

/* clang-format off */
#define PINS_CLOSED { -1, -1, -1 }
/* clang-format on */

/** pins_check() - check that scopes can be attached */
int pins_check(struct smc_err *err);

/** pins_read() - open for reading. Return: 0; -ENOENT if nothing is pinned; -errno with @err */
int pins_read(struct pins *pins, struct smc_err *err);

/**
 * pins_change() - open for changes, locked until pins_close()
 * @load: load and attach the programs if they are not pinned; else -ENOENT
 *
 * Remains of a loader that was killed are removed.
 */
int pins_change(struct pins *pins, bool load, struct smc_err *err);

/** pins_remove() - unpin everything, which ends the programs */
int pins_remove(struct smc_err *err);

void pins_close(struct pins *pins);
