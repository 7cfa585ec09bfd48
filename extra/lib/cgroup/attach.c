// SPDX-License-Identifier: MIT
#include "cgroup/attach.h"

#include <dirent.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/read.h"
#include "bpf/bpfmap.h"
#include "cgroup/cgroup.h"
#include "process/proc.h"

/* A process may fork while /proc is read, but a marked thread's children are marked already. */
#define PASSES 16

/* ---- targets ---- */

/* A line of /proc/PID/status: "\nPPid:". Return: 0 if it has gone */
static pid_t process_number(pid_t pid, const char *key)
{
	char path[64], text[4096], *line;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	smc_read_start(path, 0, text, sizeof(text));
	line = strstr(text, key);
	return line ? atoi(line + strlen(key)) : 0;
}

/* Return: 0 for a wrong number, with a message. */
static pid_t parse_pid(const char *text, struct smc_err *err)
{
	char *end;
	long value = strtol(text, &end, 10);

	/* LONG_MAX is out of range, too. */
	if (!*end && value > 0 && value <= INT_MAX && value < LONG_MAX)
		return (pid_t)value;
	smc_err_say(err, EINVAL, "'%s' is not a process id", text);
	return 0;
}

static int find_cgroup(const char *root, int option, const char *text, char path[PATH_MAX],
		       struct smc_err *err)
{
	char full[PATH_MAX];
	pid_t pid;
	int ret;

	switch (option) {
	case 'c': return cgroup_path(root, text, path);
	case 'p':
		ret = snprintf(full, sizeof(full), "%s%s", root, text);
		return ret < PATH_MAX ? cgroup_path(root, full, path) : -ENAMETOOLONG;
	case 'u': return cgroup_of_unit(root, text, path);
	case 'C': return cgroup_of_container(root, text, path);
	default: pid = parse_pid(text, err); return pid ? proc_cgroup(pid, path) : -EINVAL;
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
				"several control groups match container '%s': give more of its id" :
				"no control group matches container '%s'",
			text);
	case 'o': return smc_err_set(err, -ret, "process %s", text);
	default:
		return ret == -EXDEV ? smc_err_say(err, -ret, "'%s' is not a control group", text) :
				       smc_err_set(err, -ret, "control group '%s'", text);
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
	char comm[SCOPE_COMM_SIZE];
	pid_t pid = parse_pid(text, err);

	if (!pid)
		return -EINVAL;
	/* /proc has threads, too: take the process that the thread belongs to. */
	target->pid = process_number(pid, "\nTgid:");
	if (!target->pid)
		return smc_err_say(err, ESRCH, "no process %s", text);
	proc_comm(target->pid, comm, sizeof(comm));
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

/* ---- list ---- */

/* A group with the same name but another id was created after the scope's group was removed. */
static enum scope_state cgroup_state(const struct scope_entry *entry)
{
	const char *root = cgroup_mount();
	uint64_t id;

	if (!root || cgroup_id(root, entry->scope.name, &id) || id != entry->id)
		return STATE_GONE;
	return cgroup_is_populated(root, entry->scope.name) > 0 ? STATE_ACTIVE : STATE_EMPTY;
}

static void note_marks(struct scope_list *list, int tasks)
{
	DIR *proc AUTO_CLOSEDIR = opendir("/proc");
	uint64_t mark;
	pid_t pid;

	while (proc && (pid = proc_next(proc))) {
		if (bpfmap_marked(tasks, pid, &mark))
			continue;
		for (size_t i = 0; i < list->count; i++)
			if (list->entries[i].id == mark)
				list->entries[i].state = STATE_ACTIVE;
	}
}

static void find_states(struct scope_list *list, int tasks)
{
	bool has_marks = false;

	for (size_t i = 0; i < list->count; i++) {
		struct scope_entry *entry = &list->entries[i];

		has_marks |= entry->scope.kind != SCOPE_CGROUP;
		entry->state = entry->id == SCOPE_RUN_ID ? STATE_EMPTY : STATE_GONE;
		if (entry->scope.kind == SCOPE_CGROUP)
			entry->state = cgroup_state(entry);
	}
	if (has_marks)
		note_marks(list, tasks);
}

static int load(struct scope_list *list, const struct pins *pins, struct smc_err *err)
{
	uint64_t key, *last = NULL;
	int ret = 0;

	list->count = 0;
	list->entries = xcalloc(SCOPE_MAX, sizeof(*list->entries));
	while (list->count < SCOPE_MAX && !(ret = bpfmap_next(pins->scopes, last, &key))) {
		struct scope_entry *entry = &list->entries[list->count];

		entry->id = key;
		last = &entry->id;
		list->count += !bpfmap_lookup(pins->scopes, &key, &entry->scope);
		entry->scope.name[SCOPE_NAME_SIZE - 1] = '\0';
	}
	if (ret && ret != -ENOENT) {
		scope_list_free(list);
		return smc_err_set(err, -ret, "cannot list the scopes");
	}
	find_states(list, pins->tasks);
	return 0;
}

void scope_list_free(struct scope_list *list)
{
	free(list->entries);
	*list = (struct scope_list){ 0 };
}

/* ---- marks ---- */

static bool is_below(pid_t pid, pid_t root)
{
	while (pid > 1 && pid != root)
		pid = process_number(pid, "\nPPid:");
	return pid == root;
}

bool scope_target_has(const struct scope_target *target, pid_t pid)
{
	size_t len = strlen(target->name);
	char path[PATH_MAX];

	if (target->kind == SCOPE_PROCESS)
		return is_below(pid, target->pid);
	return target->kind == SCOPE_CGROUP && !proc_cgroup(pid, path) &&
	       (len == 1 ||
		(!strncmp(path, target->name, len) && (!path[len] || path[len] == '/')));
}

/* Return: threads that had another mark or none; -errno. Threads that end meanwhile are skipped. */
static int mark_threads(const struct pins *pins, pid_t pid, uint64_t id)
{
	char path[64];
	int ret = 0, marked = 0;
	uint64_t mark;
	pid_t tid;
	DIR *dir AUTO_CLOSEDIR = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !ret && (tid = proc_next(dir))) {
		if (!bpfmap_marked(pins->tasks, tid, &mark) && mark == id)
			continue;
		ret = bpfmap_mark(pins->tasks, tid, id);
		marked += !ret;
		if (ret == -ESRCH || ret == -ENOENT)
			ret = 0;
	}
	return ret ? ret : marked;
}

static int mark_pass(const struct pins *pins, pid_t root, uint64_t id)
{
	DIR *proc AUTO_CLOSEDIR = opendir("/proc");
	int ret = 0, marked = 0;
	pid_t pid;

	if (!proc)
		return -errno;
	while (ret >= 0 && (pid = proc_next(proc))) {
		ret = is_below(pid, root) ? mark_threads(pins, pid, id) : 0;
		marked += ret;
	}
	return ret < 0 ? ret : marked;
}

static int mark_tree(const struct pins *pins, pid_t pid, uint64_t id, struct smc_err *err)
{
	int ret = bpfmap_mark(pins->tasks, pid, id);

	if (!ret)
		ret = mark_pass(pins, pid, id);
	for (int pass = 1; pass < PASSES && ret > 0; pass++)
		ret = mark_pass(pins, pid, id);
	return ret < 0 ? smc_err_set(err, -ret, "cannot mark process %d", (int)pid) : 0;
}

/* ---- changes ---- */

static int remove_gone(struct pins *pins, struct smc_err *err)
{
	struct scope_list list AUTO(scope_list_free) = { 0 };
	size_t left = 0;
	int ret = load(&list, pins, err);

	for_each(entry, list.entries, list.count) {
		left += entry->state != STATE_GONE;
		if (entry->state == STATE_GONE)
			bpfmap_delete(pins->scopes, &entry->id);
	}
	return ret || left ? ret : pins_remove(err);
}

static int put_scope(struct pins *pins, struct scope_target *target, const struct smc_scope *rules,
		     struct smc_err *err)
{
	struct smc_scope scope = *rules, before;
	bool was_there;
	int ret;

	scope.kind = target->kind;
	memcpy(scope.name, target->name, sizeof(scope.name));
	/* The clock never goes back, so no scope had this id before. */
	if (target->kind == SCOPE_PROCESS)
		target->id = SCOPE_NOT_CGROUP | (uint64_t)clock_ns(CLOCK_BOOTTIME);
	was_there = !bpfmap_lookup(pins->scopes, &target->id, &before);
	ret = bpfmap_update(pins->scopes, &target->id, &scope);
	if (ret == -E2BIG)
		return smc_err_say(err, E2BIG, "there are %d scopes already, the maximum",
				   SCOPE_MAX);
	if (ret)
		return smc_err_set(err, -ret, "cannot attach to %s", target->name);
	if (target->kind == SCOPE_PROCESS)
		ret = mark_tree(pins, target->pid, target->id, err);
	if (ret && was_there)
		bpfmap_update(pins->scopes, &target->id, &before);
	else if (ret)
		bpfmap_delete(pins->scopes, &target->id);
	return ret;
}

int scope_attach(struct scope_target *target, const struct smc_scope *rules, struct smc_err *err)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	struct smc_err ignored;
	int ret = pins_change(&pins, true, err);

	if (!ret) {
		ret = put_scope(&pins, target, rules, err);
		remove_gone(&pins, &ignored);
	}
	return ret;
}

static int find_mark(const struct pins *pins, struct scope_target *target, struct smc_err *err)
{
	int ret;

	if (target->kind != SCOPE_PROCESS)
		return 0;
	ret = bpfmap_marked(pins->tasks, target->pid, &target->id);
	if (ret)
		return smc_err_say(err, -ret, "nothing is attached to %s", target->name);
	if (target->id == SCOPE_RUN_ID)
		return smc_err_say(err, EINVAL, "process %s was started by smc_run: see --run",
				   target->name);
	return 0;
}

int scope_detach(struct scope_target *target, struct smc_err *err)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	int ret = pins_change(&pins, false, err);

	if (!ret)
		ret = find_mark(&pins, target, err);
	if (!ret && bpfmap_delete(pins.scopes, &target->id))
		ret = smc_err_say(err, ENOENT, "nothing is attached to %s", target->name);
	if (!ret)
		ret = remove_gone(&pins, err);
	return ret;
}

int scope_detach_container(const char *id, struct smc_err *err)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	struct scope_list list AUTO(scope_list_free) = { 0 };
	int ret = access(SCOPE_DIR, F_OK) && errno == ENOENT ? -ENOENT : 0;

	if (!ret)
		ret = pins_change(&pins, false, err);
	if (!ret)
		ret = load(&list, &pins, err);
	for_each(entry, list.entries, list.count)
		if (entry->scope.kind == SCOPE_CGROUP && entry->state != STATE_ACTIVE &&
		    cgroup_is_named(entry->scope.name, id))
			bpfmap_delete(pins.scopes, &entry->id);
	if (!ret)
		ret = remove_gone(&pins, err);
	return ret == -ENOENT ? 0 : ret;
}

/* Remove all that is pinned, even in part or by another version. */
int scope_detach_all(struct smc_err *err)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	int ret = pins_change(&pins, false, err);

	if (pins.dir >= 0 || ret == -ENOENT)
		ret = pins_remove(err);
	return ret;
}

void scope_remove_gone(void)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	struct smc_err ignored;

	if (!pins_change(&pins, false, &ignored))
		remove_gone(&pins, &ignored);
}

static int select_one(struct scope_list *list, const struct scope_target *target,
		      struct smc_err *err)
{
	for_each(entry, list->entries, list->count)
		if (entry->id == target->id) {
			list->entries[0] = *entry;
			list->count = 1;
			return 0;
		}
	return smc_err_say(err, ENOENT, "nothing is attached to %s", target->name);
}

int scope_list_load(struct scope_list *list, struct scope_target *target, struct smc_err *err)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	int ret = pins_read(&pins, err);

	*list = (struct scope_list){ 0 };
	if (!ret)
		ret = load(list, &pins, err);
	else if (ret == -ENOENT && !target)
		ret = 0;
	if (!ret && target)
		ret = find_mark(&pins, target, err);
	if (!ret && target)
		ret = select_one(list, target, err);
	return ret;
}
