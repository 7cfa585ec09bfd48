// SPDX-License-Identifier: MIT
/* Whole files in memory. */
#include "base/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static char *read_all(int fd, size_t max, size_t *len)
{
	size_t size = 0;
	char *data = NULL, *grown;
	ssize_t ret = 1;

	*len = 0;
	while (ret) {
		if (*len == size) {
			size = size ? 2 * size : 4096;
			grown = *len > max ? NULL : realloc(data, size + 1);
			if (!grown) {
				errno = *len > max ? EFBIG : ENOMEM;
				break;
			}
			data = grown;
		}
		ret = read(fd, data + *len, size - *len);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret < 0)
			break;
		*len += (size_t)ret;
	}
	if (!ret) {
		data[*len] = '\0';
		return data;
	}
	free(data);
	return NULL;
}

char *smc_read_fd(int fd, size_t max, size_t *len)
{
	char *data;
	int code;

	if (fd < 0)
		return NULL;
	data = read_all(fd, max, len);
	code = errno;
	close(fd);
	errno = code;
	return data;
}

char *smc_read_file(const char *path, int flags, size_t max, size_t *len)
{
	return smc_read_fd(open(path, O_RDONLY | O_CLOEXEC | flags), max, len);
}
