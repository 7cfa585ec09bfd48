// SPDX-License-Identifier: MIT
/*
 * Measure the lives of connections, and learn from them.
 *
 * connect() calls shim_lives_advice(). The life of some connections is measured: they have FD_TIMED
 * and an entry in lives[], until close(), or until another process or descriptor may share them.
 * The user's programs share the memory; if it cannot be attached, it is private.
 */
#include "ld_pre_smc/state/lives.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/sandbox.h"
#include "ld_pre_smc/state/slot.h"

/* Measured connections, indexed by file descriptor; newer ones replace older ones. */
#define LIVES 256

/* Words of an entry. LIFE_TURN is even; odd while the handshake is in progress. */
enum { LIFE_OWNER, LIFE_INDEX, LIFE_TURN, LIFE_START, LIFE_IS_TCP, LIFE_WORDS };

static atomic_uint lives[LIVES][SHIM_SLOT(LIFE_WORDS)];

/* Used if nothing is shared; zero pages until then. */
static struct learned_table own_table;

/* NULL: not chosen yet. @learning: the same, NULL if the process does not learn. */
static _Atomic(struct learned_table *) table, learning;

static atomic_bool has_broken;
/* An int, as in log_invalid(). */
static atomic_int is_choosing;
static struct learned_program program;

/* ---- the memory ---- */

/*
 * True if this user owns the segment. Once attached, its number cannot be reused. @is_taken: set if
 * it is another segment, or was removed
 */
static struct learned_table *attach(int segment, bool *is_taken)
{
	void *map = shmat(segment, NULL, 0);
	struct shmid_ds state;

	*is_taken = false;
	if (map == (void *)-1) {
		*is_taken = errno == EINVAL || errno == EIDRM;
		return NULL;
	}
	if (!shmctl(segment, IPC_STAT, &state)) {
		if (learned_is_owned(&state, geteuid()))
			return map;
		*is_taken = true;
	}
	shmdt(map);
	return NULL;
}

/* Every segment that this creates is accepted, or ends the search: there is never a second one. */
static struct learned_table *find_shared(void)
{
	struct learned_table *shared = NULL;
	bool is_taken = true;
	int segment;
	key_t key;

	for (uint32_t n = 0; is_taken && !shared && n < LEARNED_KEYS; n++) {
		key = learned_ipc_key(geteuid(), n);
		segment = shmget(key, LEARNED_SIZE, IPC_CREAT | LEARNED_MODE);
		if (segment >= 0)
			shared = attach(segment, &is_taken);
		else /* by another user's segment, or a smaller one */
			is_taken = (errno == EACCES || errno == EINVAL) && shmget(key, 0, 0) >= 0;
	}
	return shared;
}

/* Like smc_netns_id() of the socket's network namespace. */
static uint64_t net_of(int fd)
{
	uint64_t cookie;
	socklen_t len = sizeof(cookie);
	struct stat net;

	if (!next_getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len))
		return cookie;
	return shim_stat(AT_FDCWD, "/proc/self/ns/net", &net) ? 0 : net.st_ino;
}

/*
 * Few system call filters admit System V shared memory, and some end the program: use it only if
 * this thread certainly has no filter.
 */
static struct learned_table *open_shared(int socket)
{
	struct learned_table *shared;
	uint64_t net;

	if (shim_in_sandbox || getauxval(AT_SECURE) ||
	    shim_file_has(AT_FDCWD, "/proc/thread-self/status", "\nSeccomp:\t0\n") <= 0)
		return NULL;
	net = net_of(socket);
	if (!net)
		return NULL;
	learned_enter(&program, net);
	shared = find_shared();
	if (!shared)
		shim_log_text("what is learned cannot be shared with other programs");
	return shared;
}

/* Explicit rules take precedence over learning. */
static bool may_learn(void)
{
	struct shim_config own;
	const struct shim_config *cfg = shim_config_get(&own);
	struct rules rules;

	return cfg->learn && !cfg->raw && !cfg->strict &&
	       !(cfg->has_rules && shim_rules_get(&rules)->has_include);
}

/* Choose the shared table. Meanwhile, other threads and signal handlers do not learn. */
static __attribute__((noinline, cold)) struct learned_table *choose_table(int socket)
{
	struct learned_table *chosen = NULL;
	AUTO_ERRNO();
	bool learns;

	if (atomic_exchange(&is_choosing, 1))
		return NULL;
	learns = may_learn();
	if (learns) {
		learned_program(&program, program_invocation_short_name);
		chosen = open_shared(socket);
	}
	atomic_store_explicit(&table, chosen ? chosen : &own_table, memory_order_release);
	if (learns)
		atomic_store_explicit(&learning, table, memory_order_release);
	return table;
}

/* ---- lives ---- */

static uint32_t now(uint32_t *second)
{
	struct timespec time = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &time);
	*second = (uint32_t)time.tv_sec;
	return (uint32_t)time.tv_sec * (1000000000 / LEARNED_TICK) +
	       (uint32_t)time.tv_nsec / LEARNED_TICK;
}

static void keep(const uint32_t *words)
{
	if (shim_slot_write(lives[words[LIFE_OWNER] % LIVES], words, LIFE_WORDS))
		shim_fd_set(FD_TIMED, (int)words[LIFE_OWNER]);
}

/* Return: false for a connection without data. */
static bool find(int fd, uint32_t *words)
{
	return shim_slot_read(lives[(uint32_t)fd % LIVES], words, LIFE_WORDS) &&
	       words[LIFE_OWNER] == (uint32_t)fd;
}

static struct learned_place place_of(const uint32_t *words)
{
	return (struct learned_place){ &table->entries[words[LIFE_INDEX]], words[LIFE_TURN] & ~1U };
}

static __attribute__((noinline)) enum shim_advice choose(struct learned_place place,
							 struct learned_place *timed)
{
	struct learned_choice choice = learned_choose(place);

	if (choice.is_timed)
		*timed = place;
	return choice.is_tcp ? ADVICE_SHORT : ADVICE_NONE;
}

/* True if only this process uses the connection, and its life is not measured yet. */
static bool is_new(int fd)
{
	return (unsigned int)fd < SHIM_FD_NUMBERS &&
	       (shim_fd_byte(fd) & (FD_OWN | FD_TIMED)) == FD_OWN;
}

/* @timed: NULL for a connection that is not counted. */
static __attribute__((noinline)) enum shim_advice choose_rarely(const struct sockaddr *addr,
								struct learned_place *timed)
{
	struct learned_place place;
	struct learned_key key;

	if (!learned_key(&key, addr, &program))
		return ADVICE_NONE;
	place = learned_find(table, &key);
	if (place.entry && place.entry->broken && learned_is_broken(place, shim_seconds()))
		return ADVICE_BROKE;
	if (!timed)
		return ADVICE_NONE;
	if (!place.entry)
		place = learned_add(table, &key, &program, shim_seconds());
	return place.entry ? choose(place, timed) : ADVICE_NONE;
}

static __attribute__((noinline)) enum shim_advice
advise_rarely(int fd, const struct sockaddr *addr, socklen_t len, struct learned_place *timed)
{
	if (!table && choose_table(fd))
		return shim_lives_advice(fd, addr, len, timed);
	return has_broken ? choose_rarely(addr, NULL) : ADVICE_NONE;
}

/* The usual case saves no registers, because all its calls of functions are tail calls. */
enum shim_advice shim_lives_advice(int fd, const struct sockaddr *addr, socklen_t len,
				   struct learned_place *timed)
{
	struct learned_table *known = atomic_load_explicit(&learning, memory_order_acquire);
	struct learned_place place;
	struct learned_key key;
	uint32_t counts;

	if (addr->sa_family == AF_INET6 && len < sizeof(struct sockaddr_in6))
		return ADVICE_NONE;
	if (!known)
		return advise_rarely(fd, addr, len, timed);
	if (!is_new(fd))
		return choose_rarely(addr, NULL);
	learned_key(&key, addr, &program);
	place.entry = learned_set(known, &key);
	if (!learned_has(place.entry, &key, &place.turn) || place.turn & 1 || place.entry->broken)
		return choose_rarely(addr, timed);
	counts = atomic_load_explicit(&place.entry->counts, memory_order_relaxed);
	if (!learned_is_usual(counts))
		return choose(place, timed);
	return learned_pass(place, counts) ? ADVICE_SHORT : ADVICE_NONE;
}

void shim_lives_begin(int fd, struct learned_place place)
{
	uint32_t words[LIFE_WORDS], second;

	if (!place.entry || !shim_fd_is_own(fd))
		return;
	words[LIFE_OWNER] = (uint32_t)fd;
	words[LIFE_INDEX] = (uint32_t)(place.entry - table->entries);
	words[LIFE_IS_TCP] = shim_fd_is_tcp(fd);
	words[LIFE_TURN] = place.turn | 1;
	words[LIFE_START] = now(&second);
	learned_used(place, second);
	keep(words);
}

static __attribute__((noinline)) void shook(int fd)
{
	uint32_t words[LIFE_WORDS], second;

	if (shim_is_locked || !find(fd, words) || !(words[LIFE_TURN] & 1))
		return;
	if (!words[LIFE_IS_TCP])
		learned_shook(place_of(words), now(&second) - words[LIFE_START]);
	words[LIFE_TURN] &= ~1U;
	keep(words);
}

void shim_lives_error(int fd, int err)
{
	if (!shim_lives_has(fd))
		return;
	if (err)
		shim_fd_drop(FD_TIMED, fd);
	else if (shim_fd_is_tcp(fd))
		shook(fd);
}

void shim_lives_connected(int fd, int err)
{
	if (!shim_lives_has(fd))
		return;
	if (!err || err == EISCONN)
		shook(fd);
	else if (err != EINPROGRESS && err != EALREADY && err != EINTR)
		shim_fd_drop(FD_TIMED, fd);
}

/*
 * Age of a connection in ticks, 0 if unknown: it never began, or was replaced. It may be
 * established even if the program has not checked.
 */
static uint32_t age(int fd, uint32_t *words)
{
	uint32_t second;

	if (shim_is_locked || !find(fd, words) ||
	    (words[LIFE_TURN] & 1 && (shim_in_sandbox || !shim_is_connected(fd))))
		return 0;
	return now(&second) - words[LIFE_START] + 1;
}

/*
 * True if the descriptor belongs to the parent of this process: a child of vfork(2) closes only its
 * own copy. In a sandbox this is not known.
 */
static bool is_parents(void)
{
	return shim_is_locked || (!shim_in_sandbox && !shim_fd_is_owner());
}

static void end(int fd, bool is_shared)
{
	uint32_t words[LIFE_WORDS], ticks = age(fd, words);

	shim_fd_drop(FD_TIMED, fd);
	if (ticks && (!is_shared || learned_is_long(place_of(words), ticks)))
		learned_lived(place_of(words), words[LIFE_IS_TCP], ticks);
}

void shim_lives_end(int fd)
{
	if (!is_parents())
		end(fd, false);
}

void shim_lives_share(int fd)
{
	end(fd, true);
}

void shim_lives_broke(int fd, const struct sockaddr *addr)
{
	struct learned_table *known = table ? table : choose_table(fd);
	struct learned_place place;
	struct learned_key key;

	shim_fd_drop(FD_TIMED, fd);
	if (!known || !learned_key(&key, addr, &program))
		return;
	place = learned_find(known, &key);
	if (!place.entry)
		place = learned_add(known, &key, &program, shim_seconds());
	if (place.entry)
		learned_broke(place, shim_seconds());
	has_broken = true;
}

void shim_lives_leave(void)
{
	int fd = shim_fd_next(FD_TIMED, 0);

	if (fd < 0 || is_parents())
		return;
	for (; fd >= 0; fd = shim_fd_next(FD_TIMED, fd + 1))
		shim_lives_end(fd);
}
