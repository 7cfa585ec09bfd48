// SPDX-License-Identifier: MIT
/* Fetch, complete, select and print the sockets. */
#include "smcss/smcss.h"

#include "base/memory.h"
#include "cli/screen.h"
#include "out/list.h"
#include "sockets/fetch.h"
#include "sockets/lookup.h"
#include "sockets/show.h"

/* Rows that are buffered. A longer table is printed in pieces, so that memory stays constant. */
#define CHUNK 4096

struct lister;

/*
 * struct sink - a kind of output
 * @begin: start, or start over; NULL for nothing
 * @row: add a socket that is shown; @end: append what follows the last one
 * @is_incremental: text is printed before all sockets are known
 */
struct sink {
	void (*begin)(struct lister *l);
	void (*row)(struct lister *l, const struct sockets_row *row);
	void (*end)(struct lister *l);
	bool is_incremental;
};

struct lister {
	const struct smcss_opts *opts;
	const struct sink *sink;
	struct smc_err *err;
	struct out_view view;
	struct out_list list;
	struct out_text text;
	struct sockets_row chunk[CHUNK];
	size_t n_chunk;
	bool is_flushed; /* rows of this namespace that were already processed */
	bool is_printed; /* stdout has output: no second try */
	struct sockets_lookup lookup;
	struct netns_list *spaces; /* NULL: one namespace */
	const struct netns *netns;
	struct summary *summary;	 /* for --summary, and of the rows on a terminal */
	struct sockets_codes reasons;	 /* of these rows */
	size_t rows, skipped, listening; /* rows shown; not selected; and listening ones of those */
	struct kill_list kill;
	bool is_counted; /* output has no processes and peers */
};

/* ---- a table, for pipes and for terminals ---- */

static void begin_table(struct lister *l)
{
	out_list_free(&l->list);
	out_list_begin(&l->list, &l->view, &l->text, l->opts->width, !l->opts->no_header);
}

static void add_to_table(struct lister *l, const struct sockets_row *row)
{
	out_list_row(&l->list, row);
	if (l->opts->is_explained)
		sockets_explain(&l->text, &row->sock);
}

static void end_table(struct lister *l)
{
	out_list_end(&l->list);
}

/* ---- JSON ---- */

static void add_to_json(struct lister *l, const struct sockets_row *row)
{
	json_t *json = out_json(smcss_columns, l->opts->columns ? &l->view : NULL, row);

	out_json_member(&l->text, json, l->opts->watch_seconds > 0);
}

static void end_json(struct lister *l)
{
	struct out_text sockets AUTO(out_free) = l->text;
	json_t *doc = json_pack("{s:s, s:[]}", "schema", "smc-tools/smcss/1", "sockets");

	l->text = (struct out_text){ .len = 0 };
	out_json_long_document(&l->text, doc, &sockets, l->opts->watch_seconds > 0);
}

/* ---- a summary ---- */

static void begin_summary(struct lister *l)
{
	summary_free(l->summary);
	l->summary = summary_new(smcss_has_listening(l->opts));
}

static void add_to_summary(struct lister *l, const struct sockets_row *row)
{
	summary_add(l->summary, row);
}

static void end_summary(struct lister *l)
{
	const struct smcss_opts *opts = l->opts;

	if (opts->is_json)
		out_json_document(&l->text, summary_json(l->summary, l->spaces),
				  opts->watch_seconds > 0);
	else if (opts->is_metrics)
		summary_metrics(l->summary, l->spaces, &l->text);
	else
		summary_print(l->summary, l->spaces, &l->text, opts->width);
}

/* ---- a terminal: the table, then a sum ---- */

static void begin_screen(struct lister *l)
{
	begin_summary(l);
	free(l->reasons.codes);
	l->reasons = (struct sockets_codes){ NULL, 0 };
	l->rows = l->skipped = l->listening = 0;
	begin_table(l);
}

static void add_to_screen(struct lister *l, const struct sockets_row *row)
{
	const struct smc_diag_fallback *fallback = &row->sock.fallback;

	out_list_row(&l->list, row);
	l->rows++;
	summary_add(l->summary, row);
	if (!sockets_has_reason(&row->sock))
		return;
	sockets_codes_add(&l->reasons, fallback->reason);
	if (fallback->peer_diagnosis)
		sockets_codes_add(&l->reasons, fallback->peer_diagnosis);
}

static void say_nothing(const struct lister *l)
{
	struct out_text note AUTO(out_free) = { .len = 0 };

	out_str(&note, "smcss: no SMC socket");
	if (l->skipped)
		out_str(&note, " like that");
	if (l->listening)
		out_printf(&note, "; %zu listen%s, see 'smcss -a'", l->listening,
			   l->listening == 1 ? "s" : "");
	else if (!l->skipped)
		out_str(&note, "; 'smc_chk' checks this host");
	out_char(&note, '\0');
	cli_say(note.data);
}

static void end_screen(struct lister *l)
{
	const struct smcss_opts *opts = l->opts;

	out_list_end(&l->list);
	for (size_t i = 0; opts->is_explained && i < l->reasons.count; i++) {
		if (!i)
			out_char(&l->text, '\n');
		sockets_explain_code(&l->text, opts->width, "", l->reasons.codes[i]);
	}
	if (opts->no_header)
		return;
	if (!l->rows) {
		say_nothing(l);
		return;
	}
	out_char(&l->text, '\n');
	summary_line(l->summary, &l->text, opts->width, !opts->is_explained);
}

static const struct sink table_sink = { begin_table, add_to_table, end_table, true };
static const struct sink screen_sink = { begin_screen, add_to_screen, end_screen };
static const struct sink json_sink = { NULL, add_to_json, end_json };
static const struct sink summary_sink = { begin_summary, add_to_summary, end_summary };

static const struct sink *choose_sink(const struct smcss_opts *opts)
{
	if (opts->is_summary)
		return &summary_sink;
	if (opts->is_json)
		return &json_sink;
	return opts->width ? &screen_sink : &table_sink;
}

/* ---- rows ---- */

static int skip(struct lister *l, const struct smc_sock *sock)
{
	l->skipped++;
	l->listening += sock->state == SMC_ABI_LISTEN;
	return 0;
}

static int handle(struct lister *l, struct sockets_row *row)
{
	struct smc_sock *sock = &row->sock;
	int ret;

	if (!smcss_selects(l->opts, sock))
		return skip(l, sock);
	if (smc_sock_needs_lookup(sock) && (!l->is_counted || l->opts->filter.has_addr)) {
		ret = sockets_complete(&l->lookup, sock, l->err);
		if (ret)
			return ret;
	}
	sock->netns = l->netns ? l->netns->name : NULL;
	if (!filter_match(&l->opts->filter, sock))
		return skip(l, sock);
	row->holders = NULL;
	row->n_holders = 0;
	row->netns = l->netns;
	if (l->opts->has_processes || l->opts->is_summary)
		row->holders = proc_table_find(&l->lookup.procs, sock->inode, &row->n_holders);
	l->sink->row(l, row);
	if (l->opts->is_kill)
		kill_add(&l->kill, row);
	return 0;
}

static int handle_chunk(void *arg)
{
	struct lister *l = arg;
	int ret = 0;

	for (size_t i = 0; !ret && i < l->n_chunk; i++)
		ret = handle(l, &l->chunk[i]);
	l->n_chunk = 0;
	return ret;
}

static int write_text(struct lister *l)
{
	int ret = out_print(&l->text, l->err);

	l->is_printed = true;
	if (ret && l->spaces)
		l->spaces->is_stopped = true;
	return ret;
}

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	struct lister *l = arg;
	int ret = smc_sock_decode(&l->chunk[l->n_chunk].sock, nlh);
	if (ret)
		return smc_err_say(l->err, -ret, "the kernel's answer about a socket is too short");
	if (++l->n_chunk < CHUNK)
		return 0;
	l->is_flushed = true;
	ret = handle_chunk(l);
	return ret || !l->sink->is_incremental ? ret : write_text(l);
}

/* Start over: drop the rows of the last try, begin with the header. */
static int begin(void *arg)
{
	struct lister *l = arg;

	l->n_chunk = l->kill.count = 0;
	out_reset(&l->text);
	if (l->sink->begin)
		l->sink->begin(l);
	return 0;
}

/* Within one namespace: only unprocessed rows can be dropped. */
static int begin_netns(void *arg)
{
	((struct lister *)arg)->n_chunk = 0;
	return 0;
}

/* @start, @is_final: see struct sockets_source. */
static int fetch(struct lister *l, int (*start)(void *arg), const bool *is_final,
		 struct smc_err *err)
{
	const struct sockets_source source = {
		.ext = smcss_ext(l->opts),
		.begin = start,
		.on_message = on_message,
		.end = handle_chunk,
		.is_final = is_final,
		.arg = l,
	};

	return sockets_fetch(&source, err);
}

static int fetch_netns(void *arg, const struct netns *netns, struct smc_err *err)
{
	struct lister *l = arg;

	l->netns = netns;
	l->is_flushed = false;
	sockets_forget_inet(&l->lookup);
	return fetch(l, begin_netns, &l->is_flushed, err);
}

static int fetch_all(struct lister *l)
{
	int ret;

	netns_list_free(l->spaces);
	ret = netns_list_load(l->spaces, l->err);
	if (ret)
		return ret;
	begin(l);
	return netns_list_each(l->spaces, fetch_netns, l, l->err);
}

int smcss_list(const struct smcss_opts *opts, struct netns_list *spaces, struct smc_err *err)
{
	struct lister *l = xcalloc(1, sizeof(*l)); /* too large for the stack */
	int ret, killed = 0;

	l->opts = opts;
	l->spaces = spaces;
	l->err = err;
	l->sink = choose_sink(opts);
	l->is_counted = opts->is_metrics || (opts->is_summary && spaces && !opts->is_json);
	ret = smcss_view(&l->view, opts, err);
	if (!ret && (opts->has_processes || opts->is_summary) && !l->is_counted)
		ret = sockets_load_processes(&l->lookup, err);
	if (!ret)
		ret = l->spaces ? fetch_all(l) : fetch(l, begin, &l->is_printed, err);
	if (!ret) {
		l->sink->end(l);
		if (opts->is_kill)
			killed = kill_all(&l->kill, &l->text, opts->is_dry, err);
		ret = write_text(l) ?: killed;
	}
	if (!ret && spaces)
		ret = netns_list_failure(spaces, err);
	summary_free(l->summary);
	out_list_free(&l->list);
	free(l->reasons.codes);
	free(l->kill.rows);
	sockets_lookup_free(&l->lookup);
	out_free(&l->text);
	free(l);
	return ret;
}
