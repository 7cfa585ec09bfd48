// SPDX-License-Identifier: MIT
/* What smc_run asks of the kernel: SMC sockets, and the limits of socket buffers. */
#include "smc_run/kernel.h"

#include <errno.h>
#include <stdio.h>

#include "host/smc.h"

int kernel_smc(bool inet)
{
	if (inet && !kernel_ipproto_smc())
		return 0;
	return kernel_af_smc();
}

static FILE *open_limit(const char *name, const char *mode)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/net/core/%s", name);
	return fopen(path, mode);
}

int kernel_limit(const char *name, long long *bytes)
{
	FILE *file = open_limit(name, "re");
	int found;

	if (!file)
		return -errno;
	found = fscanf(file, "%lld", bytes);
	fclose(file);
	return found == 1 ? 0 : -EIO;
}

int kernel_raise_limit(const char *name, long long bytes)
{
	FILE *file = open_limit(name, "r+e");

	if (!file)
		return -errno;
	fprintf(file, "%lld\n", bytes);
	return fclose(file) ? -errno : 0;
}
