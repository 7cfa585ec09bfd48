// SPDX-License-Identifier: MIT
/*
 * stress THREADS SOCKETS: threads open this many sockets in all, have them replaced and their calls
 * repaired, and close them; a signal handler does the same. Prints a line with the failures, and
 * with the leaks of the second half: file descriptors, memory.
 */
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/time.h>

#include "tests/libc.h"

static atomic_long opened, failed, in_handler;
static int sockets_each, port;

static bool check(bool ok, const char *what)
{
	if (!ok && failed++ < 10)
		perror(what);
	return ok;
}

static int get(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	getsockopt(fd, SOL_SOCKET, name, &value, &len);
	return value;
}

/* The operations on one kind of socket; the number selects how many. */
static void use(long number)
{
	struct sockaddr_in there = { .sin_family = AF_INET,
				     .sin_port = htons((in_port_t)port),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1, two = 2, swap = number % 64 == 0;

	if (!check(fd >= 0, "socket"))
		return;
	opened++;
	check(get(fd, SO_DOMAIN) == AF_INET && get(fd, SO_PROTOCOL) == IPPROTO_TCP, "family");
	check(!setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), "nodelay");
	check(!setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof(on)), "fastopen");
	if (swap)
		check(!setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)), "reuseport");
	if (swap)
		check(!setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &two, sizeof(two)), "lowat");
	if (number % 64 == 1)
		check(!connect(fd, &none, sizeof(none)), "unspec");
	if (number % 64 == 2)
		check(connect(fd, (void *)&there, sizeof(there)) && errno == ECONNREFUSED,
		      "refused");
	check(!close(fd), "close");
}

static void *use_many(void *first)
{
	long i;

	for (i = 0; i < sockets_each; i++)
		use((long)first + i);
	return NULL;
}

static void on_alarm(int number)
{
	int saved = errno;

	use(++in_handler);
	errno = saved;
}

static int count_fds(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 8192; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static long kilobytes(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[200];
	long kb = 0;

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "RssAnon: %ld", &kb);
	if (file)
		fclose(file);
	return kb;
}

/* Nobody listens there: the socket stays bound, so that no other program gets the port. */
static void choose_port(void)
{
	struct sockaddr_in here = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(here);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	bind(fd, (void *)&here, len);
	getsockname(fd, (void *)&here, &len);
	port = ntohs(here.sin_port);
}

static void run_threads(int n)
{
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	pthread_attr_t attr;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 131072);
	for (i = 0; i < n; i++)
		check(!pthread_create(&threads[i], &attr, use_many, (void *)(long)i), "thread");
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 100, sockets = argc > 2 ? atoi(argv[2]) : 10000;
	struct itimerval often = { { 0, 20000 }, { 0, 20000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	int before;
	long memory;

	choose_port();
	sockets_each = sockets / threads / 2;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	run_threads(threads);
	before = count_fds();
	memory = kilobytes();
	do /* a fast machine needs less than the timer's interval */
		run_threads(threads);
	while (!in_handler);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%s sockets, %ld failed, %d file descriptors and %s memory left, handler %s\n",
	       opened >= sockets ? "all" : "too few", (long)failed, count_fds() - before,
	       kilobytes() - memory < 8192 ? "no" : "much", in_handler ? "ran" : "did not run");
	return 0;
}
