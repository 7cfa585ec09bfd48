/* SPDX-License-Identifier: MIT */
/* Is SMC here? Needs libc only. */
#pragma once

/* The sentence where it is not. */
#define SMC_MISSING "this kernel has no SMC (module 'smc' cannot be loaded): run 'smc_chk'"

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

/** kernel_has_smc() - the same of either kind. Return: 0, or -errno of AF_SMC */
int kernel_has_smc(void);
