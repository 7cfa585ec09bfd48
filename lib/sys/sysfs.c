// SPDX-License-Identifier: MIT
/* Reading sysfs: small attributes, links, sorted directories. */
#include "sys/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "sys/record.h"

/* <linux/mount.h> and <sys/mount.h> cannot always be included together. */
#define FSCONFIG_CREATE 6

static int __attribute__((format(printf, 2, 0)))
make_path(char path[PATH_MAX], const char *fmt, va_list ap)
{
	int len = vsnprintf(path, PATH_MAX, fmt, ap);

	if (len < 0 || len >= PATH_MAX)
		return -ENAMETOOLONG;
	record_map(path);
	return 0;
}

static size_t read_file(const char *path, void *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t done = 0;
	ssize_t ret;

	if (fd < 0)
		return 0;
	while (done < size) {
		ret = read(fd, (char *)buf + done, size - done);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			break;
		done += (size_t)ret;
	}
	close(fd);
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

bool sysfs_text(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int ret;

	buf[0] = '\0';
	va_start(ap, fmt);
	ret = make_path(path, fmt, ap);
	va_end(ap);
	return !ret && read_text(path, buf, size);
}

size_t sysfs_bytes(void *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = make_path(path, fmt, ap);
	va_end(ap);
	return ret ? 0 : read_file(path, buf, size);
}

bool sysfs_number(unsigned long *value, const char *fmt, ...)
{
	char path[PATH_MAX], text[32], *end;
	unsigned long number;
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = make_path(path, fmt, ap);
	va_end(ap);
	if (ret || !read_text(path, text, sizeof(text)))
		return false;
	errno = 0;
	number = strtoul(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	if (errno || *end || end == text || text[0] == '-')
		return false;
	*value = number;
	return true;
}

/* A record has no links: what one pointed to is in a file beside it. */
static ssize_t read_link(const char *path, char target[PATH_MAX])
{
	char beside[PATH_MAX + sizeof(RECORD_LINK)];
	ssize_t len = readlink(path, target, PATH_MAX - 1);

	snprintf(beside, sizeof(beside), "%s" RECORD_LINK, path);
	if (len < 0 && record_root())
		len = (ssize_t)read_file(beside, target, PATH_MAX - 1);
	else if (len > 0)
		record_put(beside, target, (size_t)len);
	return len;
}

bool sysfs_link(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t len = -1;
	va_list ap;
	int ret;

	buf[0] = '\0';
	va_start(ap, fmt);
	ret = make_path(path, fmt, ap);
	va_end(ap);
	if (!ret)
		len = read_link(path, target);
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

bool sysfs_exists(const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = make_path(path, fmt, ap);
	va_end(ap);
	if (ret || access(path, F_OK))
		return false;
	record_exists(path);
	return true;
}

int sysfs_write(const char *text, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int ret, fd;

	va_start(ap, fmt);
	ret = make_path(path, fmt, ap);
	va_end(ap);
	if (!ret && record_root())
		ret = -EROFS;
	if (ret)
		return ret;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int sysfs_compare(const char *a, const char *b)
{
	return strverscmp(a, b);
}

static int compare_names(const void *a, const void *b)
{
	return sysfs_compare(*(char *const *)a, *(char *const *)b);
}

static int add_name(struct sysfs_names *names, const char *name)
{
	char **grown = realloc(names->names, (names->count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	names->names = grown;
	names->names[names->count] = strdup(name);
	if (!names->names[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

static int list_folder(struct sysfs_names *names, const char *path)
{
	const struct dirent *item;
	DIR *dir = opendir(path);
	int ret = 0;

	if (!dir)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while (!ret && (item = readdir(dir)))
		if (item->d_name[0] != '.')
			ret = add_name(names, item->d_name);
	closedir(dir);
	return ret;
}

/* A record has what was in a folder in a file beside it. */
static int list_recorded(struct sysfs_names *names, const char *path)
{
	char beside[PATH_MAX + sizeof(RECORD_LIST)], *line = NULL;
	size_t size = 0;
	FILE *file;
	int ret = 0;

	snprintf(beside, sizeof(beside), "%s" RECORD_LIST, path);
	file = fopen(beside, "re");
	if (!file)
		return list_folder(names, path);
	while (!ret && getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '.' && !strchr(line, '/'))
			ret = add_name(names, line);
	}
	free(line);
	fclose(file);
	return ret;
}

static void record_list(const char *path, const struct sysfs_names *names)
{
	char beside[PATH_MAX + sizeof(RECORD_LIST)], *text, *end;
	size_t size = 1;

	if (!record_dir() || !names->count)
		return;
	snprintf(beside, sizeof(beside), "%s" RECORD_LIST, path);
	for (size_t i = 0; i < names->count; i++)
		size += strlen(names->names[i]) + 1;
	text = end = malloc(size);
	for (size_t i = 0; text && i < names->count; i++)
		end = stpcpy(stpcpy(end, names->names[i]), "\n");
	if (text)
		record_put(beside, text, (size_t)(end - text));
	else
		record_fail();
	free(text);
}

int sysfs_list(struct sysfs_names *names, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int ret;

	*names = (struct sysfs_names){ 0 };
	va_start(ap, fmt);
	ret = make_path(path, fmt, ap);
	va_end(ap);
	if (!ret)
		ret = record_root() ? list_recorded(names, path) : list_folder(names, path);
	if (ret)
		sysfs_names_free(names);
	if (names->count)
		qsort(names->names, names->count, sizeof(*names->names), compare_names);
	if (!ret)
		record_list(path, names);
	return ret;
}

void sysfs_names_free(struct sysfs_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct sysfs_names){ 0 };
}

/* Return: a descriptor, -errno with @err. */
static int mount_sysfs(struct smc_err *err)
{
	static const char what[] = "cannot read the sysfs of that network namespace";
	int context, mount, ret = 0;

	context = (int)syscall(SYS_fsopen, "sysfs", 1 /* FSOPEN_CLOEXEC */);
	if (context < 0)
		return smc_err_set(err, errno, what);
	if (syscall(SYS_fsconfig, context, FSCONFIG_CREATE, NULL, NULL, 0))
		ret = smc_err_set(err, errno, what);
	mount = ret ? ret : (int)syscall(SYS_fsmount, context, 1 /* FSMOUNT_CLOEXEC */, 0);
	if (!ret && mount < 0)
		mount = smc_err_set(err, errno, what);
	close(context);
	return mount;
}

int sysfs_here(char root[SYSFS_ROOT_SIZE], int *fd, bool is_entered, struct smc_err *err)
{
	struct smc_err ignored;
	struct stat own, common;

	strcpy(root, SYSFS_ROOT);
	*fd = -1;
	if (record_root())
		return 0;
	*fd = mount_sysfs(is_entered ? err : &ignored);
	if (*fd < 0)
		return is_entered ? *fd : 0;
	/* The kernel has one for each namespace, however often it is mounted. */
	if (fstat(*fd, &own) || stat(SYSFS_ROOT, &common) || own.st_dev != common.st_dev) {
		snprintf(root, SYSFS_ROOT_SIZE, "/proc/self/fd/%d", *fd);
	} else {
		close(*fd);
		*fd = -1;
	}
	return 0;
}
