// SPDX-License-Identifier: MIT
/* lib/process/helper: descriptors in a message; if it is refused, none is left open. */
#include "test.h"

#include "process/helper.h"

static int ends[2];

static int count_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* A message of this size, with descriptors of /dev/null, in two parts unless @second is 0. */
static void put(size_t bytes, int first, int second)
{
	union {
		struct cmsghdr header;
		char space[2 * CMSG_SPACE(8 * sizeof(int))];
	} control = { .space = { 0 } };
	char text[] = "xy";
	struct iovec data = { .iov_base = text, .iov_len = bytes };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control };
	struct cmsghdr *header = &control.header;
	const int parts[] = { first, second };
	int fd = open("/dev/null", O_RDONLY);

	for (int i = 0; i < 2 && parts[i]; i++) {
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN((size_t)parts[i] * sizeof(int));
		for (int n = 0; n < parts[i]; n++)
			memcpy(CMSG_DATA(header) + (size_t)n * sizeof(int), &fd, sizeof(fd));
		message.msg_controllen += CMSG_SPACE((size_t)parts[i] * sizeof(int));
		header = (struct cmsghdr *)(control.space + message.msg_controllen);
	}
	assert_int_equal(sendmsg(ends[0], &message, 0), bytes);
	close(fd);
}

TEST(whole_messages_are_received)
{
	unsigned char byte = 0;
	int fds[PASSFD_MOST], before = count_fds();

	assert_int_equal(passfd_send(ends[0], ends[0], 7), 0);
	assert_int_equal(passfd_receive(ends[1], &byte, fds, 1), 0);
	assert_int_equal(byte, 7);
	assert_int_equal(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
	close(fds[0]);
	for (int n = 1; n <= PASSFD_MOST; n++) {
		put(1, n, 0);
		assert_int_equal(passfd_receive(ends[1], &byte, fds, n), 0);
		assert_int_equal(count_fds(), before + n);
		for (int i = 0; i < n; i++)
			close(fds[i]);
	}
	/* Two headers, which the kernel merges. */
	put(1, 1, 1);
	assert_int_equal(passfd_receive(ends[1], &byte, fds, 2), 0);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(count_fds(), before);
	assert_int_equal(passfd_receive(ends[1], &byte, fds, 1), -EAGAIN);
	assert_int_equal(passfd_receive(-1, &byte, fds, 1), -EBADF);
}

/* qemu-user does not pass on MSG_CTRUNC. */
static bool has_truncation(void)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = CMSG_LEN(sizeof(int)) };
	int fd;

	put(1, 3, 0);
	assert_int_equal(recvmsg(ends[1], &message, 0), 1);
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	close(fd);
	return message.msg_flags & MSG_CTRUNC;
}

TEST(refused_messages_leave_no_descriptor)
{
	static const struct {
		size_t bytes;
		int first, second, want;
	} messages[] = {
		{ 1, 0, 0, 1 }, { 1, 2, 0, 1 }, { 1, 1, 0, 2 }, { 1, 3, 0, 4 },
		{ 1, 5, 0, 4 }, { 1, 8, 0, 4 }, { 1, 1, 1, 1 }, { 1, 3, 2, 4 },
		{ 0, 1, 0, 1 }, { 0, 4, 0, 4 }, { 2, 1, 0, 1 }, { 2, 4, 0, 4 },
	};
	int before = count_fds(), fds[PASSFD_MOST] = { -1, -1, -1, -1 };
	unsigned char byte;

	if (!has_truncation())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		put(messages[i].bytes, messages[i].first, messages[i].second);
		assert_int_equal(passfd_receive(ends[1], &byte, fds, messages[i].want), -ENOMSG);
		assert_int_equal(count_fds(), before);
		assert_int_equal(fds[0], -1);
	}
	close(ends[0]);
	assert_int_equal(passfd_receive(ends[1], &byte, fds, 1), -ENOMSG);
}

FIXTURE(setup)
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

FIXTURE(teardown)
{
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static struct fixture fixture = { .setup = setup, .teardown = teardown };
