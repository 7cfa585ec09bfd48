// SPDX-License-Identifier: MIT
#include "host/smc.h"

#include <sys/socket.h>

#include "host/probe.h"
#include "smc/abi.h"

static int try_socket(void *kind, char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	const int *domain = kind, *protocol = domain + 1;
	int fd AUTO_CLOSE = socket(*domain, SOCK_STREAM | SOCK_CLOEXEC, *protocol);

	return fd < 0 ? -errno : 0;
}

#define KIND(domain, protocol) ((int[]){ domain, protocol })

int kernel_af_smc(void)
{
	return try_socket(KIND(AF_SMC, SMCPROTO_SMC), NULL);
}

int kernel_ipproto_smc(void)
{
	return try_socket(KIND(AF_INET, IPPROTO_SMC), NULL);
}

int kernel_has_smc(void)
{
	int err = kernel_af_smc();

	return err && err != -EACCES && !kernel_ipproto_smc() ? 0 : err;
}

int host_af_smc(void)
{
	return host_probe("socket-af_smc", try_socket, KIND(AF_SMC, SMCPROTO_SMC), NULL);
}

int host_ipproto_smc(void)
{
	return host_probe("socket-ipproto_smc", try_socket, KIND(AF_INET, IPPROTO_SMC), NULL);
}
