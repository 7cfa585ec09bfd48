/* SPDX-License-Identifier: MIT */
/*
 * Scopes of control groups and processes, whose TCP sockets become SMC sockets by eBPF: attached,
 * detached, listed. libbpf is loaded only to attach the first one.
 */
#pragma once

#include "cgroup/scopes.h"
#include "cgroup/target.h"

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
