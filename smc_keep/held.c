// SPDX-License-Identifier: MIT
/* The sockets that smc_keep holds. */
#include "smc_keep/held.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* As many orphans as TCP allows on a usual machine (net.ipv4.tcp_max_orphans). */
#define MOST 65536

/* How often to look: at first, where data moves, and at last, where none does. Milliseconds. */
#define LOOK_FIRST 10
#define LOOK_LAST 100

/*
 * How long without progress. net/ipv4/tcp_timer.c, tcp_probe_timer(): an orphan whose peer's window
 * stays closed is given up at the first probe whose interval has grown to 120 s (TCP_RTO_MAX), also
 * if the peer answers all of them. They double from 200 ms: 0.2 + 0.4 + ... + 102.4 + 120 s (340 s
 * were measured over loopback).
 */
#define PATIENCE 324600

struct held {
	uint64_t cookie; /* of the socket, see SO_COOKIE in socket(7) */
	long long taken; /* milliseconds of CLOCK_MONOTONIC, all three */
	long long moved;
	long long next;
	int fd;
	int unsent;
	int patience; /* milliseconds, these two */
	int interval;
	unsigned int looks; /* without a movement */
	enum keep_how how;
};

volatile sig_atomic_t held_was_interrupted;

static struct held held[MOST];
static int n_held;

int held_count(void)
{
	return n_held;
}

bool held_is_full(void)
{
	return n_held == MOST;
}

/* net/smc/smc_close.c, smc_close_stream_wait(): a signal ends the two seconds of waiting. */
static void signal_often(int microseconds)
{
	struct itimerval timer = { .it_interval.tv_usec = microseconds,
				   .it_value.tv_usec = microseconds };

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Bytes; -1 if it cannot have any. */
static int count_unsent(int fd)
{
	int bytes = 0;

	return ioctl(fd, SIOCOUTQNSD_894B, &bytes) ? -1 : bytes;
}

/*
 * Once all is sent only the peer is left to be told: no signal may interrupt that, as SMC-R would
 * not try again. What is given up is not waited for.
 */
static void let_go(long call, int fd, int how)
{
	bool is_sent = count_unsent(fd) <= 0;

	if (!is_sent)
		signal_often(1000);
	syscall(call, fd, how);
	if (!is_sent)
		signal_often(0);
}

void held_close(int fd)
{
	let_go(SYS_close, fd, 0);
}

static int option(int fd, int level, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	return getsockopt(fd, level, name, &value, &len) ? 0 : value;
}

/*
 * Nobody else sends what a signal kept the last write from sending, or what MSG_MORE held back. The
 * slots for messages are scarce for seconds when a link breaks (net/smc/smc_wr.c), and the other
 * sockets do not wait: one that had to is the last of its round.
 * TCP_NODELAY, as its value means nothing to SMC: others may use the socket, too.
 */
static void push(int fd)
{
	int before, on = 1;

	if (held_was_interrupted)
		return;
	before = option(fd, IPPROTO_TCP, TCP_NODELAY);
	signal_often(10000);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	signal_often(0);
	if (!before)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &before, sizeof(before));
}

static bool is_to_be_reset(int fd)
{
	struct linger linger = { 0 };
	socklen_t len = sizeof(linger);

	return !getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len) && linger.l_onoff &&
	       !linger.l_linger;
}

static bool is_broken(int fd)
{
	struct pollfd poll_fd = { .fd = fd };

	return poll(&poll_fd, 1, 0) > 0 && poll_fd.revents & (POLLERR | POLLHUP | POLLNVAL);
}

/* The same socket may come twice: by shutdown(), then by close(). */
static struct held *find(uint64_t cookie)
{
	for (int i = 0; cookie && i < n_held; i++) {
		if (held[i].cookie == cookie)
			return &held[i];
	}
	return NULL;
}

void held_take(int fd, enum keep_how how, long long now)
{
	int patience = option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT);
	struct held *item;
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len))
		cookie = 0;
	item = find(cookie);
	if (item && how == KEEP_CLOSE)
		item->how = how;
	if (item || held_is_full()) {
		held_close(fd);
		return;
	}
	held[n_held++] = (struct held){
		.cookie = cookie,
		.taken = now,
		.moved = now,
		.next = now,
		.fd = fd,
		.unsent = -1,
		.patience = patience > 0 ? patience : PATIENCE,
		.interval = LOOK_FIRST,
		.how = how,
	};
}

static bool is_hopeless(const struct held *item, long long now)
{
	return now - item->moved >= item->patience || is_to_be_reset(item->fd) ||
	       is_broken(item->fd);
}

/* Return: whether the socket is done with. */
static bool look_at(struct held *item, long long now)
{
	int unsent = count_unsent(item->fd);
	bool late = item->how == KEEP_SHUT_RDWR && now - item->taken >= KEEP_KERNEL_MS;

	if (unsent <= 0 || late) {
		if (item->how != KEEP_CLOSE)
			let_go(SYS_shutdown, item->fd,
			       item->how == KEEP_SHUT_WR ? SHUT_WR : SHUT_RDWR);
		return true;
	}
	if (is_hopeless(item, now))
		return true;
	if (unsent != item->unsent) {
		item->interval = LOOK_FIRST;
		item->moved = now;
		item->looks = 0;
	} else if (item->interval * 2 <= LOOK_LAST) {
		item->interval *= 2;
	}
	/* Ever more seldom: at 0, 1, 2, 4, 8... looks without a movement. */
	if (!(item->looks & (item->looks - 1)))
		push(item->fd);
	item->looks++;
	item->unsent = unsent;
	item->next = now + item->interval;
	return false;
}

long long held_look(long long now)
{
	long long first = -1;

	held_was_interrupted = 0;
	for (int i = 0; i < n_held;) {
		if (held[i].next <= now && look_at(&held[i], now)) {
			held_close(held[i].fd);
			held[i] = held[--n_held];
			continue;
		}
		if (first < 0 || held[i].next < first)
			first = held[i].next;
		i++;
	}
	return first;
}

void held_drop(void)
{
	while (n_held)
		held_close(held[--n_held].fd);
}
