// SPDX-License-Identifier: MIT
#include "netlink/ahead.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/memory.h"

#define PARTS 8

struct part {
	ssize_t len; /* -1: see @error */
	int error;
	_Alignas(struct nlmsghdr) char bytes[AHEAD_PART];
};

/**
 * struct ahead
 * @empty, @full: number of parts that can be received into, and parsed
 * @next: part to parse; the one before it is still in use if @is_held
 * @unwanted: asks the thread to end
 */
struct ahead {
	struct mnl_socket *nl;
	pthread_t thread;
	sem_t empty, full;
	size_t next;
	bool is_held;
	atomic_bool unwanted;
	struct part parts[PARTS];
};

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) && errno == EINTR)
		;
}

/* The kernel prepares the next part during a call: if none is ready, the dump is over. */
static void *receive_ahead(void *arg)
{
	struct ahead *ahead = arg;

	for (size_t i = 0;; i = (i + 1) % PARTS) {
		struct part *part = &ahead->parts[i];

		wait_for(&ahead->empty);
		if (ahead->unwanted)
			return NULL;
		do
			part->len = mnl_socket_recvfrom(ahead->nl, part->bytes, AHEAD_PART);
		while (part->len < 0 && errno == EINTR);
		part->error = errno;
		sem_post(&ahead->full);
		if (part->len < 0)
			return NULL;
	}
}

static void set_blocking(struct mnl_socket *nl, bool is_blocking)
{
	int fd = mnl_socket_get_fd(nl), flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, is_blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

/* Signals are for the caller's thread. */
static int start_thread(struct ahead *ahead)
{
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&ahead->thread, NULL, receive_ahead, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

static void destroy(struct ahead *ahead)
{
	set_blocking(ahead->nl, true);
	sem_destroy(&ahead->empty);
	sem_destroy(&ahead->full);
	free(ahead);
}

struct ahead *ahead_start(struct mnl_socket *nl)
{
	struct ahead *ahead = xcalloc(1, sizeof(*ahead));

	ahead->nl = nl;
	sem_init(&ahead->empty, 0, PARTS);
	sem_init(&ahead->full, 0, 0);
	set_blocking(nl, false);
	if (!start_thread(ahead))
		return ahead;
	destroy(ahead);
	return NULL;
}

ssize_t ahead_next(struct ahead *ahead, const void **bytes)
{
	const struct part *part = &ahead->parts[ahead->next];

	if (ahead->is_held)
		sem_post(&ahead->empty);
	wait_for(&ahead->full);
	ahead->is_held = true;
	ahead->next = (ahead->next + 1) % PARTS;
	*bytes = part->bytes;
	errno = part->error;
	return part->len;
}

void ahead_end(struct ahead *ahead)
{
	if (!ahead)
		return;
	ahead->unwanted = true;
	sem_post(&ahead->empty);
	pthread_join(ahead->thread, NULL);
	destroy(ahead);
}
