// SPDX-License-Identifier: MIT
#include "net/netns_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/words.h"
#include "host/record.h"
#include "process/ask.h"
#include "process/proc.h"

/* A line of smc_netns: inode, process, file and name */
static bool take_line(struct netns *netns, char *line)
{
	char *fields[4];

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		fields[i] = strsep(&line, "\t");
		if (!fields[i])
			return false;
	}
	*netns = (struct netns){ .inode = strtoull(fields[0], NULL, 10),
				 .pid = (pid_t)atoi(fields[1]) };
	snprintf(netns->file, sizeof(netns->file), "%s", fields[2]);
	snprintf(netns->name, sizeof(netns->name), "%s", fields[3]);
	return true;
}

int netns_list_load(struct netns_list *list, struct smc_err *err)
{
	char *text AUTO_FREE = NULL, *rest, *line;
	struct netns netns;
	struct stat st;
	int ret;

	*list = (struct netns_list){ .count = 0 };
	if (record_root() || record_dir())
		return smc_err_say(err, EROFS, "a recorded host has only one network namespace");
	if (stat(NETNS_OWN, &st))
		return smc_err_set(err, errno, "cannot read " NETNS_OWN);
	ret = tool_ask("smc_netns", NULL, NULL, NULL, &text, err);
	if (ret)
		return ret;
	list->hidden = strtoul(text, &rest, 10);
	while ((line = strsep(&rest, "\n"))) {
		if (!take_line(&netns, line))
			continue;
		netns.is_own = netns.inode == st.st_ino;
		*smc_array_add(&list->entries, &list->count) = netns;
	}
	return 0;
}

/* Return: a descriptor if it is still the same namespace, -errno. */
static int open_path(const char *path, uint64_t inode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && st.st_ino == inode)
		return fd;
	close(fd);
	return -ENOENT;
}

static int open_process(pid_t pid, uint64_t inode)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	return open_path(path, inode);
}

/* The process of a namespace has ended: look for another process in it. */
static int open_other(uint64_t inode)
{
	DIR *proc AUTO_CLOSEDIR = opendir("/proc");
	int fd = -ENOENT;
	pid_t pid;

	while (proc && fd < 0 && (pid = proc_next(proc)))
		fd = open_process(pid, inode);
	return fd < 0 ? -ENOENT : fd;
}

static int open_netns(const struct netns *netns)
{
	char path[sizeof(NETNS_DIRECTORY) + sizeof(netns->file)];
	int fd = -ENOENT;

	if (netns->file[0]) {
		snprintf(path, sizeof(path), NETNS_DIRECTORY "/%s", netns->file);
		fd = open_path(path, netns->inode);
	}
	if (fd < 0 && netns->pid) {
		fd = open_process(netns->pid, netns->inode);
		if (fd == -ENOENT || fd == -ESRCH)
			fd = open_other(netns->inode);
	}
	return fd;
}

/* Return: 1 after entering it, 0 if it no longer exists, -errno. */
static int enter(struct netns_list *list, const struct netns *netns, struct smc_err *err)
{
	int fd = open_netns(netns), code = fd < 0 ? -fd : 0;

	if (!code && setns(fd, CLONE_NEWNET))
		code = errno;
	if (fd >= 0)
		close(fd);
	if (code == EPERM || code == EACCES)
		list->denied++;
	if (code == EPERM || code == EACCES || code == ENOENT || code == ESRCH)
		return 0;
	return code ? smc_err_set(err, code, "cannot enter it") : 1;
}

int netns_list_each(struct netns_list *list,
		    int (*fn)(void *arg, const struct netns *netns, struct smc_err *err), void *arg,
		    struct smc_err *err)
{
	int home AUTO_CLOSE = open(NETNS_OWN, O_RDONLY | O_CLOEXEC), ret = 0;

	if (home < 0)
		return smc_err_set(err, errno, "cannot open " NETNS_OWN);
	for_each(netns, list->entries, list->count) {
		ret = netns->is_own ? 1 : enter(list, netns, err);
		if (ret > 0)
			ret = fn(arg, netns, err);
		if (list->is_stopped || (ret < 0 && netns->is_own))
			break;
		if (ret < 0 && !list->failed++)
			smc_err_say(&list->first, err->code, "%.60s: %.300s", netns->name,
				    err->text);
		ret = 0;
	}
	/* Returning may be impossible, see the header. */
	setns(home, CLONE_NEWNET);
	return ret;
}

int netns_list_failure(const struct netns_list *list, struct smc_err *err)
{
	if (!list->failed)
		return 0;
	return smc_err_say(err, EIO,
			   "%zu of %zu network namespace%s could not be read, the first: %s",
			   list->failed, list->count, plural_s(list->count), list->first.text);
}

void netns_list_hidden(const struct netns_list *list, char *text, size_t size)
{
	char more[80] = "";

	*text = '\0';
	if (list->hidden)
		snprintf(more, sizeof(more), ", and those of %zu process%s may not be seen",
			 list->hidden, list->hidden == 1 ? "" : "es");
	if (list->denied || list->hidden)
		snprintf(text, size,
			 "only network namespaces that this user may enter are shown: %zu of %zu%s",
			 list->count - list->denied, list->count, more);
}
