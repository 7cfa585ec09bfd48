// SPDX-License-Identifier: MIT
/*
 * Sockets before the preload library's own constructor has run: one by this constructor, one by
 * each of EARLY_THREADS threads started at the same time, one by a signal handler. Prints on fd 1
 * how many were mapped, as counted by the library below.
 */
#include "tests/libc.h"

typedef void (*fake_last_fn)(int call[3]);

static fake_last_fn fake_last;
static atomic_int mapped, opened;
static pthread_barrier_t barrier;

static void open_one(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), call[3] = { 0 };

	fake_last(call);
	if (fd >= 0)
		opened++;
	if (call[0] == 43)
		mapped++;
	close(fd);
}

static void *open_at_once(void *unused)
{
	pthread_barrier_wait(&barrier);
	open_one();
	return unused;
}

static void on_signal(int number)
{
	open_one();
}

static __attribute__((constructor)) void early(void)
{
	const char *text = getenv("EARLY_THREADS");
	int i, n = text ? atoi(text) : 0;
	pthread_t threads[64];
	char line[64];

	fake_last = (fake_last_fn)dlsym(RTLD_DEFAULT, "fake_last");
	if (!fake_last || n > 64)
		return;
	pthread_barrier_init(&barrier, NULL, (unsigned int)n + 1);
	for (i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, open_at_once, NULL);
	if (n)
		pthread_barrier_wait(&barrier);
	open_one();
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	snprintf(line, sizeof(line), "early: %d opened, %d mapped\n", opened, mapped);
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		abort();
}
