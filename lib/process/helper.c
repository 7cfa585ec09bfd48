// SPDX-License-Identifier: MIT
#include "process/helper.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/libc.h"
#include "base/syscalls.h"

pid_t helper_fork(void)
{
	/* Without flags, the architecture's order of arguments does not matter. */
	long pid = syscall(SYS_clone, 0, 0, 0, 0, 0);

	return pid < 0 ? -errno : (pid_t)pid;
}

static void reset_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	for (int i = 1; i < NSIG; i++)
		sigaction(i, &action, NULL);
}

static int set_files(int keep)
{
	int fd;

	if (keep && dup2(keep, 0) < 0)
		return -errno;
	syscall(SYS_close_range, 3, ~0U, 0);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
	}
	if (fd > STDERR_FILENO)
		close(fd);
	return 0;
}

static void give_up_rights(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_capset, &header, none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int helper_detach(int keep)
{
	struct rlimit limit;
	int ret;

	reset_signals();
	setsid();
	/* Not /proc/self/root, which would keep its mount busy. */
	if (chdir("/"))
		return -errno;
	ret = set_files(keep);
	if (ret)
		return ret;
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	give_up_rights();
	return 0;
}

/* CMSG_SPACE() is rounded up, which would leave room for one more. */
#define ROOM CMSG_LEN(PASSFD_MOST * sizeof(int))

union control {
	struct cmsghdr header;
	char space[CMSG_SPACE(PASSFD_MOST * sizeof(int))];
};

int passfd_send(int to, int fd, unsigned char byte)
{
	union control control = { .space = { 0 } };
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = CMSG_SPACE(sizeof(fd)) };

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(to, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Copy all descriptors of a message to @fds, whose size matches ROOM. */
static int find_fds(struct msghdr *message, int *fds)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	size_t len;
	int n = 0;

	for (; header; header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		len = header->cmsg_len - CMSG_LEN(0);
		memcpy(fds + n, CMSG_DATA(header), len);
		n += (int)(len / sizeof(int));
	}
	return n;
}

int passfd_receive(int from, unsigned char *byte, int *fds, int n)
{
	union control control;
	struct iovec data = { .iov_base = byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = ROOM
	};
	ssize_t len = recvmsg(from, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	int found[PASSFD_MOST], got;

	if (len < 0)
		return -errno;
	got = find_fds(&message, found);
	if (len == 1 && got == n && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		memcpy(fds, found, (size_t)n * sizeof(int));
		return 0;
	}
	while (got)
		syscall(SYS_close, found[--got]);
	return -ENOMSG;
}
