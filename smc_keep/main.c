// SPDX-License-Identifier: MIT
/*
 * smc_keep: holds sockets closed by programs until SMC has sent their data. ld_pre_smc.so starts
 * it, with the socket bound to its name as file descriptor 0 and no other file. It ends when no
 * socket is left. It needs no privileges.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/helper.h"
#include "smc/keep.h"

#define LISTENER 0

/* Limits in milliseconds: without any socket; for a client's request; after SIGTERM. */
#define IDLE 3000
#define CLIENT 5000
#define TERMINATION 5000

/* Clients that have not sent a request yet. They send it right after connecting. */
#define CLIENTS 64

static struct pollfd fds[CLIENTS + 1];
static int64_t since[CLIENTS + 1];
static int n_clients;

/* File descriptors of this process, and those of one client with a message. */
#define OWN 4
#define MESSAGE (1 + KEEP_FDS)

/* Maximum number of clients and sockets. */
static rlim_t room;

static struct stat spaces[KEEP_SPACES];

/* Set by SIGTERM, and by SIGALRM. */
static volatile sig_atomic_t is_terminated, is_interrupted;

/* ---- held sockets ---- */

/* Same as TCP's limit of orphans on a usual machine (net.ipv4.tcp_max_orphans). */
#define MOST 65536

/* Milliseconds between checks: the first, while data moves; the last, without any progress. */
#define LOOK_FIRST 10
#define LOOK_LAST 100

/*
 * Time limit without progress. net/ipv4/tcp_timer.c, tcp_probe_timer(): an orphan whose peer's
 * window stays closed is given up at the first probe whose interval has grown to 120 s
 * (TCP_RTO_MAX), even if the peer answers all probes. Intervals double from 200 ms: 0.2 + 0.4 + ...
 * + 102.4 + 120 s (340 s were measured over loopback).
 */
#define PATIENCE 324600

struct held {
	uint64_t cookie; /* of the socket, see SO_COOKIE in socket(7) */
	int64_t taken;	 /* milliseconds of CLOCK_MONOTONIC, all three */
	int64_t moved;
	int64_t next;
	int fd;
	int unsent;
	int patience; /* milliseconds, these two */
	int interval;
	unsigned int looks; /* without progress */
	enum keep_how how;
};

static struct held *held;
static int n_held;

/* net/smc/smc_close.c, smc_close_stream_wait(): a signal ends the two seconds of waiting. */
static void signal_often(int microseconds)
{
	struct itimerval timer = { .it_interval.tv_usec = microseconds,
				   .it_value.tv_usec = microseconds };

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Unsent bytes; -1 if the socket cannot have any. */
static int count_unsent(int fd)
{
	int bytes = 0;

	return ioctl(fd, SIOCOUTQNSD_894B, &bytes) ? -1 : bytes;
}

/*
 * Close or shut down a socket that has sent all. Only the close message is left, and no signal may
 * interrupt that, because SMC-R does not retry. Does not wait for a socket that is given up.
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

/*
 * close(2), bypassing any preload library. Once all is sent, it takes as long as SMC-R
 * waits for a slot after a link has broken: 10 seconds at most (SMC_WR_TX_WAIT_FREE_SLOT_TIME in
 * net/smc/smc_wr.c).
 */
static void drop(int fd)
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
 * Push data that a signal kept the last write from sending, or that MSG_MORE held back; nothing
 * else would. Slots for messages are scarce for seconds after a link has broken (net/smc/smc_wr.c),
 * and other sockets must not wait for them: a socket that had to wait ends the round. Uses
 * TCP_NODELAY, as SMC ignores its value: other processes may use the socket, too.
 */
static void push(int fd)
{
	int before, on = 1;

	if (is_interrupted)
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

/* The same socket may be passed twice: by shutdown(), then by close(). */
static struct held *find(uint64_t cookie)
{
	for (int i = 0; cookie && i < n_held; i++)
		if (held[i].cookie == cookie)
			return &held[i];
	return NULL;
}

/* Hold a socket from @now on, CLOCK_MONOTONIC in ms; close it without room, or if already held. */
static void take(int fd, enum keep_how how, int64_t now)
{
	int patience = option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT);
	struct held *item;
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len);
	item = find(cookie);
	if (item && how == KEEP_CLOSE)
		item->how = how;
	if (item || n_held == MOST) {
		drop(fd);
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

static bool is_hopeless(const struct held *item, int64_t now)
{
	return now - item->moved >= item->patience || is_to_be_reset(item->fd) ||
	       is_broken(item->fd);
}

/* Return: true if the socket is finished */
static bool look_at(struct held *item, int64_t now)
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
	/* Due at increasing intervals: after 0, 1, 2, 4, 8... checks without progress. */
	if (!(item->looks & (item->looks - 1)))
		push(item->fd);
	item->looks++;
	item->unsent = unsent;
	item->next = now + item->interval;
	return false;
}

/* Check the sockets that are due. Return: time of the next check, -1 if none is left. */
static int64_t look(int64_t now)
{
	int64_t first = -1;

	is_interrupted = 0;
	for (int i = 0; i < n_held;) {
		if (held[i].next <= now && look_at(&held[i], now)) {
			drop(held[i].fd);
			held[i] = held[--n_held];
			continue;
		}
		if (first < 0 || held[i].next < first)
			first = held[i].next;
		i++;
	}
	return first;
}

/* ---- the process ---- */

static void note(int number)
{
	*(number == SIGTERM ? &is_terminated : &is_interrupted) = 1;
}

/* SIGTERM is unblocked only here, where it interrupts nothing that a socket needs. */
static void wait_for(struct pollfd *what, int n, int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };
	sigset_t none;

	sigemptyset(&none);
	ppoll(what, (nfds_t)n, &time, &none);
}

static int64_t milliseconds(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* True for a socket with the name of a keeper. */
static bool is_named(int fd)
{
	struct sockaddr_un addr = { 0 };
	socklen_t len = sizeof(addr);

	return !getsockname(fd, (struct sockaddr *)&addr, &len) && addr.sun_family == AF_UNIX &&
	       !memcmp(addr.sun_path + 1, KEEP_NAME, sizeof(KEEP_NAME) - 1);
}

/* True if the effective user has an ID in this user namespace; others share a number. */
static bool is_known(void)
{
	char map[128];
	int fd = open(KEEP_SELF "uid_map", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, map, sizeof(map));

	syscall(SYS_close, fd);
	return len > 0 && keep_is_known(geteuid(), map, (size_t)len);
}

/* Find the user and the namespaces whose sockets are held. */
static bool find_home(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	for (int i = 0; i < KEEP_SPACES; i++) {
		if (stat(keep_space(i), &spaces[i]))
			return false;
	}
	return is_known() && !setresgid(gid, gid, gid) && !setresuid(uid, uid, uid);
}

/* Return: true if there is room for at least one socket */
static bool find_room(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur <= OWN + MESSAGE)
		return false;
	room = limit.rlim_cur - OWN - MESSAGE;
	return true;
}

static void set_signals(void)
{
	struct sigaction action = { .sa_handler = note };
	sigset_t blocked;

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* Drop everything inherited from the first program, then listen. */
static void prepare(void)
{
	/* Shared memory does not count for RLIMIT_DATA, which a program may have set. */
	held = mmap(NULL, MOST * sizeof(*held), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	if (held == MAP_FAILED || helper_detach(LISTENER) || !find_home() || !find_room())
		syscall(SYS_exit_group, 1);
	set_signals();
	if (listen(LISTENER, SOMAXCONN))
		syscall(SYS_exit_group, 1);
	fds[0].fd = LISTENER;
}

/* True if the client is of the same user. Number 0, outside this PID namespace, is refused. */
static bool is_friend(int fd)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) && peer.uid == geteuid() &&
	       peer.pid > 0;
}

/*
 * The kernel holds the sockets of clients that are not accepted yet. When the backlog of listen(2)
 * is full, connect(2) fails, so programs know that there is no room.
 */
static bool has_room(void)
{
	return n_clients < CLIENTS && n_held < MOST && (rlim_t)(n_held + n_clients) < room;
}

static void accept_clients(int64_t now)
{
	int fd;

	while (has_room()) {
		fd = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			return;
		if (!is_friend(fd)) {
			drop(fd);
			continue;
		}
		since[++n_clients] = now;
		fds[n_clients] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
}

/*
 * True if the sender is in the namespaces of this process. It passes files of its namespaces: a
 * process can open these only for itself, or for a process that it may trace. /proc does not work
 * for a sender that has ended since.
 */
static bool is_from_here(const int *found)
{
	struct stat st;

	for (int i = 0; i < KEEP_SPACES; i++) {
		if (fstat(found[i], &st) || st.st_dev != spaces[i].st_dev ||
		    st.st_ino != spaces[i].st_ino)
			return false;
	}
	return true;
}

static void read_message(int client, int64_t now)
{
	unsigned char byte = 0;
	int found[KEEP_FDS];
	bool is_good;

	if (passfd_receive(client, &byte, found, KEEP_FDS))
		return;
	is_good = byte < KEEP_HOWS && is_from_here(found + 1);
	for (int i = 1; i < KEEP_FDS; i++)
		syscall(SYS_close, found[i]);
	if (is_good)
		take(found[0], (enum keep_how)byte, now);
	else
		drop(found[0]);
}

static void read_clients(int64_t now)
{
	for (int i = 1; i <= n_clients;) {
		if (!fds[i].revents && now - since[i] < CLIENT) {
			i++;
			continue;
		}
		if (fds[i].revents & POLLIN)
			read_message(fds[i].fd, now);
		drop(fds[i].fd);
		since[i] = since[n_clients];
		fds[i] = fds[n_clients--];
	}
}

/* Refuse new clients, serve connected ones: a new keeper gets the name. net/unix/af_unix.c */
static void stop_listening(void)
{
	int64_t start = milliseconds();

	shutdown(LISTENER, SHUT_RD);
	do {
		accept_clients(start);
		poll(fds + 1, (nfds_t)n_clients, n_clients ? CLIENT : 0);
		read_clients(milliseconds());
	} while (n_clients);
	fds[0].fd = -1;
	syscall(SYS_close, LISTENER);
}

/* Return: how long to sleep, until a socket, a client or the end is due. */
static int timeout(int64_t now, int64_t next, int64_t end)
{
	if (next < 0 || end < next)
		next = end;
	if (n_clients && now + CLIENT < next)
		next = now + CLIENT;
	return next <= now ? 0 : (int)(next - now);
}

static void serve(void)
{
	int64_t now = milliseconds(), end = now + IDLE, next;

	while (!is_terminated && (n_held || n_clients || now < end)) {
		next = look(now);
		fds[0].events = has_room() ? POLLIN : 0;
		wait_for(fds, n_clients + 1, timeout(now, next, end));
		now = milliseconds();
		accept_clients(now);
		read_clients(now);
		if (n_held || n_clients)
			end = now + IDLE;
	}
}

/* Continue until the held sockets have sent their data; after SIGTERM, only for TERMINATION. */
static void finish(void)
{
	int64_t now = milliseconds(), end = now + TERMINATION, next = look(now);

	while (next >= 0 && (!is_terminated || now < end)) {
		wait_for(NULL, 0, timeout(now, next, is_terminated ? end : next));
		now = milliseconds();
		next = look(now);
	}
	while (n_held)
		drop(held[--n_held].fd);
}

int main(int argc, char **argv)
{
	static const char hint[] =
		"smc_keep: only ld_pre_smc.so starts this program, see smc_run(8)\n";

	(void)argv;
	if (argc > 1 || !is_named(LISTENER))
		return write(STDERR_FILENO, hint, sizeof(hint) - 1) < 0 ? 2 : 1;
	prepare();
	serve();
	stop_listening();
	finish();
	syscall(SYS_exit_group, 0);
}
