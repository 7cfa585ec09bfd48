/* SPDX-License-Identifier: MIT */
/* The target of a scope: a control group, a process, or what smc_run starts. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "cgroup/scope.h"

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

/** scope_user() - the number of a user whose sockets alone are meant. Return: -1 for nobody */
int64_t scope_user(const char *name);
