/* SPDX-License-Identifier: MIT */
/* Shared memory of ld_pre_smc.so: destinations, and whether they gain from SMC. */
#pragma once

#include "base/libc.h"

#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/shm.h>
#include <sys/socket.h>

#pragma GCC visibility push(hidden)

/*
 * Thresholds. Times are multiples of the destination's own handshake: the duration of connect()
 * over SMC. bench/README.md has the measurements.
 */
enum {
	/*
	 * A connection that lives at least this many handshakes uses SMC: it loses less than 3 %,
	 * because SMC takes 0.85 handshakes longer than TCP to begin and end. Shorter lives over
	 * SMC are compared with those over TCP.
	 */
	LEARNED_LONG = 32,
	/*
	 * Unit of scores. A score is the mean life, LEARNED_ONE for LEARNED_LONG handshakes. Below
	 * this, SMC and TCP are compared.
	 */
	LEARNED_ONE = 256,
	/* Score of a new destination. After nine short lives in a row, TCP is tried. */
	LEARNED_START = 3 * LEARNED_ONE,
	/* Maximum of the score. From here, TCP is tried after a dozen short lives in a row. */
	LEARNED_MOST = 4 * LEARNED_ONE,
	/* Weight of a new value in a mean: 1/this. */
	LEARNED_WEIGHT = 8,
	/* Limit for a new value: this many means. */
	LEARNED_OUTLIER = 4,
	/* Number of lives over TCP to be measured before both are compared. */
	LEARNED_LEAST = 3,
	/* After close(), SMC takes longer than TCP: a handshake divided by this. */
	LEARNED_END = 4,
	/*
	 * Trials: one connection in this many uses the other transport, which may be better by now.
	 * The shortest connections take 1.8 times as long over SMC, so trials make them 0.7 %
	 * longer on average. LEARNED_CLOSE_TRIAL applies if the two differ by less than half.
	 * If one takes N * LEARNED_FAR times as long as the other, trials are N + 1 times as rare.
	 */
	LEARNED_TRIAL = 120,
	LEARNED_CLOSE_TRIAL = 48,
	LEARNED_FAR = 4,
	/*
	 * The first lives are all measured, later only one in LEARNED_EACH, because clock_gettime()
	 * costs time. After a life that was not long, all lives over SMC are measured again.
	 */
	LEARNED_FIRST = 32,
	LEARNED_EACH = 16,
	/* Seconds without a connection after which a destination counts as new. */
	LEARNED_FORGET = 600,
	/* Seconds of TCP after a broken handshake. */
	LEARNED_BROKEN = 3600,
	/* Nanoseconds per tick: 32 bits hold 9 hours. */
	LEARNED_TICK = 8000,
};

enum { LEARNED_SETS = 256, LEARNED_WAYS = 4, LEARNED_PROGRAM = 12 };

/**
 * struct learned_program - the connecting program
 * @name: its short name, padded with zeros, not always NUL-terminated
 * @mark: hash of the name and the network namespace, in the upper 16 bits
 */
struct learned_program {
	uint32_t name[LEARNED_PROGRAM / 4], mark;
};

/* An address is compared in words of this processor's size. */
typedef unsigned long learned_word;
enum { LEARNED_WORDS = sizeof(struct in6_addr) / sizeof(learned_word) };

/**
 * struct learned_key - a destination of a program
 * @addr: IPv6, or IPv4 mapped into it, in network byte order
 * @port: in host byte order, not 0, and the program's mark
 */
struct learned_key {
	learned_word addr[LEARNED_WORDS];
	uint32_t port;
};

/**
 * struct learned_entry - state of a destination: 64 bytes
 * @turn: odd during a write; increased by two each time that the key changes
 * @port, @addr: struct learned_key; @name: of the program
 * @used: CLOCK_MONOTONIC second of the last connection whose life was measured
 * @score: mean life, see LEARNED_ONE; @handshake: ticks, 0: not measured yet
 * @smc, @tcp: mean life of short connections, in ticks, 0: not measured yet
 * @counts: connections so far, and the decision: see LEARNED_STREAK
 * @broken: second until which SMC is not tried after a broken handshake; 0: none broke
 */
struct learned_entry {
	_Atomic uint32_t turn, port;
	_Atomic learned_word addr[LEARNED_WORDS];
	_Atomic uint32_t name[LEARNED_PROGRAM / 4];
	_Atomic uint32_t used, score, handshake, smc, tcp, counts, broken;
};

struct learned_table {
	struct learned_entry entries[LEARNED_SETS * LEARNED_WAYS];
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

/*
 * A table is a System V shared memory segment of its user, for all network namespaces, because a
 * system has few segments. Nobody can shrink a segment, and its memory does not depend on a file
 * system; a file could be truncated by its owner, which would end every program that has mapped it
 * by SIGBUS. A removed segment remains until the last program detaches it.
 *
 * Every user can create segments with any key. So a user has at least as many keys as a system has
 * segments by default (SHMMNI is 4096), and uses the first that others have not taken.
 */
enum {
	/* This number gives segments a size that no other program uses. */
	LEARNED_LAYOUT = 2,
	LEARNED_SIZE = sizeof(struct learned_table) + LEARNED_LAYOUT,
	LEARNED_KEYS = 32768,
	LEARNED_MODE = 0600,
};

/** learned_ipc_key() - key number @n of a user's segment; never IPC_PRIVATE */
static inline key_t learned_ipc_key(uint32_t user, uint32_t n)
{
	return (key_t)((user * 0x9e3779b1U + 0x534d4330U + 2 * n) | 1);
}

/** learned_is_owned() - true if only this user and root could write to the segment */
static inline bool learned_is_owned(const struct shmid_ds *segment, uint32_t user)
{
	return segment->shm_perm.uid == user && segment->shm_perm.cuid == user &&
	       (segment->shm_perm.mode & 0777) == LEARNED_MODE &&
	       segment->shm_segsz == LEARNED_SIZE;
}

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

	/* Copied: the caller's struct is of another type. Its port has the same offset. */
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

/** learned_program() - @name: program_invocation_short_name */
static inline void learned_program(struct learned_program *program, const char *name)
{
	char text[sizeof(program->name)] = { 0 };
	uint32_t hash = 0;

	for (size_t i = 0; i < sizeof(text) && name[i]; i++) {
		text[i] = name[i];
		hash = (hash ^ (unsigned char)name[i]) * 0x9e3779b1U;
	}
	memcpy(program->name, text, sizeof(text));
	program->mark = hash & ~0xffffU;
}

/** learned_enter() - distinguish a program from those in other namespaces: smc_netns_id() */
static inline void learned_enter(struct learned_program *program, uint64_t net)
{
	program->mark ^= (uint32_t)((net * 0x9e3779b97f4a7c15U) >> 32) & ~0xffffU;
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

/*
 * Fields of the word counts: connections since the last trial; measured lives over TCP; all
 * connections. Then flags: use TCP; compare both by trials; the difference is clear; measure all
 * lives.
 */
#define LEARNED_STREAK 0x7fU
#define LEARNED_TCP_LIFE (1U << 7)
#define LEARNED_TCP_LIVES (3U << 7)
#define LEARNED_CONNECTION (1U << 9)
#define LEARNED_CONNECTIONS (0x7ffffU << 9)
#define LEARNED_IS_TCP (1U << 28)
#define LEARNED_IS_COMPARED (1U << 29)
#define LEARNED_IS_CLEAR (1U << 30)
#define LEARNED_IS_MEASURED (1U << 31)

/** learned_connections() - number of connections, from the word counts; stays below 300 000 */
static inline uint32_t learned_connections(uint32_t counts)
{
	return (counts & LEARNED_CONNECTIONS) / LEARNED_CONNECTION;
}

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
