// SPDX-License-Identifier: MIT
/* Which scopes there are, and which processes are marked. */
#include "cgroup/scopes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bpf/bpfmap.h"
#include "cgroup/cgroup.h"

/* A process may fork while /proc is read, but a marked thread's children are marked already. */
#define PASSES 16

/* The next directory whose name is a number: a process in /proc, a thread in /proc/PID/task. */
static pid_t next_number(DIR *dir)
{
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			return (pid_t)strtol(entry->d_name, NULL, 10);
	return 0;
}

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
	DIR *proc = opendir("/proc");
	uint64_t mark;
	pid_t pid;

	while (proc && (pid = next_number(proc))) {
		if (bpfmap_marked(tasks, pid, &mark))
			continue;
		for (size_t i = 0; i < list->count; i++)
			if (list->entries[i].id == mark)
				list->entries[i].state = STATE_ACTIVE;
	}
	if (proc)
		closedir(proc);
}

static void find_states(struct scope_list *list, int tasks)
{
	bool has_marks = false;

	for (size_t i = 0; i < list->count; i++) {
		struct scope_entry *entry = &list->entries[i];

		if (entry->scope.kind == SCOPE_CGROUP)
			entry->state = cgroup_state(entry);
		else
			entry->state = entry->id == SCOPE_RUN_ID ? STATE_EMPTY : STATE_GONE;
		has_marks |= entry->scope.kind != SCOPE_CGROUP;
	}
	if (has_marks)
		note_marks(list, tasks);
}

int scopes_load(struct scope_list *list, const struct pins *pins, struct smc_err *err)
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
		scopes_free(list);
		return smc_err_set(err, -ret, "cannot list the scopes");
	}
	find_states(list, pins->tasks);
	return 0;
}

void scopes_free(struct scope_list *list)
{
	free(list->entries);
	*list = (struct scope_list){ 0 };
}

pid_t process_number(pid_t pid, const char *key)
{
	char path[64], line[128];
	size_t len = strlen(key);
	int number = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && !number && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, len))
			number = atoi(line + len);
	if (file)
		fclose(file);
	return number;
}

static bool is_below(pid_t pid, pid_t root)
{
	while (pid > 1 && pid != root)
		pid = process_number(pid, "PPid:");
	return pid == root;
}

/* Return: threads that had another mark or none; -errno. Threads that end meanwhile are skipped. */
static int mark_threads(const struct pins *pins, pid_t pid, uint64_t id)
{
	char path[64];
	int ret = 0, marked = 0;
	uint64_t mark;
	pid_t tid;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !ret && (tid = next_number(dir))) {
		if (!bpfmap_marked(pins->tasks, tid, &mark) && mark == id)
			continue;
		ret = bpfmap_mark(pins->tasks, tid, id);
		marked += !ret;
		if (ret == -ESRCH || ret == -ENOENT)
			ret = 0;
	}
	if (dir)
		closedir(dir);
	return ret ? ret : marked;
}

static int mark_pass(const struct pins *pins, pid_t root, uint64_t id)
{
	DIR *proc = opendir("/proc");
	int ret = 0, marked = 0;
	pid_t pid;

	if (!proc)
		return -errno;
	while (ret >= 0 && (pid = next_number(proc))) {
		if (!is_below(pid, root))
			continue;
		ret = mark_threads(pins, pid, id);
		marked += ret;
	}
	closedir(proc);
	return ret < 0 ? ret : marked;
}

int scopes_mark_tree(const struct pins *pins, pid_t pid, uint64_t id, struct smc_err *err)
{
	int ret = bpfmap_mark(pins->tasks, pid, id);

	for (int pass = 0; pass < PASSES && ret >= 0; pass++) {
		ret = mark_pass(pins, pid, id);
		if (!ret)
			break;
	}
	return ret < 0 ? smc_err_set(err, -ret, "cannot mark process %d", (int)pid) : 0;
}
