/* SPDX-License-Identifier: MIT */
/* Whether a kind of socket can be opened here. */
#ifndef SMC_SYS_TRYSOCK_H
#define SMC_SYS_TRYSOCK_H

/**
 * try_socket() - open a stream socket, and close it
 * @domain: AF_SMC, AF_INET
 * @protocol: SMCPROTO_SMC, IPPROTO_SMC
 *
 * It makes the kernel load the module, which needs no privileges.
 *
 * Return: 0, or -errno of socket(2).
 */
int try_socket(int domain, int protocol);

#endif
