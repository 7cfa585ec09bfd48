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
#include "smc_run/way.h"

static const struct buffer {
	enum smc_variable size;
	const char *what;
	const char *limit;	/* of /proc/sys/net/core: the most that setsockopt(2) grants */
} buffers[] = {
	{ VAR_RCVBUF, "receive", "rmem_max" },
	{ VAR_SNDBUF, "transmit", "wmem_max" },
};

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

static FILE *open_limit(const char *name, const char *mode)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/net/core/%s", name);
	return fopen(path, mode);
}

static int read_limit(const char *name, long long *bytes)
{
	FILE *file = open_limit(name, "re");
	int found;

	if (!file)
		return -errno;
	found = fscanf(file, "%lld", bytes);
	fclose(file);
	return found == 1 ? 0 : -EIO;
}

static int raise_limit(const char *name, long long bytes)
{
	FILE *file = open_limit(name, "r+e");

	if (!file)
		return -errno;
	fprintf(file, "%lld\n", bytes);
	return fclose(file) ? -errno : 0;
}

/* The kernel caps silently: setsockopt(SO_RCVBUF) succeeds and sets less, see socket(7). */
static int check_limit(const struct request *req, const struct buffer *buffer)
{
	const char *size = req->settings[buffer->size];
	int err, bytes = size ? atoi(size) : 0;
	long long limit;

	if (!size || read_limit(buffer->limit, &limit) || limit >= bytes)
		return 0;
	if (!req->raise_limits) {
		cli_warn(req->tool, req->quiet, "the %s buffer of %d bytes is above "
			 "net.core.%s: the kernel will use %lld (see --raise-limits)",
			 buffer->what, bytes, buffer->limit, limit);
		return 0;
	}
	err = raise_limit(buffer->limit, bytes);
	if (err)
		return cli_error(req->tool, "cannot raise net.core.%s from %lld to %d: %s",
				 buffer->limit, limit, bytes, strerror(-err));
	cli_warn(req->tool, req->quiet, "raised net.core.%s from %lld to %d", buffer->limit,
		 limit, bytes);
	return 0;
}

static int check_kernel(const struct request *req, const char *command)
{
	const char *family = req->settings[VAR_FAMILY];
	int err = way_has_smc(smc_wants_inet(family ? family : getenv(smc_variables[VAR_FAMILY])));

	switch (err) {
	case 0:
		return 0;
	case -EAFNOSUPPORT:
	case -EPROTONOSUPPORT:
	case -ESOCKTNOSUPPORT:
		return no_smc(req, command, SMC_MISSING);
	default:
		return no_smc(req, command, "SMC sockets cannot be opened here: %s",
			      strerror(-err));
	}
}

/* By eBPF, which knows nothing of the library's settings. Return: 0, -errno with a sentence. */
static int use_bpf(const struct request *req, const char *command, struct smc_err *err)
{
	int ret = bpf_mark_self(err);

	if (ret)
		return ret;
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
	for (size_t i = 0; !status && i < sizeof(buffers) / sizeof(buffers[0]); i++)
		status = check_limit(req, &buffers[i]);
	return status;
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
