// SPDX-License-Identifier: MIT
#include "host/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/read.h"
#include "host/record.h"

/* Limit for directories of a record. The largest real directory is that of the net devices. */
#define NAMES_MAX 16384
#define LIST_MAX (NAMES_MAX * 32)

static bool __attribute__((format(printf, 2, 0)))
make_path(char path[PATH_MAX], const char *fmt, va_list ap)
{
	int len = vsnprintf(path, PATH_MAX, fmt, ap);

	errno = ENAMETOOLONG;
	return len >= 0 && len < PATH_MAX;
}

/* Format the path of a variadic function. False with errno if it is too long. */
#define MAKE_PATH(path, fmt)                                                                       \
	({                                                                                         \
		va_list ap;                                                                        \
		bool is_made;                                                                      \
                                                                                                   \
		va_start(ap, fmt);                                                                 \
		is_made = make_path(path, fmt, ap);                                                \
		va_end(ap);                                                                        \
		is_made;                                                                           \
	})

/* As open(2) with O_RDONLY; never waits for the writer of a FIFO. */
static int open_file(const char *path, int flags)
{
	return record_root() ? record_open(path, flags) :
			       open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
}

static size_t read_file(const char *path, void *buf, size_t size)
{
	int fd AUTO_CLOSE = open_file(path, 0);
	size_t done = 0;
	ssize_t ret;

	if (fd < 0)
		return 0;
	while (done < size) {
		ret = TEMP_FAILURE_RETRY(read(fd, (char *)buf + done, size - done));
		if (ret <= 0)
			break;
		done += (size_t)ret;
	}
	record_put(path, buf, done);
	return done;
}

static bool read_text(const char *path, char *buf, size_t size)
{
	size_t len = read_file(path, buf, size - 1);

	while (len && strchr(" \t\n", buf[len - 1]))
		len--;
	buf[len] = '\0';
	return len;
}

bool host_text(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];

	buf[0] = '\0';
	return MAKE_PATH(path, fmt) && read_text(path, buf, size);
}

size_t host_bytes(void *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];

	return MAKE_PATH(path, fmt) ? read_file(path, buf, size) : 0;
}

char *host_whole(size_t *len, size_t max, const char *fmt, ...)
{
	char path[PATH_MAX], *data;

	data = smc_read_fd(MAKE_PATH(path, fmt) ? open_file(path, 0) : -1, max, len);
	if (data && *len) {
		record_put(path, data, *len);
		return data;
	}
	free(data);
	return NULL;
}

bool host_number(unsigned long *value, const char *fmt, ...)
{
	char path[PATH_MAX], text[32], *end;
	unsigned long number;

	if (!MAKE_PATH(path, fmt) || !read_text(path, text, sizeof(text)))
		return false;
	errno = 0;
	number = strtoul(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	if (errno || *end || end == text || text[0] == '-')
		return false;
	*value = number;
	return true;
}

/* A record has no links: it keeps the target in a file, see host/record.h. */
static ssize_t read_link(const char *path, char target[PATH_MAX])
{
	char beside[PATH_MAX + sizeof(RECORD_LINK)];
	ssize_t len = record_root() ? record_link(path, target, PATH_MAX - 1) :
				      readlink(path, target, PATH_MAX - 1);

	snprintf(beside, sizeof(beside), "%s" RECORD_LINK, path);
	if (len < 0 && record_root())
		len = (ssize_t)read_file(beside, target, PATH_MAX - 1);
	else if (len > 0)
		record_put(beside, target, (size_t)len);
	return len;
}

bool host_link(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t len;

	buf[0] = '\0';
	len = MAKE_PATH(path, fmt) ? read_link(path, target) : -1;
	if (len <= 0)
		return false;
	target[len] = '\0';
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (strlen(last) >= size)
		return false;
	strcpy(buf, last);
	return *buf;
}

bool host_exists(const char *fmt, ...)
{
	char path[PATH_MAX];

	if (!MAKE_PATH(path, fmt) || (record_root() ? !record_has(path) : !!access(path, F_OK)))
		return false;
	record_exists(path);
	return true;
}

FILE *host_open(const char *fmt, ...)
{
	char path[PATH_MAX];
	int fd = MAKE_PATH(path, fmt) ? open_file(path, 0) : -1;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

int host_write(const char *text, const char *fmt, ...)
{
	char path[PATH_MAX];
	int fd, ret;

	if (!MAKE_PATH(path, fmt))
		return -errno;
	if (record_root())
		return -EROFS;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(struct host_names *names, const char *name)
{
	char *copy = xstrdup(name);

	*smc_array_add(&names->names, &names->count) = copy;
}

static int list_directory(struct host_names *names, const char *path)
{
	int fd = open_file(path, O_DIRECTORY), ret;
	DIR *dir AUTO_CLOSEDIR = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *item;

	if (!dir) {
		ret = errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while ((item = readdir(dir)))
		if (item->d_name[0] != '.')
			add_name(names, item->d_name);
	return 0;
}

/* A record keeps a directory's entries in a file next to it, which is untrusted: hence a limit. */
static int list_recorded(struct host_names *names, const char *path)
{
	char beside[PATH_MAX + sizeof(RECORD_LIST)], *text AUTO_FREE = NULL, *save;
	size_t len;

	snprintf(beside, sizeof(beside), "%s" RECORD_LIST, path);
	text = record_get(beside, LIST_MAX, &len);
	if (!text)
		return errno == ENOENT || errno == ENOTDIR ? list_directory(names, path) : -errno;
	for (char *name = strtok_r(text, "\n", &save); name; name = strtok_r(NULL, "\n", &save)) {
		if (names->count == NAMES_MAX)
			return -EFBIG;
		if (*name != '.' && !strchr(name, '/'))
			add_name(names, name);
	}
	return 0;
}

/* Directory entries are unique. */
static void drop_doubles(struct host_names *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->count; i++) {
		if (kept && !strcmp(names->names[kept - 1], names->names[i]))
			free(names->names[i]);
		else
			names->names[kept++] = names->names[i];
	}
	names->count = kept;
}

static void record_list(const char *path, const struct host_names *names)
{
	char beside[PATH_MAX + sizeof(RECORD_LIST)], *text, *end;
	size_t size = 1;

	if (!record_dir() || !names->count)
		return;
	snprintf(beside, sizeof(beside), "%s" RECORD_LIST, path);
	for (size_t i = 0; i < names->count; i++)
		size += strlen(names->names[i]) + 1;
	text = end = xcalloc(size, 1);
	for (size_t i = 0; i < names->count; i++)
		end = stpcpy(stpcpy(end, names->names[i]), "\n");
	record_put(beside, text, (size_t)(end - text));
	free(text);
}

int host_list(struct host_names *names, const char *fmt, ...)
{
	char path[PATH_MAX];
	int ret = MAKE_PATH(path, fmt) ? 0 : -errno;

	*names = (struct host_names){ 0 };
	if (!ret)
		ret = record_root() ? list_recorded(names, path) : list_directory(names, path);
	if (ret)
		host_names_free(names);
	smc_array_sort(names->names, names->count, compare_names);
	drop_doubles(names);
	if (!ret)
		record_list(path, names);
	return ret;
}

void host_names_free(struct host_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct host_names){ 0 };
}
