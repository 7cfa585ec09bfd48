// SPDX-License-Identifier: MIT
/* A command that is to use SMC: by the library in its environment, or by eBPF. */
#include "smc_run/command.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/smc.h"
#include "smc_run/bpf.h"
#include "smc_run/kernel.h"
#include "smc_run/preload.h"

/* A socket buffer's name and limit. */
struct buffer {
	const char *what;
	const char *limit;
};

static const struct buffer rcvbuf = { "receive", "rmem_max" };
static const struct buffer sndbuf = { "transmit", "wmem_max" };

/* What --debug adds. */
static bool is_silent(const struct command_options *options)
{
	return !options->settings[VAR_DEBUG];
}

/* SMC cannot happen: a warning, or the end with --strict. */
static int __attribute__((format(printf, 2, 3)))
no_smc(const struct command_options *options, const char *fmt, ...)
{
	char text[PATH_MAX + 256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (options->is_strict)
		return cli_error(options->tool, "%s", text);
	cli_warn(options->tool, options->quiet, "%s: it will use TCP", text);
	return 0;
}

/* The kernel caps silently: setsockopt(SO_RCVBUF) succeeds and sets less, see socket(7). */
static int check_limit(const struct command_options *options, const struct buffer *buffer,
		       int bytes)
{
	long long limit;
	int err;

	if (bytes < 0 || kernel_limit(buffer->limit, &limit) || limit >= bytes)
		return 0;
	if (!options->raise_limits) {
		cli_warn(options->tool, options->quiet, "the %s buffer of %d bytes is above "
			 "net.core.%s: the kernel will use %lld (see --raise-limits)",
			 buffer->what, bytes, buffer->limit, limit);
		return 0;
	}
	err = kernel_raise_limit(buffer->limit, bytes);
	if (err)
		return cli_error(options->tool, "cannot raise net.core.%s from %lld to %d: %s",
				 buffer->limit, limit, bytes, strerror(-err));
	cli_warn(options->tool, options->quiet, "raised net.core.%s from %lld to %d", buffer->limit,
		 limit, bytes);
	return 0;
}

static int check_kernel(const struct command_options *options, const char *command)
{
	const char *family = options->settings[VAR_FAMILY];
	int err = kernel_smc(smc_wants_inet(family ? family : getenv(smc_variables[VAR_FAMILY])));

	switch (err) {
	case 0:
		return 0;
	case -EAFNOSUPPORT:
	case -EPROTONOSUPPORT:
	case -ESOCKTNOSUPPORT:
		return no_smc(options, "no SMC for '%s': " SMC_MISSING, command);
	default:
		return no_smc(options, "no SMC for '%s': SMC sockets cannot be opened here: %s",
			      command, strerror(-err));
	}
}

/* By eBPF, which knows nothing of the library's settings. Return: 0, -errno with a sentence. */
static int use_bpf(const struct command_options *options, const char *command, struct smc_err *err)
{
	int ret = bpf_mark_self(err);

	if (ret)
		return ret;
	cli_warn(options->tool, is_silent(options),
		 "'%s' by eBPF: its TCP sockets become IPPROTO_SMC sockets", command);
	bpf_warn_settings(options->tool, options->quiet, options->settings, command);
	return 0;
}

/* The library, or eBPF for a program that the library does not reach. */
static int check_program(const struct command_options *options, const struct target *target,
			 const struct library *lib)
{
	struct smc_err err;
	char why[LIBRARY_WHY_SIZE];

	if (!library_misses(lib, target, why)) {
		cli_warn(options->tool, is_silent(options), "'%s' by preload: %s", target->path,
			 lib->entry);
		return 0;
	}
	if (options->way == UNIT_WAY_NONE) {
		if (!use_bpf(options, target->path, &err))
			return 0;
		cli_warn(options->tool, is_silent(options), "no eBPF for '%s': %s", target->path,
			 err.text);
	}
	return no_smc(options, "no SMC for '%s': %s", target->path, why);
}

static int check_all(const struct command_options *options, const char *command,
		     const struct target *target, const struct library *lib)
{
	int status = check_kernel(options, command);

	if (!status)
		status = check_program(options, target, lib);
	if (!status)
		status = check_limit(options, &rcvbuf, options->rcvbuf);
	if (!status)
		status = check_limit(options, &sndbuf, options->sndbuf);
	return status;
}

/* What was not asked for keeps the value that the caller's environment gives it. */
static int set_environment(const struct command_options *options, const struct library *lib)
{
	int i, err = library_preload(lib->entry);

	for (i = 0; !err && i < VARIABLES; i++)
		if (options->settings[i] && setenv(smc_variables[i], options->settings[i], 1))
			err = -errno;
	return err ? cli_error(options->tool, "cannot set the environment: %s", strerror(-err)) : 0;
}

static int use_library(const struct command_options *options, const char *command,
		       const struct target *target)
{
	struct library lib;
	struct smc_err err;
	int status;

	if (preload_find(target, &lib, &err))
		return cli_error(options->tool, "%s", err.text);
	status = set_environment(options, &lib);
	/* For a missing command the error of exec says more. */
	if (!status && target->path[0])
		status = check_all(options, command, target, &lib);
	return status;
}

int command_prepare(const struct command_options *options, const char *command)
{
	struct target target;
	struct smc_err err;

	target_find(command, &target);
	if (target.path[0] && options->way == UNIT_WAY_BPF) {
		if (!use_bpf(options, command, &err))
			return 0;
		if (options->is_strict)
			return cli_error(options->tool, "no eBPF for '%s': %s", command, err.text);
		cli_warn(options->tool, options->quiet, "no eBPF for '%s': %s: preloading instead",
			 command, err.text);
	}
	return use_library(options, command, &target);
}
