/* SPDX-License-Identifier: MIT */
/* Find out if this host has SMC. Needs libc only. */
#pragma once

#include "base/err.h"

/* Also exists if SMC is built in. */
#define SMC_MODULE "/sys/module/smc"

/* Messages for missing SMC: see smc_missing(). */
#define SMC_ASK ": run 'smc_chk doctor'"
#define SMC_MISSING "this kernel has no SMC (module 'smc' cannot be loaded)" SMC_ASK
#define SMC_FILTERED                                                                               \
	"this kernel has SMC, but a system call filter forbids this process SMC sockets "          \
	"(a unit's RestrictAddressFamilies=)" SMC_ASK
#define SMC_MISSING_OR_FILTERED                                                                    \
	"this kernel has no SMC, or a system call filter forbids AF_SMC and IPPROTO_SMC "          \
	"(a unit's RestrictAddressFamilies=)" SMC_ASK

#define SMC_DENIED "AppArmor or SELinux denies this process SMC sockets" SMC_ASK

/**
 * host_af_smc() - check that AF_SMC sockets can be opened
 *
 * Opening one makes the kernel load the module "smc" by its alias net-pf-43, for every user.
 * Return: 0, -EAFNOSUPPORT if this kernel has no SMC, another -errno if a socket is refused for
 * another reason (a sandbox), -ENODATA if a record lacks it.
 */
int host_af_smc(void);

/** host_ipproto_smc() - host_af_smc() for IPPROTO_SMC; -EPROTONOSUPPORT before Linux 6.11 */
int host_ipproto_smc(void);

/** kernel_af_smc() - like host_af_smc(), always for the running kernel, never from a record */
int kernel_af_smc(void);

/** kernel_ipproto_smc() - like kernel_af_smc(), for IPPROTO_SMC */
int kernel_ipproto_smc(void);

/**
 * kernel_has_smc() - check that the running kernel opens AF_SMC or IPPROTO_SMC sockets
 *
 * AppArmor allows IPPROTO_SMC with "network inet", but treats the socket that accept(2) returns as
 * AF_SMC and denies it: so -EACCES for AF_SMC applies to both.
 * Return: 0, or -errno of AF_SMC.
 */
int kernel_has_smc(void);

/**
 * smc_missing() - message for EAFNOSUPPORT from AF_SMC
 *
 * A system call filter, such as systemd's for RestrictAddressFamilies=, may answer like a kernel
 * without SMC. A filter does not hide sysfs: if sysfs shows the module smc, a filter refused the
 * socket. Otherwise a filter may have kept the module from being loaded.
 */
const char *smc_missing(void);

/** smc_missing_text() - smc_missing() without asking the host. Pure */
const char *smc_missing_text(bool has_module, bool has_filter);

/**
 * kernel_why_not() - report why the running kernel opened no SMC socket
 * @ret: -errno of kernel_has_smc() and the like
 *
 * Return: @ret, with a sentence.
 */
int kernel_why_not(int ret, struct smc_err *err);

/** kernel_has_filter() - host_has_filter(), 1 or 0, always for this process, never from a record */
int kernel_has_filter(void);

/** host_has_filter() - true if a system call filter (seccomp(2)) applies to this process */
bool host_has_filter(void);
