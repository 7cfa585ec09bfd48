// SPDX-License-Identifier: MIT
/* This process, marked for the eBPF program of smc_bpf. */
#include "launch/mark.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bpf/bpfmap.h"
#include "cgroup/scope.h"
#include "host/smc.h"
#include "launch/ask.h"
#include "smc/abi.h"

/* Members of the group that smc_bpf allows get a mark so. Return: is this process marked now? */
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
