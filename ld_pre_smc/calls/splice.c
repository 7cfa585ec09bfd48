// SPDX-License-Identifier: MIT
/* splice(2) from and into SMC sockets. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ld_pre_smc/calls/data.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/repair.h"

/* Buffer on the stack of the calling thread. */
#define CHUNK 8192

static bool is_writable_pipe(int fd)
{
	struct stat st;

	return !shim_stat(fd, "", &st) && S_ISFIFO(st.st_mode) &&
	       (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

/* Data beyond the size of the pipe stays in the socket. A writable pipe takes PIPE_BUF bytes. */
static ssize_t copy(int in, int out, size_t len, unsigned int flags)
{
	size_t most = flags & SPLICE_F_NONBLOCK ? PIPE_BUF : CHUNK;
	char data[CHUNK];
	ssize_t n = recv(in, data, len < most ? len : most, MSG_PEEK);

	if (n <= 0)
		return n;
	if (flags & SPLICE_F_NONBLOCK && !(shim_events(out, POLLOUT) & (POLLOUT | POLLERR))) {
		errno = EAGAIN;
		return -1;
	}
	n = write(out, data, (size_t)n);
	if (n > 0)
		recv(in, data, (size_t)n, MSG_DONTWAIT);
	return n;
}

/* Into a socket. */
static ssize_t write_from(int in, int out, size_t len, unsigned int flags)
{
	ssize_t ret = next_splice(in, NULL, out, NULL, len, flags);
	int null = ret < 0 ? shim_instead_of(out) : -1;

	if (null < 0)
		return ret;
	ret = next_splice(in, NULL, null, NULL, len, flags);
	shim_close(null);
	return ret;
}

/** splice() - splice(2) that copies data from SMC sockets, and does not hold back data into them */
ssize_t splice(int in, loff_t *in_pos, int out, loff_t *out_pos, size_t len, unsigned int flags)
{
	int saved = errno;
	ssize_t n;

	if (flags & SPLICE_F_MORE && shim_fd_may_be_smc(out) && shim_drops_more(out))
		flags &= ~(unsigned int)SPLICE_F_MORE;
	if (in_pos || out_pos || !len || flags >= 2 * SPLICE_F_GIFT || !shim_repairs())
		return next_splice(in, in_pos, out, out_pos, len, flags);
	if (!shim_is_smc(in, NULL) || !is_writable_pipe(out) || !shim_mends(in, REPAIR_SPLICE))
		return write_from(in, out, len, flags);
	n = copy(in, out, len, flags);
	if (n >= 0)
		errno = saved;
	return n;
}
