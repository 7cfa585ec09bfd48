// SPDX-License-Identifier: MIT
#include "host/smc.h"

#include <sys/socket.h>

#include "host/probe.h"
#include "smc/abi.h"

static int try_socket(int domain, int protocol)
{
	int fd AUTO_CLOSE = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return -errno;
	return 0;
}

int kernel_af_smc(void)
{
	return try_socket(AF_SMC, SMCPROTO_SMC);
}

int kernel_ipproto_smc(void)
{
	return try_socket(AF_INET, IPPROTO_SMC);
}

int kernel_has_smc(void)
{
	int err = kernel_af_smc();

	return err && err != -EACCES && !kernel_ipproto_smc() ? 0 : err;
}

typedef int (*question)(void);

static int probe(void *arg, char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	return (*(const question *)arg)();
}

int host_af_smc(void)
{
	question ask = kernel_af_smc;

	return host_probe("socket-af_smc", probe, &ask, NULL);
}

int host_ipproto_smc(void)
{
	question ask = kernel_ipproto_smc;

	return host_probe("socket-ipproto_smc", probe, &ask, NULL);
}
