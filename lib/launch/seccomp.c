// SPDX-License-Identifier: MIT
/* The supervisor that the settings ask for. */
#include "launch/seccomp.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/smc.h"
#include "launch/bufsize.h"
#include "launch/supervise.h"
#include "process/sockcall.h"
#include "smc/abi.h"

/* An option, or what the environment has in its place. */
static const char *setting(const struct launch *launch, enum smc_variable variable)
{
	const char *value = launch->settings[variable];

	return value ? value : getenv(smc_variables[variable]);
}

/* A supervisor does not know which descriptor a program will get, only how many it may have. */
static int size_setting(const struct launch *launch, enum smc_variable variable)
{
	const char *value = setting(launch, variable);
	struct smc_buffer buffer = { 0 };
	struct rlimit limit = { 0 };
	char text[BUFFER_TEXT];

	if (!value)
		value = buffers_default(variable, false, text);
	if (value)
		smc_parse_buffer(value, &buffer);
	getrlimit(RLIMIT_NOFILE, &limit);
	return smc_buffer_fits(&buffer, limit.rlim_cur) ? buffer.bytes : 0;
}

/* By syscall(2): the preload library would hide it. */
static bool makes_smc(void)
{
	int fd = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int domain = 0, protocol = 0;
	socklen_t len = sizeof(int);

	if (fd < 0)
		return false;
	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &len);
	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len);
	close(fd);
	return domain == AF_SMC || protocol == IPPROTO_SMC;
}

int seccomp_start(const struct launch *launch, char *const *argv, struct smc_err *err)
{
	const char *family = setting(launch, VAR_FAMILY), *missing;
	struct supervise how = {
		/* Nothing hides AF_SMC from the program. */
		.inet = (!family || smc_wants_inet(family)) && !kernel_ipproto_smc(),
		.is_strict = launch_is_strict(launch),
	};

	if (kernel_has_smc())
		return smc_err_say(err, EAFNOSUPPORT, SMC_MISSING);
	how.sndbuf = size_setting(launch, VAR_SNDBUF);
	how.rcvbuf = size_setting(launch, VAR_RCVBUF);
	how.is_locked = setting(launch, VAR_SNDBUF) || setting(launch, VAR_RCVBUF);
	if (makes_smc())
		return 0;
	missing = sockcall_missing();
	if (missing)
		return smc_err_say(err, ENOSYS, "it needs %s", missing);
	return supervise(&how, argv, err);
}
