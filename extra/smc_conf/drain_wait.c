// SPDX-License-Identifier: MIT
/* Wait until connections have ended, and end those that remain. */
#include "smc_conf/drain.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/words.h"
#include "net/netns.h"
#include "sockets/fetch.h"
#include "sockets/kill.h"
#include "sockets/lookup.h"

/* Longest wait for the next ended connection to leave the table: its program has to close it. */
#define KILL_SECONDS 10

/** struct users - a command, and the number of its sockets */
struct users {
	char comm[16];
	size_t count;
};

/**
 * struct waiter - all network namespaces are read in one pass
 * @ends: connections to wait for; @users: their programs; @keepers: those of all SMC sockets
 */
struct waiter {
	const struct drain *drain;
	struct sockets_row *rows;
	size_t n_rows;
	struct sockets_lookup lookup;
	struct kill_list ends;
	struct users *users, *keepers;
	size_t n_users, n_keepers, printed;
	bool is_own;
	struct smc_err *err;
};

static void count_user(struct users **users, size_t *count, const struct sockets_row *row)
{
	const char *comm = row->n_holders ? row->holders->comm : "(no program)";
	struct users *user = NULL;

	for (size_t i = 0; !user && i < *count; i++)
		if (!strcmp((*users)[i].comm, comm))
			user = &(*users)[i];
	if (!user) {
		user = smc_array_add(users, count);
		snprintf(user->comm, sizeof(user->comm), "%s", comm);
	}
	user->count++;
}

/* True if the drain covers a connection: all, a peer in the network, or a port of the device. */
static bool is_drained(const struct waiter *wait, const struct smc_sock *sock)
{
	const struct drain *drain = wait->drain;
	const enum smc_mode mode = smc_sock_mode(sock);
	struct netaddr peer;

	if (mode != SMC_MODE_SMCR && mode != SMC_MODE_SMCD)
		return false;
	for (size_t i = 1; i < drain->count; i += 2)
		if (wait->is_own && sock->has & SMC_SOCK_HAS_LGR &&
		    !strcmp(drain->words[i], "device") &&
		    !strncmp(drain->words[i + 1], sock->lgr.ibname, sizeof(sock->lgr.ibname)))
			return true;
	if (drain->count > 1 || !strcmp(drain->words[0], "all"))
		return drain->count == 1;
	peer = netaddr_of(&sock->peer);
	return netaddr_covers(&drain->net, &peer);
}

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	struct waiter *wait = arg;
	int ret = smc_sock_decode(&smc_array_add(&wait->rows, &wait->n_rows)->sock, nlh);

	return ret ? smc_err_say(wait->err, -ret, "the kernel's answer is too short") : 0;
}

static int begin(void *arg)
{
	((struct waiter *)arg)->n_rows = 0;
	return 0;
}

static int end(void *arg)
{
	struct waiter *wait = arg;
	int ret = 0;

	for (size_t i = 0; !ret && i < wait->n_rows; i++) {
		struct sockets_row *row = &wait->rows[i];

		if (smc_sock_needs_lookup(&row->sock))
			ret = sockets_complete(&wait->lookup, &row->sock, wait->err);
		row->holders =
			proc_table_find(&wait->lookup.procs, row->sock.inode, &row->n_holders);
		count_user(&wait->keepers, &wait->n_keepers, row);
		if (ret || !is_drained(wait, &row->sock))
			continue;
		count_user(&wait->users, &wait->n_users, row);
		kill_add(&wait->ends, row);
	}
	return ret;
}

static int fetch(void *arg)
{
	const struct drain_place *place = arg;
	struct waiter *wait = place->arg;
	const struct sockets_source source = {
		SMC_DIAG_EXT(SMC_DIAG_LGRINFO), begin, on_message, end, NULL, wait
	};

	if (!place->is_own && smc_netns_id() == place->own)
		return 0;
	wait->is_own = place->is_own;
	wait->err = place->err;
	sockets_forget_inet(&wait->lookup);
	return sockets_fetch(&source, place->err);
}

static void forget(struct waiter *wait)
{
	sockets_lookup_free(&wait->lookup);
	wait->ends.count = wait->n_users = wait->n_keepers = 0;
}

static int look(struct waiter *wait, struct smc_err *err)
{
	int ret;

	forget(wait);
	ret = sockets_load_processes(&wait->lookup, err);
	return ret ? ret : drain_walk(fetch, wait, err);
}

static void append_users(struct out_text *text, const struct users *users, size_t count)
{
	for_each(user, users, count) {
		out_str(text, user == users ? "" : ", ");
		out_escaped(text, user->comm, sizeof(user->comm));
		out_printf(text, " %zu", user->count);
	}
	out_char(text, '\n');
}

/* Print a line if the number has changed. */
static int print_change(struct waiter *wait, struct smc_err *err)
{
	struct out_text text AUTO(out_free) = { 0 };

	if (wait->ends.count == wait->printed)
		return 0;
	wait->printed = wait->ends.count;
	out_printf(&text, "%zu SMC connection%s left%s", wait->printed, plural_s(wait->printed),
		   wait->printed ? ": " : "");
	append_users(&text, wait->users, wait->n_users);
	return out_print(&text, err);
}

/* @seconds: 0 for no limit, negative for one look. */
static int wait_for(struct waiter *wait, double seconds, struct smc_err *err)
{
	const int64_t begun = clock_ns(CLOCK_MONOTONIC);
	int ret;

	for (;;) {
		ret = look(wait, err);
		if (!ret)
			ret = print_change(wait, err);
		if (ret || !wait->ends.count ||
		    (seconds && (double)(clock_ns(CLOCK_MONOTONIC) - begun) >= seconds * 1e9))
			return ret;
		cli_wait(1);
	}
}

static int end_all(struct waiter *wait, struct smc_err *err)
{
	struct out_text text AUTO(out_free) = { 0 };
	int ret = kill_all(&wait->ends, &text, false, err), printed = out_print(&text, err);

	ret = ret ? ret : printed;
	for (size_t before = SIZE_MAX; !ret && wait->ends.count && wait->ends.count < before;) {
		before = wait->ends.count;
		ret = wait_for(wait, KILL_SECONDS, err);
	}
	return ret;
}

/* The kernel cannot unload the module as long as it has a socket of SMC, even one that listens. */
static int print_keepers(const struct waiter *wait, struct smc_err *err)
{
	struct out_text text AUTO(out_free) = { 0 };

	if (!wait->n_keepers || strcmp(wait->drain->words[0], "all"))
		return 0;
	out_str(&text, "sockets over TCP keep the module smc in use: ");
	append_users(&text, wait->keepers, wait->n_keepers);
	return out_print(&text, err);
}

int drain_wait(const char *what, double seconds, bool is_kill, struct smc_err *err)
{
	struct drains drains AUTO(drains_free) = { 0 };
	struct waiter wait = { .printed = SIZE_MAX };
	int ret = drains_read(&drains, err);

	for_each(drain, drains.entries, drains.count)
		if (!strcmp(drain->words[0], what))
			wait.drain = drain;
	if (ret || !wait.drain)
		return ret;
	ret = wait_for(&wait, is_kill && !seconds ? -1 : seconds, err);
	if (!ret && wait.ends.count && is_kill)
		ret = end_all(&wait, err);
	if (!ret)
		ret = wait.ends.count ? DRAIN_LEFT : print_keepers(&wait, err);
	forget(&wait);
	free(wait.rows);
	free(wait.ends.rows);
	free(wait.users);
	free(wait.keepers);
	return ret;
}
