// SPDX-License-Identifier: MIT
/* Which file descriptors may be SMC sockets: what close() need not ask the kernel about. */
#include "ld_pre_smc/fds.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ld_pre_smc/sandbox.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/sock.h"

atomic_ulong shim_fd_bits[FD_TABLES][SHIM_FD_NUMBERS / SHIM_FD_BITS];

/* Words from here on are zero. */
static atomic_int ends[FD_TABLES];
static atomic_bool has_copies;

/* Whose memory this is; zero again in a child of fork(2). NULL until the library has started. */
static atomic_int *owner;

void shim_fd_set(enum shim_fd_table table, int fd)
{
	int word = fd / SHIM_FD_BITS, seen = atomic_load(&ends[table]);

	atomic_fetch_or(&shim_fd_bits[table][word], 1UL << fd % SHIM_FD_BITS);
	while (seen <= word && !atomic_compare_exchange_weak(&ends[table], &seen, word + 1))
		;
}

void shim_fd_set_plain(int fd)
{
	shim_fd_mark_socket(fd);
	shim_fd_set(FD_PLAIN, fd);
}

bool shim_fd_close(int fd)
{
	bool is_socket = (unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_is_set(FD_SOCKET, fd);

	shim_fd_drop(FD_SOCKET, fd);
	return is_socket;
}

void shim_fd_drop(enum shim_fd_table table, int fd)
{
	if ((unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_is_set(table, fd))
		atomic_fetch_and(&shim_fd_bits[table][fd / SHIM_FD_BITS],
				 ~(1UL << fd % SHIM_FD_BITS));
}

/* Either process may change what both have. */
static void drop_all_plain(void)
{
	int fd;

	for (fd = shim_fd_next(FD_PLAIN, 0); fd >= 0; fd = shim_fd_next(FD_PLAIN, fd + 1))
		shim_fd_drop(FD_PLAIN, fd);
}

void shim_fd_copy(int from, int to)
{
	shim_fd_drop(FD_PLAIN, from);
	shim_fd_drop(FD_PLAIN, to);
	if (from != to)
		shim_fd_drop(FD_SOCKET, to);
	if ((unsigned int)to >= SHIM_FD_NUMBERS)
		return;
	if (shim_fd_is_marked(from)) {
		has_copies = true;
		shim_fd_mark(to);
	}
	if ((unsigned int)from >= SHIM_FD_NUMBERS || shim_fd_is_set(FD_EPOLL, from))
		shim_fd_set(FD_EPOLL, to);
}

void shim_fd_unknown(int fd)
{
	if ((unsigned int)fd >= SHIM_FD_NUMBERS)
		return;
	shim_fd_drop(FD_PLAIN, fd);
	shim_fd_drop(FD_SOCKET, fd);
	shim_fd_set(FD_SMC, fd);
	shim_fd_set(FD_EPOLL, fd);
}

bool shim_fd_has_copies(void)
{
	return has_copies;
}

bool shim_fd_is_owner(void)
{
	int pid, none = 0;

	if (!owner)
		return false;
	pid = (int)syscall(SYS_getpid);
	return atomic_compare_exchange_strong(owner, &none, pid) || none == pid;
}

void shim_fd_clear(enum shim_fd_table table, int fd)
{
	if ((unsigned int)fd >= SHIM_FD_NUMBERS || !shim_fd_is_set(table, fd) ||
	    !shim_fd_is_owner())
		return;
	if (table == FD_SMC)
		shim_fd_drop(FD_PLAIN, fd);
	shim_fd_drop(table, fd);
}

int shim_fd_next(enum shim_fd_table table, int fd)
{
	int word, end = atomic_load(&ends[table]);
	unsigned long bits;

	for (word = fd / SHIM_FD_BITS; word < end; word++) {
		bits = atomic_load_explicit(&shim_fd_bits[table][word], memory_order_relaxed);
		if (word == fd / SHIM_FD_BITS)
			bits &= ~0UL << fd % SHIM_FD_BITS;
		if (bits)
			return word * SHIM_FD_BITS + __builtin_ctzl(bits);
	}
	return -1;
}

static void mark_unknown(int fd, void *arg __attribute__((unused)))
{
	shim_fd_unknown(fd);
}

void shim_fd_start(void)
{
	int saved = errno;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page;

	if (shim_in_sandbox)
		return;
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	shim_each_open(mark_unknown, NULL);
	if (page != MAP_FAILED && !madvise(page, size, MADV_WIPEONFORK)) {
		owner = page;
		atomic_store(owner, (int)syscall(SYS_getpid));
	}
	errno = saved;
}

/**
 * fork() - fork(2); the child knows its memory to be its own
 *
 * It would find out by itself, but not before a child of vfork(2) of its own could be mistaken.
 *
 * Return: as fork(2).
 */
pid_t fork(void)
{
	int saved = errno;
	pid_t pid;

	drop_all_plain();
	pid = next_fork();
	if (!pid && !shim_in_sandbox)
		shim_fd_is_owner();
	if (pid >= 0)
		errno = saved;
	return pid;
}
