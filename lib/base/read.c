// SPDX-License-Identifier: MIT
/* Whole files in memory. */
#include "base/read.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/memory.h"

char *smc_read_fd(int from, size_t max, size_t *len)
{
	int fd AUTO_CLOSE = from;
	size_t size = 0;
	char *data = NULL;
	ssize_t ret;

	if (fd < 0)
		return NULL;
	*len = 0;
	do {
		if (*len == size && *len > max) {
			errno = EFBIG;
			ret = -1;
			break;
		}
		if (*len == size) {
			size = size ? 2 * size : 4096;
			data = xrealloc(data, size + 1, 1);
		}
		do
			ret = read(fd, data + *len, size - *len);
		while (ret < 0 && errno == EINTR);
		*len += ret > 0 ? (size_t)ret : 0;
	} while (ret > 0);
	if (!ret) {
		data[*len] = '\0';
		return data;
	}
	free(data);
	return NULL;
}

char *smc_read_file(const char *path, int flags, size_t max, size_t *len)
{
	return smc_read_fd(open(path, O_RDONLY | O_CLOEXEC | flags), max, len);
}

static int not_regular(const char *path, const char *instead, struct smc_err *err)
{
	return smc_err_say(err, EINVAL, "cannot read %.200s: not a regular file%s", path, instead);
}

static int open_regular(const char *path, const char *instead, struct smc_err *err)
{
	struct stat st;
	int fd;

	/* Checked before, as opening a device may have effects, and after, as names can change. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return not_regular(path, instead, err);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return smc_err_set(err, errno, "cannot open %.200s", path);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return not_regular(path, instead, err);
}

int smc_read_start(const char *path, int flags, char *text, size_t size)
{
	int fd AUTO_CLOSE = open(path, O_RDONLY | O_CLOEXEC | flags);
	ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);
	int ret = len < 0 ? -errno : (int)len;

	text[len > 0 ? len : 0] = '\0';
	return ret;
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
