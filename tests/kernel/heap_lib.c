// SPDX-License-Identifier: MIT
/*
 * Memory handed out by malloc(): the minimum since the reader wrote ~0, as 64 bits in the file
 * HEAP_FILE, for tests/kernel/guest/soak.py. Not inherited by programs that this one starts.
 */
#include <malloc.h>
#include <sys/mman.h>

#include "tests/libc.h"

static void *count(void *least)
{
	for (;; usleep(100000)) {
		struct mallinfo2 info = mallinfo2();
		uint64_t used = info.uordblks + info.hblkhd;

		if (used < *(volatile uint64_t *)least)
			*(volatile uint64_t *)least = used;
	}
	return NULL;
}

/* The thread must not receive signals of the program. */
static void start_thread(void *least)
{
	sigset_t all, old;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!pthread_create(&thread, NULL, count, least))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static __attribute__((constructor)) void start(void)
{
	const char *path = getenv("HEAP_FILE");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *least;

	if (fd < 0)
		return;
	least = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	unsetenv("LD_PRELOAD");
	if (least != MAP_FAILED)
		start_thread(least);
}
