// SPDX-License-Identifier: MIT
/* Read the shared memory of ld_pre_smc.so, for tools. */
#include "launch/learned_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory.h"
#include "host/probe.h"
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

/* The owner may change the file during the read. */
static bool read_table(int fd, uint32_t user, struct learned_table *table)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == user && st.st_nlink == 1 &&
	       !(st.st_mode & (S_IRWXG | S_IRWXO)) &&
	       pread(fd, table, sizeof(*table), 0) == sizeof(*table);
}

/* Match "smc-tools-learned-1.USER.NET" of this network namespace. */
static bool is_name(const char *name, uint64_t net, uint32_t *user)
{
	char again[LEARNED_PATH];

	if (strncmp(name, LEARNED_NAME, sizeof(LEARNED_NAME) - 1))
		return false;
	*user = (uint32_t)strtoul(name + sizeof(LEARNED_NAME) - 1, NULL, 10);
	learned_path(again, *user, net);
	return !strcmp(again + sizeof(LEARNED_DIR), name);
}

/* struct search - argument of visit_file() */
struct search {
	void (*visit)(const struct learned_fact *fact, void *arg);
	void *arg;
	uint32_t second;
	struct learned_table table;
};

static void visit_file(struct search *search, int fd, uint32_t user)
{
	struct learned_fact fact = { .user = user };

	if (!read_table(fd, user, &search->table))
		return;
	for (size_t i = 0; i < LEARNED_SETS * LEARNED_WAYS; i++) {
		if (decode(&search->table.entries[i], search->second, &fact))
			search->visit(&fact, search->arg);
	}
}

static void visit_files(struct search *search, DIR *dir, uint64_t net)
{
	struct dirent *entry;
	uint32_t user;
	int fd;

	while ((entry = readdir(dir))) {
		if (!is_name(entry->d_name, net, &user) || (geteuid() && geteuid() != user))
			continue;
		fd = openat(dirfd(dir), entry->d_name,
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0) {
			visit_file(search, fd, user);
			close(fd);
		}
	}
}

int learned_each(void (*visit)(const struct learned_fact *fact, void *arg), void *arg)
{
	struct timespec now = { 0 };
	struct search *search AUTO_FREE = NULL;
	uint64_t net = smc_netns_id();
	DIR *dir AUTO_CLOSEDIR = NULL;

	dir = opendir(LEARNED_DIR);
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	clock_gettime(CLOCK_MONOTONIC, &now);
	search = xcalloc(1, sizeof(*search));
	search->visit = visit;
	search->arg = arg;
	search->second = (uint32_t)now.tv_sec;
	visit_files(search, dir, net);
	return 0;
}

static void add_one(const struct learned_fact *fact, void *arg)
{
	*(int *)arg += fact->is_tcp;
}

static int probe(void *arg __attribute__((unused)),
		 char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	int count = 0, ret = learned_each(add_one, &count);

	return ret ? ret : count;
}

int learned_count(void)
{
	char text[HOST_PROBE_SIZE];
	int count = host_probe("%s", probe, NULL, text, "learned");

	return count > 0 ? count : 0;
}
