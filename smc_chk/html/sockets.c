// SPDX-License-Identifier: MIT
/* The SMC sockets of a host's page: how each goes, why it is TCP, who is its peer, who holds it. */

#include "base/memory.h"
#include "smc/reason.h"
#include "smc_chk/html/html.h"
#include "sockets/lookup.h"
#include "sockets/show.h"

/* Maximum of sockets in a page: nobody would read more. */
#define SHOWN_MAX 1000

/* Order on the page: sockets that need an explanation come first. */
enum way { WAY_TCP, WAY_R, WAY_D, WAY_LISTEN, WAY_NONE, WAYS };

/** struct known - a socket, and by whom it is held */
struct known {
	struct smc_sock sock;
	const struct proc_fd *holders;
	size_t n_holders;
	enum way way;
};

static const struct {
	const char *kind, *name, *count_name;
} ways[WAYS] = {
	[WAY_TCP] = { "tcp", "TCP", "TCP, not SMC" },
	[WAY_R] = { "r", "SMC-R", "SMC-R" },
	[WAY_D] = { "d", "SMC-D", "SMC-D" },
	[WAY_LISTEN] = { "none", "waits for clients", "waiting for clients" },
	[WAY_NONE] = { "idle", "not connected", "not connected" },
};

static enum way way_of(const struct smc_sock *sock)
{
	switch (smc_sock_mode(sock)) {
	case SMC_MODE_TCP: return WAY_TCP;
	case SMC_MODE_SMCR: return WAY_R;
	case SMC_MODE_SMCD: return WAY_D;
	default: return sock->state == SMC_ABI_LISTEN ? WAY_LISTEN : WAY_NONE;
	}
}

static int compare(const void *a, const void *b)
{
	const struct known *one = a, *other = b;

	if (one->way != other->way)
		return one->way < other->way ? -1 : 1;
	return one->sock.inode < other->sock.inode ? -1 : one->sock.inode > other->sock.inode;
}

static void put_bar(struct out_text *page, const size_t counts[WAYS])
{
	struct html_count parts[WAYS];

	for (size_t i = 0; i < WAYS; i++)
		parts[i] = (struct html_count){ ways[i].kind, ways[i].count_name, counts[i] };
	html_bar(page, "SMC sockets by what they use", parts, WAYS);
}

/* Before a socket is bound or connected, the address is zero. */
static void put_addr(struct html_table *table, const struct smc_addr *addr, bool is_there)
{
	html_cell(table, "mono addr");
	if (is_there)
		sockets_append_addr(table->page, addr);
	html_cell_end(table);
}

static void put_code(struct out_text *page, const char *side, uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	out_printf(page, "<p>%s", side);
	html_text(page, reason ? reason->meaning : "a reason that Linux does not use");
	out_str(page, " <span class=\"soft\">(<code>");
	sockets_append_symbol(page, code);
	out_str(page, "</code>)</span></p>");
}

static void put_row(struct html_table *table, const struct known *known)
{
	const struct smc_diag_fallback *fallback = &known->sock.fallback;
	const char *state = smc_state_name(known->sock.state);
	const struct proc_fd *holder = NULL;

	html_cell_text(table, ways[known->way].kind, ways[known->way].name);
	put_addr(table, &known->sock.local, known->sock.local.port);
	put_addr(table, &known->sock.peer, smc_sock_connected(&known->sock));
	html_cell(table, "why");
	if (sockets_has_reason(&known->sock)) {
		put_code(table->page, "", fallback->reason);
		if (fallback->peer_diagnosis)
			put_code(table->page, "The peer says: ", fallback->peer_diagnosis);
	}
	html_cell_end(table);
	html_cell(table, "who");
	while ((holder = proc_next_holder(known->holders, known->n_holders, holder))) {
		out_str(table->page, holder != known->holders ? ", " : "");
		html_name(table->page, holder->comm, sizeof(holder->comm));
		out_printf(table->page, " <span class=\"soft\">(%d)</span>", (int)holder->pid);
	}
	html_cell_end(table);
	html_cell_text(table, "word", state ? state : "unknown");
}

static void put_all(struct out_text *page, const struct known *all, size_t count)
{
	static const char *const heads[] = { "Mode",	"Local", "Peer", "Why TCP",
					     "Process", "State", NULL };
	size_t shown = count < SHOWN_MAX ? count : SHOWN_MAX, counts[WAYS] = { 0 };
	struct html_table table;

	for (size_t i = 0; i < count; i++)
		counts[all[i].way]++;
	put_bar(page, counts);
	html_table_begin(&table, page, "Each socket of SMC, fallbacks to TCP first", heads);
	for (size_t i = 0; i < shown; i++)
		put_row(&table, &all[i]);
	html_table_end(&table);
	html_more(page, count - shown, "smcss -a -p -e");
}

static int complete(struct known *all, const struct doctor_facts *facts,
		    struct sockets_lookup *lookup, struct smc_err *err)
{
	int ret = sockets_load_processes(lookup, err);

	for (size_t i = 0; !ret && i < facts->n_sockets; i++) {
		struct known *known = &all[i];

		known->sock = facts->sockets[i];
		known->way = way_of(&known->sock);
		if (smc_sock_needs_lookup(&known->sock))
			ret = sockets_complete(lookup, &known->sock, err);
		known->holders =
			proc_table_find(&lookup->procs, known->sock.inode, &known->n_holders);
	}
	return ret;
}

int html_sockets(struct out_text *page, const struct doctor_facts *facts, struct smc_err *err)
{
	struct sockets_lookup lookup AUTO(sockets_lookup_free) = { .has_procs = false };
	struct known *all AUTO_FREE = NULL;
	int ret;

	html_section(page, "Sockets of SMC");
	if (!facts->n_sockets) {
		out_printf(page, "<p>%s</p>\n",
			   !facts->has_smc ? "There are none: SMC cannot be used here." :
			   facts->has_diag ? "No program has one: start one with smc_run." :
					     "They cannot be listed here: see smc_diag above.");
		html_section_end(page);
		return 0;
	}
	all = xcalloc(facts->n_sockets, sizeof(*all));
	ret = complete(all, facts, &lookup, err);
	if (!ret) {
		qsort(all, facts->n_sockets, sizeof(*all), compare);
		put_all(page, all, facts->n_sockets);
	}
	html_section_end(page);
	return ret;
}
