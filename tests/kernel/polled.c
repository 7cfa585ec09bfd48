// SPDX-License-Identifier: MIT
/*
 * A server that polls blocking listeners, and its clients.
 *
 *   polled serve PROCESSES THREADS [ADDRESS]    prints the ports of two listeners; each thread of
 *                               each process in turn polls both and accepts, then sends back what
 *                               it gets
 *   polled ask A B              for each line it reads: a client of B and one of A whose data must
 *                               come back; prints whether it did
 *   polled load A B ROUNDS      each round: a client of A that leaves at once, then as above;
 *                               prints the number of successful rounds
 *
 * A server that blocks in accept() for A answers nobody at B.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "tests/libc.h"

#define AF_SMC_43 43
#define MOST 20000
#define LIMIT 60

static struct pollfd listeners[2];
static pthread_mutex_t *turn;

static void echo(int fd)
{
	static _Thread_local char data[MOST];
	ssize_t n, done, part;

	while ((n = recv(fd, data, sizeof(data), 0)) > 0) {
		for (done = 0; done < n; done += part) {
			part = send(fd, data + done, (size_t)(n - done), MSG_NOSIGNAL);
			if (part < 0)
				return;
		}
	}
}

/* As naive programs do it: accept() must neither fail nor block. */
static int accept_one(int listener)
{
	struct sockaddr_in peer;
	socklen_t len = sizeof(peer);
	int fd = accept(listener, (struct sockaddr *)&peer, &len);

	if (fd < 0)
		err(1, "accept");
	if (peer.sin_family != AF_INET || len != sizeof(peer))
		errx(1, "a peer of family %d, %u bytes", peer.sin_family, len);
	return fd;
}

/* One at a time: otherwise the others would block, with TCP too, if one takes the client. */
static void *serve(void *unused)
{
	int i, fds[2];

	for (;;) {
		pthread_mutex_lock(turn);
		if (poll(listeners, 2, -1) < 0)
			err(1, "poll");
		for (i = 0; i < 2; i++)
			fds[i] = listeners[i].revents & POLLIN ? accept_one(listeners[i].fd) : -1;
		pthread_mutex_unlock(turn);
		for (i = 0; i < 2; i++) {
			if (fds[i] >= 0) {
				echo(fds[i]);
				close(fds[i]);
			}
		}
	}
	return unused;
}

static void make_mutex(void)
{
	pthread_mutexattr_t attr;

	turn = mmap(NULL, sizeof(*turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (turn == MAP_FAILED)
		err(1, "mmap");
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(turn, &attr);
}

static int open_listener(const char *address)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = inet_addr(address) };
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (void *)&addr, len) || listen(fd, 1024) ||
	    getsockname(fd, (void *)&addr, &len))
		err(1, "listen");
	printf("%d ", ntohs(addr.sin_port));
	return fd;
}

static int run_servers(int processes, int threads, const char *address)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 2; i++)
		listeners[i] = (struct pollfd){ .fd = open_listener(address), .events = POLLIN };
	puts("");
	fflush(stdout);
	make_mutex();
	for (i = 1; i < processes; i++) {
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			break;
		}
	}
	for (i = 1; i < threads; i++)
		pthread_create(&thread, NULL, serve, NULL);
	serve(NULL);
	return 1;
}

static int client(int flags)
{
	struct timeval limit = { .tv_sec = LIMIT };
	int fd = socket(AF_SMC_43, SOCK_STREAM | flags, 0);

	if (fd < 0)
		err(1, "socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

static int connect_to(int fd, int port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_port = htons((in_port_t)port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	return connect(fd, (void *)&addr, sizeof(addr));
}

static void die(int port)
{
	int fd = client(SOCK_NONBLOCK);

	connect_to(fd, port);
	close(fd);
}

/* true if everything is echoed, byte by byte */
static bool ask(int port)
{
	static char sent[MOST], got[MOST + 1];
	size_t size = 1 + (size_t)rand() % MOST, have = 0, i;
	ssize_t n = 1;
	int fd = client(0);

	for (i = 0; i < size; i++)
		sent[i] = (char)rand();
	if (connect_to(fd, port) || send(fd, sent, size, 0) != (ssize_t)size) {
		warn("port %d", port);
		close(fd);
		return false;
	}
	shutdown(fd, SHUT_WR);
	while (n > 0 && have <= size) {
		n = recv(fd, got + have, sizeof(got) - have, 0);
		have += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		warn("port %d: after %zu bytes", port, have);
	close(fd);
	return !n && have == size && !memcmp(sent, got, size);
}

static int answer(int a, int b)
{
	char line[100];

	while (fgets(line, sizeof(line), stdin)) {
		puts(ask(b) && ask(a) ? "answered" : "lost");
		fflush(stdout);
	}
	return 0;
}

static int load(int a, int b, int rounds)
{
	int round, good = 0;

	for (round = 0; round < rounds && good == round; round++) {
		die(a);
		good += ask(b) && ask(a);
	}
	printf("%d of %d\n", good, rounds);
	return good != rounds;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && argc <= 5 && !strcmp(argv[1], "serve"))
		return run_servers(atoi(argv[2]), atoi(argv[3]), argc == 5 ? argv[4] : "127.0.0.1");
	if (argc == 4 && !strcmp(argv[1], "ask"))
		return answer(atoi(argv[2]), atoi(argv[3]));
	if (argc == 5 && !strcmp(argv[1], "load"))
		return load(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
	errx(2, "usage: polled serve PROCESSES THREADS [ADDRESS] | ask A B | load A B ROUNDS");
}
