/* SPDX-License-Identifier: MIT */
/* The ways into a program: ld_pre_smc.so in LD_PRELOAD, eBPF in the kernel, a process beside it. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "smc_run/request.h"
#include "sys/library.h"

#define PRELOAD "LD_PRELOAD"

/**
 * way_has_smc() - can SMC sockets of either kind be opened here?
 *
 * Opening one makes the kernel load its module, which needs no privileges.
 *
 * Return: 0, or -errno of socket(2) for AF_SMC: -EAFNOSUPPORT without SMC.
 */
int way_has_smc(void);

/**
 * preload_find() - the library for a program, with an entry that LD_PRELOAD can hold
 *
 * Return: 0; -ENOENT or -EINVAL with a sentence.
 */
int preload_find(const struct target *target, struct library *lib, struct smc_err *err);

/** preload_is_ours() - is an entry of LD_PRELOAD this library, under any of its names? */
bool preload_is_ours(const char *entry);

/** bpf_loader() - the smc_bpf beside this program, or else the installed one. False: none */
bool bpf_loader(char path[PATH_MAX]);

/**
 * tool_ask() - run another tool of ours, beside this program or else the installed one
 * @option, @value: arguments behind @command, NULL for none
 * @text: receives what it printed, to be freed; may be NULL
 *
 * Return: 0; -EIO with its sentence if it failed; -ENOENT with a sentence if there is none; -errno
 * with a sentence.
 */
int tool_ask(const char *name, const char *command, const char *option, const char *value,
	     char **text, struct smc_err *err);

/**
 * bpf_ask() - run smc_bpf
 * @option, @value: arguments behind @command, NULL for none
 *
 * Return: as tool_ask().
 */
int bpf_ask(const char *command, const char *option, const char *value, struct smc_err *err);

/**
 * bpf_mark_self() - the TCP sockets of this process, and of all it starts, become SMC sockets
 *
 * A member of the group that smc_bpf allows needs no privileges, nor does who may write to the
 * pinned map. Where nothing is pinned, smc_bpf is asked to load the program, which needs them:
 * @is_loaded, as that stays.
 *
 * Return: 0, -errno with a sentence; nothing has happened then.
 */
int bpf_mark_self(bool *is_loaded, struct smc_err *err);

/** bpf_warn_settings() - warn of options of the library that eBPF does not know; @name: whose */
void bpf_warn_settings(const struct request *req, const char *name);

/**
 * seccomp_start() - a supervisor for the TCP sockets of this process, and of all it starts
 * @argv: of the command
 *
 * Nothing is done where a process outside, or eBPF, sees to that already.
 *
 * Return: as supervise().
 */
int seccomp_start(const struct request *req, char *const *argv, struct smc_err *err);

/** seccomp_warn_settings() - warn of options of the library that a supervisor does not know */
void seccomp_warn_settings(const struct request *req, const char *name);
