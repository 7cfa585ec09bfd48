/* SPDX-License-Identifier: MIT */
/* Which scopes there are, and which processes are marked. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cgroup/pins.h"
#include "cgroup/scope.h"

enum scope_state {
	STATE_GONE,  /* its control group was removed, its processes have ended */
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
