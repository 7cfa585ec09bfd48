// SPDX-License-Identifier: MIT
/* Descendants of a process, from /proc. */
#include "smc_ab/family.h"

#include <dirent.h>

#include "base/array.h"

/* Add the children of one thread. */
static void add_of_thread(struct family *family, pid_t pid, const char *thread)
{
	char path[64];
	FILE *file;
	pid_t child;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", (int)pid, thread);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		*smc_array_add(&family->pids, &family->count) = child;
	if (file)
		fclose(file);
}

static void add_children(struct family *family, pid_t pid)
{
	struct dirent *item;
	char path[64];
	DIR *dir AUTO_CLOSEDIR = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path); /* NULL: the process has ended */
	while (dir && (item = readdir(dir)))
		if (item->d_name[0] != '.')
			add_of_thread(family, pid, item->d_name);
}

void family_add(struct family *family, pid_t root)
{
	add_children(family, root);
	for (size_t i = 0; i < family->count; i++)
		add_children(family, family->pids[i]);
}
