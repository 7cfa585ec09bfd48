// SPDX-License-Identifier: MIT
/* A command that is to use SMC: by the library in its environment, or by eBPF. */
#include "smc_run/command.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "host/smc.h"
#include "smc_run/buffers.h"
#include "smc_run/way.h"

/* What --debug adds. */
static bool is_silent(const struct request *req)
{
	return !req->settings[VAR_DEBUG];
}

/* SMC cannot happen: a warning, or the end with --strict. */
static int __attribute__((format(printf, 3, 4)))
no_smc(const struct request *req, const char *command, const char *fmt, ...)
{
	char why[PATH_MAX + 256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (req->is_strict)
		return cli_error(req->tool, "no SMC for '%s': %s", command, why);
	cli_warn(req->tool, req->quiet, "'%s' will use TCP: %s", command, why);
	return 0;
}

static int check_kernel(const struct request *req, const char *command)
{
	int err = way_has_smc();

	switch (err) {
	case 0:
		return 0;
	case -EAFNOSUPPORT:
	case -EPROTONOSUPPORT:
	case -ESOCKTNOSUPPORT:
		/* The same answer: systemd's RestrictAddressFamilies=. */
		if (prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
			return no_smc(req, command, "this kernel has no SMC, or a filter of system "
				      "calls forbids AF_SMC and IPPROTO_SMC (a unit's "
				      "RestrictAddressFamilies=)");
		return no_smc(req, command, SMC_MISSING);
	default:
		return no_smc(req, command, "SMC sockets cannot be opened here: %s",
			      strerror(-err));
	}
}

/* By eBPF, which knows nothing of the library's settings. Return: 0, -errno with a sentence. */
static int use_bpf(const struct request *req, const char *command, struct smc_err *err)
{
	bool is_loaded;
	int ret = bpf_mark_self(&is_loaded, err);

	if (ret)
		return ret;
	if (is_loaded)
		cli_warn(req->tool, req->quiet, "loaded the eBPF program for '%s', which stays: "
			 "'smc_bpf detach --run' removes it", command);
	cli_warn(req->tool, is_silent(req),
		 "'%s' by eBPF: its TCP sockets become IPPROTO_SMC sockets", command);
	bpf_warn_settings(req, command);
	return 0;
}

/* The library, or eBPF for a program that the library does not reach. */
static int check_program(const struct request *req, const struct target *target,
			 const struct library *lib)
{
	struct smc_err err;
	char why[LIBRARY_WHY_SIZE];

	if (!library_misses(lib, target, why)) {
		cli_warn(req->tool, is_silent(req), "'%s' by preload: %s", target->path,
			 lib->entry);
		return 0;
	}
	if (req->way == WAY_NONE) {
		if (!use_bpf(req, target->path, &err))
			return 0;
		cli_warn(req->tool, is_silent(req), "no eBPF for '%s': %s", target->path,
			 err.text);
	}
	return no_smc(req, target->path, "%s", why);
}

static int check_all(const struct request *req, const char *command,
		     const struct target *target, const struct library *lib)
{
	int status = check_kernel(req, command);

	if (!status)
		status = check_program(req, target, lib);
	return status ? status : buffers_check(req);
}

/* What was not asked for keeps the value that the caller's environment gives it. */
static int set_environment(const struct request *req, const struct library *lib)
{
	int i, err = library_preload(lib->entry);

	for (i = 0; !err && i < VARIABLES; i++)
		if (req->settings[i] && setenv(smc_variables[i], req->settings[i], 1))
			err = -errno;
	return err ? cli_error(req->tool, "cannot set the environment: %s", strerror(-err)) : 0;
}

static int use_library(const struct request *req, const char *command,
		       const struct target *target)
{
	struct library lib;
	struct smc_err err;
	int status;

	if (preload_find(target, &lib, &err))
		return cli_error(req->tool, "%s", err.text);
	status = set_environment(req, &lib);
	/* For a missing command the error of exec says more. */
	if (!status && target->path[0])
		status = check_all(req, command, target, &lib);
	return status;
}

int command_prepare(const struct request *req, const char *command)
{
	struct target target;
	struct smc_err err;

	target_find(command, &target);
	if (target.path[0] && req->way == WAY_BPF) {
		if (!use_bpf(req, command, &err))
			return 0;
		if (req->is_strict)
			return cli_error(req->tool, "no eBPF for '%s': %s", command, err.text);
		cli_warn(req->tool, req->quiet, "no eBPF for '%s': %s; preloading instead",
			 command, err.text);
	}
	return use_library(req, command, &target);
}
