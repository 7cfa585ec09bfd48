// SPDX-License-Identifier: MIT
/* Find a service's listening sockets. */
#include <arpa/inet.h>
#include <dirent.h>

#include "base/array.h"
#include "process/proc.h"
#include "smc/family.h"
#include "smc_unit/unit.h"

#define SYSTEMD 1

struct pids {
	pid_t *all;
	size_t count;
};

static bool is_of(pid_t pid, pid_t main_pid, const char *group)
{
	size_t len = strlen(group);
	char path[PATH_MAX];

	if (pid == main_pid)
		return true;
	return len > 1 && !proc_cgroup(pid, path) && !strncmp(path, group, len) &&
	       (!path[len] || path[len] == '/');
}

static int add_processes(struct pids *pids, struct listeners *found, pid_t main_pid,
			 const char *group)
{
	DIR *proc AUTO_CLOSEDIR = opendir("/proc");
	pid_t pid;

	if (!proc)
		return -errno;
	while ((pid = proc_next(proc))) {
		if (pid <= SYSTEMD || !is_of(pid, main_pid, group))
			continue;
		if (!proc_shares(pid, "net")) {
			found->is_away = true;
			continue;
		}
		found->is_running = true;
		*smc_array_add(&pids->all, &pids->count) = pid;
	}
	return 0;
}

/* Processes of the unit itself, or of the running instances. */
static int find_processes(struct pids *pids, struct listeners *found, const struct unit *unit,
			  struct smc_err *err)
{
	char pattern[UNIT_NAME_SIZE];
	struct unit_props props AUTO(unit_props_free) = { 0 }, rest, one;
	int ret;

	ret = systemctl_show(unit->req->user,
			     unit_instances(unit->name, pattern) ? pattern : unit->name,
			     "MainPID,ControlGroup", &props, err);
	if (ret)
		return ret;
	rest = props;
	while (!ret && unit_next_props(&rest, &one))
		ret = add_processes(pids, found, atoi(unit_prop_text(&one, "MainPID")),
				    unit_prop_text(&one, "ControlGroup"));
	return ret ? smc_err_set(err, -ret, "cannot list the processes of %s", unit->name) : 0;
}

static bool is_kind(int fd)
{
	int domain = 0, protocol = 0, is_listening = 0;
	socklen_t len = sizeof(int);

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len);
	getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len);
	getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &len);
	return is_listening &&
	       (domain == AF_SMC || protocol == IPPROTO_TCP || protocol == IPPROTO_SMC);
}

/* Get the port of a listener. Return: 0 if the socket does not listen */
static uint16_t port_of(int fd)
{
	struct sockaddr_in6 name; /* IPv4 has the port at the same offset */
	socklen_t len = sizeof(name);

	if (!is_kind(fd) || getsockname(fd, (struct sockaddr *)&name, &len))
		return 0;
	return ntohs(name.sin6_port);
}

static int add_sockets(struct listeners *found, const struct proc_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct proc_fd *holder = &table->entries[i];
		bool is_new = holder->pid != SYSTEMD && (!i || holder[-1].inode != holder->inode);
		int fd AUTO_CLOSE = is_new ? proc_take_socket(holder) : -ESTALE;
		uint16_t port;

		port = fd >= 0 ? port_of(fd) : 0;
		if (port)
			*smc_array_add(&found->ports, &found->count) = port;
		if (fd == -EPERM)
			return fd;
	}
	return 0;
}

int unit_listeners(struct listeners *found, const struct unit *unit, struct smc_err *err)
{
	const pid_t systemd = SYSTEMD;
	struct proc_table table AUTO(proc_table_free) = { 0 };
	struct pids pids = { 0 };
	int ret;

	*found = (struct listeners){ 0 };
	/* If systemd also holds a socket, systemd has opened it. Holders are sorted. */
	*smc_array_add(&pids.all, &pids.count) = systemd;
	ret = find_processes(&pids, found, unit, err);
	if (!ret)
		ret = proc_table_load_of(&table, pids.all, pids.count);
	if (!ret)
		ret = add_sockets(found, &table);
	if (ret && !err->code)
		smc_err_set(err, -ret, "cannot look at the sockets of %s", unit->name);
	free(pids.all);
	return ret;
}
