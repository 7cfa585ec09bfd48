// SPDX-License-Identifier: MIT
/* Shared memory of ld_pre_smc.so: destinations that gain nothing from SMC. */
#include "launch/learned.h"

#define DECISION (LEARNED_IS_TCP | LEARNED_IS_COMPARED | LEARNED_IS_CLEAR | LEARNED_IS_MEASURED)

static uint32_t get(const _Atomic uint32_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static void put(_Atomic uint32_t *word, uint32_t value)
{
	atomic_store_explicit(word, value, memory_order_relaxed);
}

/* Lock an entry for writing. Return: false if it is being written, or has another destination. */
static bool take(struct learned_place place)
{
	uint32_t turn = place.turn;

	if (!atomic_compare_exchange_strong_explicit(&place.entry->turn, &turn, turn | 1,
						     memory_order_acquire, memory_order_relaxed))
		return false;
	atomic_thread_fence(memory_order_release);
	return true;
}

static void give(struct learned_entry *entry, uint32_t turn)
{
	atomic_store_explicit(&entry->turn, turn, memory_order_release);
}

/*
 * Seconds since the entry was used; negative if another process has written a later second. A time
 * far in the future is an error, and counts as long ago.
 */
static int idle(const struct learned_entry *entry, uint32_t second)
{
	int32_t seconds = (int32_t)(second - get(&entry->used));

	return seconds < -LEARNED_FORGET ? INT_MAX : seconds;
}

/* True if a writer is active. Ignores one that was killed long ago. */
static bool is_written(const struct learned_entry *entry, uint32_t second)
{
	return get(&entry->turn) & 1 && idle(entry, second) <= LEARNED_FORGET;
}

/* The free or least recently used entry of a set, without a writer. */
static struct learned_entry *oldest(struct learned_entry *set, uint32_t second)
{
	struct learned_entry *found = NULL;

	for (int i = 0; i < LEARNED_WAYS; i++) {
		if (is_written(&set[i], second))
			continue;
		if (!get(&set[i].used))
			return &set[i];
		if (!found || idle(&set[i], second) > idle(found, second))
			found = &set[i];
	}
	return found;
}

static void reset(struct learned_entry *entry, uint32_t second)
{
	put(&entry->score, LEARNED_START);
	put(&entry->handshake, 0);
	put(&entry->smc, 0);
	put(&entry->tcp, 0);
	put(&entry->counts, LEARNED_IS_MEASURED);
	put(&entry->used, second);
}

struct learned_place learned_add(struct learned_table *table, const struct learned_key *key,
				 const struct learned_program *program, uint32_t second)
{
	struct learned_place none = { NULL, 0 }, place = none;
	struct learned_entry *set = learned_set(table, key);
	uint32_t turn;

	for (int i = 0; i < LEARNED_WAYS; i++) {
		if (learned_has(&set[i], key, &turn) &&
		    (!(turn & 1) || is_written(&set[i], second)))
			return none;
	}
	place.entry = oldest(set, second);
	if (!place.entry)
		return none;
	turn = get(&place.entry->turn);
	place.turn = (turn + 1) & ~1U;
	/* A killed writer left @turn odd. */
	if (turn & 1 && (is_written(place.entry, second) ||
			 !atomic_compare_exchange_strong(&place.entry->turn, &turn, place.turn)))
		return none;
	if (!take(place))
		return none;
	put(&place.entry->port, key->port);
	for (size_t i = 0; i < LEARNED_WORDS; i++)
		atomic_store_explicit(&place.entry->addr[i], key->addr[i], memory_order_relaxed);
	for (size_t i = 0; i < LEARNED_PROGRAM / 4; i++)
		put(&place.entry->name[i], program->name[i]);
	reset(place.entry, second);
	put(&place.entry->broken, 0);
	place.turn += 2;
	give(place.entry, place.turn);
	return place;
}

/* True if a trial after @lives connections is cheap enough. */
static bool is_due(const struct learned_entry *entry, uint32_t lives)
{
	uint32_t smc = get(&entry->smc), tcp = get(&entry->tcp), shorter = smc < tcp ? smc : tcp;

	return !shorter ||
	       !(lives / LEARNED_TRIAL % (1 + (smc + tcp - shorter) / shorter / LEARNED_FAR));
}

struct learned_choice learned_choose(struct learned_place place)
{
	uint32_t old = get(&place.entry->counts), next = old + LEARNED_CONNECTION;
	uint32_t lives = learned_connections(old);
	struct learned_choice choice = { old & LEARNED_IS_TCP, old & LEARNED_IS_MEASURED };

	choice.is_timed |= !(lives % LEARNED_EACH);
	/* No connection has ended yet. */
	if (lives == LEARNED_FIRST && get(&place.entry->score) == LEARNED_START)
		next &= ~LEARNED_IS_MEASURED;
	/* Halve the counter before it is full: half of it is a multiple of LEARNED_EACH, too. */
	if (!(lives % LEARNED_EACH) && lives > LEARNED_CONNECTIONS / LEARNED_CONNECTION / 2)
		next = old - lives / 2 * LEARNED_CONNECTION;
	if (old & LEARNED_IS_COMPARED &&
	    (++next & LEARNED_STREAK) >=
		    (old & LEARNED_IS_CLEAR ? LEARNED_TRIAL : LEARNED_CLOSE_TRIAL)) {
		if (is_due(place.entry, lives))
			choice = (struct learned_choice){ !choice.is_tcp, true };
		next &= ~LEARNED_STREAK;
	}
	atomic_compare_exchange_strong_explicit(&place.entry->counts, &old, next,
						memory_order_relaxed, memory_order_relaxed);
	return choice;
}

void learned_used(struct learned_place place, uint32_t second)
{
	if (!take(place))
		return;
	if (idle(place.entry, second) > LEARNED_FORGET)
		reset(place.entry, second);
	put(&place.entry->used, second);
	give(place.entry, place.turn);
}

void learned_shook(struct learned_place place, uint32_t ticks)
{
	uint32_t old, new = ticks ? ticks : 1;

	if (!take(place))
		return;
	old = get(&place.entry->handshake);
	if (old > new)
		new = (old + new + 1) / 2;
	else if (old)
		new = old + (new - old) / LEARNED_WEIGHT;
	put(&place.entry->handshake, new);
	give(place.entry, place.turn);
}

/*
 * Account for a short life. A busy machine makes lives longer, some of them much longer. Only the
 * shortest of the first lives over TCP counts; a later one, at most LEARNED_OUTLIER means.
 */
static void add_to_mean(struct learned_entry *entry, bool is_tcp, uint32_t ticks)
{
	bool is_early = is_tcp && (get(&entry->counts) & LEARNED_TCP_LIVES) <
					  LEARNED_LEAST * LEARNED_TCP_LIFE;
	_Atomic uint32_t *mean = is_tcp ? &entry->tcp : &entry->smc;
	int64_t old = get(mean), value = ticks ? ticks : 1;

	if (old && value > LEARNED_OUTLIER * old)
		value = LEARNED_OUTLIER * old;
	if (old && !is_early)
		value = old + (value - old) / LEARNED_WEIGHT;
	else if (old && old < value)
		value = old;
	put(mean, (uint32_t)value);
}

static uint32_t decide(const struct learned_entry *entry, uint32_t counts)
{
	uint32_t smc = get(&entry->smc), tcp = get(&entry->tcp), decision = 0;

	if (get(&entry->score) < LEARNED_ONE) {
		decision = LEARNED_IS_COMPARED;
		if ((counts & LEARNED_TCP_LIVES) < LEARNED_LEAST * LEARNED_TCP_LIFE ||
		    tcp < smc + get(&entry->handshake) / LEARNED_END)
			decision |= LEARNED_IS_TCP;
		if (smc > tcp + tcp / 2 || tcp > smc + smc / 2)
			decision |= LEARNED_IS_CLEAR;
	}
	if (learned_connections(counts) < LEARNED_FIRST ||
	    (!(decision & LEARNED_IS_TCP) && get(&entry->score) < LEARNED_MOST))
		decision |= LEARNED_IS_MEASURED;
	return decision;
}

void learned_lived(struct learned_place place, bool is_tcp, uint32_t ticks)
{
	struct learned_entry *entry = place.entry;
	uint32_t counts, handshake;
	int old, score;
	uint64_t life;

	if (!take(place))
		return;
	handshake = get(&entry->handshake);
	if (!handshake) {
		give(entry, place.turn);
		return;
	}
	old = get(&entry->score) < LEARNED_MOST ? (int)get(&entry->score) : LEARNED_MOST;
	life = (uint64_t)ticks * LEARNED_ONE / handshake / LEARNED_LONG;
	score = life < LEARNED_MOST ? (int)life : LEARNED_MOST;
	counts = get(&entry->counts);
	if (score < LEARNED_ONE) {
		add_to_mean(entry, is_tcp, ticks);
		if (is_tcp && (counts & LEARNED_TCP_LIVES) != LEARNED_TCP_LIVES)
			counts += LEARNED_TCP_LIFE;
	}
	if (score < LEARNED_ONE || score < old)
		score = old + (score - old) / LEARNED_WEIGHT;
	put(&entry->score, (uint32_t)score);
	put(&entry->counts, (counts & ~DECISION) | decide(entry, counts));
	give(entry, place.turn);
}

bool learned_is_long(struct learned_place place, uint32_t ticks)
{
	return ticks >= (uint64_t)get(&place.entry->handshake) * LEARNED_LONG;
}

void learned_broke(struct learned_place place, uint32_t second)
{
	if (!take(place))
		return;
	put(&place.entry->broken, second + LEARNED_BROKEN);
	give(place.entry, place.turn);
}

bool learned_is_broken(struct learned_place place, uint32_t second)
{
	uint32_t until = get(&place.entry->broken);

	return until && until - second - 1 < LEARNED_BROKEN;
}
