// SPDX-License-Identifier: MIT
/* Destinations whose connections gain nothing from SMC: the memory of ld_pre_smc.so. */
#include "launch/learned.h"

#include <netinet/in.h>
#include <string.h>

#include "smc/keep.h"

enum { KEY_WORDS = sizeof(struct learned_key) / 4 };

static uint32_t get(_Atomic uint32_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static void put(_Atomic uint32_t *word, uint32_t value)
{
	atomic_store_explicit(word, value, memory_order_relaxed);
}

void learned_path(char *path, unsigned long user, unsigned long net)
{
	static const char start[] = LEARNED_DIR "/" LEARNED_NAME;
	char *end;

	memcpy(path, start, sizeof(start) - 1);
	end = keep_put(path + sizeof(start) - 1, user);
	*end++ = '.';
	*keep_put(end, net) = '\0';
}

static uint32_t mix(uint32_t hash, uint32_t word)
{
	hash = (hash ^ word) * 0x9e3779b1U;
	return hash ^ hash >> 15;
}

void learned_key(struct learned_key *key, const struct sockaddr *addr, const uint32_t *program)
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in;
	uint32_t hash = 0;
	size_t i;

	*key = (struct learned_key){ 0 };
	if (addr->sa_family == AF_INET) {
		memcpy(&in, addr, sizeof(in));
		key->addr[2] = htonl(0xffff);
		key->addr[3] = in.sin_addr.s_addr;
		key->port = ntohs(in.sin_port);
	} else {
		memcpy(&in6, addr, sizeof(in6));
		memcpy(key->addr, &in6.sin6_addr, sizeof(key->addr));
		key->port = ntohs(in6.sin6_port);
	}
	for (i = 0; i < LEARNED_PROGRAM / 4; i++) {
		key->program[i] = program[i];
		hash = mix(hash, program[i]);
	}
	for (i = 0; i < 4; i++)
		hash = mix(hash, key->addr[i]);
	hash = mix(hash, key->port);
	key->hash = hash ? hash : 1;
}

/* Return: whether this caller writes the entry now; false also if it is another destination's. */
static bool take(struct learned_place place)
{
	uint32_t turn = place.turn;

	return atomic_compare_exchange_strong_explicit(&place.entry->turn, &turn, turn | 1,
						       memory_order_acquire, memory_order_relaxed);
}

static void give(struct learned_entry *entry, uint32_t turn)
{
	atomic_store_explicit(&entry->turn, turn, memory_order_release);
}

/* Whether an entry has this key. @turn: odd while somebody writes it. */
static bool has_key(struct learned_entry *entry, const struct learned_key *key, uint32_t *turn)
{
	uint32_t words[KEY_WORDS];

	*turn = atomic_load_explicit(&entry->turn, memory_order_acquire);
	for (size_t i = 0; i < KEY_WORDS; i++) {
		words[i] = get(&entry->key[i]);
		if (!i && words[0] != key->hash)
			return false;
	}
	atomic_thread_fence(memory_order_acquire);
	return get(&entry->turn) == *turn && !memcmp(words, key, sizeof(*key));
}

/* The entry of a set that nobody writes, and that is free or was not used for the longest time. */
static struct learned_entry *oldest(struct learned_entry *set, uint32_t second)
{
	struct learned_entry *found = NULL;

	for (int i = 0; i < LEARNED_WAYS; i++) {
		if (get(&set[i].turn) & 1)
			continue;
		if (!get(&set[i].key[0]))
			return &set[i];
		if (!found || second - get(&set[i].used) > second - get(&found->used))
			found = &set[i];
	}
	return found;
}

static void reset(struct learned_entry *entry, uint32_t second)
{
	put(&entry->score, LEARNED_START);
	put(&entry->handshake, 0);
	put(&entry->lives, 0);
	put(&entry->streak, 0);
	put(&entry->used, second);
}

static struct learned_place add(struct learned_entry *set, const struct learned_key *key,
				uint32_t second)
{
	struct learned_place place = { oldest(set, second), 0 };
	uint32_t words[KEY_WORDS];

	if (place.entry)
		place.turn = get(&place.entry->turn) & ~1U;
	if (!place.entry || !take(place))
		return (struct learned_place){ NULL, 0 };
	memcpy(words, key, sizeof(words));
	for (size_t i = 0; i < KEY_WORDS; i++)
		put(&place.entry->key[i], words[i]);
	reset(place.entry, second);
	put(&place.entry->broken, 0);
	place.turn += 2;
	give(place.entry, place.turn);
	return place;
}

struct learned_place learned_find(struct learned_table *table, const struct learned_key *key,
				  uint32_t second)
{
	struct learned_entry *set = &table->entries[key->hash % LEARNED_SETS * LEARNED_WAYS];
	uint32_t turn;

	for (int i = 0; i < LEARNED_WAYS; i++) {
		if (has_key(&set[i], key, &turn))
			return (struct learned_place){ turn & 1 ? NULL : &set[i], turn };
	}
	return second ? add(set, key, second) : (struct learned_place){ NULL, 0 };
}

bool learned_is_timed(struct learned_place place)
{
	uint32_t lives = get(&place.entry->lives), score = get(&place.entry->score);

	return lives < LEARNED_FIRST || !(lives % LEARNED_EACH) ||
	       (get(&place.entry->handshake) && score >= LEARNED_ONE && score < LEARNED_MOST);
}

enum learned_choice learned_choose(struct learned_place place, uint32_t second)
{
	enum learned_choice choice = LEARNED_SMC;
	struct learned_entry *entry = place.entry;
	uint32_t streak = 0;

	if (!take(place))
		return LEARNED_SMC;
	if (second && second - get(&entry->used) > LEARNED_FORGET)
		reset(entry, second);
	if (second)
		put(&entry->used, second);
	if (get(&entry->score) < LEARNED_ONE) {
		streak = (get(&entry->streak) + 1) % LEARNED_TRIAL;
		choice = streak ? LEARNED_SHORT : LEARNED_TRY_SMC;
	}
	put(&entry->streak, streak);
	put(&entry->lives, get(&entry->lives) + 1);
	give(entry, place.turn);
	return choice;
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

static int mean_life(uint32_t ticks, uint32_t handshake, int old)
{
	uint64_t life = (uint64_t)ticks * LEARNED_ONE / ((uint64_t)handshake * LEARNED_PAYS);
	int score = life < LEARNED_MOST ? (int)life : LEARNED_MOST;

	return score >= LEARNED_ONE && score > old ? score : old + (score - old) / LEARNED_WEIGHT;
}

void learned_lived(struct learned_place place, uint32_t ticks)
{
	struct learned_entry *entry = place.entry;

	if (!take(place))
		return;
	if (get(&entry->handshake))
		put(&entry->score,
		    (uint32_t)mean_life(ticks, get(&entry->handshake), (int)get(&entry->score)));
	give(entry, place.turn);
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
