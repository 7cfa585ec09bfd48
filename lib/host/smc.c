// SPDX-License-Identifier: MIT
#include "host/smc.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "smc/family.h"

static int try_socket(int domain, int protocol)
{
	int fd AUTO_CLOSE = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, protocol);

	return fd < 0 ? -errno : 0;
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

int kernel_has_filter(void)
{
	return prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER;
}

const char *smc_missing_text(bool has_module, bool has_filter)
{
	if (has_module)
		return SMC_FILTERED;
	return has_filter ? SMC_MISSING_OR_FILTERED : SMC_MISSING;
}

int kernel_why_not(int ret, struct smc_err *err)
{
	switch (ret) {
	case -EAFNOSUPPORT:
	case -EPROTONOSUPPORT:
	case -ESOCKTNOSUPPORT:
		return smc_err_say(
			err, -ret, "%s",
			smc_missing_text(!access(SMC_MODULE, F_OK), kernel_has_filter()));
	case -EACCES: return smc_err_say(err, -ret, SMC_DENIED);
	default:
		return smc_err_say(err, -ret, "SMC sockets cannot be opened here: %s" SMC_ASK,
				   strerror(-ret));
	}
}
