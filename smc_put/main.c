// SPDX-License-Identifier: MIT
/*
 * smc_put: write standard input to a file, in a directory that others may own. smc-metrics runs it
 * as root.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/read.h"
#include "base/write.h"
#include "cli/cli.h"
#include "sandbox/owned.h"

#define MOST (64 * 1024 * 1024)

static const struct cli_tool tool = { .name = "smc_put", .error_status = 1 };

/*
 * Symbolic links fail with ENOTDIR. openat2(2) would be simpler, but RestrictSUIDSGID= of systemd
 * forbids it.
 */
static int walk(const char *path)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(*path == '/' ? "/" : ".", flags);
	size_t len;

	for (path += strspn(path, "/"); fd >= 0 && *path; path += strspn(path, "/")) {
		char name[NAME_MAX + 2]; /* an overlong name stays too long */
		int next;

		len = strcspn(path, "/");
		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		next = openat(fd, name, flags);
		close(fd);
		fd = next;
		path += len;
	}
	return fd;
}

/* The owner of a directory can plant links in it: follow links only if root owns the whole path. */
static int open_directory(const char *path)
{
	char culprit[PATH_MAX];
	int fd = walk(path);

	if (fd >= 0 || errno != ENOTDIR)
		return fd;
	fd = *path == '/' ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd >= 0 && !owned_by_root(path, fd, culprit))
		return fd;
	if (fd >= 0)
		close(fd);
	errno = ENOTDIR;
	return -1;
}

int main(int argc, char **argv)
{
	int dir, ret;
	size_t len;
	char *text;

	if (argc != 3 || !argv[2][0] || strchr(argv[2], '/'))
		return cli_error(&tool, "only smc-metrics starts this program, see smc-metrics(8)");
	dir = open_directory(argv[1]);
	if (dir < 0)
		return errno == ENOTDIR ?
			       cli_error(&tool,
					 "%s is not a directory, or has a symbolic link in "
					 "it: name the directory itself",
					 argv[1]) :
			       cli_error(&tool, "cannot open %s: %s", argv[1], strerror(errno));
	text = smc_read_fd(STDIN_FILENO, MOST, &len);
	if (!text)
		return cli_error(&tool, "cannot read standard input: %s", strerror(errno));
	ret = smc_replace_file(dir, argv[2], text, len, 0644);
	free(text);
	return ret ? cli_error(&tool, "cannot write %s/%s: %s", argv[1], argv[2], strerror(-ret)) :
		     0;
}
