// SPDX-License-Identifier: MIT
/* The ways into a program. */
#include "smc_run/way.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/smc.h"
#include "smc/abi.h"
#include "smc_run/buffers.h"
#include "sys/program.h"
#include "smc_run/supervise.h"
#include "sys/bpfmap.h"
#include "sys/scope.h"
#include "sys/library.h"
#include "sys/sockcall.h"

int way_has_smc(void)
{
	int err = kernel_af_smc();

	return err && !kernel_ipproto_smc() ? 0 : err;
}

int preload_find(const struct target *target, struct library *lib, struct smc_err *err)
{
	if (library_find(target, lib))
		return smc_err_say(err, ENOENT, "cannot find %s beside smc_run or in %s",
				   LIBRARY_NAME, SMC_LIBDIR);
	if (lib->entry[strcspn(lib->entry, ": \t\n")])
		return smc_err_say(err, EINVAL,
				   PRELOAD " cannot hold '%s': it has a blank or a "
					   "colon",
				   lib->entry);
	return 0;
}

bool preload_is_ours(const char *entry)
{
	static const char *const names[] = { LIBRARY_NAME, LIBRARY_NAME ".1", "libsmc-preload.so" };
	const char *base = strrchr(entry, '/');
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(base ? base + 1 : entry, names[i]))
			return true;
	return false;
}

static bool find_tool(const char *name, char path[PATH_MAX])
{
	if (self_find(name, X_OK, path))
		return true;
	snprintf(path, PATH_MAX, "%s/%s", SMC_BINDIR, name);
	return !access(path, X_OK);
}

bool bpf_loader(char path[PATH_MAX])
{
	return find_tool("smc_bpf", path);
}

/* What a member of the group that smc_bpf allows gets. Return: is this process marked now? */
static bool ask_for_mark(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, SCOPE_ASK), protocol = 0;
	socklen_t len = sizeof(protocol);

	if (fd < 0)
		return false;
	getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len);
	close(fd);
	return protocol == IPPROTO_SMC;
}

/* Into the map that smc_bpf pinned. Return: 0; -ENOENT while there is none for smc_run. */
static int mark_by_map(void)
{
	const uint64_t id = SCOPE_RUN_ID;
	struct smc_scope scope;
	int scopes, tasks, ret;

	scopes = bpfmap_open(SCOPE_DIR "/" SCOPE_SCOPES, false, sizeof(scope));
	if (scopes < 0)
		return scopes;
	ret = bpfmap_lookup(scopes, &id, &scope);
	close(scopes);
	if (ret)
		return ret;
	tasks = bpfmap_open(SCOPE_DIR "/" SCOPE_TASKS, true, sizeof(id));
	if (tasks < 0)
		return tasks;
	ret = bpfmap_mark(tasks, getpid(), id);
	close(tasks);
	return ret;
}

static int mark_self(void)
{
	return ask_for_mark() ? 0 : mark_by_map();
}

/* One line without its newline and without "smc_bpf: ". */
static const char *sentence(char *text, const char *name)
{
	size_t len = strlen(name);

	text[strcspn(text, "\n")] = '\0';
	return text + (strncmp(text, name, len) || strncmp(text + len, ": ", 2) ? 0 : len + 2);
}

int tool_ask(const char *name, const char *command, const char *option, const char *value,
	     char **text, struct smc_err *err)
{
	char path[PATH_MAX], *said = NULL;
	const char *argv[] = { path, command, option, value, NULL };
	size_t size;
	int ret;

	if (!find_tool(name, path))
		return smc_err_say(err, ENOENT, "no %s beside smc_run", name);
	ret = program_run((char *const *)argv, &said, &size);
	if (ret < 0)
		smc_err_set(err, -ret, "cannot run '%s'", path);
	else if (ret && *said)
		smc_err_say(err, EIO, "%s", sentence(said, name));
	else if (ret)
		smc_err_say(err, EIO, "%s failed", name);
	if (text && !ret)
		*text = said;
	else
		free(said);
	return ret > 0 ? -EIO : ret;
}

int bpf_ask(const char *command, const char *option, const char *value, struct smc_err *err)
{
	char path[PATH_MAX];

	if (!bpf_loader(path))
		return smc_err_say(err, ENOENT,
				   "no smc_bpf beside smc_run: it was built "
				   "without eBPF");
	return tool_ask("smc_bpf", command, option, value, NULL, err);
}

/* Ask smc_bpf to load it, then again. */
static int load_and_mark(struct smc_err *err)
{
	int ret = bpf_ask("attach", "--run", NULL, err);

	if (ret)
		return ret;
	ret = mark_self();
	return ret ? smc_err_set(err, -ret, "smc_bpf did not load its program") : 0;
}

int bpf_mark_self(bool *is_loaded, struct smc_err *err)
{
	int ret = kernel_ipproto_smc();

	*is_loaded = false;
	if (ret && kernel_af_smc() == -EAFNOSUPPORT)
		return smc_err_say(err, EAFNOSUPPORT, SMC_MISSING);
	if (ret)
		return smc_err_set(err, -ret, "no IPPROTO_SMC, which came with Linux 6.11");
	ret = mark_self();
	switch (ret) {
	case 0: return 0;
	case -ENOENT:
		ret = load_and_mark(err);
		*is_loaded = !ret;
		return ret;
	case -ESTALE:
		return smc_err_say(err, ESTALE, "another version of smc_bpf loaded its program");
	default: return smc_err_set(err, -ret, "eBPF maps in " SCOPE_DIR);
	}
}

static void warn_rules(const struct request *req, const char *way, const char *name)
{
	if (req->settings[VAR_INCLUDE] || req->settings[VAR_EXCLUDE])
		cli_warn(req->tool, req->quiet,
			 "%s sees no addresses: --include and --exclude "
			 "have no effect on '%s'",
			 way, name);
}

void bpf_warn_settings(const struct request *req, const char *name)
{
	const char *const *settings = req->settings;

	if (settings[VAR_RCVBUF] || settings[VAR_SNDBUF])
		cli_warn(req->tool, req->quiet,
			 "eBPF cannot set the buffers of sockets: "
			 "--rcvbuf and --sndbuf have no effect on '%s'",
			 name);
	warn_rules(req, "eBPF", name);
}

/* An option, or what the environment has in its place. */
static const char *setting(const struct request *req, enum smc_variable variable)
{
	const char *value = req->settings[variable];

	return value ? value : getenv(smc_variables[variable]);
}

/* A supervisor does not know which descriptor a program will get, only how many it may have. */
static int size_setting(const struct request *req, enum smc_variable variable)
{
	const char *value = setting(req, variable);
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

/* By syscall(2), past the preload library, which would not say so. */
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

int seccomp_start(const struct request *req, char *const *argv, struct smc_err *err)
{
	const char *family = setting(req, VAR_FAMILY), *missing;
	struct supervise how = {
		/* Nothing hides AF_SMC from the program. */
		.inet = (!family || smc_wants_inet(family)) && !kernel_ipproto_smc(),
		.is_strict = req->is_strict,
	};

	if (way_has_smc())
		return smc_err_say(err, EAFNOSUPPORT, SMC_MISSING);
	how.sndbuf = size_setting(req, VAR_SNDBUF);
	how.rcvbuf = size_setting(req, VAR_RCVBUF);
	how.is_locked = setting(req, VAR_SNDBUF) || setting(req, VAR_RCVBUF);
	if (makes_smc())
		return 0;
	missing = sockcall_missing();
	if (missing)
		return smc_err_say(err, ENOSYS, "it needs %s", missing);
	return supervise(&how, argv, err);
}

void seccomp_warn_settings(const struct request *req, const char *name)
{
	warn_rules(req, "seccomp", name);
}
