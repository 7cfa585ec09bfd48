// SPDX-License-Identifier: MIT
/* The kernel's limits for socket buffers. */
#include "launch/bufsize.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>

#include "base/array.h"
#include "base/read.h"
#include "smc/buffer_sizes.h"

static const struct buffer {
	enum smc_variable size;
	const char *what;
	const char *limit;  /* net.core: maximum that setsockopt(2) grants */
	const char *normal; /* net.smc: default of SMC sockets */
	int force;	    /* option that exceeds the maximum, with CAP_NET_ADMIN */
} buffers[] = {
	{ VAR_RCVBUF, "receive", "rmem_max", "rmem", SO_RCVBUFFORCE },
	{ VAR_SNDBUF, "transmit", "wmem_max", "wmem", SO_SNDBUFFORCE },
};

#define KNOB "/proc/sys/net/%s/%s"

static int read_knob(const char *part, const char *name, long long *bytes)
{
	char path[64], text[64];
	int ret;

	snprintf(path, sizeof(path), KNOB, part, name);
	ret = smc_read_start(path, 0, text, sizeof(text));
	if (ret < 0)
		return ret;
	return sscanf(text, "%lld", bytes) == 1 ? 0 : -EIO;
}

static bool is_above(const struct launch *launch, const struct buffer *buffer, int *bytes,
		     long long *limit)
{
	const char *size = launch->settings[buffer->size];

	*bytes = size ? atoi(size) : 0;
	return size && !read_knob("core", buffer->limit, limit) && *limit < *bytes;
}

/* If this process may exceed the limit, so may the library in the program: the limit can stay. */
static bool may_exceed(const struct buffer *buffer, int bytes)
{
	int fd AUTO_CLOSE = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && !setsockopt(fd, SOL_SOCKET, buffer->force, &bytes, sizeof(bytes));
}

/* @is_test: only test whether this process may do so. Return: 0, or the error status */
static int raise_limit(const struct launch *launch, const char *name, long long limit, int bytes,
		       bool is_test)
{
	int fd AUTO_CLOSE = -1;
	char path[64];

	snprintf(path, sizeof(path), KNOB, "core", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "%d", bytes);
	if (fd >= 0 && (is_test || write(fd, path, strlen(path)) > 0))
		return 0;
	return cli_error(launch->tool, "cannot raise net.core.%s from %lld to %d: %s", name, limit,
			 bytes, strerror(errno));
}

/* The kernel caps silently: setsockopt(SO_RCVBUF) succeeds and sets less, see socket(7). */
static int check(const struct launch *launch, enum way way, const struct buffer *buffer)
{
	int bytes, status;
	long long limit;

	if (!is_above(launch, buffer, &bytes, &limit))
		return 0;
	if (!launch->raise_limits) {
		/* A supervisor has no capabilities. */
		if (way == WAY_SECCOMP || !may_exceed(buffer, bytes))
			cli_warn(launch->tool, launch->quiet,
				 "the %s buffer of %d bytes is above "
				 "net.core.%s: the kernel will use %lld (see --raise-limits)",
				 buffer->what, bytes, buffer->limit, limit);
		return 0;
	}
	status = raise_limit(launch, buffer->limit, limit, bytes, false);
	cli_warn(launch->tool, status || launch->quiet, "raised net.core.%s from %lld to %d",
		 buffer->limit, limit, bytes);
	return status;
}

unsigned long long buffers_memory(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : (unsigned long long)info.totalram * info.mem_unit;
}

/* Return: bytes; SMC_KERNEL_BUFFER or less to leave the kernel's own size. */
static long long good_size(const struct buffer *buffer, bool may_exceed)
{
	long long now, limit, good = smc_good_buffer(buffers_memory());

	if (read_knob("smc", buffer->normal, &now) || now != SMC_KERNEL_BUFFER)
		return 0;
	if (may_exceed || read_knob("core", buffer->limit, &limit))
		return good;
	return limit < good ? limit : good;
}

const char *buffers_default(enum smc_variable variable, bool may_exceed, char text[BUFFER_TEXT])
{
	long long bytes = 0;

	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		if (buffers[i].size == variable)
			bytes = good_size(&buffers[i], may_exceed);
	if (bytes <= SMC_KERNEL_BUFFER)
		return NULL;
	snprintf(text, BUFFER_TEXT, "%lld:%d", bytes,
		 smc_good_sockets(buffers_memory(), (int)bytes));
	return text;
}

bool buffers_may_exceed(void)
{
	return may_exceed(&buffers[0], SMC_GOOD_BUFFER);
}

int buffers_may_raise(const struct launch *launch)
{
	int bytes, status = 0;
	long long limit;

	for (size_t i = 0; launch->raise_limits && !status && i < ARRAY_SIZE(buffers); i++)
		if (is_above(launch, &buffers[i], &bytes, &limit))
			status = raise_limit(launch, buffers[i].limit, limit, bytes, true);
	return status;
}

int buffers_check(const struct launch *launch, enum way way)
{
	int status = 0;

	for (size_t i = 0; way != WAY_BPF && !status && i < ARRAY_SIZE(buffers); i++)
		status = check(launch, way, &buffers[i]);
	return status;
}

void buffers_warn(const struct launch *launch, const char *unit)
{
	long long limit;
	int bytes;

	for (size_t i = 0; i < ARRAY_SIZE(buffers); i++)
		if (is_above(launch, &buffers[i], &bytes, &limit))
			cli_warn(launch->tool, launch->quiet,
				 "the %s buffer of %d bytes is above "
				 "net.core.%s, and %s does not run as root: the kernel will use "
				 "%lld (see sysctl.d(5))",
				 buffers[i].what, bytes, buffers[i].limit, unit, limit);
}
