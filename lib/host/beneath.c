// SPDX-License-Identifier: MIT
#include "host/beneath.h"

#include <fcntl.h>
#include <sys/stat.h>

/* The kernel's limit: MAXSYMLINKS. */
#define MAX_LINKS 40
#define DIRECTORY (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static bool append(char out[PATH_MAX], size_t *len, const char *part, size_t part_len)
{
	if (*len + part_len + 2 > PATH_MAX)
		return false;
	if (*len)
		out[(*len)++] = '/';
	memcpy(out + *len, part, part_len);
	*len += part_len;
	out[*len] = '\0';
	return true;
}

bool beneath_clean(char out[PATH_MAX], const char *path)
{
	size_t len = 0, part;

	out[0] = '\0';
	for (; *path; path += part) {
		path += strspn(path, "/");
		part = strcspn(path, "/");
		if (part == 2 && !strncmp(path, "..", 2)) {
			while (len && out[--len] != '/')
				;
			out[len] = '\0';
		} else if (part && !(part == 1 && *path == '.') && !append(out, &len, path, part)) {
			return false;
		}
	}
	return true;
}

int beneath_top(const char *directory, uid_t also)
{
	int fd = open(directory, DIRECTORY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && (st.st_uid == geteuid() || !st.st_uid || st.st_uid == also))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

void beneath_end(struct beneath *at)
{
	auto_close(&at->fd);
	at->fd = -1;
}

/* Split the first name of @path off into @at. Return: the rest of the path; NULL with errno. */
static const char *take_name(struct beneath *at, const char *path)
{
	size_t len = strcspn(path, "/");

	if (len > NAME_MAX) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	memcpy(at->name, path, len);
	at->name[len] = '\0';
	return path + len + (path[len] == '/');
}

static bool step(struct beneath *at)
{
	int next = openat(at->fd, at->name, DIRECTORY);

	if (next < 0)
		return false;
	close(at->fd);
	at->fd = next;
	return true;
}

/*
 * Descend until a link or the last name. Return: false with errno; @rest receives the path after
 * that name, "" if it is the last one.
 */
static bool go_down(struct beneath *at, int top, const char *path, const char **rest)
{
	at->fd = openat(top, ".", DIRECTORY);
	strcpy(at->name, ".");
	*rest = path;
	while (at->fd >= 0 && **rest) {
		*rest = take_name(at, *rest);
		if (!*rest)
			return false;
		if (**rest && !step(at))
			return errno == ENOTDIR || errno == ELOOP;
	}
	return at->fd >= 0;
}

/* Read the target of a link. Return: 1; 0 if it is not a link; -1 with errno. */
static int resolve(const struct beneath *at, char path[PATH_MAX], const char *rest)
{
	char target[PATH_MAX], whole[3 * PATH_MAX];
	ssize_t len = readlinkat(at->fd, at->name, target, PATH_MAX - 1);
	const char *name = rest - (*rest != '\0') - strlen(at->name);

	if (len < 0)
		return errno == EINVAL ? 0 : -1;
	target[len] = '\0';
	snprintf(whole, sizeof(whole), "%.*s/%s/%s", *target == '/' ? 0 : (int)(name - path), path,
		 target, rest);
	errno = ENAMETOOLONG;
	return beneath_clean(path, whole) ? 1 : -1;
}

/* Return: 1 if found, 0 if @path was replaced by a link's target, -1 with errno. */
static int try(struct beneath *at, int top, char path[PATH_MAX], bool follows)
{
	const char *rest;
	int ret;

	if (!go_down(at, top, path, &rest))
		return -1;
	if (!*rest && (!follows || !strcmp(at->name, ".")))
		return 1;
	ret = resolve(at, path, rest);
	if (ret)
		return ret < 0 ? -1 : 0;
	errno = ENOTDIR;
	return *rest ? -1 : 1;
}

bool beneath_find(struct beneath *at, int top, const char *path, bool follows)
{
	char clean[PATH_MAX];
	int ret = 0;

	at->fd = -1;
	errno = ENAMETOOLONG;
	if (!beneath_clean(clean, path))
		return false;
	for (int links = 0; !ret && links <= MAX_LINKS; links++) {
		ret = try(at, top, clean, follows);
		errno = ret ? errno : ELOOP;
		if (ret != 1)
			beneath_end(at);
	}
	return ret == 1;
}

bool beneath_make(struct beneath *at, int top, const char *path, size_t *made)
{
	char clean[PATH_MAX];
	const char *rest = clean;

	at->fd = -1;
	errno = ENAMETOOLONG;
	if (!beneath_clean(clean, path))
		return false;
	at->fd = openat(top, ".", DIRECTORY);
	while (at->fd >= 0) {
		rest = take_name(at, rest);
		if (rest && !*rest)
			return true;
		if (!rest || (mkdirat(at->fd, at->name, 0700) ? errno != EEXIST : !++*made) ||
		    !step(at))
			break;
	}
	beneath_end(at);
	return false;
}

int beneath_open(const struct beneath *at, int flags)
{
	struct stat st;
	int fd;

	/* Check before opening, which may affect a device, and after: names can change. */
	if (fstatat(at->fd, at->name, &st, AT_SYMLINK_NOFOLLOW)) {
		if (errno != ENOENT || !(flags & O_CREAT))
			return -1;
	} else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		errno = S_ISLNK(st.st_mode) ? ELOOP : ENXIO;
		return -1;
	}
	fd = openat(at->fd, at->name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	if (fd < 0 || (!fstat(fd, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))))
		return fd;
	close(fd);
	errno = ENXIO;
	return -1;
}
