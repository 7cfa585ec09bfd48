/* SPDX-License-Identifier: MIT */
/* smc_bpf: programs that a preload library cannot reach, by eBPF. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "base/err.h"
#include "sys/scope.h"

/* The kernel's function that the eBPF program hooks into. */
#define SMC_BPF_HOOK "update_socket_protocol"

/* ---- check.c ---- */

/** check_capabilities() - may this process attach and detach? Return: 0, -errno with a sentence */
int check_capabilities(struct smc_err *err);

/** check_host() - can something be attached here, and by us? Return: 0, -errno with a sentence */
int check_host(struct smc_err *err);

/* ---- pins.c ---- */

/**
 * struct pins - what is pinned, open
 * @dir: the directory, locked while something is changed; -1 without a lock
 * @tasks: map of marks, -1 while closed
 * @scopes: map of scopes, -1 while closed
 */
struct pins {
	int dir, tasks, scopes;
};

#define PINS_CLOSED                                                                                \
	{                                                                                          \
		-1, -1, -1                                                                         \
	}

/**
 * pins_check() - could something be attached? Nothing is changed. Return: 0, -errno with a
 * sentence
 */
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

/** pins_remove() - unpin all: the kernel ends the programs. Return: 0, -errno with a sentence */
int pins_remove(struct smc_err *err);

void pins_close(struct pins *pins);

/* ---- scopes.c ---- */

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

/* ---- target.c ---- */

/** struct scope_target - what the command line names; @kind 0: nothing */
struct scope_target {
	enum scope_kind kind;
	uint64_t id; /* 0: a process without a mark */
	pid_t pid;
	char name[SCOPE_NAME_SIZE];
};

/**
 * scope_target_cgroup() - a control group, in one of four ways to name it
 * @option: 'c' path, 'u' unit, 'C' container, 'o' process that is in it
 */
int scope_target_cgroup(struct scope_target *target, int option, const char *text,
			struct smc_err *err);

/** scope_target_process() - a process and its children. Return: 0, -errno with a sentence */
int scope_target_process(struct scope_target *target, const char *text, struct smc_err *err);

/** scope_target_run() - all that smc_run starts */
void scope_target_run(struct scope_target *target);

/* ---- attach.c ---- */

/**
 * scope_attach() - add a scope, or replace it; and remove those that are gone
 * @rules: a scope whose kind and name do not matter
 *
 * Return: 0, -errno with a sentence.
 */
int scope_attach(struct scope_target *target, const struct smc_scope *rules, struct smc_err *err);

/** scope_detach() - remove a scope, and those that are gone. Return: 0, -errno with a sentence */
int scope_detach(struct scope_target *target, struct smc_err *err);

/** scope_detach_all() - remove everything. Return: 0, -errno with a sentence */
int scope_detach_all(struct smc_err *err);

/**
 * scope_detach_container() - remove the scopes of a container's control groups, if there are any
 * @id: of the container, as a whole
 *
 * Those that are gone are removed, too. Return: 0, -errno with a sentence.
 */
int scope_detach_container(const char *id, struct smc_err *err);

/** scope_remove_gone() - remove the scopes that are gone, if that is possible */
void scope_remove_gone(void);

/**
 * scope_list_load() - the attached scopes, maybe none
 * @list: to be freed, in any case
 * @target: only this one; NULL for all
 *
 * Return: 0, -ENOENT when there is no such target, -errno with a sentence.
 */
int scope_list_load(struct scope_list *list, struct scope_target *target, struct smc_err *err);

/* ---- status.c ---- */

/** status_print() - the scopes as a table or JSON. Return: 0, -errno with a sentence */
int status_print(const struct cli_tool *tool, const struct scope_list *list, bool is_json,
		 struct smc_err *err);

/** status_metrics() - the same in Prometheus' text form. Return: 0, -errno with a sentence */
int status_metrics(struct scope_list *list, uint64_t hook_failures, struct smc_err *err);

/* ---- hook.c ---- */

/**
 * hook_run() - be the hook of a container's runtime, whose state is on standard input
 *
 * Ends within seconds. What goes wrong is told on standard error and to syslog, and keeps no
 * container from starting unless its annotation is "strict".
 *
 * Return: exit status.
 */
int hook_run(const struct cli_tool *tool);

/** hook_failures() - containers of which something could not be set, since the host was started */
uint64_t hook_failures(void);
