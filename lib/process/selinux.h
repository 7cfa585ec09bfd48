/* SPDX-License-Identifier: MIT */
/* SELinux, asked through selinuxfs: does it let a process open SMC sockets? */
#pragma once

#include "base/libc.h"

#define SELINUX_CONTEXT_SIZE 512
#define SELINUX_DOMAIN_SIZE 64

/* Classes of sockets: of AF_SMC, and the one that Linux takes IPPROTO_SMC for. */
#define SELINUX_AF_SMC "smc_socket"
#define SELINUX_IPPROTO_SMC "rawip_socket"

/* 1 in enforcing mode. */
#define SELINUX_ENFORCE "/sys/fs/selinux/enforce"

/* Its boolean is there while the module of packaging/selinux is loaded. */
#define SELINUX_MODULE_LOADED "/sys/fs/selinux/booleans/smc_use_daemons"

/** selinux_is_enforcing() - is SELinux on, and in enforcing mode? */
bool selinux_is_enforcing(void);

/** selinux_context() - context of a process, 0 for the caller. Return: 0, -errno */
int selinux_context(int pid, char context[SELINUX_CONTEXT_SIZE]);

/**
 * selinux_started() - context in which systemd starts a program
 *
 * The kernel computes it from the policy, for the context of process 1 and the file's label.
 *
 * Return: 0; -errno for a file without a label, or who asks may not (security:compute_create).
 */
int selinux_started(const char *program, char context[SELINUX_CONTEXT_SIZE]);

/** selinux_domain() - type in a context: the third part of "system_u:system_r:redis_t:s0" */
void selinux_domain(char domain[SELINUX_DOMAIN_SIZE], const char *context);

/**
 * selinux_denies() - may a process not create sockets of a class?
 * @context: of the process
 * @class: SELINUX_AF_SMC or SELINUX_IPPROTO_SMC
 *
 * The kernel computes the answer from the loaded policy, and audits nothing. A permissive domain
 * may do everything.
 *
 * Return: 1 if denied; 0 if allowed, or without SELinux in enforcing mode; -errno when who asks may
 * not (security:compute_av).
 */
int selinux_denies(const char *context, const char *class);
