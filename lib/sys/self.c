// SPDX-License-Identifier: MIT
/* Files that were built, or installed, together with this program. */
#include "sys/self.h"

#include <string.h>
#include <unistd.h>

bool self_find(const char *name, int mode, char path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *base;

	path[len > 0 ? len : 0] = '\0';
	base = strrchr(path, '/');
	if (!base || (size_t)(base + 1 - path) + strlen(name) >= PATH_MAX)
		return false;
	strcpy(base + 1, name);
	return !access(path, mode);
}
