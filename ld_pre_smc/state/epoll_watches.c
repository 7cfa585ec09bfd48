// SPDX-License-Identifier: MIT
/* epoll instances that watch a file descriptor. */
#include "ld_pre_smc/state/epoll_watches.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/fd_table.h"
#include "ld_pre_smc/state/log.h"

/* Test with a new socket: ENOENT, as it is not watched; EINVAL if this is not an epoll instance. */
static bool is_epoll(int epfd, int fresh)
{
	struct epoll_event event = { 0 };

	return epoll_ctl(epfd, EPOLL_CTL_DEL, fresh, &event) && errno == ENOENT;
}

/*
 * Adding an existing watch fails with EEXIST. Not tried for a socket with pending events: a waiting
 * thread would get an event that the program did not request.
 */
static bool is_watched(int epfd, int fd)
{
	struct epoll_event event = { 0 };

	if (shim_events(fd, 0))
		return true;
	if (!epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event)) {
		epoll_ctl(epfd, EPOLL_CTL_DEL, fd, &event);
		return false;
	}
	return errno == EEXIST;
}

static uint64_t read_number(const char *text, unsigned int base)
{
	uint64_t value = 0;

	while (*text == ' ')
		text++;
	for (;; text++) {
		if (*text >= '0' && *text <= '9')
			value = value * base + (unsigned int)(*text - '0');
		else if (base == 16 && *text >= 'a' && *text <= 'f')
			value = value * base + (unsigned int)(*text - 'a') + 10;
		else
			return value;
	}
}

/* "tfd:        5 events:       19 data:                5  pos:0 ino:1a2 sdev:9" */
static bool read_watch(const char *line, int fd, struct epoll_event *event)
{
	const char *tfd = strstr(line, "tfd:"), *events, *data;

	events = tfd ? strstr(tfd, "events:") : NULL;
	data = events ? strstr(events, "data:") : NULL;
	if (!data || read_number(tfd + strlen("tfd:"), 10) != (unsigned int)fd)
		return false;
	event->events = (uint32_t)read_number(events + strlen("events:"), 16);
	event->data.u64 = read_number(data + strlen("data:"), 16);
	return true;
}

/* Read line by line: an instance may watch thousands. */
static bool find_watch(int info, int fd, struct epoll_event *event)
{
	char text[1024];
	size_t have = 0;
	ssize_t n;

	while ((n = syscall(SYS_read, info, text + have, sizeof(text) - 1 - have)) > 0) {
		char *line = text, *end;

		have += (size_t)n;
		text[have] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			if (read_watch(line, fd, event))
				return true;
		}
		have -= (size_t)(line - text);
		memmove(text, line, have);
	}
	return false;
}

static void look_at(struct shim_watches *watches, int epfd)
{
	struct epoll_event event = { 0 };
	struct log_line path = { 0 };
	int info;

	if (!is_watched(epfd, watches->fd))
		return;
	log_format(&path, "/proc/self/fdinfo/%d", epfd);
	/* open() and read() would be cancellation points. */
	info = (int)syscall(SYS_openat, AT_FDCWD, path.text, O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return;
	/* Otherwise an old file that is still open elsewhere would stay watched. */
	if (find_watch(info, watches->fd, &event) &&
	    !epoll_ctl(epfd, EPOLL_CTL_DEL, watches->fd, &(struct epoll_event){ 0 })) {
		watches->items[watches->n].epfd = epfd;
		watches->items[watches->n++].event = event;
	}
	shim_close(info);
}

void shim_watches_find(struct shim_watches *watches, int fd, int fresh)
{
	AUTO_ERRNO();
	int epfd;

	watches->fd = fd;
	watches->n = 0;
	for (epfd = shim_fd_next(FD_EPOLL, 0); epfd >= 0 && watches->n < SHIM_WATCHERS;
	     epfd = shim_fd_next(FD_EPOLL, epfd + 1)) {
		if (is_epoll(epfd, fresh))
			look_at(watches, epfd);
		else
			shim_fd_clear(FD_EPOLL, epfd);
	}
}

void shim_watches_restore(struct shim_watches *watches)
{
	AUTO_ERRNO();

	for (int i = 0; i < watches->n; i++)
		epoll_ctl(watches->items[i].epfd, EPOLL_CTL_ADD, watches->fd,
			  &watches->items[i].event);
}
