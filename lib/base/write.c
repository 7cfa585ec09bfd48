// SPDX-License-Identifier: MIT
/* write(2) until all is written. */
#include "base/write.h"

#include <errno.h>
#include <unistd.h>

bool smc_write_all(int fd, const void *data, size_t len)
{
	const char *at = data;
	ssize_t ret = 0;

	while (len && (ret >= 0 || errno == EINTR)) {
		ret = write(fd, at, len);
		if (ret < 0)
			continue;
		at += ret;
		len -= (size_t)ret;
	}
	return !len;
}
