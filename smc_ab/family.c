// SPDX-License-Identifier: MIT
/* The processes that a process has started, from /proc. */
#include "smc_ab/family.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

static void add(struct family *family, pid_t pid)
{
	smc_array_append(&family->pids, &family->count, &family->size, &pid, sizeof(pid));
}

static bool has_children_file(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	return !access(path, R_OK);
}

/* The children of one thread. */
static void add_of_thread(struct family *family, pid_t pid, const char *thread)
{
	char path[64];
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", (int)pid, thread);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		add(family, child);
	if (file)
		fclose(file);
}

static int add_children(struct family *family, pid_t pid)
{
	struct dirent *item;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (item = readdir(dir)))
		if (item->d_name[0] != '.')
			add_of_thread(family, pid, item->d_name);
	if (dir)
		closedir(dir);
	return 0; /* without a directory it has gone */
}

/* Its parent, after the name, which may have blanks and parentheses. 0: gone, or no process */
static pid_t parent_of(const char *pid)
{
	char path[64], line[512] = "";
	const char *end;
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	end = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	if (!end || sscanf(end, ") %*c %d", &parent) != 1)
		parent = 0;
	fclose(file);
	return parent;
}

/* The same where the kernel has no such file: look at every process. */
static int search_children(struct family *family, pid_t pid)
{
	DIR *proc = opendir("/proc");
	struct dirent *item;

	if (!proc)
		return -errno;
	while ((item = readdir(proc)))
		if (item->d_name[0] >= '1' && item->d_name[0] <= '9' &&
		    parent_of(item->d_name) == pid)
			add(family, (pid_t)atoi(item->d_name));
	closedir(proc);
	return 0;
}

int family_add(struct family *family, pid_t root)
{
	int (*fn)(struct family * family, pid_t pid) =
		has_children_file() ? add_children : search_children;
	size_t next = family->count;
	int ret = fn(family, root);

	for (; !ret && next < family->count; next++)
		ret = fn(family, family->pids[next]);
	return ret;
}

void family_free(struct family *family)
{
	free(family->pids);
	*family = (struct family){ 0 };
}
