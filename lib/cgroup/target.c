// SPDX-License-Identifier: MIT
/* The target of a scope: a control group, a process, or what smc_run starts. */
#include "cgroup/target.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup/cgroup.h"
#include "cgroup/scopes.h"

static int parse_pid(const char *text, pid_t *pid, struct smc_err *err)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value <= 0 || value > INT_MAX)
		return smc_err_say(err, EINVAL, "'%s' is not a process id", text);
	*pid = (pid_t)value;
	return 0;
}

static int find_cgroup(const char *root, int option, const char *text, char path[PATH_MAX],
		       struct smc_err *err)
{
	pid_t pid;
	int ret;

	switch (option) {
	case 'c': return cgroup_path(root, text, path);
	case 'u': return cgroup_of_unit(root, text, path);
	case 'C': return cgroup_of_container(root, text, path);
	default: ret = parse_pid(text, &pid, err); return ret ? ret : cgroup_of_process(pid, path);
	}
}

static int explain(int ret, int option, const char *text, struct smc_err *err)
{
	switch (option) {
	case 'u':
		return smc_err_say(err, -ret, "unit '%s' has no control group: it is not running",
				   text);
	case 'C':
		if (ret == -EINVAL)
			return smc_err_say(err, EINVAL,
					   "'%s' is not a container id: docker, "
					   "podman and crictl show it with inspect",
					   text);
		return smc_err_say(
			err, -ret,
			ret == -EEXIST ?
				"several control groups match container '%s': give more of "
				"its id" :
				"no control group matches container '%s'",
			text);
	case 'c':
		if (ret == -EXDEV)
			return smc_err_say(err, -ret, "'%s' is not a control group", text);
		return smc_err_set(err, -ret, "control group '%s'", text);
	default: return smc_err_set(err, -ret, "process %s", text);
	}
}

int scope_target_cgroup(struct scope_target *target, int option, const char *text,
			struct smc_err *err)
{
	const char *root = cgroup_mount();
	char path[PATH_MAX];
	int ret;

	err->code = 0;
	if (!root)
		return smc_err_say(err, ENODEV, "no version 2 control groups at /sys/fs/cgroup");
	ret = find_cgroup(root, option, text, path, err);
	if (!ret)
		ret = cgroup_id(root, path, &target->id);
	if (ret)
		return err->code ? ret : explain(ret, option, text, err);
	if (strlen(path) >= sizeof(target->name))
		return smc_err_set(err, ENAMETOOLONG, "control group '%s'", text);
	strcpy(target->name, path);
	target->kind = SCOPE_CGROUP;
	return 0;
}

int scope_target_process(struct scope_target *target, const char *text, struct smc_err *err)
{
	char path[64], comm[SCOPE_COMM_SIZE + 1] = "";
	int ret = parse_pid(text, &target->pid, err);
	FILE *file;

	if (ret)
		return ret;
	/* /proc has threads, too: take the process that the thread belongs to. */
	target->pid = process_number(target->pid, "Tgid:");
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)target->pid);
	file = fopen(path, "re");
	if (!file)
		return smc_err_say(err, ESRCH, "no process %s", text);
	if (fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = '\0';
	fclose(file);
	snprintf(target->name, sizeof(target->name), "%d (%s)", (int)target->pid, comm);
	target->kind = SCOPE_PROCESS;
	return 0;
}

void scope_target_run(struct scope_target *target)
{
	target->kind = SCOPE_RUN;
	target->id = SCOPE_RUN_ID;
	strcpy(target->name, "smc_run");
}

int64_t scope_user(const char *name)
{
	const struct passwd *entry = getpwnam(name);
	unsigned long long number;
	char *end;

	if (entry)
		return entry->pw_uid;
	number = strtoull(name, &end, 10);
	return *end || *name < '0' || *name > '9' || number >= UINT32_MAX ? -1 : (int64_t)number;
}
