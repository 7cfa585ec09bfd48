// SPDX-License-Identifier: MIT
/* Find out if this or a recorded host has SMC, or a system call filter refused its sockets. */
#include "host/file.h"
#include "host/probe.h"
#include "host/smc.h"

static int probe_af(void *arg __attribute__((unused)),
		    char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	return kernel_af_smc();
}

int host_af_smc(void)
{
	return host_probe("socket-af_smc", probe_af, NULL, NULL);
}

static int probe_ipproto(void *arg __attribute__((unused)),
			 char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	return kernel_ipproto_smc();
}

int host_ipproto_smc(void)
{
	return host_probe("socket-ipproto_smc", probe_ipproto, NULL, NULL);
}

static int probe_filter(void *arg __attribute__((unused)),
			char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	return kernel_has_filter();
}

bool host_has_filter(void)
{
	return host_probe("seccomp", probe_filter, NULL, NULL) > 0;
}

const char *smc_missing(void)
{
	bool has_module = host_exists(SMC_MODULE);

	return smc_missing_text(has_module, !has_module && host_has_filter());
}
