// SPDX-License-Identifier: MIT
/* Network namespaces. */
#include "sys/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/record.h"

static int open_netns(const char *name, struct smc_err *err)
{
	char path[PATH_MAX];
	int fd;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return smc_err_say(err, EINVAL, "'%s' is not the name of a network namespace", name);
	if (snprintf(path, sizeof(path), strchr(name, '/') ? "%s" : "/run/netns/%s", name) >=
	    (int)sizeof(path))
		return smc_err_say(err, ENAMETOOLONG, "the name of the network namespace is too long");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 || errno != ENOENT)
		return fd >= 0 ? fd : smc_err_set(err, errno, "cannot open %s", path);
	if (strspn(name, "0123456789") != strlen(name))
		return smc_err_say(err, ENOENT, "there is no network namespace '%s'", name);
	snprintf(path, sizeof(path), "/proc/%.20s/ns/net", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return smc_err_say(err, ESRCH,
				   "there is no network namespace or process '%s'", name);
	return fd >= 0 ? fd : smc_err_set(err, errno, "cannot open %s", path);
}

int smc_netns_enter(const char *name, struct smc_err *err)
{
	int fd, ret = 0;

	if (record_root())
		return smc_err_say(err, EROFS,
				   "a recorded host has only the network namespace that was recorded");
	fd = open_netns(name, err);
	if (fd < 0)
		return fd;
	if (setns(fd, CLONE_NEWNET))
		ret = smc_err_set(err, errno, "cannot enter network namespace '%s'", name);
	close(fd);
	return ret;
}
