// SPDX-License-Identifier: MIT
/* A recorded host: what the tools read of the kernel, kept in a directory of ordinary files. */
#include "host/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/read.h"
#include "base/write.h"

/*
 * What is larger is recorded as an empty file, which says only that it is there. The largest file
 * that is needed whole is a kernel's configuration, 300 KiB.
 */
#define COPY_MAX (384 * 1024)
/* The sockets of a hundred thousand connections need less. */
#define GET_MAX (512 * 1024 * 1024)

static const char *variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

const char *record_root(void)
{
	return variable("SMC_TOOLS_ROOT");
}

const char *record_dir(void)
{
	return record_root() ? NULL : variable("SMC_TOOLS_RECORD");
}

/* The path of a sysfs that sysfs_here() mounted starts with its descriptor. */
static const char *after_fd(const char *path)
{
	static const char prefix[] = "/proc/self/fd/";
	size_t digits;

	if (strncmp(path, prefix, sizeof(prefix) - 1))
		return NULL;
	path += sizeof(prefix) - 1;
	digits = strspn(path, "0123456789");
	return digits ? path + digits : NULL;
}

static bool append(char out[PATH_MAX], size_t *len, const char *part, size_t part_len)
{
	if (*len + part_len + 2 > PATH_MAX)
		return false;
	out[(*len)++] = '/';
	memcpy(out + *len, part, part_len);
	*len += part_len;
	out[*len] = '\0';
	return true;
}

bool record_path(char out[PATH_MAX], const char *root, const char *path)
{
	const char *rest = after_fd(path);
	size_t start = strlen(root), len = start, part;

	if (start >= PATH_MAX)
		return false;
	memcpy(out, root, start + 1);
	if (rest && !append(out, &len, "sys", 3))
		return false;
	for (path = rest ? rest : path; *path; path += part) {
		path += strspn(path, "/");
		part = strcspn(path, "/");
		if (part == 2 && !strncmp(path, "..", 2)) {
			while (len > start && out[--len] != '/')
				;
			out[len] = '\0';
		} else if (part && !(part == 1 && *path == '.') && !append(out, &len, path, part)) {
			return false;
		}
	}
	return true;
}

void record_fail(void)
{
	char path[PATH_MAX];

	if (record_dir() && record_path(path, record_dir(), RECORD_COMPLETE))
		unlink(path);
}

bool record_parents(char *path, size_t skip)
{
	for (char *slash = path + skip; (slash = strchr(slash, '/')); slash++) {
		int ret;

		*slash = '\0';
		ret = mkdir(path, 0700);
		*slash = '/';
		if (ret && errno != EEXIST)
			return false;
	}
	return true;
}

enum how { REPLACE, KEEP_LONGER, APPEND };

static bool store(const char *name, const void *data, size_t len, enum how how)
{
	const char *root = record_dir();
	char path[PATH_MAX];
	struct stat st;
	bool is_done;
	int fd;

	if (!record_path(path, root, name) || !record_parents(path, strlen(root)))
		return false;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno == EISDIR; /* it is in the record already, as a directory */
	if (how == KEEP_LONGER && !fstat(fd, &st) && (size_t)st.st_size >= len) {
		close(fd);
		return true;
	}
	is_done = (how == APPEND || !ftruncate(fd, 0)) && smc_write_all(fd, data, len);
	return !close(fd) && is_done;
}

static void keep(const char *name, const void *data, size_t len, enum how how)
{
	int code = errno;

	if (record_dir() && !store(name, data, len, how))
		record_fail();
	errno = code;
}

void record_put(const char *path, const void *data, size_t len)
{
	keep(path, data, len > COPY_MAX ? 0 : len, KEEP_LONGER);
}

void record_set(const char *name, const void *data, size_t len)
{
	keep(name, data, len, REPLACE);
}

void record_append(const char *name, const void *data, size_t len)
{
	keep(name, data, len, APPEND);
}

void record_exists(const char *path)
{
	char copy[PATH_MAX];
	int code = errno;
	struct stat st;

	if (!record_dir())
		return;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		if (!record_path(copy, record_dir(), path) ||
		    !record_parents(copy, strlen(record_dir())) ||
		    (mkdir(copy, 0700) && errno != EEXIST))
			record_fail();
	} else if (!store(path, "", 0, KEEP_LONGER)) {
		record_fail();
	}
	errno = code;
}

char *record_get(const char *name, size_t *len)
{
	char path[PATH_MAX];

	if (record_path(path, record_root(), name))
		return smc_read_file(path, O_NOFOLLOW | O_NONBLOCK, GET_MAX, len);
	errno = ENAMETOOLONG;
	return NULL;
}

int record_refuse(struct smc_err *err)
{
	return smc_err_say(err, EROFS, "this is a recorded host: nothing can be changed here");
}
