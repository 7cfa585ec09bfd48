// SPDX-License-Identifier: MIT
/*
 * smc_keep: holds sockets that programs have closed until SMC has sent what was written to them.
 * ld_pre_smc.so starts it, with a socket that has its name at file descriptor 0 and nothing else.
 * It ends when it has nothing left. It needs no rights at all.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process/helper.h"
#include "process/passfd.h"
#include "smc/keep.h"
#include "smc_keep/held.h"

#define LISTENER 0

/* Milliseconds: with nothing to hold; for a client to say what it wants; after SIGTERM. */
#define IDLE 3000
#define CLIENT 5000
#define TERMINATION 5000

/* Clients that have not said anything yet. They say it as soon as they are connected. */
#define CLIENTS 64

static struct pollfd fds[CLIENTS + 1];
static long long since[CLIENTS + 1];
static int n_clients;

/* File descriptors: of this process, and of one client with a message. */
#define OWN 4
#define MESSAGE (1 + KEEP_FDS)

/* How many clients and sockets there may be. */
static rlim_t room;

static struct stat spaces[KEEP_SPACES];

static volatile sig_atomic_t is_terminated;

static void terminate(int number)
{
	is_terminated = number;
}

static void interrupt(int number)
{
	held_was_interrupted = number;
}

/* SIGTERM comes here only, and interrupts nothing that a socket needs. */
static void wait_for(struct pollfd *what, int n, int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };
	sigset_t none;

	sigemptyset(&none);
	ppoll(what, (nfds_t)n, &time, &none);
}

static long long milliseconds(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* A socket with the name of a keeper. */
static bool is_named(int fd)
{
	struct sockaddr_un addr = { 0 };
	socklen_t len = sizeof(addr);

	return !getsockname(fd, (struct sockaddr *)&addr, &len) && addr.sun_family == AF_UNIX &&
	       !memcmp(addr.sun_path + 1, KEEP_NAME, sizeof(KEEP_NAME) - 1);
}

/* Users that are not mapped share one number. */
static bool is_known(void)
{
	char map[128];
	int fd = open(KEEP_SELF "uid_map", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, map, sizeof(map));

	syscall(SYS_close, fd);
	return len > 0 && keep_is_known(geteuid(), map, (size_t)len);
}

/* The user and the namespaces whose sockets are held. */
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

/* Return: whether there is room for at least one socket. */
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
	struct sigaction action = { .sa_handler = terminate };
	sigset_t blocked;

	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = interrupt;
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* Drop what the first program left to the keeper, then listen. */
static void prepare(void)
{
	if (helper_detach(LISTENER) || !find_home() || !find_room())
		syscall(SYS_exit_group, 1);
	set_signals();
	if (listen(LISTENER, SOMAXCONN))
		syscall(SYS_exit_group, 1);
	fds[0].fd = LISTENER;
}

/* The same user; a process outside this PID namespace has number 0. */
static bool is_friend(int fd)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) && peer.uid == geteuid() &&
	       peer.pid > 0;
}

/*
 * The kernel holds the sockets of clients that are not accepted yet. When as many wait as listen(2)
 * allows, connect(2) fails: their programs know that there is no room.
 */
static bool has_room(void)
{
	return n_clients < CLIENTS && !held_is_full() && (rlim_t)(held_count() + n_clients) < room;
}

static void accept_clients(long long now)
{
	int fd;

	while (has_room()) {
		fd = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			return;
		if (!is_friend(fd)) {
			held_close(fd);
			continue;
		}
		since[++n_clients] = now;
		fds[n_clients] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
}

/*
 * A namespace's file comes from a process in it, or from one that may trace such a process. /proc
 * would say nothing of a sender that has ended since.
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

/* One message with one socket. */
static void read_message(int client, long long now)
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
		held_take(found[0], (enum keep_how)byte, now);
	else
		held_close(found[0]);
}

static void read_clients(long long now)
{
	for (int i = 1; i <= n_clients;) {
		if (!fds[i].revents && now - since[i] < CLIENT) {
			i++;
			continue;
		}
		if (fds[i].revents & POLLIN)
			read_message(fds[i].fd, now);
		held_close(fds[i].fd);
		since[i] = since[n_clients];
		fds[i] = fds[n_clients--];
	}
}

/*
 * Nobody can connect any more, and whoever already has is heard: then the name is free for a new
 * keeper. net/unix/af_unix.c, unix_stream_connect().
 */
static void stop_listening(void)
{
	long long start = milliseconds();

	shutdown(LISTENER, SHUT_RD);
	do {
		accept_clients(start);
		poll(fds + 1, (nfds_t)n_clients, n_clients ? CLIENT : 0);
		read_clients(milliseconds());
	} while (n_clients);
	fds[0].fd = -1;
	syscall(SYS_close, LISTENER);
}

/* How long to sleep: until a socket, a client or the end is due. */
static int timeout(long long now, long long next, long long end)
{
	if (next < 0 || end < next)
		next = end;
	if (n_clients && now + CLIENT < next)
		next = now + CLIENT;
	return next <= now ? 0 : (int)(next - now);
}

static void serve(void)
{
	long long now = milliseconds(), end = now + IDLE, next;

	while (!is_terminated && (held_count() || n_clients || now < end)) {
		next = held_look(now);
		fds[0].events = has_room() ? POLLIN : 0;
		wait_for(fds, n_clients + 1, timeout(now, next, end));
		now = milliseconds();
		accept_clients(now);
		read_clients(now);
		if (held_count() || n_clients)
			end = now + IDLE;
	}
}

/* What came while it stopped to listen, or had not been sent at SIGTERM. */
static void finish(void)
{
	long long now = milliseconds(), end = now + TERMINATION, next = held_look(now);

	while (next >= 0 && (!is_terminated || now < end)) {
		wait_for(NULL, 0, timeout(now, next, is_terminated ? end : next));
		now = milliseconds();
		next = held_look(now);
	}
	held_drop();
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
