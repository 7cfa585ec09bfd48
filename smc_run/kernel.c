// SPDX-License-Identifier: MIT
/* What smc_run asks of the kernel: SMC sockets, and the limits of socket buffers. */
#include "smc_run/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/smc.h"

int kernel_smc(bool inet)
{
	if (inet && !kernel_ipproto_smc())
		return 0;
	return kernel_af_smc();
}

static int open_limit(const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/core/%s", name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int kernel_limit(const char *name, long long *bytes)
{
	int fd = open_limit(name, O_RDONLY);
	char text[32], *end;
	long long value;
	ssize_t len;

	if (fd < 0)
		return fd;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len <= 0)
		return -EIO;
	text[len] = '\0';
	value = strtoll(text, &end, 10);
	if (end == text)
		return -EIO;
	*bytes = value;
	return 0;
}

int kernel_raise_limit(const char *name, long long bytes)
{
	int fd = open_limit(name, O_WRONLY);
	char text[32];
	int len, err = 0;

	if (fd < 0)
		return fd;
	len = snprintf(text, sizeof(text), "%lld\n", bytes);
	if (write(fd, text, (size_t)len) != len)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}
