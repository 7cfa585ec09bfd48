// SPDX-License-Identifier: MIT
#include "process/proc.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/read.h"
#include "base/syscalls.h"
#include "host/probe.h"
#include "host/record.h"

#define HOLDERS "probes/holders"
#define HOLDER_SIZE 80 /* of a recorded line */
/* Limit for a record: a hundred thousand sockets with ten processes each. */
#define HOLDERS_COUNT (1024 * 1024)
#define HOLDERS_MAX (64 * 1024 * 1024)

/* Limit for a list of mappings, in bytes. */
#define FILE_MAX (64 << 20)

/* @comm: not escaped; empty if the process has ended. */
static void read_comm(pid_t pid, char *comm, size_t size)
{
	char path[64];
	int len;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	len = smc_read_start(path, 0, comm, size);
	/* Strip the newline that the kernel adds, but not one in the name itself. */
	comm[len > 0 ? len - (comm[len - 1] == '\n') : 0] = '\0';
}

int proc_shares(pid_t pid, const char *ns)
{
	char there_path[64], here_path[64];
	struct stat here, there;

	snprintf(there_path, sizeof(there_path), "/proc/%d/ns/%s", (int)pid, ns);
	snprintf(here_path, sizeof(here_path), "/proc/self/ns/%s", ns);
	if (stat(there_path, &there) || stat(here_path, &here))
		return -errno;
	return here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

int proc_has(pid_t pid, const char *name, const char *text)
{
	char path[64], *data AUTO_FREE = NULL;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	data = smc_read_file(path, 0, FILE_MAX, &size);
	if (!data)
		return -errno;
	return memmem(data, size, text, strlen(text)) != NULL;
}

pid_t proc_next(DIR *dir)
{
	struct dirent *item;

	while ((item = readdir(dir)))
		if (isdigit((unsigned char)item->d_name[0]))
			return (pid_t)strtol(item->d_name, NULL, 10);
	return 0;
}

/* Return: the inode in "socket:[123]"; 0 for any other kind of file. */
static uint64_t socket_inode(int dir, const char *fd)
{
	static const char prefix[] = "socket:[";
	char target[64];
	ssize_t len = readlinkat(dir, fd, target, sizeof(target) - 1);

	if (len < (ssize_t)sizeof(prefix))
		return 0;
	target[len] = '\0';
	if (strncmp(target, prefix, sizeof(prefix) - 1))
		return 0;
	return strtoull(target + sizeof(prefix) - 1, NULL, 10);
}

static int scan_fds(struct proc_table *table, pid_t pid)
{
	struct proc_fd entry = { .pid = pid };
	struct dirent *item;
	char path[64];
	DIR *dir AUTO_CLOSEDIR = NULL;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir) /* no permission, or the process has ended */
		return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -errno : 0;
	while ((item = readdir(dir))) {
		entry.inode = socket_inode(dirfd(dir), item->d_name);
		if (!entry.inode)
			continue;
		if (!entry.comm[0])
			read_comm(pid, entry.comm, sizeof(entry.comm));
		entry.fd = (int)strtol(item->d_name, NULL, 10);
		*smc_array_add(&table->entries, &table->count) = entry;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct proc_fd *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->fd > y->fd) - (x->fd < y->fd);
}

/* Sort, and drop duplicates: a table recorded twice has everything twice. */
static void sort(struct proc_table *table)
{
	size_t kept = 0;

	smc_array_sort(table->entries, table->count, compare);
	for (size_t i = 0; i < table->count; i++)
		if (!kept || compare(&table->entries[kept - 1], &table->entries[i]))
			table->entries[kept++] = table->entries[i];
	table->count = kept;
}

int proc_table_parse(struct proc_table *table, const char *text)
{
	char line[HOLDER_SIZE];
	int ret = 0;
	size_t len;

	for (; *text && !ret; text += len + (text[len] == '\n')) {
		struct proc_fd entry = { .inode = 0 };

		len = strcspn(text, "\n");
		/* A copy: sscanf() scans all text that follows, and runs into the next line. */
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		if (sscanf(line, "%" SCNu64 " %d %d %15[^\n]", &entry.inode, &entry.pid, &entry.fd,
			   entry.comm) < 3)
			continue;
		if (table->count == HOLDERS_COUNT)
			ret = -EFBIG;
		else
			*smc_array_add(&table->entries, &table->count) = entry;
	}
	sort(table);
	return ret;
}

static int load_recorded(struct proc_table *table)
{
	size_t len;
	char *text AUTO_FREE = record_get(HOLDERS, HOLDERS_MAX, &len);

	if (text)
		return proc_table_parse(table, text);
	return errno == ENOENT ? 0 : -errno;
}

static void record_holders(const struct proc_fd *first, size_t count)
{
	char line[HOLDER_SIZE];

	for (size_t i = 0; i < count; i++) {
		int len = snprintf(line, sizeof(line), "%" PRIu64 " %d %d %s\n", first[i].inode,
				   first[i].pid, first[i].fd, first[i].comm);

		/* Keep one line per holder, whatever the name contains. */
		for (int at = 0; at < len - 1; at++)
			if (line[at] == '\n')
				line[at] = ' ';
		record_append(HOLDERS, line, (size_t)len);
	}
}

int proc_table_load(struct proc_table *table)
{
	int ret = 0;
	pid_t pid;
	DIR *proc;

	if (record_root())
		return load_recorded(table);
	proc = opendir("/proc");
	if (!proc)
		return -errno;
	table->is_recorded = record_dir();
	while (!ret && (pid = proc_next(proc)))
		ret = scan_fds(table, pid);
	closedir(proc);
	sort(table);
	return ret;
}

int proc_table_load_of(struct proc_table *table, const pid_t *pids, size_t count)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++)
		ret = scan_fds(table, pids[i]);
	sort(table);
	return ret;
}

const struct proc_fd *proc_table_find(const struct proc_table *table, uint64_t inode, size_t *count)
{
	size_t low = 0, high = table->count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->entries[middle].inode < inode)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < table->count && table->entries[end].inode == inode; end++)
		;
	*count = inode ? end - low : 0;
	if (table->is_recorded)
		record_holders(table->entries + low, *count);
	return *count ? &table->entries[low] : NULL;
}

const struct proc_fd *proc_next_holder(const struct proc_fd *holders, size_t count,
				       const struct proc_fd *last)
{
	const struct proc_fd *next = last ? last + 1 : holders;

	while (last && next < holders + count && next->pid == last->pid)
		next++;
	return count && next < holders + count ? next : NULL;
}

bool proc_fd_holds(const struct proc_fd *holder)
{
	char path[64];

	if (record_root())
		return true;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)holder->pid, holder->fd);
	return socket_inode(AT_FDCWD, path) == holder->inode;
}

int proc_take_socket(const struct proc_fd *holder)
{
	int pidfd AUTO_CLOSE = (int)syscall(SYS_pidfd_open, holder->pid, 0);
	int fd = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, holder->fd, 0);
	struct stat st;

	if (fd < 0)
		return -errno;
	/* The process may have closed it and opened another file since. */
	if (!fstat(fd, &st) && st.st_ino == holder->inode)
		return fd;
	close(fd);
	return -ESTALE;
}

/* Write "10.0.0.1 80"; nothing for other families. */
static int write_name(char *text, size_t size, const struct sockaddr_storage *name)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)name;
	const struct sockaddr_in *in = (const struct sockaddr_in *)name;
	char ip[INET6_ADDRSTRLEN];

	if (name->ss_family == AF_INET && inet_ntop(AF_INET, &in->sin_addr, ip, sizeof(ip)))
		return snprintf(text, size, "%s %u\n", ip, ntohs(in->sin_port));
	if (name->ss_family == AF_INET6 && inet_ntop(AF_INET6, &in6->sin6_addr, ip, sizeof(ip)))
		return snprintf(text, size, "%s %u\n", ip, ntohs(in6->sin6_port));
	return 0;
}

static const char *read_addr(const char *text, struct smc_addr *addr)
{
	struct smc_addr found = { .family = AF_INET };
	char ip[INET6_ADDRSTRLEN];
	unsigned int port;
	int used;

	if (sscanf(text, "%45s %u%n", ip, &port, &used) != 2 || port > UINT16_MAX)
		return NULL;
	if (strchr(ip, ':'))
		found.family = AF_INET6;
	if (inet_pton(found.family, ip, found.ip) != 1)
		return NULL;
	found.port = (uint16_t)port;
	*addr = found;
	return text + used;
}

static int probe_names(void *arg, char text[HOST_PROBE_SIZE])
{
	struct sockaddr_storage name = { 0 };
	socklen_t len = sizeof(name);
	int fd AUTO_CLOSE = proc_take_socket(arg), used = 0;

	if (fd < 0)
		return fd;
	if (!getsockname(fd, (struct sockaddr *)&name, &len))
		used = write_name(text, HOST_PROBE_SIZE, &name);
	len = sizeof(name);
	if (used && !getpeername(fd, (struct sockaddr *)&name, &len))
		write_name(text + used, HOST_PROBE_SIZE - (size_t)used, &name);
	return 0;
}

bool proc_socket_names(const struct proc_fd *holder, struct smc_addr *local, struct smc_addr *peer)
{
	struct proc_fd copy = *holder;
	char text[HOST_PROBE_SIZE];
	const char *rest = NULL;

	if (!host_probe("socket-%" PRIu64, probe_names, &copy, text, holder->inode))
		rest = read_addr(text, local);
	if (rest)
		read_addr(rest, peer);
	return rest;
}

/* "0::/system.slice/ssh.service" is the line of version 2, see cgroups(7). */
int proc_cgroup(pid_t pid, char path[PATH_MAX])
{
	char name[64], line[PATH_MAX + 8];
	int ret = -ENOENT;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", (int)pid);
	file = fopen(name, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	while (ret && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::/", 4) || strlen(line + 3) >= PATH_MAX)
			continue;
		strcpy(path, line + 3);
		ret = 0;
	}
	fclose(file);
	return ret;
}
