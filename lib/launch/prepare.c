// SPDX-License-Identifier: MIT
/* Prepare a command for SMC: by the library in its environment, by eBPF, or by a supervisor. */
#include <sys/socket.h>

#include "bpf/bpfmap.h"
#include "cgroup/scope.h"
#include "host/smc.h"
#include "launch/ask.h"
#include "launch/bufsize.h"
#include "launch/launch.h"
#include "launch/supervise.h"
#include "process/library.h"
#include "process/sockcall.h"
#include "smc/abi.h"

/* Suppress messages meant for --debug? */
static bool is_silent(const struct launch *launch)
{
	return !launch->settings[VAR_DEBUG];
}

/* Report that SMC is impossible: a warning, or an error with --strict */
static int no_smc(const struct launch *launch, const char *command, const char *why)
{
	if (launch_is_strict(launch))
		return cli_error(launch->tool, "no SMC for '%s': %s", command, why);
	cli_warn(launch->tool, launch->quiet, "'%s' will use TCP: %s", command, why);
	return 0;
}

static int check_kernel(const struct launch *launch, const char *command)
{
	int ret = kernel_has_smc();
	struct smc_err err;

	if (!ret)
		return 0;
	kernel_why_not(ret, &err);
	return no_smc(launch, command, err.text);
}

/* ---- eBPF and seccomp ---- */

/*
 * Ask the eBPF program to mark this process, for members of its allowed group. Return: is it marked
 * now?
 */
static bool ask_for_mark(void)
{
	int fd AUTO_CLOSE = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, SCOPE_ASK), protocol = 0;
	socklen_t len = sizeof(protocol);

	if (fd < 0)
		return false;
	getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len);
	return protocol == IPPROTO_SMC;
}

/* Mark this process in the map pinned by smc_bpf. Return: 0; -ENOENT if smc_run has none. */
static int mark_by_map(void)
{
	const uint64_t id = SCOPE_RUN_ID;
	struct smc_scope scope;
	int scopes AUTO_CLOSE = bpfmap_open(SCOPE_DIR "/" SCOPE_SCOPES, false, sizeof(scope));
	int tasks AUTO_CLOSE = -1, ret = scopes < 0 ? scopes : bpfmap_lookup(scopes, &id, &scope);

	if (ret)
		return ret;
	tasks = bpfmap_open(SCOPE_DIR "/" SCOPE_TASKS, true, sizeof(id));
	return tasks < 0 ? tasks : bpfmap_mark(tasks, getpid(), id);
}

static int mark_self(void)
{
	return ask_for_mark() ? 0 : mark_by_map();
}

/*
 * Mark this process for the eBPF program. Members of the group that smc_bpf allows, and users who
 * may write to the pinned map, need no privileges. If nothing is pinned, smc_bpf loads the program,
 * which needs privileges.
 * @is_loaded: receives whether it was loaded now; it stays loaded
 */
static int mark_or_load(bool *is_loaded, struct smc_err *err)
{
	int ret = kernel_ipproto_smc();

	if (ret && kernel_af_smc() == -EAFNOSUPPORT)
		return smc_err_say(err, EAFNOSUPPORT, "%s", smc_missing());
	if (ret)
		return smc_err_set(err, -ret, "no IPPROTO_SMC, which came with Linux 6.11");
	ret = mark_self();
	*is_loaded = ret == -ENOENT;
	if (*is_loaded) {
		ret = bpf_ask("attach", "--run", NULL, err);
		if (ret)
			return ret;
		ret = mark_self();
		return ret ? smc_err_set(err, -ret, "smc_bpf did not load its program") : 0;
	}
	if (ret == -ESTALE)
		return smc_err_say(err, ESTALE, "another version of smc_bpf loaded its program");
	return ret ? smc_err_set(err, -ret, "eBPF maps in " SCOPE_DIR) : 0;
}

/* Use eBPF, which ignores the library's settings. Return: 0; -errno with a message. */
static int use_bpf(const struct launch *launch, const char *command, struct smc_err *err)
{
	bool is_loaded = false;
	int ret = mark_or_load(&is_loaded, err);

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

/* Return: 0; -errno with a message, as supervise(). */
static int use_seccomp(const struct launch *launch, const char *command, char *const *argv,
		       struct smc_err *err)
{
	int ret = supervise(launch, argv, err);

	if (ret)
		return ret;
	cli_warn(launch->tool, is_silent(launch),
		 "'%s' by seccomp: its TCP sockets become SMC sockets, made by a supervisor",
		 command);
	launch_warn(launch, WAY_SECCOMP, command);
	return 0;
}

/* ---- the library ---- */

/*
 * Choose a way for a program that the library cannot reach because of @why. Seccomp is not chosen
 * if it would change the program's behaviour.
 * @way: receives it
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
	return no_smc(launch, target->path, why);
}

/* Use the library, or another way for a program that it cannot reach. */
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
	return no_smc(launch, target->path, why);
}

static bool spins(const struct launch *launch)
{
	const char *usec = launch->settings[VAR_SPIN];

	usec = usec ? usec : getenv(smc_variables[VAR_SPIN]);
	return usec && smc_parse_spin(usec);
}

/*
 * Pass the settings to the library by its variables. A setting without an option keeps the value of
 * the caller's environment; buffer sizes with neither get a default.
 */
static int set_environment(const struct launch *launch, const struct library *lib)
{
	bool may_exceed = buffers_may_exceed();
	int i, err = library_preload(lib->entry);
	char text[BUFFER_TEXT], entry[PATH_MAX];
	const char *value;

	if (!err && spins(launch) && launch_find_spin(launch, lib, entry))
		err = library_preload(entry);
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
 * Leave a missing command to exec, whose error says more. Under a supervisor nothing is preloaded:
 * it would convert sockets that the library wants to be TCP. Raise the kernel's limits last, so
 * that they are unchanged if the command is refused.
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

int launch_prepare(const struct launch *launch, char *const *argv)
{
	bool is_bpf = launch->way == WAY_BPF;
	const char *name = is_bpf ? "eBPF" : "seccomp";
	struct target target;
	struct smc_err err;
	int ret;

	target_find(*argv, &target);
	if (target.path[0] && !is_bpf) {
		ret = buffers_may_raise(launch);
		if (ret)
			return ret;
	}
	if (!target.path[0] || (!is_bpf && launch->way != WAY_SECCOMP))
		return use_library(launch, argv, &target);
	ret = is_bpf ? use_bpf(launch, *argv, &err) : use_seccomp(launch, *argv, argv, &err);
	if (ret && (launch_is_strict(launch) || ret == -EPIPE))
		return cli_error(launch->tool, "no %s for '%s': %s", name, *argv, err.text);
	if (!ret)
		return buffers_check(launch, launch->way);
	/* Without SMC use_library() has the only message. */
	if (!kernel_has_smc())
		cli_warn(launch->tool, launch->quiet, "no %s for '%s': %s; preloading instead",
			 name, *argv, err.text);
	return use_library(launch, argv, &target);
}
