// SPDX-License-Identifier: MIT
/* A command that is to use SMC: by the library in its environment, by eBPF, or by a supervisor. */
#include "launch/prepare.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "host/smc.h"
#include "launch/bufsize.h"
#include "launch/mark.h"
#include "launch/preload.h"
#include "launch/seccomp.h"
#include "process/sockcall.h"

/* No messages that only --debug asks for? */
static bool is_silent(const struct launch *launch)
{
	return !launch->settings[VAR_DEBUG];
}

/* SMC cannot happen: a warning, or the end with --strict. */
static int __attribute__((format(printf, 3, 4)))
no_smc(const struct launch *launch, const char *command, const char *fmt, ...)
{
	char why[PATH_MAX + 256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (launch_is_strict(launch))
		return cli_error(launch->tool, "no SMC for '%s': %s", command, why);
	cli_warn(launch->tool, launch->quiet, "'%s' will use TCP: %s", command, why);
	return 0;
}

static int check_kernel(const struct launch *launch, const char *command)
{
	int err = kernel_has_smc();

	switch (err) {
	case 0: return 0;
	case -EAFNOSUPPORT:
	case -EPROTONOSUPPORT:
	case -ESOCKTNOSUPPORT:
		/* The same answer: systemd's RestrictAddressFamilies=. */
		if (prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
			return no_smc(launch, command,
				      "this kernel has no SMC, or a filter of system "
				      "calls forbids AF_SMC and IPPROTO_SMC (a unit's "
				      "RestrictAddressFamilies=)");
		return no_smc(launch, command, SMC_MISSING);
	default:
		return no_smc(launch, command, "SMC sockets cannot be opened here: %s",
			      strerror(-err));
	}
}

/* By eBPF, which knows nothing of the library's settings. Return: 0, -errno with a sentence. */
static int use_bpf(const struct launch *launch, const char *command, struct smc_err *err)
{
	bool is_loaded;
	int ret = bpf_mark_self(&is_loaded, err);

	if (ret)
		return ret;
	if (is_loaded)
		cli_warn(launch->tool, launch->quiet,
			 "loaded the eBPF program for '%s', which stays: "
			 "'smc_bpf detach --run' removes it",
			 command);
	cli_warn(launch->tool, is_silent(launch),
		 "'%s' by eBPF: its TCP sockets become IPPROTO_SMC sockets", command);
	launch_warn(launch, WAY_BPF, command);
	return 0;
}

/* Return: 0; -errno with a sentence, as supervise(). */
static int use_seccomp(const struct launch *launch, const char *command, char *const *argv,
		       struct smc_err *err)
{
	int ret = seccomp_start(launch, argv, err);

	if (ret)
		return ret;
	cli_warn(launch->tool, is_silent(launch),
		 "'%s' by seccomp: its TCP sockets become SMC sockets, made by a supervisor",
		 command);
	launch_warn(launch, WAY_SECCOMP, command);
	return 0;
}

/*
 * A program that the library does not reach, at @why. *@way: receives that which does. Not seccomp
 * for a program that it would change.
 */
static int choose_other(const struct launch *launch, const struct target *target, char *const *argv,
			const char *why, enum way *way)
{
	const char *misses = sockcall_misses(target);
	struct smc_err err;
	int ret;

	*way = WAY_BPF;
	if (!use_bpf(launch, target->path, &err))
		return 0;
	cli_warn(launch->tool, is_silent(launch), "no eBPF for '%s': %s", target->path, err.text);
	*way = WAY_SECCOMP;
	ret = misses ? smc_err_say(&err, ENOTSUP, "%s", misses) :
		       use_seccomp(launch, target->path, argv, &err);
	if (!ret)
		return 0;
	if (ret == -EPIPE)
		return cli_error(launch->tool, "%s", err.text);
	cli_warn(launch->tool, is_silent(launch), "no seccomp for '%s': %s", target->path,
		 err.text);
	*way = WAY_NONE;
	return no_smc(launch, target->path, "%s", why);
}

/* The library, or another way for a program that the library does not reach. */
static int check_program(const struct launch *launch, const struct target *target,
			 char *const *argv, const struct library *lib, enum way *way)
{
	char why[LIBRARY_WHY_SIZE];

	if (!library_misses(lib, target, why)) {
		cli_warn(launch->tool, is_silent(launch), "'%s' by preload: %s", target->path,
			 lib->entry);
		return 0;
	}
	if (launch->way == WAY_NONE)
		return choose_other(launch, target, argv, why, way);
	return no_smc(launch, target->path, "%s", why);
}

/*
 * A setting without an option keeps the value that the caller's environment gives it; buffers
 * without either have a default.
 */
static int set_environment(const struct launch *launch, const struct library *lib)
{
	bool may_exceed = buffers_may_exceed();
	int i, err = library_preload(lib->entry);
	char text[BUFFER_TEXT];
	const char *value;

	for (i = 0; !err && i < VARIABLES; i++) {
		value = launch->settings[i];
		if (!value && !getenv(smc_variables[i]))
			value = buffers_default(i, may_exceed, text);
		if (value && setenv(smc_variables[i], value, 1))
			err = -errno;
	}
	return err ? cli_error(launch->tool, "cannot set the environment: %s", strerror(-err)) : 0;
}

/*
 * For a missing command the error of exec says more. Under a supervisor nothing is preloaded: a
 * socket that the library means to be TCP would be an SMC socket. The limits of the kernel come
 * last: where the command is refused, they stay.
 */
static int use_library(const struct launch *launch, char *const *argv, const struct target *target)
{
	enum way way = WAY_PRELOAD;
	struct library lib;
	struct smc_err err;
	int status = 0;

	if (preload_find(target, &lib, &err))
		return cli_error(launch->tool, "%s", err.text);
	if (target->path[0])
		status = check_kernel(launch, *argv);
	if (!status && target->path[0])
		status = check_program(launch, target, argv, &lib, &way);
	if (!status && way != WAY_SECCOMP)
		status = set_environment(launch, &lib);
	if (!status && target->path[0])
		status = buffers_check(launch, way);
	return status;
}

/* One of the two ways that were asked for. Return: as use_seccomp(). */
static int use_way(const struct launch *launch, char *const *argv, struct smc_err *err)
{
	return launch->way == WAY_BPF ? use_bpf(launch, *argv, err) :
					use_seccomp(launch, *argv, argv, err);
}

int launch_prepare(const struct launch *launch, char *const *argv)
{
	const char *name = launch->way == WAY_BPF ? "eBPF" : "seccomp";
	struct target target;
	struct smc_err err;
	int ret;

	target_find(*argv, &target);
	if (!target.path[0] || (launch->way != WAY_BPF && launch->way != WAY_SECCOMP))
		return use_library(launch, argv, &target);
	ret = use_way(launch, argv, &err);
	if (ret && (launch_is_strict(launch) || ret == -EPIPE))
		return cli_error(launch->tool, "no %s for '%s': %s", name, *argv, err.text);
	if (!ret)
		return buffers_check(launch, launch->way);
	cli_warn(launch->tool, launch->quiet, "no %s for '%s': %s; preloading instead", name, *argv,
		 err.text);
	return use_library(launch, argv, &target);
}
