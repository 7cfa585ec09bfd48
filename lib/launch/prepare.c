// SPDX-License-Identifier: MIT
/* Prepare a command for SMC: by the library in its environment, by eBPF, or by a supervisor. */
#include <sys/socket.h>

#include "host/smc.h"
#include "launch/bufsize.h"
#include "launch/launch.h"
#include "process/ask.h"
#include "process/library.h"
#include "process/mark.h"
#include "smc/family.h"

/* True to suppress messages meant for --debug. */
static bool is_silent(const struct launch *launch)
{
	return !launch->settings[VAR_DEBUG];
}

/* Report that SMC is not possible: as a warning, or with --strict as an error */
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

/* Ask the eBPF program to mark this process, of root or its group. Return: true if marked. */
static bool ask_for_mark(void)
{
	int fd AUTO_CLOSE = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, SCOPE_ASK);
	int protocol = 0;
	socklen_t len = sizeof(protocol);

	if (fd < 0)
		return false;
	getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len);
	return protocol == IPPROTO_SMC;
}

/*
 * Mark this process for the eBPF program. If necessary and permitted, smc_bpf loads the program,
 * which then stays. @is_loaded: receives whether it was loaded now
 */
static enum attempt mark_or_load(bool *is_loaded, struct smc_err *err)
{
	int ret = kernel_ipproto_smc();

	if (ret && kernel_af_smc() == -EAFNOSUPPORT)
		kernel_why_not(-EAFNOSUPPORT, err);
	else if (ret)
		smc_err_set(err, -ret, "no IPPROTO_SMC, which came with Linux 6.11");
	if (ret)
		return ATTEMPT_FAILED;
	if (ask_for_mark())
		return ATTEMPT_DONE;
	ret = tool_ask("smc_bpf", "attach", "--run", NULL, NULL, err);
	if (ret)
		return ret == -ENOENT ? ATTEMPT_MISSING : ATTEMPT_FAILED;
	*is_loaded = true;
	if (ask_for_mark())
		return ATTEMPT_DONE;
	smc_err_say(err, ESTALE, "another version of smc_bpf loaded its program");
	return ATTEMPT_FAILED;
}

/* Use eBPF, which ignores the library's settings. */
static enum attempt use_bpf(const struct launch *launch, const char *command, struct smc_err *err)
{
	/* The eBPF program cannot see that the user chose MPTCP. */
	bool is_loaded = false, is_mptcp = launch_wants_mptcp(command);
	enum attempt result = is_mptcp ? ATTEMPT_FAILED : mark_or_load(&is_loaded, err);

	if (is_mptcp)
		smc_err_say(err, EINVAL, "it wants MPTCP");
	if (result != ATTEMPT_DONE)
		return result;
	if (is_loaded)
		cli_warn(launch->tool, launch->quiet,
			 "loaded the eBPF program for '%s', which stays: "
			 "'smc_bpf detach --run' removes it",
			 command);
	cli_warn(launch->tool, is_silent(launch),
		 "'%s' by eBPF: its TCP sockets become IPPROTO_SMC sockets", command);
	launch_warn(launch, WAY_BPF, command);
	return ATTEMPT_DONE;
}

/* Without the supervisor's code, become smc_supervise, which calls this function again. */
static enum attempt use_seccomp(const struct launch *launch, const struct target *target,
				char *const *argv, struct smc_err *err)
{
	const char *command = launch->way == WAY_SECCOMP ? *argv : target->path;
	enum attempt result;

	if (!launch->supervise)
		return extra_exec("smc_supervise", launch->command_line, err) == -ENOENT ?
			       ATTEMPT_MISSING :
			       ATTEMPT_FAILED;
	result = launch->supervise(launch, target, argv, err);
	if (result != ATTEMPT_DONE)
		return result;
	cli_warn(launch->tool, is_silent(launch),
		 "'%s' by seccomp: its TCP sockets become SMC sockets, made by a supervisor",
		 command);
	launch_warn(launch, WAY_SECCOMP, command);
	return ATTEMPT_DONE;
}

/* ---- the library ---- */

/* Try eBPF instead of the library. Return: false if it is not possible. */
static bool choose_bpf(const struct launch *launch, const char *path)
{
	struct smc_err err;

	if (launch->is_after_bpf)
		return false;
	if (use_bpf(launch, path, &err) == ATTEMPT_DONE)
		return true;
	cli_warn(launch->tool, is_silent(launch), "no eBPF for '%s': %s", path, err.text);
	return false;
}

/* Choose a way for a program that the library cannot reach because of @why. @way: receives it */
static int choose_other(const struct launch *launch, const struct target *target, char *const *argv,
			const char *why, enum way *way)
{
	enum attempt result;
	struct smc_err err;

	*way = WAY_BPF;
	if (choose_bpf(launch, target->path))
		return 0;
	*way = WAY_SECCOMP;
	result = use_seccomp(launch, target, argv, &err);
	if (result == ATTEMPT_DONE)
		return 0;
	if (result == ATTEMPT_FATAL)
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

/* Without an option, the environment's value stays; buffer sizes with neither get a default. */
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
 * Leave a missing command to exec, whose error says more. Do not preload under a supervisor, which
 * would convert sockets that the library wants to be TCP, or if the program could not start with
 * the library. Raise the kernel's limits last: if the command is refused, they stay.
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
	if (!status && way != WAY_SECCOMP && !library_is_refused(target))
		status = set_environment(launch, &lib);
	if (!status && target->path[0])
		status = buffers_check(launch, way);
	return status;
}

/* Use the way that an option selects, or use_library() if it is not possible */
static int use_selected(const struct launch *launch, char *const *argv, const struct target *target)
{
	bool is_bpf = launch->way == WAY_BPF;
	const char *name = is_bpf ? "eBPF" : "seccomp";
	struct smc_err err;
	enum attempt result =
		is_bpf ? use_bpf(launch, *argv, &err) : use_seccomp(launch, target, argv, &err);

	if (result == ATTEMPT_DONE)
		return buffers_check(launch, launch->way);
	if (result != ATTEMPT_FAILED || launch_is_strict(launch))
		return cli_error(launch->tool, "no %s for '%s': %s", name, *argv, err.text);
	/* Without SMC, only use_library() prints a message. */
	if (!kernel_has_smc())
		cli_warn(launch->tool, launch->quiet, "no %s for '%s': %s; preloading instead",
			 name, *argv, err.text);
	return use_library(launch, argv, target);
}

int launch_prepare(const struct launch *asked, char *const *argv)
{
	struct launch own = *asked, *launch = &own;
	int ret = launch_take_filters(launch);
	struct target target;

	target_find(*argv, &target);
	if (!ret && target.path[0] && launch->way != WAY_BPF)
		ret = buffers_may_raise(launch);
	if (ret)
		return ret;
	if (target.path[0] && (launch->way == WAY_BPF || launch->way == WAY_SECCOMP))
		return use_selected(launch, argv, &target);
	return use_library(launch, argv, &target);
}

int launch_run(const struct launch *launch, char *const *argv)
{
	int status;

	if (!*argv)
		return cli_usage_error(launch->tool, "no command given");
	status = launch_prepare(launch, argv);
	if (status)
		return status;
	target_exec(argv);
	status = errno == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_NOT_EXECUTABLE;
	cli_error(launch->tool, "cannot run '%s': %s", *argv, strerror(errno));
	return status;
}
