// SPDX-License-Identifier: MIT
/* Which sysfs shows the network namespace of the calling thread. */
#include "sys/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "host/record.h"

/* <linux/mount.h> and <sys/mount.h> cannot always be included together. */
#define FSCONFIG_CREATE 6

/* Return: a descriptor, -errno with @err. */
static int mount_sysfs(struct smc_err *err)
{
	static const char what[] = "cannot read the sysfs of that network namespace";
	int context, mount, ret = 0;

	context = (int)syscall(SYS_fsopen, "sysfs", 1 /* FSOPEN_CLOEXEC */);
	if (context < 0)
		return smc_err_set(err, errno, what);
	if (syscall(SYS_fsconfig, context, FSCONFIG_CREATE, NULL, NULL, 0))
		ret = smc_err_set(err, errno, what);
	mount = ret ? ret : (int)syscall(SYS_fsmount, context, 1 /* FSMOUNT_CLOEXEC */, 0);
	if (!ret && mount < 0)
		mount = smc_err_set(err, errno, what);
	close(context);
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
	/* The kernel has one for each namespace, however often it is mounted. */
	if (fstat(*fd, &own) || stat(SYSFS_ROOT, &common) || own.st_dev != common.st_dev) {
		snprintf(root, SYSFS_ROOT_SIZE, "/proc/self/fd/%d", *fd);
	} else {
		close(*fd);
		*fd = -1;
	}
	return 0;
}
