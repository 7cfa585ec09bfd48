// SPDX-License-Identifier: MIT
/* Find out if this or a recorded host has SMC, or if a system call filter refused its sockets. */
#include "host/file.h"
#include "host/probe.h"
#include "host/smc.h"

int host_af_smc(void)
{
	return host_probe_number("socket-af_smc", kernel_af_smc);
}

int host_ipproto_smc(void)
{
	return host_probe_number("socket-ipproto_smc", kernel_ipproto_smc);
}

bool host_has_filter(void)
{
	return host_probe_number("seccomp", kernel_has_filter) > 0;
}

const char *smc_missing(void)
{
	bool has_module = host_exists(SMC_MODULE);

	return smc_missing_text(has_module, !has_module && host_has_filter());
}
