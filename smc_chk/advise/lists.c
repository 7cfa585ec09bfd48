// SPDX-License-Identifier: MIT
#include "smc_chk/advise/lists.h"

#include <sys/socket.h>

#include "base/array.h"
#include "base/memory.h"
#include "cgroup/cgroup.h"
#include "netlink/diag.h"

#define TRIES 3 /* polls again if the list changed meanwhile */

/* ---- SMC sockets ---- */

static int on_smc(const struct nlmsghdr *nlh, void *arg)
{
	struct lists *lists = arg;
	struct smc_sock sock;
	int ret = smc_sock_decode(&sock, nlh);

	if (ret || (sock.state != SMC_ABI_LISTEN && !smc_sock_connected(&sock)))
		return ret;
	*smc_array_add(&lists->smcs, &lists->n_smcs) = sock;
	return 0;
}

/* Read the SMC sockets; there are none if the kernel has no SMC. */
static int read_smcs(struct lists *lists, struct smc_err *err)
{
	const struct smc_abi_diag_req req = smc_sock_request(0);
	int ret = -EINTR;

	for (int i = 0; i < TRIES && ret == -EINTR; i++) {
		lists->n_smcs = 0;
		ret = smc_diag_dump(&req, sizeof(req), sizeof(struct smc_abi_diag_msg), on_smc,
				    lists, err);
	}
	return ret == -ENOENT || ret == -EINTR ? 0 : ret;
}

/* The addresses are those of the TCP socket inside. */
static void tell_smcs(struct lists *lists)
{
	static const enum tally_carrier carriers[] = { [SMC_MODE_NONE] = CARRIER_SMC,
						       [SMC_MODE_SMCR] = CARRIER_SMCR,
						       [SMC_MODE_SMCD] = CARRIER_SMCD,
						       [SMC_MODE_TCP] = CARRIER_FALLBACK };
	struct tally_smc *smcs = xcalloc(lists->n_smcs, sizeof(*smcs));

	for (size_t i = 0; i < lists->n_smcs; i++) {
		struct smc_sock *sock = &lists->smcs[i];

		if (smc_sock_needs_lookup(sock))
			smc_inet_resolve(&lists->inet, sock);
		smcs[i] = (struct tally_smc){ .local = sock->local,
					      .carrier = carriers[smc_sock_mode(sock)],
					      .inode = sock->inode };
		if (sock->state != SMC_ABI_LISTEN)
			smcs[i].peer = sock->peer;
	}
	tally_smcs(lists->tally, smcs, lists->n_smcs);
	free(smcs);
}

/* ---- TCP sockets ---- */

static int on_tcp(const struct nlmsghdr *nlh, void *arg)
{
	struct lists *lists = arg;
	struct smc_tcp tcp;
	int ret = smc_tcp_decode(&tcp, nlh);

	if (ret)
		return ret;
	tally_see(lists->tally, &tcp);
	return lists->n_smcs ? smc_inet_add(nlh, &lists->inet) : 0;
}

/* A kernel without IPv6 has no such sockets. */
static int read_tcps(struct lists *lists, struct smc_err *err)
{
	static const uint8_t families[] = { AF_INET, AF_INET6 };

	for (size_t i = 0; i < sizeof(families); i++) {
		const struct inet_diag_req_v2 req = smc_tcp_request(families[i]);
		int ret = smc_diag_dump(&req, sizeof(req), sizeof(struct inet_diag_msg), on_tcp,
					lists, err);

		if (ret == -ENOENT && families[i] == AF_INET)
			return smc_err_say(err, ENOENT,
					   "the kernel cannot list TCP sockets: "
					   "module tcp_diag (CONFIG_INET_TCP_DIAG) is missing");
		if (ret && ret != -ENOENT && ret != -EINTR)
			return ret;
	}
	return 0;
}

/* ---- processes ---- */

static void find_unit(struct tally_owner *owner, pid_t pid, const char *known)
{
	size_t len = strlen(known), ending = strlen(".service");
	char path[PATH_MAX];

	if (!cgroup_of_process(pid, path)) {
		if (!cgroup_unit(path, owner->unit, &owner->is_user))
			*owner->unit = '\0';
	} else if (len > ending && !strcmp(known + len - ending, ".service")) {
		snprintf(owner->unit, sizeof(owner->unit), "%s", known);
	}
}

uint32_t lists_owner(struct lists *lists, pid_t pid, const char *comm, const char *unit)
{
	struct lists_process *process = &lists->processes[(size_t)pid % LISTS_PROCESSES];
	struct tally_owner owner = { .comm = "" };

	snprintf(owner.comm, sizeof(owner.comm), "%s", comm);
	if (process->pid == pid && !strcmp(process->comm, owner.comm))
		return process->owner;
	find_unit(&owner, pid, unit);
	process->pid = pid;
	memcpy(process->comm, owner.comm, sizeof(process->comm));
	process->owner = tally_owner(lists->tally, &owner);
	return process->owner;
}

/* Read the processes when the first socket needs them. */
static uint32_t on_nameless(void *arg, uint64_t inode)
{
	struct lists *lists = arg;
	const struct proc_fd *holder;
	size_t count;

	if (!lists->has_procs)
		lists->procs_ret = proc_table_load(&lists->procs);
	lists->has_procs = true;
	holder = proc_table_find(&lists->procs, inode, &count);
	if (holder)
		return lists_owner(lists, holder->pid, holder->comm, "");
	lists->is_blind = lists->is_blind || geteuid();
	return 0;
}

static int find_names(struct lists *lists, struct smc_err *err)
{
	lists->has_procs = false;
	lists->procs_ret = 0;
	tally_name(lists->tally, on_nameless, lists);
	proc_table_free(&lists->procs);
	return lists->procs_ret ? smc_err_set(err, -lists->procs_ret,
					      "cannot read which processes hold sockets") :
				  0;
}

/* ---- all ---- */

int lists_read(struct lists *lists, uint64_t now, struct smc_err *err)
{
	int ret;

	tally_begin(lists->tally, now);
	ret = read_smcs(lists, err);
	if (!ret)
		ret = read_tcps(lists, err);
	if (!ret)
		tell_smcs(lists);
	if (!ret)
		ret = find_names(lists, err);
	smc_inet_free(&lists->inet);
	free(lists->smcs);
	lists->smcs = NULL;
	lists->n_smcs = 0;
	if (!ret)
		tally_end(lists->tally);
	return ret;
}
