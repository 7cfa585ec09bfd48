// SPDX-License-Identifier: MIT
#include "process/self.h"

size_t self_directory(char path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *base;

	path[len > 0 ? len : 0] = '\0';
	base = strrchr(path, '/');
	if (!base)
		return 0;
	base[1] = '\0';
	return (size_t)(base + 1 - path);
}

bool self_has(char path[PATH_MAX], size_t len, const char *name, int mode)
{
	if (!len || len + strlen(name) >= PATH_MAX)
		return false;
	strcpy(path + len, name);
	return !access(path, mode);
}

bool self_find(const char *name, int mode, char path[PATH_MAX])
{
	return self_has(path, self_directory(path), name, mode);
}
