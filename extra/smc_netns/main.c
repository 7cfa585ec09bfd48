// SPDX-License-Identifier: MIT
/*
 * smc_netns: list the network namespaces of this host and their names, for --all-netns of other
 * tools. The first line is the number of processes whose namespace this user cannot see. A line for
 * each namespace follows: inode, process ID or 0, name under /run/netns, and name, with tabs.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "base/array.h"
#include "cli/cli.h"
#include "net/netns_list.h"
#include "process/proc.h"
#include "smc_netns/container.h"

static const struct cli_opt options[] = { { 0 } };

static const struct cli_tool tool = {
	.name = "smc_netns",
	.usage = "",
	.summary = "List network namespaces for other tools of smc-tools.",
	.opts = options,
	.page = "smcss",
	.error_status = 1,
};

/* Return: 0 with an errno. */
static uint64_t inode_of_process(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	return stat(path, &st) ? 0 : st.st_ino;
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
	DIR *dir AUTO_CLOSEDIR = opendir(NETNS_DIRECTORY);
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

static void name_one(struct netns *netns, struct json_t *names, uint64_t host)
{
	struct container container = { .kind = CONTAINER_NONE };
	char path[PATH_MAX];

	if (netns->inode == host || (!host && netns->is_own)) {
		strcpy(netns->name, host ? "host" : "own");
		return;
	}
	if (netns->pid && !proc_cgroup(netns->pid, path))
		container_parse(&container, path, cgroup_chosen(path));
	container_name(names, &container);
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

/* Names can have any bytes. Only those that end a field or a line are replaced. */
static const char *field(char *text)
{
	for (char *at = text; (at = strpbrk(at, "\t\n")); at++)
		*at = '?';
	return text;
}

static void print(struct netns_list *list)
{
	printf("%zu\n", list->hidden);
	for (struct netns *netns = list->entries; netns < list->entries + list->count; netns++)
		printf("%" PRIu64 "\t%d\t%s\t%s\n", netns->inode, (int)netns->pid,
		       field(netns->file), field(netns->name));
}

int main(int argc, char **argv)
{
	struct netns own = { .is_own = true, .pid = getpid() };
	struct netns_list list AUTO(netns_list_free) = { .count = 0 };
	struct smc_err err;
	struct stat st;
	int status;

	cli_start();
	status = cli_parse(&tool, argc, argv, NULL);
	if (status >= 0)
		return status;
	if (stat(NETNS_OWN, &st))
		return cli_error(&tool, "cannot read " NETNS_OWN ": %s", strerror(errno));
	own.inode = st.st_ino;
	*smc_array_add(&list.entries, &list.count) = own;
	if (load_processes(&list, &err))
		return cli_error(&tool, "%s", err.text);
	load_files(&list, st.st_dev);
	load_names(&list);
	print(&list);
	return cli_close_stdout(&tool);
}
