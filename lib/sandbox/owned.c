// SPDX-License-Identifier: MIT
/* Check whether only root can change a file. */
#include "sandbox/owned.h"

#include <sys/stat.h>

#include "base/libc.h"

#define LINKS_MAX 40 /* the kernel's limit */

/**
 * struct walk - state of a path walk
 * @here: resolved so far, without links; empty for the root
 * @rest: remaining path; @last: type of @here, at the end
 */
struct walk {
	char here[PATH_MAX], rest[PATH_MAX];
	unsigned int links;
	struct stat last;
};

static int check(const struct stat *st)
{
	return st->st_uid || st->st_mode & (S_IWGRP | S_IWOTH) ? -EPERM : 0;
}

/* Replace the link @here by its target, followed by @rest. */
static int follow(struct walk *walk)
{
	char target[PATH_MAX], *slash = strrchr(walk->here, '/');
	ssize_t len = readlink(walk->here, target, sizeof(target) - 1);
	size_t rest = strlen(walk->rest);

	if (len < 0)
		return -errno;
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	if ((size_t)len + 1 + rest >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	*slash = '\0';
	if (*target == '/')
		*walk->here = '\0';
	memmove(walk->rest + len + 1, walk->rest, rest + 1);
	memcpy(walk->rest, target, (size_t)len);
	walk->rest[len] = '/';
	return 0;
}

/* Take one component. */
static int step(struct walk *walk)
{
	size_t skip = strspn(walk->rest, "/"), len = strcspn(walk->rest + skip, "/");
	size_t here = strlen(walk->here);
	const char *name = walk->rest + skip;
	struct stat *st = &walk->last;

	if (here + 1 + len >= sizeof(walk->here))
		return -ENAMETOOLONG;
	if (len == 2 && !memcmp(name, "..", 2)) {
		if (here)
			*strrchr(walk->here, '/') = '\0';
	} else if (len && !(len == 1 && *name == '.')) {
		walk->here[here] = '/';
		memcpy(walk->here + here + 1, name, len);
		walk->here[here + 1 + len] = '\0';
	}
	memmove(walk->rest, name + len, strlen(name + len) + 1);
	if (lstat(*walk->here ? walk->here : "/", st))
		return -errno;
	return S_ISLNK(st->st_mode) ? follow(walk) : check(st);
}

int owned_by_root(const char *path, int fd, char culprit[PATH_MAX])
{
	struct walk walk = { .links = 0 };
	struct stat st;
	int ret;

	strcpy(culprit, "/");
	if (stat("/", &walk.last))
		return -errno;
	ret = check(&walk.last);
	if (strlen(path) >= sizeof(walk.rest))
		return -ENAMETOOLONG;
	strcpy(walk.rest, path);
	while (!ret && walk.rest[strspn(walk.rest, "/")])
		ret = step(&walk);
	if (*walk.here)
		strcpy(culprit, walk.here);
	if (ret || fd < 0)
		return ret;
	/* The target text of a link such as /proc/PID/root is not where the kernel goes. */
	if (fstat(fd, &st))
		return -errno;
	return st.st_dev == walk.last.st_dev && st.st_ino == walk.last.st_ino ? 0 : -ESTALE;
}
