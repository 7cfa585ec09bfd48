// SPDX-License-Identifier: MIT
/*
 * Check that the processes of a run used SMC. A thread polls their sockets by sock_diag; for
 * shorter connections, the kernel's statistics before and after the run are compared.
 */
#include "smc_ab/witness.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "base/array.h"
#include "base/index.h"
#include "base/memory.h"
#include "netlink/diag.h"
#include "netlink/genl.h"
#include "process/proc.h"
#include "smc/inet.h"
#include "smc/sock.h"
#include "smc/stats.h"
#include "smc_ab/child.h"

/* Poll often at first, as a run may be short; less often later, as each poll costs time. */
#define FIRST_MS 5
#define LAST_MS 200

struct socket {
	uint64_t inode;
	enum smc_mode mode;
};

/**
 * struct witness - a watching thread
 * @sockets: sockets seen so far; a fallback does not make another one
 * @inodes: index of @sockets; @holders: current sockets of the processes
 */
struct witness {
	pthread_t thread;
	int stop;
	bool is_watching, has_before;
	struct socket *sockets;
	size_t count;
	struct smc_index inodes;
	struct sightings seen;
	struct proc_table holders;
	struct smc_stats before;
};

/* ---- sockets ---- */

/* Load the sockets of a process and of all its descendants. */
static void load_holders(struct proc_table *table, pid_t root)
{
	struct family family = { 0 };

	family_add(&family, root);
	*smc_array_add(&family.pids, &family.count) = root;
	proc_table_load_of(table, family.pids, family.count);
	free(family.pids);
}

static bool has_inode(const void *arg, size_t place, const void *inode)
{
	return ((const struct witness *)arg)->sockets[place].inode == *(const uint64_t *)inode;
}

static struct socket *socket_of(struct witness *witness, uint64_t inode)
{
	const uint64_t hash = smc_index_hash(&inode, sizeof(inode), 0);
	size_t place = smc_index_find(&witness->inodes, hash, has_inode, witness, &inode);
	const struct socket added = { .inode = inode };

	if (place != SMC_INDEX_NONE)
		return &witness->sockets[place];
	*smc_array_add(&witness->sockets, &witness->count) = added;
	smc_index_add(&witness->inodes, hash, witness->count - 1);
	return &witness->sockets[witness->count - 1];
}

static int look_at(const struct nlmsghdr *nlh, void *arg)
{
	struct witness *witness = arg;
	struct socket *found;
	enum smc_mode mode;
	struct smc_sock sock;
	size_t n;

	if (smc_sock_decode(&sock, nlh) || !proc_table_find(&witness->holders, sock.inode, &n))
		return 0;
	mode = smc_sock_mode(&sock);
	/* Fallen-back sockets count only if connected: others have no peer's address. */
	if (mode == SMC_MODE_NONE || (mode == SMC_MODE_TCP && !smc_sock_connected(&sock)))
		return 0;
	found = socket_of(witness, sock.inode);
	if (mode == SMC_MODE_TCP && !witness->seen.reason && sock.has & SMC_SOCK_HAS_FALLBACK) {
		witness->seen.reason = sock.fallback.reason;
		witness->seen.peer_reason = sock.fallback.peer_diagnosis;
	}
	/* While a connection is closed, its group may be gone: keep the mode seen before. */
	if (found->mode == SMC_MODE_NONE || mode == SMC_MODE_TCP || found->mode == SMC_MODE_SMCR)
		found->mode = mode;
	return 0;
}

static int dump_smc(smc_diag_fn fn, void *arg, struct smc_err *err)
{
	const struct smc_abi_diag_req req = smc_sock_request(0);

	return smc_diag_dump(&req, sizeof(req), sizeof(struct smc_abi_diag_msg), fn, arg, err);
}

static void look(struct witness *witness)
{
	load_holders(&witness->holders, getpid());
	if (witness->holders.count)
		dump_smc(look_at, witness, NULL);
	proc_table_free(&witness->holders);
}

static void *watch(void *arg)
{
	struct witness *witness = arg;
	struct pollfd pfd = { .fd = witness->stop, .events = POLLIN };
	int ms = FIRST_MS;

	while (poll(&pfd, 1, ms) <= 0) {
		look(witness);
		ms = ms * 3 / 2 < LAST_MS ? ms * 3 / 2 : LAST_MS;
	}
	return NULL;
}

/* ---- statistics ---- */

/* Return: false if the kernel has none, before 5.14. */
static bool read_stats(struct smc_stats *stats)
{
	struct smc_genl *nl;
	int ret;

	*stats = (struct smc_stats){ 0 };
	if (smc_genl_open(&nl, SMC_GENL_FAMILY_NAME, NULL))
		return false;
	ret = smc_genl_dump(nl, SMC_NETLINK_GET_STATS, smc_stats_decode, stats, NULL);
	if (!ret)
		ret = smc_genl_dump(nl, SMC_NETLINK_GET_FBACK_STATS, smc_fback_decode, stats, NULL);
	smc_genl_close(nl);
	return !ret;
}

static uint64_t ends_of(const struct smc_tech_stats *tech)
{
	return tech->value[SMC_STAT_CLNT_V1] + tech->value[SMC_STAT_CLNT_V2] +
	       tech->value[SMC_STAT_SRV_V1] + tech->value[SMC_STAT_SRV_V2];
}

static void count(const struct witness *witness, struct sightings *seen)
{
	struct smc_stats now;

	if (!witness->has_before || !read_stats(&now) || smc_stats_since(&now, &witness->before))
		return;
	seen->has_counters = true;
	seen->counted.smcd = ends_of(&now.tech[SMC_TECH_D]);
	seen->counted.smcr = ends_of(&now.tech[SMC_TECH_R]);
	for (int side = 0; side < SMC_SIDES; side++) {
		seen->counted.tcp += now.side[side].fallbacks;
		if (!seen->reason && now.side[side].n_reasons)
			seen->reason = now.side[side].reasons[0].code;
	}
}

/* ---- whole runs ---- */

struct witness *witness_start(void)
{
	struct witness *witness = xcalloc(1, sizeof(*witness));

	witness->has_before = read_stats(&witness->before);
	witness->stop = eventfd(0, EFD_CLOEXEC);
	/* The thread inherits the blocked signals, which the caller waits for. */
	witness->is_watching =
		witness->stop >= 0 && !pthread_create(&witness->thread, NULL, watch, witness);
	return witness;
}

void witness_end(struct witness *witness, struct sightings *seen)
{
	const uint64_t one = 1;

	if (witness->is_watching) {
		(void)!write(witness->stop, &one, sizeof(one));
		pthread_join(witness->thread, NULL);
	}
	if (witness->stop >= 0)
		close(witness->stop);
	*seen = witness->seen;
	for_each(socket, witness->sockets, witness->count) {
		seen->sockets.smcd += socket->mode == SMC_MODE_SMCD;
		seen->sockets.smcr += socket->mode == SMC_MODE_SMCR;
		seen->sockets.tcp += socket->mode == SMC_MODE_TCP;
	}
	count(witness, seen);
	smc_index_free(&witness->inodes);
	free(witness->sockets);
	free(witness);
}

/* ---- a server ---- */

struct search {
	struct proc_table holders;
	bool is_found;
};

static int find_smc(const struct nlmsghdr *nlh, void *arg)
{
	struct search *search = arg;
	struct smc_sock sock;
	size_t n;

	if (!smc_sock_decode(&sock, nlh) && sock.state == SMC_ABI_LISTEN &&
	    proc_table_find(&search->holders, sock.inode, &n))
		search->is_found = true;
	return 0;
}

static int find_tcp(const struct nlmsghdr *nlh, void *arg)
{
	struct search *search = arg;
	struct inet_diag_msg msg;
	size_t n;

	if (!smc_inet_message(&msg, nlh) && proc_table_find(&search->holders, msg.idiag_inode, &n))
		search->is_found = true;
	return 0;
}

/* Repeat a dump that a change of the table has interrupted. */
static int dump_listeners(struct search *search, uint8_t family, struct smc_err *err)
{
	struct inet_diag_req_v2 req = smc_inet_request(family);
	int ret;

	req.idiag_states = 1U << SMC_ABI_LISTEN; /* same number as TCP's */
	ret = smc_diag_dump(&req, sizeof(req), sizeof(struct inet_diag_msg), find_tcp, search, err);
	return ret == -EINTR ? 0 : ret;
}

int witness_listens(pid_t pid, struct smc_err *err)
{
	struct search search = { .is_found = false };
	int ret = 0;

	load_holders(&search.holders, pid);
	if (search.holders.count) {
		dump_smc(find_smc, &search, NULL);
		if (!search.is_found)
			ret = dump_listeners(&search, AF_INET, err);
		if (!search.is_found && !ret)
			ret = dump_listeners(&search, AF_INET6, err);
	}
	proc_table_free(&search.holders);
	return ret ? ret : search.is_found;
}
