// SPDX-License-Identifier: MIT
#include "smc_dump/payload/conversation.h"

#include "base/array.h"
#include "base/index.h"
#include "base/memory.h"
#include "bpf/address.h"

/* Nanoseconds a closed connection is remembered, to recognize its other end on this host. */
#define REMEMBERED INT64_C(60000000000)
#define REMEMBERED_MAX 16384
/* Items that are looked at for reuse when one is added: at least half of them stay in use. */
#define STEPS 2

/**
 * struct item - an entry of the array
 * @ended: when, if @is_ended; @is_gone: removed from the tables
 */
struct item {
	struct conversation conversation;
	int64_t ended;
	bool is_ended, is_gone;
};

/**
 * struct conversations - @items: found by @by_id and @by_ends; @hand: next one to look at for reuse
 */
struct conversations {
	struct wish wish;
	__u64 *unwanted;
	payload_fn *fn;
	void *arg;
	struct item *items;
	size_t n_items;
	struct smc_index by_id, by_ends;
	size_t hand, n_ended;
	uint64_t count;
};

/* ---- keys ---- */

static uint64_t hash_ends(const struct conversation *conversation)
{
	return packet_hash_end(&conversation->local, packet_hash_end(&conversation->peer, 0));
}

static bool has_id(const void *arg, size_t place, const void *key)
{
	const struct conversations *all = arg;

	return all->items[place].conversation.id == *(const uint64_t *)key;
}

static bool has_ends(const void *arg, size_t place, const void *key)
{
	const struct conversation *one =
		&((const struct conversations *)arg)->items[place].conversation;
	const struct conversation *other = key;

	return packet_same_end(&one->local, &other->local) &&
	       packet_same_end(&one->peer, &other->peer);
}

/* Ids are consecutive, so they are distributed well without a hash. */
static struct item *find_id(const struct conversations *all, uint64_t id)
{
	size_t place = smc_index_find(&all->by_id, id, has_id, all, &id);

	return place == SMC_INDEX_NONE ? NULL : &all->items[place];
}

static struct item *find_ends(const struct conversations *all, const struct conversation *like)
{
	size_t place = smc_index_find(&all->by_ends, hash_ends(like), has_ends, all, like);

	return place == SMC_INDEX_NONE ? NULL : &all->items[place];
}

/* ---- places ---- */

static bool is_remembered(const struct item *item, int64_t now)
{
	return !item->is_ended || now - item->ended < REMEMBERED;
}

static void forget(struct conversations *all, struct item *item)
{
	size_t place = (size_t)(item - all->items);

	if (item->is_gone)
		return;
	smc_index_remove(&all->by_id, item->conversation.id, place);
	smc_index_remove(&all->by_ends, hash_ends(&item->conversation), place);
	item->is_gone = true;
	all->n_ended -= item->is_ended;
}

/* A lost end record would leak an item: there are no more items than on the kernel's side. */
static struct item *vacant_item(struct conversations *all, int64_t now)
{
	bool is_full = all->n_items >= SMCDATA_CONNS + REMEMBERED_MAX;

	for (int i = 0; i < STEPS && all->n_items; i++) {
		struct item *item = &all->items[all->hand++ % all->n_items];

		if (!is_full && !item->is_gone && is_remembered(item, now) &&
		    !(item->is_ended && all->n_ended > REMEMBERED_MAX))
			continue;
		forget(all, item);
		return item;
	}
	return smc_array_add(&all->items, &all->n_items);
}

/* ---- what is wanted ---- */

static bool passes(const struct wish *wish, const struct conversation *conversation, uint32_t uid)
{
	static const uint8_t modes[] = { UINT8_MAX, SMC_DIAG_MODE_SMCR, SMC_DIAG_MODE_SMCD };
	struct smc_sock sock = { .state = SMC_ABI_ACTIVE,
				 .mode = modes[conversation->mode],
				 .uid = uid,
				 .local = conversation->local,
				 .peer = conversation->peer };

	if (filter_match(wish->filter, &sock))
		return true;
	sock.local = conversation->peer;
	sock.peer = conversation->local;
	return filter_match(wish->filter, &sock);
}

static bool is_process(const struct wish *wish, const struct smcdata_record *record)
{
	if (wish->pid && (pid_t)record->conn.pid != wish->pid)
		return false;
	return !wish->comm || !strncmp(wish->comm, record->comm, sizeof(record->comm) - 1);
}

static bool is_other_end(const struct conversations *all, const struct conversation *one,
			 int64_t now)
{
	const struct conversation turned = { .local = one->peer, .peer = one->local };
	const struct item *item = find_ends(all, &turned);

	return item && is_remembered(item, now);
}

/* ---- records ---- */

static struct item first_of(const struct smcdata_record *record)
{
	static const enum smc_mode modes[] = { SMC_MODE_NONE, SMC_MODE_SMCR, SMC_MODE_SMCD };
	const struct smcdata_conn *conn = &record->conn;
	struct item item = { .conversation = {
				     .id = conn->id,
				     .is_old = conn->is_old,
				     .local = bpf_ends_local(&conn->ends),
				     .peer = bpf_ends_peer(&conn->ends),
				     .mode = conn->mode <= SMCDATA_SMCD ? modes[conn->mode] :
									  SMC_MODE_NONE,
			     } };

	item.conversation.is_server = conn->side == SMCDATA_SERVER ||
				      (conn->side == SMCDATA_ANY_SIDE &&
				       item.conversation.local.port < item.conversation.peer.port);
	memcpy(&item.conversation.lgr, &conn->lgr, sizeof(conn->lgr));
	return item;
}

/* Return: NULL for an unwanted conversation. */
static struct item *begin(struct conversations *all, const struct smcdata_record *record,
			  int64_t now)
{
	struct item item = first_of(record), *before, *place;
	size_t at;

	/* A record without a process name can only repeat a verdict to drop it. */
	if (!record->is_other_process || !is_process(&all->wish, record) ||
	    !passes(&all->wish, &item.conversation, record->uid) ||
	    is_other_end(all, &item.conversation, now)) {
		all->unwanted[record->conn.id % SMCDATA_VERDICTS] = record->conn.id;
		return NULL;
	}
	before = find_ends(all, &item.conversation);
	if (before)
		forget(all, before);
	item.conversation.number = ++all->count;
	place = vacant_item(all, now);
	*place = item;
	at = (size_t)(place - all->items);
	smc_index_add(&all->by_id, item.conversation.id, at);
	smc_index_add(&all->by_ends, hash_ends(&item.conversation), at);
	return place;
}

/* Bytes lost before a record: the kernel counted @before; @passed were already seen or lost. */
static uint64_t missing(uint64_t *passed, uint64_t before)
{
	uint64_t lost = before > *passed ? before - *passed : 0;

	*passed += lost;
	return lost;
}

int conversations_record(struct conversations *all, const struct smcdata_record *record,
			 const uint8_t *data, int64_t at)
{
	const pid_t pid = (pid_t)record->conn.pid;
	struct conversation *conversation;
	uint64_t *passed;
	struct item *item;
	int ret;
	struct payload payload = { .at = at,
				   .full = record->full,
				   .len = record->len,
				   .data = data,
				   .is_unread = record->is_unread,
				   .is_end = record->kind == SMCDATA_CLOSE,
				   .is_sent = record->kind == SMCDATA_SENT };

	item = find_id(all, record->conn.id);
	if (!item && (payload.is_end ||
		      all->unwanted[record->conn.id % SMCDATA_VERDICTS] == record->conn.id))
		return 0;
	if (!item) {
		item = begin(all, record, at);
		payload.is_first = true;
	}
	if (!item)
		return 0;
	payload.conversation = conversation = &item->conversation;
	passed = conversation->passed;
	if (record->is_other_process || pid != conversation->pid) {
		payload.is_other_process = !payload.is_first && pid != conversation->pid;
		conversation->pid = pid;
		/* The record with the new name may be lost. */
		memset(conversation->comm, 0, sizeof(conversation->comm));
		if (record->is_other_process)
			memcpy(conversation->comm, record->comm, sizeof(conversation->comm) - 1);
	}
	if (payload.is_end) {
		payload.lost = missing(&passed[false], record->conn.received) +
			       missing(&passed[true], record->conn.sent);
		all->n_ended += !item->is_ended;
		item->is_ended = true;
		item->ended = at;
		return all->fn(all->arg, &payload);
	}
	payload.lost = missing(&passed[payload.is_sent],
			       payload.is_sent ? record->conn.sent : record->conn.received);
	ret = all->fn(all->arg, &payload);
	passed[payload.is_sent] += record->full;
	return ret;
}

const char *conversation_mode(const struct conversation *conversation)
{
	return conversation->mode == SMC_MODE_NONE ? "SMC" : smc_mode_name(conversation->mode);
}

/* ---- beginning and end ---- */

struct conversations *conversations_new(const struct wish *wish, __u64 *unwanted, payload_fn *fn,
					void *arg)
{
	struct conversations *all = xcalloc(1, sizeof(*all));

	all->wish = *wish;
	all->unwanted = unwanted;
	all->fn = fn;
	all->arg = arg;
	return all;
}

uint64_t conversations_count(const struct conversations *all)
{
	return all->count;
}

void conversations_free(struct conversations *all)
{
	if (!all)
		return;
	smc_index_free(&all->by_id);
	smc_index_free(&all->by_ends);
	free(all->items);
	free(all);
}
