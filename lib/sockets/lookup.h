/* SPDX-License-Identifier: MIT */
/* Addresses of SMC sockets that the kernel leaves out, and the processes that hold them. */
#pragma once

#include "base/err.h"
#include "process/proc.h"
#include "smc/inet.h"

/** struct sockets_lookup - what addresses and processes are looked up in; begin with all zero */
struct sockets_lookup {
	bool has_inet[2], has_procs; /* of AF_INET, of AF_INET6 */
	struct smc_inet_table inet;
	struct proc_table procs;
};

/**
 * sockets_complete() - find the addresses: ask the TCP socket inside, else the process
 *
 * Return: 0, also when nobody knows; -errno with @err.
 */
int sockets_complete(struct sockets_lookup *lookup, struct smc_sock *sock, struct smc_err *err);

/** sockets_load_processes() - once. Return: 0, -errno with @err */
int sockets_load_processes(struct sockets_lookup *lookup, struct smc_err *err);

/** sockets_forget_inet() - what is looked up next is in another network namespace */
void sockets_forget_inet(struct sockets_lookup *lookup);

/** sockets_lookup_free() - as at the beginning, all zero */
void sockets_lookup_free(struct sockets_lookup *lookup);
