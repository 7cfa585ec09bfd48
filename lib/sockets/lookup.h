/* SPDX-License-Identifier: MIT */
/* Addresses of SMC sockets that the kernel leaves out, and the holders of sockets. */
#pragma once

#include "base/err.h"
#include "process/proc.h"
#include "smc/inet.h"

/** struct sockets_lookup - cache of addresses and processes; zero-initialize */
struct sockets_lookup {
	bool has_inet[2], has_procs; /* AF_INET, AF_INET6 */
	struct smc_inet_table inet;
	struct proc_table procs;
};

/** sockets_complete() - find addresses by TCP socket or process. Return: 0, even if none; -errno */
int sockets_complete(struct sockets_lookup *lookup, struct smc_sock *sock, struct smc_err *err);

/** sockets_load_processes() - load them on first use. Return: 0, -errno with @err */
int sockets_load_processes(struct sockets_lookup *lookup, struct smc_err *err);

/** sockets_forget_inet() - drop cached addresses before a switch of network namespace */
void sockets_forget_inet(struct sockets_lookup *lookup);

/** sockets_lookup_free() - free, and reset to zero */
void sockets_lookup_free(struct sockets_lookup *lookup);
