/* SPDX-License-Identifier: MIT */
/* Destinations whose connections gain nothing from SMC: the memory of ld_pre_smc.so. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#pragma GCC visibility push(hidden)

/* A struct learned_table for each user and network namespace: learned_path(). */
#define LEARNED_DIR "/dev/shm"
#define LEARNED_NAME "smc-tools-learned-1."

/*
 * Thresholds. Times are multiples of the destination's own handshake: the time that connect() takes
 * over SMC. docs/gain.md has the measurements.
 */
enum {
	/*
	 * A life of this many handshakes pays. A handshake of SMC takes one more than that of TCP,
	 * 1/16 of such a life, and what SMC saves per exchange has won that back by then.
	 */
	LEARNED_PAYS = 16,
	/* A score: mean life in units of LEARNED_PAYS handshakes. Below this: TCP. */
	LEARNED_ONE = 256,
	/* New destinations start here: nine short lives in a row lead to TCP. */
	LEARNED_START = 3 * LEARNED_ONE,
	/* One life as long as that: a dozen short ones lead to TCP. */
	LEARNED_MOST = 4 * LEARNED_ONE,
	/* Weight of a short life in the score: one part of that many. */
	LEARNED_WEIGHT = 8,
	/* One connection of that many uses SMC all the same. */
	LEARNED_TRIAL = 64,
	/*
	 * All of the first lives are measured, then one of that many: clock_gettime() costs. Over
	 * SMC again all, since one was not long.
	 */
	LEARNED_FIRST = 32,
	LEARNED_EACH = 8,
	/* Seconds without a connection after which a destination is as new. */
	LEARNED_FORGET = 600,
	/* Seconds of TCP after a handshake that broke. */
	LEARNED_BROKEN = 3600,
	/* Nanoseconds of a unit of time: 32 bits hold 9 hours. */
	LEARNED_TICK = 8000,
};

enum { LEARNED_SETS = 256, LEARNED_WAYS = 4, LEARNED_PROGRAM = 12 };

/**
 * struct learned_key - a destination of a program
 * @hash: of all that follows, never 0
 * @addr: IPv6, or IPv4 mapped into it, in network byte order
 * @port: in host byte order
 * @program: its short name, padded with zeros, not always ended by one
 */
struct learned_key {
	uint32_t hash, addr[4], port;
	uint32_t program[LEARNED_PROGRAM / 4];
};

/**
 * struct learned_entry - what is known of a destination: 64 bytes
 * @turn: odd while somebody writes the entry; two more each time that @key changes
 * @key: struct learned_key
 * @used: second of CLOCK_MONOTONIC of the last connection whose life was measured
 * @score: mean life, see LEARNED_ONE
 * @handshake: ticks, 0: not measured yet
 * @lives: connections so far
 * @streak: connections in a row that went to TCP
 * @broken: second until which SMC is not tried, as a handshake broke; 0: none did
 */
struct learned_entry {
	_Atomic uint32_t turn;
	_Atomic uint32_t key[sizeof(struct learned_key) / 4];
	_Atomic uint32_t used, score, handshake, lives, streak, broken;
};

struct learned_table {
	struct learned_entry entries[LEARNED_SETS * LEARNED_WAYS];
};

/** struct learned_place - an entry, as long as nobody else has taken it */
struct learned_place {
	struct learned_entry *entry;
	uint32_t turn;
};

/** enum learned_choice - what a connection should use */
enum learned_choice { LEARNED_SMC, LEARNED_TRY_SMC, LEARNED_SHORT };

/* The file of learned_path(), with its NUL. */
enum { LEARNED_PATH = 64 };

/** learned_path() - where a user's programs in a network namespace, by its inode, remember */
void learned_path(char *path, unsigned long user, unsigned long net);

/** learned_key() - @addr: AF_INET or AF_INET6, as long as struct sockaddr_in or sockaddr_in6 */
void learned_key(struct learned_key *key, const struct sockaddr *addr, const uint32_t *program);

/**
 * learned_find() - the entry of a destination
 * @second: of CLOCK_MONOTONIC: with it a new entry is made in the place of the one that was not
 *	used for the longest time; with 0 none is made
 *
 * Takes no lock; a writer that was killed costs its entry.
 *
 * Return: an entry, or NULL if there is none, or if somebody else is writing one.
 */
struct learned_place learned_find(struct learned_table *table, const struct learned_key *key,
				  uint32_t second);

/** learned_is_timed() - whether the life of the next connection is to be measured */
bool learned_is_timed(struct learned_place place);

/**
 * learned_choose() - count a connection, and choose
 * @second: of CLOCK_MONOTONIC if its life is measured, else 0
 *
 * As the functions below, it does nothing to an entry that another destination has by now, or that
 * somebody else is writing: one life that is not counted costs nothing.
 */
enum learned_choice learned_choose(struct learned_place place, uint32_t second);

/** learned_shook() - a handshake of SMC took so many ticks */
void learned_shook(struct learned_place place, uint32_t ticks);

/** learned_lived() - a connection was closed after so many ticks, its handshake included */
void learned_lived(struct learned_place place, uint32_t ticks);

/** learned_broke() - a handshake of SMC broke: TCP for LEARNED_BROKEN seconds */
void learned_broke(struct learned_place place, uint32_t second);

/** learned_is_broken() - whether they are not over */
bool learned_is_broken(struct learned_place place, uint32_t second);

#pragma GCC visibility pop
