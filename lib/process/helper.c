// SPDX-License-Identifier: MIT
#include "process/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t helper_fork(void)
{
	/*
	 * Without flags, the order of arguments, which depends on the architecture, does not
	 * matter.
	 */
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
	/*
	 * /proc/self/root would keep the mount; the caller's root directory exists as long as the
	 * helper.
	 */
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
