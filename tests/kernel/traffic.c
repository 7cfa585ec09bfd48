// SPDX-License-Identifier: MIT
/*
 * Connections with known data, and counts of failures.
 *
 *   traffic data SIZE           the first SIZE bytes that "load" expects from a web server
 *   traffic serve PORT          answers "load own"; prints its counts when SIGTERM comes
 *   traffic load KIND ADDRESS PORT COUNT AT_ONCE
 *                               COUNT connections to a server of this program (own), redis or a
 *                               web server (http, with files "4096" and "100000" of "data");
 *                               prints its counts
 *   traffic hold ADDRESS PORT COUNT
 *                               COUNT connections at a time; prints how many it got and keeps them
 *                               until standard input ends
 *
 * -t SECONDS: timeout of a call (20).
 * -f FAILURES: stop connecting after this many failures.
 *
 * Counts are a line of JSON: tried, whole (all bytes and the end were right), bytes that were
 * right, wrong (different bytes), short (premature end), extra (bytes after the end), refused
 * (error page of the web server), and a count for each error.
 */
#include <sys/time.h>

#include "tests/libc.h"

#define HTTP_SEED 1
#define SMALL_FILE 4096
#define BIG_FILE 100000
#define ERROR_PAGE "<html>"
#define BACKLOG 1024

enum phase { PHASE_SOCKET, PHASE_CONNECT, PHASE_ACCEPT, PHASE_SEND, PHASE_RECEIVE, PHASES };

static const char *const phase_names[PHASES] = { "socket", "connect", "accept", "send", "receive" };

static struct {
	atomic_ulong tried, whole, bytes, wrong, short_, extra, refused;
	atomic_ulong errors[PHASES][200];
} counts;

static struct sockaddr_in server;
static int limit_s = 20;
static unsigned long total, most_failures = -1UL;
static atomic_ulong next_one, failures;

/* Sent first by "load own"; the data follows. */
struct order {
	uint64_t seed;
	uint32_t up, down;
};

/* A request, and the expected answer up to the end. */
struct talk {
	char *request, *answer;
	size_t request_len, answer_len;
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* The first bytes of a stream. */
static void fill(char *data, size_t size, uint64_t seed)
{
	uint64_t word;
	size_t i;

	for (i = 0; i < size; i += sizeof(word)) {
		word = mix(seed * 0x9e3779b97f4a7c15 + i);
		memcpy(data + i, &word, size - i < sizeof(word) ? size - i : sizeof(word));
	}
}

static void *need(size_t size)
{
	void *data = malloc(size ? size : 1);

	if (!data)
		err(1, "malloc");
	return data;
}

static void count_error(enum phase phase)
{
	counts.errors[phase][errno < 200 ? errno : 0]++;
}

static void print_counts(void)
{
	int phase, number;
	const char *between = "";

	printf("{\"tried\": %lu, \"whole\": %lu, \"bytes\": %lu, \"wrong\": %lu, \"short\": %lu, "
	       "\"extra\": %lu, \"refused\": %lu, \"errors\": {",
	       counts.tried, counts.whole, counts.bytes, counts.wrong, counts.short_, counts.extra,
	       counts.refused);
	for (phase = 0; phase < PHASES; phase++) {
		for (number = 0; number < 200; number++) {
			if (!counts.errors[phase][number])
				continue;
			printf("%s\"%s %s\": %lu", between, phase_names[phase],
			       number ? strerrorname_np(number) : "?",
			       counts.errors[phase][number]);
			between = ", ";
		}
	}
	puts("}}");
	fflush(stdout);
}

/* Like poll(), for limit_s at most, with any number of signals; then fails with ETIMEDOUT. */
static bool wait_ready(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	struct timespec now, end;
	long left;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += limit_s;
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = (end.tv_sec - now.tv_sec) * 1000 + (end.tv_nsec - now.tv_nsec) / 1000000;
		ret = poll(&pfd, 1, left > 0 ? (int)left : 0);
	} while (ret < 0 && errno == EINTR);
	if (!ret)
		errno = ETIMEDOUT;
	return ret > 0;
}

/* true if the failed call may be repeated. The timeout of a blocking socket is EAGAIN, too. */
static bool again(int fd, short events, bool blocks)
{
	if (errno == EINTR)
		return true;
	if (errno != EAGAIN)
		return false;
	if (!blocks)
		return wait_ready(fd, events);
	errno = ETIMEDOUT;
	return false;
}

static bool send_all(int fd, const char *data, size_t size, bool blocks)
{
	ssize_t n;

	while (size) {
		n = send(fd, data, size, MSG_NOSIGNAL);
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		} else if (n == 0 || !again(fd, POLLOUT, blocks)) {
			count_error(PHASE_SEND);
			return false;
		}
	}
	return true;
}

/* Receive up to size bytes: fewer at the end; -1 on error, which is counted. */
static ssize_t receive(int fd, char *data, size_t size, bool blocks)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = recv(fd, data + done, size - done, 0);
		if (n > 0) {
			done += (size_t)n;
		} else if (n == 0) {
			return (ssize_t)done;
		} else if (!again(fd, POLLIN, blocks)) {
			count_error(PHASE_RECEIVE);
			return -1;
		}
	}
	return (ssize_t)done;
}

/* Receive this many bytes, and compare them. */
static bool receive_known(int fd, const char *want, size_t size, bool blocks)
{
	char *got = need(size);
	ssize_t n = receive(fd, got, size, blocks);
	bool right = n >= 0 && !memcmp(got, want, (size_t)n);

	if (n >= (ssize_t)strlen(ERROR_PAGE) && !right &&
	    !memcmp(got, ERROR_PAGE, strlen(ERROR_PAGE)))
		counts.refused++;
	else if (n >= 0 && !right)
		counts.wrong++;
	else if (n >= 0 && (size_t)n < size)
		counts.short_++;
	if (right)
		counts.bytes += (size_t)n;
	free(got);
	return right && (size_t)n == size;
}

static bool receive_end(int fd, bool blocks)
{
	char byte;
	ssize_t n = receive(fd, &byte, 1, blocks);

	if (n > 0)
		counts.extra++;
	return n == 0;
}

static void set_limits(int fd)
{
	struct timeval limit = { .tv_sec = limit_s };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

/* ---- server ---- */

static bool answer(int fd)
{
	struct order order;
	ssize_t n = receive(fd, (char *)&order, sizeof(order), true);
	char *data;
	bool good;

	if (n != sizeof(order)) {
		/* A client without data only checks for the server. */
		counts.short_ += n > 0;
		return false;
	}
	data = need(order.up > order.down ? order.up : order.down);
	fill(data, order.up, order.seed);
	good = receive_known(fd, data, order.up, true);
	fill(data, order.down, ~order.seed);
	good = good && send_all(fd, data, order.down, true);
	/* Close on every third client while data is in flight. */
	if (good && order.seed % 3)
		good = receive_end(fd, true);
	free(data);
	return good;
}

static void *serve_one(void *arg)
{
	int fd = (int)(intptr_t)arg;

	set_limits(fd);
	counts.tried++;
	counts.whole += answer(fd);
	close(fd);
	return NULL;
}

static void *accept_all(void *arg)
{
	int fd, listener = (int)(intptr_t)arg;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 128 << 10);
	for (;;) {
		fd = accept(listener, NULL, NULL);
		if (fd >= 0 && !pthread_create(&thread, &attr, serve_one, (void *)(intptr_t)fd))
			continue;
		if (fd >= 0) {
			close(fd);
		} else if (errno != EINTR) {
			count_error(PHASE_ACCEPT);
			usleep(10000);
		}
	}
	return NULL;
}

static int serve(int port)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons((in_port_t)port) };
	int one = 1, signal_number, fd = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t thread;
	sigset_t end;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, (void *)&any, sizeof(any)) || listen(fd, BACKLOG))
		err(1, "port %d", port);
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &end, NULL);
	if (pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)fd))
		errx(1, "no thread");
	sigwait(&end, &signal_number);
	print_counts();
	return 0;
}

/* ---- clients ---- */

static uint32_t size_of(unsigned long id)
{
	if (id % 256 == 255)
		return 1000000;
	return id % 16 == 15 ? 100000 : 100 + (uint32_t)(mix(id) % 4000);
}

static struct talk talk_own(unsigned long id)
{
	struct order order = { .seed = id, .up = size_of(id), .down = size_of(id + 4) };
	struct talk talk = { .request_len = sizeof(order) + order.up, .answer_len = order.down };

	talk.request = need(talk.request_len + sizeof(uint64_t));
	talk.answer = need(talk.answer_len);
	memcpy(talk.request, &order, sizeof(order));
	fill(talk.request + sizeof(order), order.up, order.seed);
	fill(talk.answer, order.down, ~order.seed);
	return talk;
}

/* APPEND, so that data arriving twice has twice the length. */
static struct talk talk_redis(unsigned long id)
{
	size_t size = size_of(id);
	struct talk talk = { .request = need(size + 300), .answer = need(size + 100) };
	char key[32], *at;

	snprintf(key, sizeof(key), "key%017lu", id);
	at = talk.request;
	at += sprintf(at, "*3\r\n$6\r\nAPPEND\r\n$20\r\n%s\r\n$%zu\r\n", key, size);
	fill(at, size, id);
	at += size;
	at += sprintf(at, "\r\n*2\r\n$3\r\nGET\r\n$20\r\n%s\r\n", key);
	at += sprintf(at, "*2\r\n$3\r\nDEL\r\n$20\r\n%s\r\n*1\r\n$4\r\nQUIT\r\n", key);
	talk.request_len = (size_t)(at - talk.request);
	at = talk.answer + sprintf(talk.answer, ":%zu\r\n$%zu\r\n", size, size);
	fill(at, size, id);
	at += size;
	at += sprintf(at, "\r\n:1\r\n+OK\r\n");
	talk.answer_len = (size_t)(at - talk.answer);
	return talk;
}

/* HTTP 0.9: the answer is just the file. */
static struct talk talk_http(unsigned long id)
{
	size_t size = id % 16 == 15 ? BIG_FILE : SMALL_FILE;
	struct talk talk = { .request = need(40), .answer = need(size), .answer_len = size };

	talk.request_len = (size_t)sprintf(talk.request, "GET /%zu\r\n", size);
	fill(talk.answer, size, HTTP_SEED);
	return talk;
}

static struct talk (*make_talk)(unsigned long id);

/* With and without O_NONBLOCK; a blocking connect() goes on after a signal. */
static bool connect_to(int fd, bool blocks)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (!connect(fd, (void *)&server, sizeof(server)))
		return true;
	if (errno == EINPROGRESS && blocks)
		errno = ETIMEDOUT;
	else if ((errno == EINTR || errno == EINPROGRESS) && wait_ready(fd, POLLOUT) &&
		 !getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len))
		errno = error;
	if (!errno)
		return true;
	count_error(PHASE_CONNECT);
	return false;
}

static bool one_talk(unsigned long id)
{
	bool whole = false, blocks = id % 2;
	int fd = socket(AF_INET, SOCK_STREAM | (blocks ? 0 : SOCK_NONBLOCK), 0);
	struct talk talk;

	counts.tried++;
	if (fd < 0) {
		count_error(PHASE_SOCKET);
		return false;
	}
	set_limits(fd);
	talk = make_talk(id);
	if (connect_to(fd, blocks) && send_all(fd, talk.request, talk.request_len, blocks)) {
		/* A late reader: the server is gone by now, its data is not. */
		if (id % 16 == 0)
			usleep(20000);
		whole = receive_known(fd, talk.answer, talk.answer_len, blocks) &&
			((make_talk == talk_own && id % 3) || receive_end(fd, blocks));
		counts.whole += whole;
	}
	close(fd);
	free(talk.request);
	free(talk.answer);
	return whole;
}

static void *talk_on(void *unused)
{
	unsigned long id;

	while (failures < most_failures && (id = next_one++) < total) {
		if (one_talk(id))
			continue;
		failures++;
		/* Retry as patient programs do; without a route, connect() fails at once. */
		usleep(200000);
	}
	return unused;
}

static int load(unsigned long count, unsigned int at_once)
{
	pthread_t threads[512];
	unsigned int i;

	if (at_once > 512)
		errx(1, "at most 512 at once");
	total = count;
	for (i = 0; i < at_once; i++) {
		if (pthread_create(&threads[i], NULL, talk_on, NULL))
			errx(1, "no thread");
	}
	for (i = 0; i < at_once; i++)
		pthread_join(threads[i], NULL);
	print_counts();
	return 0;
}

static int hold(unsigned long count)
{
	unsigned long got = 0;
	char byte;
	int fd;

	while (count--) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		got += fd >= 0 && connect_to(fd, true);
	}
	printf("%lu\n", got);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}

static int write_data(size_t size)
{
	char *data = need(size);

	fill(data, size, HTTP_SEED);
	return fwrite(data, 1, size, stdout) != size || fflush(stdout);
}

static void set_server(const char *address, const char *port)
{
	server = (struct sockaddr_in){ .sin_family = AF_INET,
				       .sin_addr.s_addr = inet_addr(address),
				       .sin_port = htons((in_port_t)atoi(port)) };
}

int main(int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "t:f:")) > 0) {
		if (opt == 't')
			limit_s = atoi(optarg);
		else if (opt == 'f')
			most_failures = strtoul(optarg, NULL, 10);
		else
			return 1;
	}
	argc -= optind;
	argv += optind;
	if (argc == 2 && !strcmp(argv[0], "data"))
		return write_data(strtoul(argv[1], NULL, 10));
	if (argc == 2 && !strcmp(argv[0], "serve"))
		return serve(atoi(argv[1]));
	if (argc == 4 && !strcmp(argv[0], "hold")) {
		set_server(argv[1], argv[2]);
		return hold(strtoul(argv[3], NULL, 10));
	}
	if (argc != 6 || strcmp(argv[0], "load"))
		errx(1, "see the source for its arguments");
	make_talk = talk_http;
	if (!strcmp(argv[1], "own"))
		make_talk = talk_own;
	else if (!strcmp(argv[1], "redis"))
		make_talk = talk_redis;
	set_server(argv[2], argv[3]);
	return load(strtoul(argv[4], NULL, 10), (unsigned int)atoi(argv[5]));
}
