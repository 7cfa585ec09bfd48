// SPDX-License-Identifier: MIT
#include "net/netns.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include "base/syscalls.h"
#include "host/record.h"

/* <linux/mount.h> and <sys/mount.h> cannot always be included together. */
#define FSCONFIG_CREATE 6

static int open_netns(const char *name, struct smc_err *err)
{
	bool is_pid = strspn(name, "0123456789") == strlen(name);
	char path[PATH_MAX];
	int fd;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return smc_err_say(err, EINVAL, "'%s' is not the name of a network namespace",
				   name);
	if (snprintf(path, sizeof(path), strchr(name, '/') ? "%s" : "/run/netns/%s", name) >=
	    (int)sizeof(path))
		return smc_err_say(err, ENAMETOOLONG,
				   "the name of the network namespace is too long");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ENOENT && is_pid) {
		snprintf(path, sizeof(path), "/proc/%.20s/ns/net", name);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	if (fd >= 0)
		return fd;
	if (errno != ENOENT)
		return smc_err_set(err, errno, "cannot open %s", path);
	return is_pid ? smc_err_say(err, ESRCH, "no network namespace or process '%s'", name) :
			smc_err_say(err, ENOENT, "no network namespace '%s'", name);
}

int smc_netns_enter(const char *name, struct smc_err *err)
{
	int fd AUTO_CLOSE = -1;

	if (!name)
		return 0;
	if (record_root())
		return smc_err_say(
			err, EROFS,
			"a recorded host has only the network namespace that was recorded");
	fd = open_netns(name, err);
	if (fd < 0)
		return fd;
	if (setns(fd, CLONE_NEWNET))
		return smc_err_set(err, errno, "cannot enter network namespace '%s'", name);
	return 0;
}

int smc_netns_run(const char *name, int (*fn)(void *arg), void *arg, struct smc_err *err)
{
	int home AUTO_CLOSE = -1, ret;

	if (!*name)
		return fn(arg);
	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (home < 0)
		return smc_err_set(err, errno, "cannot open /proc/self/ns/net");
	ret = smc_netns_enter(name, err);
	if (ret)
		return ret;
	ret = fn(arg);
	if (setns(home, CLONE_NEWNET))
		ret = smc_err_set(err, errno, "cannot leave network namespace '%s'", name);
	return ret;
}

/* Return: a descriptor, -errno with @err. */
static int mount_sysfs(struct smc_err *err)
{
	int context AUTO_CLOSE = (int)syscall(SYS_fsopen, "sysfs", 1 /* FSOPEN_CLOEXEC */);
	int mount = -1;

	if (context >= 0 && !syscall(SYS_fsconfig, context, FSCONFIG_CREATE, NULL, NULL, 0))
		mount = (int)syscall(SYS_fsmount, context, 1 /* FSMOUNT_CLOEXEC */, 0);
	if (mount < 0)
		return smc_err_set(err, errno, "cannot read the sysfs of that network namespace");
	return mount;
}

int sysfs_here(char root[SYSFS_ROOT_SIZE], int *fd, bool is_entered, struct smc_err *err)
{
	struct smc_err ignored;
	struct stat own, common;

	strcpy(root, SYSFS_ROOT);
	*fd = -1;
	if (record_root())
		return 0;
	*fd = mount_sysfs(is_entered ? err : &ignored);
	if (*fd < 0)
		return is_entered ? *fd : 0;
	/* sysfs has one superblock per network namespace, however often it is mounted. */
	if (fstat(*fd, &own) || stat(SYSFS_ROOT, &common) || own.st_dev != common.st_dev) {
		snprintf(root, SYSFS_ROOT_SIZE, "/proc/self/fd/%d", *fd);
	} else {
		close(*fd);
		*fd = -1;
	}
	return 0;
}
