// SPDX-License-Identifier: MIT
/* smcss --summary and --metrics: sockets by mode, process, peer, reason and network namespace. */
#include "smcss/smcss.h"

#include "base/array.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/words.h"
#include "out/list.h"
#include "out/metrics.h"
#include "smc/reason.h"
#include "sockets/show.h"

/* The last two groups are only counted when all network namespaces are shown. */
enum { BY_PROCESS, BY_PEER, BY_REASON, N_GROUPS, BY_NETNS = N_GROUPS, BY_NETNS_REASON, N_COUNTED };

/**
 * struct summary_item - a member of a group, such as one process, and its sockets by enum smc_mode
 * @total: its connections; @listening: for BY_NETNS
 * @code, @len: for BY_NETNS_REASON: the reason, and the length of the namespace's name before it
 */
struct summary_item {
	char *name;
	size_t counts[4], total, listening, len;
	uint32_t code;
};

/** struct summary_group - items, found by name until they are sorted */
struct summary_group {
	struct summary_item *items;
	size_t count;
	struct smc_index index;
};

/** struct summary - @has_listening: listening sockets are selected, so a 0 is meaningful */
struct summary {
	bool has_listening;
	size_t counts[4];
	size_t listening;
	struct summary_group groups[N_COUNTED];
	struct out_text scratch;
};

static const struct {
	const char *head, *key, *name;
} group_words[N_GROUPS] = {
	{ "Process", "processes", "process" },
	{ "Peer", "peers", "peer" },
	{ "Reason", "reasons", "reason" },
};

struct summary *summary_new(bool has_listening)
{
	struct summary *summary = xcalloc(1, sizeof(*summary));

	summary->has_listening = has_listening;
	return summary;
}

static bool is_named(const void *items, size_t place, const void *key)
{
	const char *name = ((const struct summary_item *)items)[place].name;
	const struct out_text *text = key;

	return !strncmp(name, text->data, text->len) && !name[text->len];
}

/* Count one socket under the name in the scratch text. */
static struct summary_item *count(struct summary *summary, int which, enum smc_mode mode)
{
	struct summary_group *group = &summary->groups[which];
	const struct out_text *text = &summary->scratch;
	uint64_t hash = smc_index_hash(text->data, text->len, 0);
	size_t place = smc_index_find(&group->index, hash, is_named, group->items, text);
	struct summary_item *item;

	if (place == SMC_INDEX_NONE) {
		place = group->count;
		item = smc_array_add(&group->items, &group->count);
		item->name = xstrndup(text->data, text->len);
		smc_index_add(&group->index, hash, place);
	}
	item = &group->items[place];
	item->counts[mode]++;
	item->total += mode != SMC_MODE_NONE;
	return item;
}

static void name_process(struct out_text *text, const struct sockets_row *row)
{
	out_reset(text);
	if (!row->n_holders) {
		out_str(text, "n/a");
		return;
	}
	out_escaped(text, row->holders[0].comm, sizeof(row->holders[0].comm));
	out_printf(text, "[%d]", (int)row->holders[0].pid);
}

/* Host of the peer: ports would make useless groups. */
static void name_peer(struct out_text *text, const struct sockets_row *row)
{
	struct smc_addr host = row->sock.peer;

	out_reset(text);
	host.port = 0;
	sockets_append_addr(text, &host);
	if (text->len > 2 && !memcmp(text->data + text->len - 2, ":-", 2))
		text->len -= 2;
}

static void count_netns(struct summary *summary, const struct sockets_row *row, enum smc_mode mode)
{
	struct out_text *text = &summary->scratch;
	struct summary_item *item;
	size_t len;

	out_reset(text);
	out_escaped(text, row->netns->name, strlen(row->netns->name));
	item = count(summary, BY_NETNS, mode);
	item->listening += row->sock.state == SMC_ABI_LISTEN;
	if (mode != SMC_MODE_TCP || !(row->sock.has & SMC_SOCK_HAS_FALLBACK))
		return;
	/* Names are escaped, so they contain no newline. */
	len = text->len;
	out_printf(text, "\n%08x", row->sock.fallback.reason);
	item = count(summary, BY_NETNS_REASON, mode);
	item->code = row->sock.fallback.reason;
	item->len = len;
}

static void count_reason(struct summary *summary, const struct sockets_row *row)
{
	out_reset(&summary->scratch);
	if (row->sock.has & SMC_SOCK_HAS_FALLBACK)
		sockets_append_reason(&summary->scratch, &row->sock.fallback);
	else
		out_str(&summary->scratch, "n/a");
	count(summary, BY_REASON, SMC_MODE_TCP);
}

void summary_add(struct summary *summary, const struct sockets_row *row)
{
	enum smc_mode mode = smc_sock_mode(&row->sock);

	/* A TCP Fast Open socket may fall back before it has a peer: not a connection yet. */
	if (!smc_sock_connected(&row->sock))
		mode = SMC_MODE_NONE;
	summary->counts[mode]++;
	if (row->netns)
		count_netns(summary, row, mode);
	if (mode == SMC_MODE_NONE) {
		summary->listening += row->sock.state == SMC_ABI_LISTEN;
		return;
	}
	name_process(&summary->scratch, row);
	count(summary, BY_PROCESS, mode);
	name_peer(&summary->scratch, row);
	count(summary, BY_PEER, mode);
	if (mode == SMC_MODE_TCP)
		count_reason(summary, row);
}

static int compare(const void *a, const void *b)
{
	const struct summary_item *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Largest first. Invalidates the index: nothing may be counted any more. */
static void sort(struct summary *summary)
{
	for (int i = 0; i < N_COUNTED; i++)
		smc_array_sort(summary->groups[i].items, summary->groups[i].count, compare);
}

/* Columns of the three counts, with the blanks before them. */
#define COUNTS 25

/** struct pen - where lines are appended, the width of the terminal and that of the names */
struct pen {
	struct out_text *text;
	size_t width, names;
};

/* On a terminal, names are padded to the longest one; in a pipe, all to the same width. */
static struct pen pen_new(const struct summary *summary, struct out_text *text, size_t width)
{
	struct pen pen = { text, width, width ? sizeof("Connections") - 1 : 39 };

	for (int i = 0; width && i < N_GROUPS; i++)
		for (size_t j = 0; j < summary->groups[i].count; j++) {
			size_t len = strlen(summary->groups[i].items[j].name);

			if (len > pen.names && len + COUNTS <= width)
				pen.names = len;
		}
	return pen;
}

/* A longer name has a line of its own on a terminal. */
static void print_line(const struct pen *pen, const char *name, const size_t *counts)
{
	if (pen->width && strlen(name) > pen->names) {
		out_printf(pen->text, "%s\n", name);
		name = "";
	}
	out_printf(pen->text, "%-*s  %7zu %7zu %7zu\n", (int)pen->names, name,
		   counts[SMC_MODE_SMCR], counts[SMC_MODE_SMCD], counts[SMC_MODE_TCP]);
}

static void print_idle(const struct summary *summary, struct out_text *text)
{
	if (summary->counts[SMC_MODE_NONE])
		out_printf(text, "\nNot connected: %zu, of these listening: %zu\n",
			   summary->counts[SMC_MODE_NONE], summary->listening);
}

/* Most frequent fallback reason of a namespace, after sorting; NULL for none. */
static const struct summary_item *summary_reason(const struct summary *summary, const char *netns)
{
	const struct summary_group *group = &summary->groups[BY_NETNS_REASON];
	size_t len = strlen(netns);

	for (size_t i = 0; i < group->count; i++)
		if (group->items[i].len == len && !memcmp(group->items[i].name, netns, len))
			return &group->items[i];
	return NULL;
}

/** struct netns_row - counts of a network namespace; @first: its most frequent reason */
struct netns_row {
	const char *name, *first;
	size_t smcr, smcd, tcp;
};

static const struct out_col netns_columns[] = {
	{ "name", "Container, pod or unit", NULL, 31, OUT_ESCAPED(netns_row, name) },
	{ "smcr", "SMCR", NULL, 7, OUT_RIGHT, OUT_DEC(netns_row, smcr, 0) },
	{ "smcd", "SMCD", NULL, 7, OUT_RIGHT, OUT_DEC(netns_row, smcd, 0) },
	{ "tcp", "TCP", NULL, 7, OUT_RIGHT, .gap = 2, OUT_DEC(netns_row, tcp, 0) },
	{ "first", "First reason", NULL, 12, OUT_ESCAPED(netns_row, first), .is_wrapped = true },
	{ 0 },
};

static void add_netns(const struct summary *summary, const struct summary_item *item,
		      struct out_list *list)
{
	const struct summary_item *first = summary_reason(summary, item->name);
	const struct smc_reason *known = first ? smc_reason_find(first->code) : NULL;
	struct out_text words AUTO(out_free) = { .len = 0 };

	if (first)
		out_printf(&words, "0x%08x", first->code);
	if (known)
		out_printf(&words, " %s: %s", known->symbol, known->meaning);
	out_mem(&words, "", 1);
	out_list_row(list, &(struct netns_row){ item->name, words.data, item->counts[SMC_MODE_SMCR],
						item->counts[SMC_MODE_SMCD],
						item->counts[SMC_MODE_TCP] });
}

static void print_netns(const struct summary *summary, const struct netns_list *spaces,
			const struct pen *pen)
{
	const struct summary_group *group = &summary->groups[BY_NETNS];
	struct out_view view = { .count = 0 };
	struct out_list list;

	out_view_add(&view, netns_columns, "name,smcr,smcd,tcp,first");
	out_list_begin(&list, &view, pen->text, pen->width, true);
	for (size_t i = 0; i < group->count; i++)
		add_netns(summary, &group->items[i], &list);
	out_list_end(&list);
	out_printf(pen->text, "%s%zu network namespace%s, %zu with SMC sockets\n",
		   group->count || !pen->width ? "\n" : "", spaces->count, plural_s(spaces->count),
		   group->count);
}

void summary_print(struct summary *summary, const struct netns_list *spaces, struct out_text *text,
		   size_t width)
{
	const struct pen pen = pen_new(summary, text, width);

	sort(summary);
	if (spaces) {
		print_netns(summary, spaces, &pen);
		print_idle(summary, text);
		return;
	}
	out_printf(text, "%-*s  %7s %7s %7s\n", (int)pen.names, "", "SMCR", "SMCD", "TCP");
	print_line(&pen, "Connections", summary->counts);
	for (int i = 0; i < N_GROUPS; i++) {
		const struct summary_group *group = &summary->groups[i];

		if (!group->count)
			continue;
		out_printf(text, "\n%s\n", group_words[i].head);
		for (size_t j = 0; j < group->count; j++)
			print_line(&pen, group->items[j].name, group->items[j].counts);
	}
	print_idle(summary, text);
}

static void append_reasons(const struct summary *summary, struct out_text *text)
{
	const struct summary_group *group = &summary->groups[BY_REASON];

	for (size_t i = 0; i < group->count; i++) {
		out_str(text, i ? ", " : " (");
		if (group->count > 1)
			out_printf(text, "%zu ", group->items[i].total);
		out_str(text, group->items[i].name);
	}
	if (group->count)
		out_char(text, ')');
}

void summary_line(struct summary *summary, struct out_text *text, size_t width, bool is_advised)
{
	struct out_text line AUTO(out_free) = { .len = 0 };
	size_t all = 0;
	const char *before = ": ";

	sort(summary);
	for (int mode = SMC_MODE_SMCR; mode <= SMC_MODE_TCP; mode++)
		all += summary->counts[mode];
	out_printf(&line, "%zu connection%s", all, plural_s(all));
	for (int mode = SMC_MODE_SMCR; mode <= SMC_MODE_TCP; mode++) {
		if (!summary->counts[mode])
			continue;
		out_str(&line, before);
		if (all > 1)
			out_printf(&line, "%zu ", summary->counts[mode]);
		out_str(&line, smc_mode_name((enum smc_mode)mode));
		before = ", ";
	}
	append_reasons(summary, &line);
	if (summary->has_listening)
		out_printf(&line, "; %zu listening", summary->listening);
	if (is_advised && summary->counts[SMC_MODE_TCP])
		out_str(&line, "; 'smcss -e' explains");
	out_mem(&line, "", 1);
	out_wrap(text, width, 0, 4, line.data);
	out_char(text, '\n');
}

static json_t *json_counts(const size_t *counts)
{
	return json_pack("{s:I, s:I, s:I}", "smcr", (json_int_t)counts[SMC_MODE_SMCR], "smcd",
			 (json_int_t)counts[SMC_MODE_SMCD], "tcp",
			 (json_int_t)counts[SMC_MODE_TCP]);
}

static json_t *json_group(const struct summary *summary, int which)
{
	const struct summary_group *group = &summary->groups[which];
	json_t *list = json_array();

	for (size_t i = 0; i < group->count; i++) {
		json_t *item = json_counts(group->items[i].counts);

		json_object_set_new(item, group_words[which].name,
				    out_json_str(group->items[i].name));
		json_array_append_new(list, item);
	}
	return list;
}

static json_t *json_netns(const struct summary *summary)
{
	const struct summary_group *group = &summary->groups[BY_NETNS];
	json_t *list = json_array();

	for_each(item, group->items, group->count) {
		const struct summary_item *first = summary_reason(summary, item->name);
		json_t *json = json_counts(item->counts);

		json_object_set_new(json, "netns", out_json_str(item->name));
		if (summary->has_listening)
			json_object_set_new(json, "listening", out_json_number(item->listening));
		if (first)
			json_object_set_new(json, "first_reason", sockets_json_reason(first->code));
		json_array_append_new(list, json);
	}
	return list;
}

json_t *summary_json(struct summary *summary, const struct netns_list *spaces)
{
	json_t *json = json_pack("{s:s, s:o}", "schema", "smc-tools/smcss-summary/1", "connections",
				 json_counts(summary->counts));

	sort(summary);
	if (summary->has_listening) {
		json_object_set_new(json, "not_connected",
				    out_json_number(summary->counts[SMC_MODE_NONE]));
		json_object_set_new(json, "listening", out_json_number(summary->listening));
	}
	for (int i = 0; i < N_GROUPS; i++)
		json_object_set_new(json, group_words[i].key, json_group(summary, i));
	if (spaces) {
		json_object_set_new(json, "netns_count", out_json_number(spaces->count));
		json_object_set_new(json, "netns", json_netns(summary));
	}
	return json;
}

/* ---- metrics ---- */

/* Maximum of values of a label; others are summed up, as peers can choose any reason code. */
#define MOST_NETNS 100
#define MOST_REASONS 30
#define OTHER "other"

/**
 * struct family - samples of a group's members
 * @mode: enum smc_mode; SMC_MODE_NONE: listening sockets, without the label "mode"
 */
struct family {
	const char *name, *label;
	int which, mode;
	size_t most;
};

static const char *const modes[] = {
	[SMC_MODE_NONE] = NULL,
	[SMC_MODE_SMCR] = "smcr",
	[SMC_MODE_SMCD] = "smcd",
	[SMC_MODE_TCP] = "tcp",
};

static size_t number(const struct summary_item *item, int mode)
{
	return mode == SMC_MODE_NONE ? item->listening : item->counts[mode];
}

/* A container may have the same name as the sum of the others: merge both. */
static void by_item(const struct summary *summary, struct out_text *text,
		    const struct family *family)
{
	const struct summary_group *group = &summary->groups[family->which];
	const char *mode = family->which == BY_REASON ? NULL : modes[family->mode];
	size_t rest = 0, shown = 0;

	for_each(item, group->items, group->count) {
		if (shown == family->most || !strcmp(item->name, OTHER)) {
			rest += number(item, family->mode);
			continue;
		}
		metrics_sample(text, family->name, number(item, family->mode), "mode", mode,
			       family->label, item->name, NULL);
		shown++;
	}
	if (shown < group->count)
		metrics_sample(text, family->name, rest, "mode", mode, family->label, OTHER, NULL);
}

static void connections(const struct summary *summary, bool is_all, struct out_text *text)
{
	struct family family = { "smc_open_connections", "netns", BY_NETNS, SMC_MODE_NONE,
				 MOST_NETNS };

	metrics_head(text, family.name, "gauge",
		     "Connections of SMC sockets now, by what they run over.");
	for (family.mode = SMC_MODE_SMCR; family.mode <= SMC_MODE_TCP; family.mode++) {
		if (is_all)
			by_item(summary, text, &family);
		else
			metrics_sample(text, family.name, summary->counts[family.mode], "mode",
				       modes[family.mode], NULL);
	}
	if (!summary->has_listening)
		return;
	family.name = "smc_listening_sockets";
	family.mode = SMC_MODE_NONE;
	metrics_head(text, family.name, "gauge", "SMC sockets that listen now.");
	if (is_all)
		by_item(summary, text, &family);
	else
		metrics_sample(text, family.name, summary->listening, NULL);
}

static void namespaces(const struct summary *summary, const struct netns_list *spaces,
		       struct out_text *text)
{
	static const char name[] = "smc_network_namespaces";

	metrics_head(text, name, "gauge", "Network namespaces of this host.");
	metrics_sample(text, name, spaces->count, "what", "all", NULL);
	metrics_sample(text, name, summary->groups[BY_NETNS].count, "what", "with_sockets", NULL);
	metrics_sample(text, name, spaces->denied, "what", "denied", NULL);
	metrics_sample(text, name, spaces->failed, "what", "failed", NULL);
}

void summary_metrics(struct summary *summary, const struct netns_list *spaces,
		     struct out_text *text)
{
	static const struct family reasons = { "smc_open_fallbacks", "reason", BY_REASON,
					       SMC_MODE_TCP, MOST_REASONS };

	sort(summary);
	connections(summary, spaces, text);
	metrics_head(text, reasons.name, "gauge",
		     "Connections of SMC sockets that run over TCP now, by reason.");
	by_item(summary, text, &reasons);
	if (spaces)
		namespaces(summary, spaces, text);
	out_str(text, "# EOF\n");
}

void summary_free(struct summary *summary)
{
	if (!summary)
		return;
	for (int i = 0; i < N_COUNTED; i++) {
		for (size_t j = 0; j < summary->groups[i].count; j++)
			free(summary->groups[i].items[j].name);
		smc_index_free(&summary->groups[i].index);
		free(summary->groups[i].items);
	}
	out_free(&summary->scratch);
	free(summary);
}
