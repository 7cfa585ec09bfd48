// SPDX-License-Identifier: MIT
/* Which file descriptors may be SMC sockets: what close() need not ask the kernel about. */
#include "ld_pre_smc/fds.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ld_pre_smc/sandbox.h"
#include "ld_pre_smc/sock.h"

/* One bit each. A page of zeros costs no memory until it is written to. */
#define NUMBERS (1 << 20)
#define BITS (CHAR_BIT * (int)sizeof(unsigned long))

/* Inherited descriptors are looked for in blocks of so many: the usual limit of a process. */
#define BLOCK 1024

static atomic_ulong marks[NUMBERS / BITS];
/* Words from here on are zero. */
static atomic_int end;

/* Whose memory this is; zero again in a child of fork(2). NULL until the library has started. */
static atomic_int *owner;

static unsigned long bit_of(int fd)
{
	return 1UL << (fd % BITS);
}

static __attribute__((noinline)) void set(int fd)
{
	int word = fd / BITS, seen = atomic_load_explicit(&end, memory_order_relaxed);

	atomic_fetch_or_explicit(&marks[word], bit_of(fd), memory_order_relaxed);
	while (seen <= word && !atomic_compare_exchange_weak(&end, &seen, word + 1))
		;
}

void shim_fd_mark(int fd)
{
	if ((unsigned int)fd < NUMBERS && !shim_fd_is_marked(fd))
		set(fd);
}

bool shim_fd_is_marked(int fd)
{
	if ((unsigned int)fd >= NUMBERS)
		return fd > 0;
	return atomic_load_explicit(&marks[fd / BITS], memory_order_relaxed) & bit_of(fd);
}

/* Not in a child of vfork(2) and the like. */
static bool is_owner(void)
{
	int pid, none = 0;

	if (!owner)
		return false;
	pid = (int)syscall(SYS_getpid);
	return atomic_compare_exchange_strong(owner, &none, pid) || none == pid;
}

void shim_fd_unmark(int fd)
{
	if ((unsigned int)fd < NUMBERS && shim_fd_is_marked(fd) && is_owner())
		atomic_fetch_and_explicit(&marks[fd / BITS], ~bit_of(fd), memory_order_relaxed);
}

int shim_fd_next(int fd)
{
	int word, last = atomic_load_explicit(&end, memory_order_relaxed);
	unsigned long bits;

	if (fd < 0)
		fd = 0;
	for (word = fd / BITS; word < last; word++) {
		bits = atomic_load_explicit(&marks[word], memory_order_relaxed);
		if (word == fd / BITS)
			bits &= ~0UL << (fd % BITS);
		if (bits)
			return word * BITS + __builtin_ctzl(bits);
	}
	return -1;
}

/* Numbers are given from below: a block without an open one is the end. */
static void mark_open(void)
{
	struct pollfd fds[BLOCK];
	struct rlimit limit;
	bool any = true;
	int first, i, n = BLOCK;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < BLOCK)
		n = (int)limit.rlim_cur;
	for (first = 0; any && n && first < NUMBERS; first += n) {
		any = false;
		for (i = 0; i < n; i++)
			fds[i] = (struct pollfd){ .fd = first + i, .revents = POLLNVAL };
		shim_poll_now(fds, n);
		for (i = 0; i < n; i++) {
			if (fds[i].revents & POLLNVAL)
				continue;
			any = true;
			shim_fd_mark(fds[i].fd);
		}
	}
}

void shim_fd_start(void)
{
	int saved = errno, size = (int)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	mark_open();
	if (page != MAP_FAILED && !madvise(page, (size_t)size, MADV_WIPEONFORK)) {
		owner = page;
		atomic_store(owner, (int)syscall(SYS_getpid));
	}
	errno = saved;
}

void shim_fd_forked(void)
{
	if (owner && !shim_in_sandbox)
		is_owner();
}
