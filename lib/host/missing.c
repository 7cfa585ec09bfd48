// SPDX-License-Identifier: MIT
/* Find out whether the kernel or a system call filter refused an SMC socket. */
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "host/file.h"
#include "host/probe.h"
#include "host/smc.h"

static int ask_for_filter(void *arg __attribute__((unused)),
			  char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	return prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER;
}

bool host_has_filter(void)
{
	return host_probe("seccomp", ask_for_filter, NULL, NULL) > 0;
}

const char *smc_missing(void)
{
	/* It is also there where SMC is built in. */
	if (host_exists("/sys/module/smc"))
		return SMC_FILTERED;
	return host_has_filter() ? SMC_MISSING_OR_FILTERED : SMC_MISSING;
}
