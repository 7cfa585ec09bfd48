/* SPDX-License-Identifier: MIT */
/* What smc_run asks of the kernel: SMC sockets, and the limits of socket buffers. */
#ifndef SMC_RUN_KERNEL_H
#define SMC_RUN_KERNEL_H

#include <stdbool.h>

/**
 * kernel_smc() - can SMC sockets be opened here?
 * @inet: try IPPROTO_SMC first, as the library will
 *
 * Opening one makes the kernel load its module, which needs no privileges.
 *
 * Return: 0, or -errno of socket(2): -EAFNOSUPPORT without SMC.
 */
int kernel_smc(bool inet);

/**
 * kernel_limit() - the most that setsockopt(2) grants for a socket buffer
 * @name: "rmem_max" or "wmem_max", of /proc/sys/net/core
 * @bytes: the limit; written only on success
 *
 * Return: 0, or -errno: -ENOENT in some containers.
 */
int kernel_limit(const char *name, long long *bytes);

/** kernel_raise_limit() - write such a limit. Return: 0, or -errno */
int kernel_raise_limit(const char *name, long long bytes);

#endif
