// SPDX-License-Identifier: MIT
/* smcss --summary: how many sockets of each mode, by process, by peer and by reason. */
#include "smcss.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BY_PROCESS, BY_PEER, BY_REASON, N_GROUPS };

static const char *const group_heads[N_GROUPS] = { "Process", "Peer", "Reason" };
static const char *const group_keys[N_GROUPS] = { "processes", "peers", "reasons" };
static const char *const group_names[N_GROUPS] = { "process", "peer", "reason" };

/* A group's member, such as one process, and its sockets by enum smc_mode. */
struct item {
	char *name;
	size_t counts[4];
	size_t total;
};

/* Open hash by name; a power of two, at most half full. */
struct group {
	struct item *items;
	size_t size;
	size_t count;
};

struct summary {
	size_t counts[4];
	size_t listening;
	struct group groups[N_GROUPS];
	struct out_text scratch;
};

struct summary *summary_new(void)
{
	return calloc(1, sizeof(struct summary));
}

static struct item *slot(struct item *items, size_t size, const char *name, size_t len)
{
	uint64_t hash = 14695981039346656037ULL; /* FNV-1a */
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 1099511628211ULL;
	for (i = hash & (size - 1); items[i].name; i = (i + 1) & (size - 1))
		if (!strncmp(items[i].name, name, len) && !items[i].name[len])
			break;
	return &items[i];
}

static int grow(struct group *group)
{
	size_t size = group->size ? 2 * group->size : 64;
	struct item *items = calloc(size, sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < group->size; i++)
		if (group->items[i].name)
			*slot(items, size, group->items[i].name, strlen(group->items[i].name)) =
				group->items[i];
	free(group->items);
	group->items = items;
	group->size = size;
	return 0;
}

/* Count one socket under the name that stands in the scratch text. */
static int count(struct summary *summary, int which, enum smc_mode mode)
{
	struct group *group = &summary->groups[which];
	struct out_text *text = &summary->scratch;
	struct item *item;

	if (text->is_failed || (2 * group->count >= group->size && grow(group)))
		return -ENOMEM;
	item = slot(group->items, group->size, text->data, text->len);
	if (!item->name) {
		item->name = strndup(text->data, text->len);
		if (!item->name)
			return -ENOMEM;
		group->count++;
	}
	item->counts[mode]++;
	item->total++;
	return 0;
}

static void name_process(struct out_text *text, const struct smcss_row *row)
{
	out_reset(text);
	if (!row->n_holders) {
		out_str(text, "n/a");
		return;
	}
	out_escaped(text, row->holders[0].comm, sizeof(row->holders[0].comm));
	out_printf(text, "[%d]", (int)row->holders[0].pid);
}

/* The peer's host: its ports are of no use in a sum. */
static void name_peer(struct out_text *text, const struct smcss_row *row)
{
	struct smc_addr host = row->sock.peer;

	out_reset(text);
	host.port = 0;
	smcss_append_addr(text, &host);
	if (text->len > 2 && !memcmp(text->data + text->len - 2, ":-", 2))
		text->len -= 2;
}

int summary_add(struct summary *summary, const struct smcss_row *row)
{
	enum smc_mode mode = smc_sock_mode(&row->sock);
	int ret;

	/* A socket may fall back before it has a peer, by TCP Fast Open: no connection yet. */
	if (!smc_sock_connected(&row->sock))
		mode = SMC_MODE_NONE;
	summary->counts[mode]++;
	if (mode == SMC_MODE_NONE) {
		summary->listening += row->sock.state == SMC_ABI_LISTEN;
		return 0;
	}
	name_process(&summary->scratch, row);
	ret = count(summary, BY_PROCESS, mode);
	name_peer(&summary->scratch, row);
	if (!ret)
		ret = count(summary, BY_PEER, mode);
	if (ret || mode != SMC_MODE_TCP)
		return ret;
	out_reset(&summary->scratch);
	if (row->sock.has & SMC_SOCK_HAS_FALLBACK)
		smcss_append_reason(&summary->scratch, &row->sock.fallback);
	else
		out_str(&summary->scratch, "n/a");
	return count(summary, BY_REASON, mode);
}

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (!x->name || !y->name)
		return !x->name - !y->name;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Largest first. The hash is gone after that: nothing may be counted any more. */
static void sort(struct summary *summary)
{
	for (int i = 0; i < N_GROUPS; i++)
		if (summary->groups[i].size)
			qsort(summary->groups[i].items, summary->groups[i].size,
			      sizeof(struct item), compare);
}

static void print_line(struct out_text *text, const char *name, const size_t *counts)
{
	out_printf(text, "%-39s  %7zu %7zu %7zu\n", name, counts[SMC_MODE_SMCR],
		   counts[SMC_MODE_SMCD], counts[SMC_MODE_TCP]);
}

void summary_print(struct summary *summary, struct out_text *text)
{
	sort(summary);
	out_printf(text, "%-39s  %7s %7s %7s\n", "", "SMCR", "SMCD", "TCP");
	print_line(text, "Connections", summary->counts);
	for (int i = 0; i < N_GROUPS; i++) {
		const struct group *group = &summary->groups[i];

		if (!group->count)
			continue;
		out_printf(text, "\n%s\n", group_heads[i]);
		for (size_t j = 0; j < group->count; j++)
			print_line(text, group->items[j].name, group->items[j].counts);
	}
	if (summary->counts[SMC_MODE_NONE])
		out_printf(text, "\nNot connected: %zu, of these listening: %zu\n",
			   summary->counts[SMC_MODE_NONE], summary->listening);
}

static json_t *json_counts(const size_t *counts)
{
	return json_pack("{s:I, s:I, s:I}", "smcr", (json_int_t)counts[SMC_MODE_SMCR], "smcd",
			 (json_int_t)counts[SMC_MODE_SMCD], "tcp",
			 (json_int_t)counts[SMC_MODE_TCP]);
}

static json_t *json_group(const struct summary *summary, int which)
{
	const struct group *group = &summary->groups[which];
	json_t *list = json_array();

	for (size_t i = 0; list && i < group->count; i++) {
		json_t *item = json_counts(group->items[i].counts);

		json_object_set_new(item, group_names[which],
				    out_json_str(group->items[i].name));
		json_array_append_new(list, item);
	}
	return list;
}

json_t *summary_json(struct summary *summary)
{
	json_t *json = json_pack("{s:s, s:o, s:I, s:I}", "schema", "smc-tools/smcss-summary/1",
				 "connections", json_counts(summary->counts), "not_connected",
				 (json_int_t)summary->counts[SMC_MODE_NONE], "listening",
				 (json_int_t)summary->listening);

	sort(summary);
	for (int i = 0; json && i < N_GROUPS; i++)
		json_object_set_new(json, group_keys[i], json_group(summary, i));
	return json;
}

void summary_free(struct summary *summary)
{
	if (!summary)
		return;
	for (int i = 0; i < N_GROUPS; i++) {
		for (size_t j = 0; j < summary->groups[i].size; j++)
			free(summary->groups[i].items[j].name);
		free(summary->groups[i].items);
	}
	out_free(&summary->scratch);
	free(summary);
}
