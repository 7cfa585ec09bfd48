/* SPDX-License-Identifier: MIT */
/* Shared memory of ld_pre_smc.so: its layout, for the library and for tools that read it. */
#pragma once

#include "base/libc.h"

#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/shm.h>

#pragma GCC visibility push(hidden)

/*
 * Thresholds. Times are multiples of the destination's own handshake: the duration of connect()
 * over SMC. bench/README.md has the measurements.
 */
enum {
	/*
	 * A connection that lives at least this many handshakes uses SMC: it loses less than 3 %,
	 * as SMC takes 0.85 handshakes longer than TCP to begin and end. Shorter lives over SMC are
	 * compared with those over TCP.
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
	/* Weight of a new value in a mean: one part of this many. */
	LEARNED_WEIGHT = 8,
	/* Limit for a new value: this many means. */
	LEARNED_OUTLIER = 4,
	/* Number of lives over TCP to be measured before both are compared. */
	LEARNED_LEAST = 3,
	/* After close(), SMC works longer than TCP does, by a handshake divided by this. */
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
	 * The first lives are all measured, later ones one in LEARNED_EACH, as clock_gettime()
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
 * struct learned_entry - state of a destination: 64 bytes
 * @turn: odd during a write; increased by two each time that the key changes
 * @port, @addr: struct learned_key of learned.h; @name: of the program
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

/*
 * A table is a System V shared memory segment of its user, for all network namespaces, because a
 * system has few segments. Nobody can shrink a segment, and it needs no space in a file system; a
 * file that its owner truncates would end every program that maps it by SIGBUS. A removed segment
 * remains until the last program detaches it.
 *
 * Every user can create segments with any key. So each user has more keys than a system has
 * segments by default (SHMMNI, 4096), and uses the first one that no other user has taken.
 */
enum {
	/* Makes the size of a segment one that no other program uses. */
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

/** learned_program() - describe a program; @name: program_invocation_short_name */
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

/*
 * Fields of the word counts: connections since the last trial; measured lives over TCP; all
 * connections. Then flags: use TCP; compare both, by trials; the difference is clear; measure all
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

#pragma GCC visibility pop
