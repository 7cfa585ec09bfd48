// SPDX-License-Identifier: MIT
/* smc_chk/live/stream: timeouts with a peer that keeps sending, over a socket. */
#include "child.h"

#include <sys/mman.h>

#include "smc_chk/live/endpoint.h"

#define LONG_MS 600000 /* the test does not wait for it */

/* A pair; a process at the other end sends endlessly. */
static int flood(pid_t *pid)
{
	const uint8_t bytes[64] = { 0 };
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	*pid = fork();
	assert_true(*pid >= 0);
	if (!*pid) {
		close(fds[0]);
		fcntl(fds[1], F_SETFL, 0);
		while (send(fds[1], bytes, sizeof(bytes), MSG_NOSIGNAL) > 0)
			;
		_exit(0);
	}
	close(fds[1]);
	return fds[0];
}

static void end(int fd, pid_t pid)
{
	close(fd);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Some data always arrives, but never all. */
TEST(never_ends)
{
	const struct stream_limit limit = stream_limit(LONG_MS, 50), past = { LONG_MS, 0 };
	const size_t size = 1 << 30;
	/* Not static: the leak sanitizer would scan all of it. */
	void *in = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;
	int fd = flood(&pid);

	assert_ptr_not_equal(in, MAP_FAILED);
	assert_int_equal(stream_exchange(fd, NULL, 0, in, size, &limit), -ETIME);
	assert_true(stream_now() >= limit.end);
	assert_int_equal(stream_receive(fd, in, size, &past), 0);
	munmap(in, size);
	end(fd, pid);
}

TEST(is_silent)
{
	const struct stream_limit step = stream_limit(20, LONG_MS);
	const struct stream_limit whole = stream_limit(LONG_MS, 20);
	uint8_t in[8];
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(stream_exchange(fds[0], NULL, 0, in, sizeof(in), &step), -ETIMEDOUT);
	assert_int_equal(stream_exchange(fds[0], NULL, 0, in, sizeof(in), &whole), -ETIME);
	assert_int_equal(stream_receive(fds[0], in, sizeof(in), &step), 0);
	assert_int_equal(send(fds[1], "abc", 3, 0), 3);
	assert_int_equal(stream_receive(fds[0], in, sizeof(in), &step), 3);
	close(fds[1]);
	assert_int_equal(stream_exchange(fds[0], NULL, 0, in, sizeof(in), &step), -ECONNRESET);
	assert_int_equal(stream_receive(fds[0], in, sizeof(in), &step), 0);
	close(fds[0]);
}
