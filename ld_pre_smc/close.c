// SPDX-License-Identifier: MIT
/* Data that SMC-R has not sent yet, when a socket is closed or the program ends. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ld_pre_smc/config.h"
#include "ld_pre_smc/log.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/sandbox.h"
#include "ld_pre_smc/sock.h"

/* <linux/sockios.h>: bytes that have not left the send buffer. */
#define SIOCOUTQNSD_894B 0x894B

/* TCP goes on without the program; this is how long the program is kept waiting instead. */
#define DRAIN_SECONDS 10

/* Bytes that would be lost now. 0 with SO_LINGER of no time: the program wants that. */
static int unsent(int fd, struct linger *linger)
{
	socklen_t len = sizeof(*linger);
	int bytes = 0, saved = errno;

	if (next_ioctl(fd, SIOCOUTQNSD_894B, &bytes) ||
	    next_getsockopt(fd, SOL_SOCKET, SO_LINGER, linger, &len) ||
	    (linger->l_onoff && !linger->l_linger))
		bytes = 0;
	errno = saved;
	return bytes;
}

/**
 * close() - close(2); waits up to ten seconds until SMC-R has sent what was written
 *
 * The kernel waits two seconds, and then throws the rest away. It waits as long as SO_LINGER says,
 * and only for the last descriptor of a socket: so setting it is enough.
 *
 * A program in a sandbox gets what the kernel does: see shim_in_sandbox.
 *
 * Return: as close(2).
 */
int close(int fd)
{
	static const struct linger wait = { .l_onoff = 1, .l_linger = DRAIN_SECONDS };
	struct linger linger;

	if (shim_repairs() && !shim_in_sandbox && shim_is_smc(fd, NULL) &&
	    unsent(fd, &linger) > 0 && !linger.l_onoff) {
		shim_log_fd(fd, "close() waits until data is sent", NULL, 0);
		next_setsockopt(fd, SOL_SOCKET, SO_LINGER, &wait, sizeof(wait));
	}
	return next_close(fd);
}

/* Whether the parent has the same socket: then it lives on, and its data is the parent's. */
static bool parent_has(int fd)
{
	struct log_line path = { 0 };
	struct stat mine, other;

	log_format(&path, "/proc/%d/fd/%d", (int)getppid(), fd);
	return !fstat(fd, &mine) && !stat(path.text, &other) && mine.st_dev == other.st_dev &&
	       mine.st_ino == other.st_ino;
}

/* All sockets share the time: the kernel goes on sending for each while one is waited for. */
static void drain(int fd, void *arg)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	struct linger linger;
	long long *end = arg;

	if (!shim_is_smc(fd, NULL) || unsent(fd, &linger) <= 0 || parent_has(fd))
		return;
	if (!*end)
		*end = shim_milliseconds() + DRAIN_SECONDS * 1000;
	if (shim_milliseconds() >= *end)
		return;
	shim_log_fd(fd, "exit() waits until data is sent", NULL, 0);
	while (unsent(fd, &linger) > 0 && shim_milliseconds() < *end &&
	       !(shim_events(fd, 0) & (POLLERR | POLLHUP))) {
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 16000000)
			pause.tv_nsec *= 2;
	}
}

/* A process that ends without close() loses what SMC-R has not sent, at once. */
static __attribute__((destructor)) void drain_all(void)
{
	long long end = 0;

	if (shim_repairs() && !shim_in_sandbox)
		shim_each_open(drain, &end);
}
