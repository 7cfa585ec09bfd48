// SPDX-License-Identifier: MIT
/* Read the shared memory of ld_pre_smc.so, for tools. */
#include "launch/learned_list.h"

#include <sys/shm.h>
#include <time.h>

#include "base/memory.h"
#include "net/netns.h"

/* Return: false for an empty or outdated entry. */
static bool decode(const struct learned_entry *entry, uint32_t second, struct learned_fact *fact)
{
	if (entry->turn & 1 || !entry->used)
		return false;
	memcpy(fact->program, entry->name, LEARNED_PROGRAM);
	fact->program[LEARNED_PROGRAM] = '\0';
	memcpy(&fact->addr, entry->addr, sizeof(fact->addr));
	if (IN6_IS_ADDR_LINKLOCAL(&fact->addr))
		fact->addr.s6_addr32[1] = 0;
	fact->port = (uint16_t)entry->port;
	fact->connections = learned_connections(entry->counts);
	fact->handshake = (uint64_t)entry->handshake * LEARNED_TICK;
	fact->smc = (uint64_t)entry->smc * LEARNED_TICK;
	fact->tcp = (uint64_t)entry->tcp * LEARNED_TICK;
	fact->is_new = entry->score == LEARNED_START;
	fact->is_long = entry->score >= LEARNED_ONE;
	fact->idle = second - entry->used;
	fact->broken = entry->broken - second;
	if (!entry->broken || fact->broken > LEARNED_BROKEN)
		fact->broken = 0;
	fact->is_tcp = fact->broken || entry->counts & LEARNED_IS_TCP;
	if ((int32_t)fact->idle < 0)
		fact->idle = 0;
	return fact->broken || fact->idle <= LEARNED_FORGET;
}

/* True if the entry belongs to a program in this network namespace: its mark is a hash of both. */
static bool is_of(const struct learned_entry *entry, const struct learned_fact *fact, uint64_t net)
{
	struct learned_program program;

	learned_program(&program, fact->program);
	learned_enter(&program, net);
	return (entry->port & ~0xffffU) == program.mark;
}

/* The owner may change the segment meanwhile. */
static bool read_table(int segment, struct learned_table *table)
{
	const void *map = shmat(segment, NULL, SHM_RDONLY);

	if (map == (void *)-1)
		return false;
	memcpy(table, map, sizeof(*table));
	shmdt(map);
	return true;
}

static bool is_learned(const struct shmid_ds *segment)
{
	uint32_t user = segment->shm_perm.uid;

	return learned_is_owned(segment, user) &&
	       (uint32_t)(segment->shm_perm.__key - learned_ipc_key(user, 0)) < 2 * LEARNED_KEYS;
}

static void visit_table(const struct learned_table *table, struct learned_fact *fact, uint64_t net,
			void (*visit)(const struct learned_fact *fact, void *arg), void *arg)
{
	const struct learned_entry *end = table->entries + LEARNED_SETS * LEARNED_WAYS;
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (const struct learned_entry *entry = table->entries; entry < end; entry++) {
		if (decode(entry, (uint32_t)now.tv_sec, fact) && is_of(entry, fact, net))
			visit(fact, arg);
	}
}

/* Neither proc(5) nor SHM_STAT shows segments that the caller cannot read. */
int learned_each(void (*visit)(const struct learned_fact *fact, void *arg), void *arg)
{
	struct learned_table *table AUTO_FREE = xcalloc(1, sizeof(*table));
	struct learned_fact fact;
	struct shm_info all;
	struct shmid_ds state;
	int last = shmctl(0, SHM_INFO, (struct shmid_ds *)&all), segment;

	if (last < 0)
		return errno == ENOSYS ? 0 : -errno;
	for (int i = 0; i <= last; i++) {
		segment = shmctl(i, SHM_STAT, &state);
		if (segment < 0 || !is_learned(&state) || !read_table(segment, table))
			continue;
		fact.user = state.shm_perm.uid;
		visit_table(table, &fact, smc_netns_id(), visit, arg);
	}
	return 0;
}
