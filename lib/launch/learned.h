/* SPDX-License-Identifier: MIT */
/* Destinations that gain nothing from SMC: find them, choose a transport, record lives. */
#pragma once

#include "launch/learned_table.h"

#include <sys/socket.h>

#pragma GCC visibility push(hidden)

/**
 * struct learned_key - a destination of a program
 * @addr: IPv6, or IPv4 mapped into it, in network byte order
 * @port: in host byte order, not 0, and the program's mark
 */
struct learned_key {
	learned_word addr[LEARNED_WORDS];
	uint32_t port;
};

/** struct learned_place - an entry, valid until it is reused for another destination */
struct learned_place {
	struct learned_entry *entry;
	uint32_t turn;
};

/** struct learned_choice - transport of a connection, and whether to measure its life */
struct learned_choice {
	bool is_tcp, is_timed;
};

/**
 * learned_key() - the key of a destination
 * @addr: AF_INET or AF_INET6, as long as struct sockaddr_in or sockaddr_in6
 *
 * Return: false for port 0, which nobody connects to.
 */
static inline bool learned_key(struct learned_key *key, const struct sockaddr *addr,
			       const struct learned_program *program)
{
	uint32_t words[4] = { 0, 0, htonl(0xffff) };
	const struct sockaddr_in6 *in6 = (const void *)addr;
	sa_family_t family;
	uint16_t port;

	/* Copy the address: the caller's struct has another type. The port has the same offset. */
	memcpy(&family, &in6->sin6_family, sizeof(family));
	memcpy(&port, &in6->sin6_port, sizeof(port));
	if (family == AF_INET) {
		memcpy(&words[3], &in6->sin6_flowinfo, sizeof(words[3]));
	} else {
		uint32_t scope;

		memcpy(words, &in6->sin6_addr, sizeof(words));
		/* In link-local addresses these bytes are zero: mix in the interface. */
		memcpy(&scope, &in6->sin6_scope_id, sizeof(scope));
		words[1] ^= scope;
	}
	memcpy(key->addr, words, sizeof(words));
	key->port = ntohs(port) | program->mark;
	return port;
}

/** learned_set() - set of a key: the first of LEARNED_WAYS entries */
static inline struct learned_entry *learned_set(struct learned_table *table,
						const struct learned_key *key)
{
	const learned_word factor = (learned_word)0x9e3779b97f4a7c15U;
	learned_word hash = key->port;

#pragma GCC unroll 4
	for (int i = LEARNED_WORDS - 1; i >= 0; i--)
		hash = (hash ^ key->addr[i]) * factor;
	return &table->entries[(hash >> (8 * sizeof(hash) - 8)) % LEARNED_SETS * LEARNED_WAYS];
}

/** learned_has() - true if an entry has this key. @turn: odd during a write */
static inline bool learned_has(const struct learned_entry *entry, const struct learned_key *key,
			       uint32_t *turn)
{
	*turn = atomic_load_explicit(&entry->turn, memory_order_acquire);
	if (atomic_load_explicit(&entry->port, memory_order_relaxed) != key->port)
		return false;
#pragma GCC unroll 4
	for (int i = 0; i < LEARNED_WORDS; i++) {
		if (atomic_load_explicit(&entry->addr[i], memory_order_relaxed) != key->addr[i])
			return false;
	}
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&entry->turn, memory_order_relaxed) == *turn;
}

/** learned_find() - entry of a destination, NULL if there is none or it is being written */
static inline struct learned_place learned_find(struct learned_table *table,
						const struct learned_key *key)
{
	struct learned_entry *set = learned_set(table, key);
	uint32_t turn;

	for (int i = 0; i < LEARNED_WAYS; i++) {
		if (__builtin_expect(learned_has(&set[i], key, &turn), !i))
			return (struct learned_place){ turn & 1 ? NULL : &set[i], turn };
	}
	return (struct learned_place){ NULL, 0 };
}

/**
 * learned_add() - add an entry, replacing the least recently used one of its set
 * @second: of CLOCK_MONOTONIC, not 0
 *
 * Lock-free. A killed writer blocks its entry for LEARNED_FORGET seconds.
 * Return: NULL if the entry is being written, or the destination has one by now.
 */
struct learned_place learned_add(struct learned_table *table, const struct learned_key *key,
				 const struct learned_program *program, uint32_t second);

/**
 * learned_choose() - count a connection, and choose its transport
 *
 * Like the functions below, it changes nothing if the entry now belongs to another destination or
 * is being written. A connection that is not counted does no harm.
 */
struct learned_choice learned_choose(struct learned_place place);

/** learned_is_usual() - true if the next connection is neither measured nor tried */
static inline bool learned_is_usual(uint32_t counts)
{
	return !(counts & (LEARNED_IS_COMPARED | LEARNED_IS_MEASURED)) &&
	       learned_connections(counts) % LEARNED_EACH;
}

/** learned_pass() - learned_choose() if learned_is_usual(@counts). Return: true for TCP */
static inline bool learned_pass(struct learned_place place, uint32_t counts)
{
	uint32_t old = counts;

	/* Fails if the entry has changed, or now has another destination. */
	atomic_compare_exchange_strong_explicit(&place.entry->counts, &old,
						counts + LEARNED_CONNECTION, memory_order_relaxed,
						memory_order_relaxed);
	return counts & LEARNED_IS_TCP;
}

/** learned_used() - start of a measured connection: drops outdated values */
void learned_used(struct learned_place place, uint32_t second);

/** learned_shook() - record the duration of an SMC handshake, in ticks */
void learned_shook(struct learned_place place, uint32_t ticks);

/** learned_lived() - record the life of a closed connection, including its handshake, in ticks */
void learned_lived(struct learned_place place, bool is_tcp, uint32_t ticks);

/** learned_is_long() - true for ticks of LEARNED_LONG handshakes or more */
bool learned_is_long(struct learned_place place, uint32_t ticks);

/** learned_broke() - record a broken SMC handshake: TCP for LEARNED_BROKEN seconds */
void learned_broke(struct learned_place place, uint32_t second);

/** learned_is_broken() - true within LEARNED_BROKEN seconds */
bool learned_is_broken(struct learned_place place, uint32_t second);

#pragma GCC visibility pop
