// SPDX-License-Identifier: MIT
/* Find a service's listening sockets and how exposed they are. */
#include <arpa/inet.h>
#include <dirent.h>

#include "base/array.h"
#include "cgroup/cgroup.h"
#include "launch/ask.h"
#include "launch/rules.h"
#include "out/text.h"
#include "process/proc.h"
#include "settings/policy.h"
#include "smc/abi.h"
#include "smc_unit/unit.h"

#define SYSTEMD 1

/* ---- its processes ---- */

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
	return len > 1 && !cgroup_of_process(pid, path) && !strncmp(path, group, len) &&
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

/* ---- their sockets ---- */

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

/* Get the address of a listener. Return: false if the socket does not listen. */
static bool read_listener(int fd, struct listener *listener)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} name;
	socklen_t len = sizeof(name);
	int is_v6only = 1;

	if (!is_kind(fd) || getsockname(fd, &name.any, &len))
		return false;
	*listener = (struct listener){ .addr = { .family = AF_INET, .prefix = 32 },
				       .port = ntohs(name.in.sin_port) };
	if (name.any.sa_family == AF_INET) {
		memcpy(listener->addr.bytes, &name.in.sin_addr, 4);
	} else if (IN6_IS_ADDR_V4MAPPED(&name.in6.sin6_addr)) {
		memcpy(listener->addr.bytes, &name.in6.sin6_addr.s6_addr[12], 4);
	} else {
		listener->addr = (struct netaddr){ .family = AF_INET6, .prefix = 128 };
		memcpy(listener->addr.bytes, &name.in6.sin6_addr, 16);
		len = sizeof(is_v6only);
		getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &is_v6only, &len);
		listener->takes_v4 = !is_v6only && IN6_IS_ADDR_UNSPECIFIED(&name.in6.sin6_addr);
	}
	return name.any.sa_family == AF_INET || name.any.sa_family == AF_INET6;
}

static int add_sockets(struct listeners *found, const struct proc_table *table)
{
	struct listener listener;

	for (size_t i = 0; i < table->count; i++) {
		const struct proc_fd *holder = &table->entries[i];
		bool is_new = holder->pid != SYSTEMD && (!i || holder[-1].inode != holder->inode);
		int fd AUTO_CLOSE = is_new ? proc_take_socket(holder) : -ESTALE;

		if (fd >= 0 && read_listener(fd, &listener))
			*smc_array_add(&found->all, &found->count) = listener;
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
	/*
	 * Sockets that systemd also holds were opened by systemd. The holders of a socket are
	 * sorted.
	 */
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

/* ---- exposure ---- */

/**
 * struct reach - exposure of a service
 * @policy: in force
 * @first: the first exposed listener, with @count others; @door: the local address it is reachable
 *	through
 */
struct reach {
	const struct unit *unit;
	struct policy policy;
	struct netaddr_table here;
	const struct listener *first;
	const struct netaddr *door;
	size_t count;
};

static bool is_left_out(const struct reach *reach, const struct netaddr *addr, uint16_t port)
{
	struct sockaddr_in6 name = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	uint8_t *bytes = name.sin6_addr.s6_addr;

	if (addr->family == AF_INET) {
		bytes[10] = bytes[11] = 0xff; /* mapped: ::ffff:10.0.0.1 */
		memcpy(bytes + 12, addr->bytes, 4);
	} else {
		memcpy(bytes, addr->bytes, 16);
	}
	return reach->unit->way == WAY_PRELOAD &&
	       !rules_allow(&reach->unit->req->launch.rules, true, (struct sockaddr *)&name,
			    sizeof(name));
}

static void find_reach(struct reach *reach, const struct listeners *found)
{
	for (size_t i = 0; i < found->count; i++) {
		const struct listener *one = &found->all[i];
		const struct netaddr *door = policy_door(&reach->policy, &reach->here, &one->addr,
							 one->port, one->takes_v4);

		if (door && !is_left_out(reach, &one->addr, one->port) && !reach->count++) {
			reach->first = one;
			reach->door = door;
		}
	}
}

/* "'smc_unit peers redis.service 10.0.0.0/8' limits that to one of your networks". */
static void say(const struct reach *reach, const char *what, const char *ports)
{
	const struct request *req = reach->unit->req;
	struct out_text name AUTO(out_free) = { 0 };

	if (req->user)
		unit_warn(req, "%s: 'allow from' in smc.conf(5) limits that to your own networks",
			  what);
	else if (out_shell_word(&name, reach->unit->name))
		unit_warn(req,
			  "%s: 'smc_unit peers %s%.*s 10.0.0.0/8%s' "
			  "limits that to one of your networks",
			  what, *reach->unit->name == '-' ? "-- " : "", (int)name.len,
			  name.data ? name.data : "", ports);
}

/* A stopped service may listen on any port. */
static void warn_unknown(const struct reach *reach)
{
	const struct netaddr any4 = { .family = AF_INET }, any6 = { .family = AF_INET6 };
	const struct netaddr *door = netaddr_public(&reach->here, &any4);
	char addr[NETADDR_TEXT_SIZE], text[2 * UNIT_NAME_SIZE];

	door = door ? door : netaddr_public(&reach->here, &any6);
	if (!door || reach->unit->req->user || reach->policy.count)
		return;
	snprintf(text, sizeof(text),
		 "%s is not running, so its ports are unknown; public networks reach this host "
		 "through %s",
		 reach->unit->name, inet_ntop(door->family, door->bytes, addr, sizeof(addr)));
	say(reach, text, ":PORT");
}

static void warn_known(const struct reach *reach)
{
	const struct listener *first = reach->first;
	const struct netaddr *door = reach->door;
	char where[NETADDR_TEXT_SIZE], addr[NETADDR_TEXT_SIZE], more[32] = "";
	char text[2 * UNIT_NAME_SIZE];
	bool is_v4 = first->addr.family == AF_INET;

	netaddr_short(where, &first->addr);
	if (reach->count > 1)
		snprintf(more, sizeof(more), " and %zu more", reach->count - 1);
	snprintf(text, sizeof(text),
		 "%s listens on %s%s%s:%u%s, so anyone who reaches %s can use SMC with it",
		 reach->unit->name, is_v4 ? "" : "[", where, is_v4 ? "" : "]", first->port, more,
		 inet_ntop(door->family, door->bytes, addr, sizeof(addr)));
	say(reach, text, "");
}

static void load_reach(struct reach *reach)
{
	struct netdev_table devs AUTO(netdev_free) = { 0 };
	struct smc_err ignored;
	char *policy AUTO_FREE = NULL;

	if (!netdev_load(&devs, "/sys"))
		netaddr_load(&reach->here, &devs);
	if (geteuid() || tool_ask("smc_conf", "export", NULL, NULL, &policy, &ignored))
		return;
	policy_lines(&reach->policy, policy);
}

void listeners_warn(const struct unit *unit)
{
	struct reach reach = { .unit = unit };
	struct smc_err ignored = { 0 };
	struct listeners found;

	if (unit->req->launch.quiet)
		return;
	if (!unit_listeners(&found, unit, &ignored)) {
		load_reach(&reach);
		find_reach(&reach, &found);
		if (reach.first)
			warn_known(&reach);
		else if (!found.is_running && !found.is_away)
			warn_unknown(&reach);
	}
	netaddr_free(&reach.here);
	policy_free(&reach.policy);
	free(found.all);
}
