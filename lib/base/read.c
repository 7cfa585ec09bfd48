// SPDX-License-Identifier: MIT
/* Whole files in memory. */
#include "base/read.h"

#include <fcntl.h>

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

int smc_read_start(const char *path, int flags, char *text, size_t size)
{
	int fd AUTO_CLOSE = open(path, O_RDONLY | O_CLOEXEC | flags);
	ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);
	int ret = len < 0 ? -errno : (int)len;

	text[len > 0 ? len : 0] = '\0';
	return ret;
}
