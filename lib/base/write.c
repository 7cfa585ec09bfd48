// SPDX-License-Identifier: MIT
/* Write bytes and files completely or not at all. */
#include "base/write.h"

#include <fcntl.h>
#include <sys/stat.h>

bool smc_write_all(int fd, const void *data, size_t len)
{
	const char *at = data;
	ssize_t ret = 0;

	while (len && (ret >= 0 || errno == EINTR)) {
		ret = write(fd, at, len);
		if (ret < 0)
			continue;
		at += ret;
		len -= (size_t)ret;
	}
	return !len;
}

int smc_replace_file(int dir, const char *name, const void *data, size_t len, mode_t mode)
{
	char temporary[NAME_MAX + 1];
	int fd, ret;

	if (snprintf(temporary, sizeof(temporary), ".%s.%ld", name, (long)getpid()) > NAME_MAX)
		return -ENAMETOOLONG;
	unlinkat(dir, temporary, 0);
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	ret = smc_write_all(fd, data, len) && !fchmod(fd, mode) && !fsync(fd) ? 0 : -errno;
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && renameat(dir, temporary, dir, name))
		ret = -errno;
	if (ret)
		unlinkat(dir, temporary, 0);
	return ret;
}

int rundir_open(const char *name, int flags, mode_t mode)
{
	char path[PATH_MAX];

	if (mkdir(RUN_DIR, 0755) && errno != EEXIST)
		return -1;
	snprintf(path, sizeof(path), RUN_DIR "/%s", name);
	return open(path, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
}
