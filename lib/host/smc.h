/* SPDX-License-Identifier: MIT */
/* Is SMC here? Needs libc only. */
#pragma once

#include <stdbool.h>

/* The sentences where it is not: see smc_missing(). */
#define SMC_MISSING "this kernel has no SMC (module 'smc' cannot be loaded): run 'smc_chk'"
#define SMC_FILTERED                                                                               \
	"this kernel has SMC, but a system call filter forbids this process SMC sockets "          \
	"(a unit's RestrictAddressFamilies=)"
#define SMC_MISSING_OR_FILTERED                                                                    \
	"this kernel has no SMC, or a system call filter forbids AF_SMC and IPPROTO_SMC "          \
	"(a unit's RestrictAddressFamilies=)"

/* After EACCES. */
#define SMC_DENIED "AppArmor or SELinux denies this process SMC sockets"

/**
 * host_af_smc() - can sockets of AF_SMC be opened?
 *
 * Opening one makes the kernel load the module "smc" by its alias net-pf-43, for every user.
 * Return: 0, -EAFNOSUPPORT when this kernel has no SMC, another -errno when a socket is refused for
 * another reason (a sandbox), -ENODATA when a record does not tell.
 */
int host_af_smc(void);

/**
 * host_ipproto_smc() - the same of IPPROTO_SMC, which came with Linux 6.11
 *
 * Return: as above; -EPROTONOSUPPORT where there are none.
 */
int host_ipproto_smc(void);

/** kernel_af_smc() - the same for whoever goes on to use one: of the running kernel in any case */
int kernel_af_smc(void);

/** kernel_ipproto_smc() - the same of IPPROTO_SMC */
int kernel_ipproto_smc(void);

/**
 * kernel_has_smc() - the same of either kind
 *
 * AppArmor lets IPPROTO_SMC through with "network inet", and then denies what accept(2) returns,
 * which is of AF_SMC for it: its -EACCES is for both.
 * Return: 0, or -errno of AF_SMC.
 */
int kernel_has_smc(void);

/**
 * smc_missing() - the sentence where AF_SMC was refused with EAFNOSUPPORT
 *
 * A filter of system calls, as systemd makes one of RestrictAddressFamilies=, may answer like a
 * kernel without SMC. It hides nothing in sysfs: if module smc is there, a filter refused.
 * Otherwise a filter may have kept the module from being loaded.
 */
const char *smc_missing(void);

/** host_has_filter() - runs this process under a filter of system calls (seccomp(2))? */
bool host_has_filter(void);
