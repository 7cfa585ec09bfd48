// SPDX-License-Identifier: MIT
#include "host/record.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/read.h"
#include "base/write.h"
#include "host/beneath.h"

/* Larger files are recorded as empty. A kernel configuration, the largest needed, has 300 KiB. */
#define COPY_MAX (384 * 1024)

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

/* The path of a sysfs mounted by sysfs_here() starts with its descriptor. */
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

bool record_path(char out[PATH_MAX], const char *path)
{
	const char *rest = after_fd(path);
	char whole[PATH_MAX];

	if (!rest)
		return beneath_clean(out, path);
	return snprintf(whole, sizeof(whole), "sys/%s", rest) < PATH_MAX &&
	       beneath_clean(out, whole);
}

enum lookup { FOLLOW, NO_FOLLOW, MAKE };

/* Find a file of the record, or where it belongs. Closes the top. Return: false with errno. */
static bool locate(struct beneath *at, const char *path, enum lookup lookup)
{
	const char *root = record_root();
	int top AUTO_CLOSE = beneath_top(root ? root : record_dir(), geteuid());
	char clean[PATH_MAX];
	size_t made = 0;

	if (top < 0)
		return false;
	errno = ENAMETOOLONG;
	if (!record_path(clean, path))
		return false;
	return lookup == MAKE ? beneath_make(at, top, clean, &made) :
				beneath_find(at, top, clean, lookup == FOLLOW);
}

int record_open(const char *path, int flags)
{
	struct beneath at AUTO(beneath_end) = { .fd = -1 };

	return locate(&at, path, FOLLOW) ? beneath_open(&at, O_RDONLY | flags) : -1;
}

ssize_t record_link(const char *path, char *target, size_t size)
{
	struct beneath at AUTO(beneath_end) = { .fd = -1 };

	return locate(&at, path, NO_FOLLOW) ? readlinkat(at.fd, at.name, target, size) : -1;
}

bool record_has(const char *path)
{
	struct beneath at AUTO(beneath_end) = { .fd = -1 };
	struct stat st;

	return locate(&at, path, FOLLOW) && !fstatat(at.fd, at.name, &st, AT_SYMLINK_NOFOLLOW);
}

static void record_fail(void)
{
	struct beneath at AUTO(beneath_end) = { .fd = -1 };

	if (record_dir() && locate(&at, RECORD_COMPLETE, MAKE))
		unlinkat(at.fd, at.name, 0);
}

enum how { REPLACE, KEEP_LONGER, APPEND };

static bool store_at(const struct beneath *at, const void *data, size_t len, enum how how)
{
	int fd = beneath_open(at, O_WRONLY | O_CREAT | O_APPEND);
	struct stat st;
	bool is_done;

	if (fd < 0)
		return errno == EISDIR; /* already in the record, as a directory */
	if (how == KEEP_LONGER && !fstat(fd, &st) && (size_t)st.st_size >= len) {
		close(fd);
		return true;
	}
	is_done = (how == APPEND || !ftruncate(fd, 0)) && smc_write_all(fd, data, len);
	return !close(fd) && is_done;
}

static bool store(const char *name, const void *data, size_t len, enum how how)
{
	struct beneath at AUTO(beneath_end) = { .fd = -1 };

	return locate(&at, name, MAKE) && store_at(&at, data, len, how);
}

static void keep(const char *name, const void *data, size_t len, enum how how)
{
	AUTO_ERRNO();

	if (record_dir() && !store(name, data, len, how))
		record_fail();
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
	struct beneath at AUTO(beneath_end) = { .fd = -1 };
	struct stat st;

	AUTO_ERRNO();
	if (!record_dir())
		return;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		if (!locate(&at, path, MAKE) || (mkdirat(at.fd, at.name, 0700) && errno != EEXIST))
			record_fail();
	} else if (!store(path, "", 0, KEEP_LONGER)) {
		record_fail();
	}
}

char *record_get(const char *name, size_t max, size_t *len)
{
	return smc_read_fd(record_open(name, 0), max, len);
}

int record_refuse(struct smc_err *err)
{
	return smc_err_say(err, EROFS, "a recorded host cannot be changed");
}
