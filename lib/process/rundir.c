// SPDX-License-Identifier: MIT
#include "process/rundir.h"

#include <fcntl.h>
#include <sys/stat.h>

int rundir_open(const char *name, int flags, mode_t mode)
{
	char path[PATH_MAX];

	if (mkdir(RUN_DIR, 0755) && errno != EEXIST)
		return -1;
	snprintf(path, sizeof(path), RUN_DIR "/%s", name);
	return open(path, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
}
