// SPDX-License-Identifier: MIT
#include "net/netns_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/words.h"
#include "host/record.h"
#include "process/proc.h"

#define DIRECTORY "/run/netns"
#define OWN "/proc/thread-self/ns/net"

/* ---- find them ---- */

/* Return: the inode in "net:[4026531840]", 0 with an errno. */
static uint64_t inode_of_process(pid_t pid)
{
	char path[64], target[64];
	uint64_t inode = 0;
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	len = readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	sscanf(target, "net:[%" SCNu64 "]", &inode);
	return inode;
}

static struct netns *find(const struct netns_list *list, uint64_t inode)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->entries[i].inode == inode)
			return &list->entries[i];
	return NULL;
}

/* /proc lists processes in ascending order. */
static int load_processes(struct netns_list *list, struct smc_err *err)
{
	DIR *proc AUTO_CLOSEDIR = opendir("/proc");
	struct netns netns = { .inode = 0 };

	if (!proc)
		return smc_err_set(err, errno, "cannot read /proc");
	while ((netns.pid = proc_next(proc))) {
		netns.inode = inode_of_process(netns.pid);
		list->hidden += !netns.inode && (errno == EACCES || errno == EPERM);
		if (netns.inode && !find(list, netns.inode))
			*smc_array_add(&list->entries, &list->count) = netns;
	}
	return 0;
}

/* Stale or foreign files are on a different device. */
static void load_files(struct netns_list *list, dev_t device)
{
	DIR *dir AUTO_CLOSEDIR = opendir(DIRECTORY);
	struct dirent *item;
	struct stat st;

	while (dir && (item = readdir(dir))) {
		struct netns netns = { .pid = 0 }, *known;

		if (item->d_name[0] == '.' || fstatat(dirfd(dir), item->d_name, &st, 0) ||
		    st.st_dev != device)
			continue;
		snprintf(netns.file, sizeof(netns.file), "%s", item->d_name);
		netns.inode = st.st_ino;
		known = find(list, netns.inode);
		if (known)
			strcpy(known->file, netns.file);
		else
			*smc_array_add(&list->entries, &list->count) = netns;
	}
}

/* ---- name them ---- */

static void name_one(struct netns *netns, struct json_t *names, uint64_t host)
{
	struct container container = { .kind = CONTAINER_NONE };
	char path[PATH_MAX];

	if (netns->inode == host) {
		strcpy(netns->name, "host");
		return;
	}
	if (netns->pid && !cgroup_of_process(netns->pid, path))
		container_parse(&container, path, cgroup_chosen(path));
	container_name(names, &container);
	if (!host && netns->is_own) {
		strcpy(netns->name, "own");
		return;
	}
	if ((container.kind > CONTAINER_UNIT && !container.is_user) ||
	    (container.kind && !netns->file[0]))
		strcpy(netns->name, container.name);
	else if (netns->file[0])
		strcpy(netns->name, netns->file);
	if (!netns->name[0] || !strcmp(netns->name, "host") || !strcmp(netns->name, "own"))
		snprintf(netns->name, sizeof(netns->name), "net:[%" PRIu64 "]", netns->inode);
}

static int compare_name(const void *a, const void *b)
{
	const struct netns *x = a, *y = b;
	int order = y->is_own - x->is_own;

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x->inode > y->inode) - (x->inode < y->inode);
}

static void load_names(struct netns_list *list)
{
	struct json_t *names = container_names_new();
	uint64_t host = inode_of_process(1);

	for (size_t i = 0; i < list->count; i++)
		name_one(&list->entries[i], names, host);
	container_names_free(names);
	qsort(list->entries, list->count, sizeof(*list->entries), compare_name);
}

int netns_list_load(struct netns_list *list, struct smc_err *err)
{
	struct netns own = { .is_own = true, .pid = getpid() };
	struct stat st;
	int ret;

	*list = (struct netns_list){ .count = 0 };
	if (record_root() || record_dir())
		return smc_err_say(err, EROFS, "a recorded host has only one network namespace");
	if (stat(OWN, &st))
		return smc_err_set(err, errno, "cannot read %s", OWN);
	own.inode = st.st_ino;
	*smc_array_add(&list->entries, &list->count) = own;
	ret = load_processes(list, err);
	if (ret) {
		netns_list_free(list);
		return ret;
	}
	load_files(list, st.st_dev);
	load_names(list);
	return 0;
}

void netns_list_free(struct netns_list *list)
{
	free(list->entries);
	*list = (struct netns_list){ .count = 0 };
}

/* ---- enter them ---- */

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
		if (inode_of_process(pid) == inode)
			fd = open_process(pid, inode);
	return fd;
}

static int open_netns(const struct netns *netns)
{
	char path[sizeof(DIRECTORY) + sizeof(netns->file)];
	int fd = -ENOENT;

	if (netns->file[0]) {
		snprintf(path, sizeof(path), DIRECTORY "/%s", netns->file);
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
	int home AUTO_CLOSE = open(OWN, O_RDONLY | O_CLOEXEC), ret = 0;

	if (home < 0)
		return smc_err_set(err, errno, "cannot open %s", OWN);
	for (size_t i = 0; i < list->count; i++) {
		const struct netns *netns = &list->entries[i];

		ret = netns->is_own ? 1 : enter(list, netns, err);
		if (ret > 0)
			ret = fn(arg, netns, err);
		if (ret == -EPIPE || (ret < 0 && netns->is_own))
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
