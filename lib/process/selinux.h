/* SPDX-License-Identifier: MIT */
/* SELinux, asked through selinuxfs: does it let a process open SMC sockets? */
#pragma once

#include <stdbool.h>

#define SELINUX_DOMAIN_SIZE 64

/* Classes of sockets: of AF_SMC, and the one that Linux takes IPPROTO_SMC for. */
#define SELINUX_AF_SMC "smc_socket"
#define SELINUX_IPPROTO_SMC "rawip_socket"

/**
 * selinux_denies() - may a process not create sockets of a class?
 * @class: SELINUX_AF_SMC or SELINUX_IPPROTO_SMC
 * @domain: receives the type in its context, "redis_t"; empty when unknown
 *
 * The kernel computes the answer from the loaded policy, and audits nothing. A permissive domain
 * may do everything.
 *
 * Return: 1 if denied; 0 if allowed, or without SELinux in enforcing mode; -errno when the process
 * is gone, or who asks may not (security:compute_av).
 */
int selinux_denies(int pid, const char *class, char domain[SELINUX_DOMAIN_SIZE]);
