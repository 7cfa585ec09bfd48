// SPDX-License-Identifier: MIT
/* Open files that users name. */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/read.h"

static int open_regular(const char *path, const char *instead, struct smc_err *err)
{
	struct stat st;
	int fd;

	/* Check before opening, which may affect a device, and after: names can change. */
	if (stat(path, &st) || S_ISREG(st.st_mode)) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			return smc_err_set(err, errno, "cannot open %.200s", path);
		if (!fstat(fd, &st) && S_ISREG(st.st_mode))
			return fd;
		close(fd);
	}
	return smc_err_say(err, EINVAL, "cannot read %.200s: not a regular file%s", path, instead);
}

int smc_open_regular(const char *path, struct smc_err *err)
{
	return open_regular(path, "", err);
}

int smc_open_input(const char *path, struct smc_err *err)
{
	int fd;

	if (strcmp(path, "-"))
		return open_regular(path, "; - is standard input", err);
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? smc_err_set(err, errno, "cannot open standard input") : fd;
}
