// SPDX-License-Identifier: MIT
/*
 * Random writes and reads of many threads, over the sockets that a program gets when it asks for
 * TCP: all bytes arrive in order, and each call returns what TCP permits.
 *
 *   flows SEQUENCES [SEED]
 *
 * The last line is: SEQUENCES sequences, BYTES bytes, WRONG wrong. A line for each of the first
 * wrong results names the seed and the sequence; a run with this seed repeats all choices, but not
 * the order of events. More sequences follow until each kind of result was seen.
 */
#include <netinet/tcp.h>
#include <sys/time.h>

#include "tests/kernel/transfer.h"
#include "tests/libc.h"

/* Two threads for each end of each direction. LIMIT_MS: SO_SNDTIMEO and SO_RCVTIMEO */
enum { PAIRS = 2, FLOWS = 2 * PAIRS, THREADS = 4 * FLOWS, ROUND = 1000, LIMIT_MS = 150 };
/* EARLY_MS: a virtual machine that had to wait for a processor moves its timers on at once. */
enum { EARLY_MS = 140, HANG_S = 100, REPORTS = 10 };
/* The period is prime, so that lost or repeated parts of buffers show. */
enum { PERIOD = 1048573, LARGEST = 200000 };

static char pattern[PERIOD + LARGEST];

/* One end of a flow, for one thread at a time. */
struct end {
	pthread_mutex_t lock;
	int fd;
	bool nonblocking, limited, done;
	unsigned long long pos;
	size_t (*use)(struct end *end);
	struct flow *flow;
};

struct flow {
	struct end out, in;
	atomic_int writers;
};

struct call {
	const char *name;
	size_t len;
	int flags;
	/* whole: all is transferred unless something ends it. spliced: looks for signals first. */
	bool waits, limited, whole, spliced;
	int plain, restarting;
	double start;
};

/* Kinds of results, after one for each call. */
enum {
	READS = OUTS,
	NOW = READS + INS,
	PART_SIGNAL,
	PART_LIMIT,
	NONE_SIGNAL,
	NONE_LIMIT,
	PEEK,
	WAITALL,
	KINDS
};

static const char *const kinds[] = { "EAGAIN",	   "a part, by a signal", "a part, by a limit",
				     "EINTR",	   "EAGAIN, by a limit",  "MSG_PEEK",
				     "MSG_WAITALL" };
static atomic_ulong seen[KINDS], wrong, sequence, bytes, progress;
static atomic_int running, resting;
static unsigned long seed, round_end;
static _Thread_local unsigned long current;
static _Thread_local uint64_t state;
static _Thread_local volatile sig_atomic_t plain, restarting;

static unsigned long pick(unsigned long most)
{
	uint64_t x = state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (unsigned long)((x ^ x >> 31) % most);
}

static bool once_in(unsigned long n)
{
	return !pick(n);
}

static void begin_sequence(unsigned long number)
{
	current = number;
	state = seed * 1000003 + number;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int finish(void)
{
	printf("%lu sequences, %lu bytes, %lu wrong\n", sequence, bytes, wrong);
	fflush(stdout);
	return wrong != 0;
}

static void blame(const struct call *call, const char *what, bool fatal)
{
	if (wrong++ < REPORTS)
		printf("seed %lu, sequence %lu: %s of %zu bytes, flags %#x, %s%s, "
		       "%d and %d signals, %.0f ms: %s\n",
		       seed, current, call->name, call->len, (unsigned int)call->flags,
		       call->waits ? "blocking" : "nonblocking", call->limited ? ", limited" : "",
		       plain - call->plain, restarting - call->restarting,
		       (seconds() - call->start) * 1e3, what);
	if (fatal)
		_exit(finish());
}

static const char *text_of(ssize_t n)
{
	static _Thread_local char text[40];

	if (n >= 0)
		snprintf(text, sizeof(text), "%zd", n);
	return n < 0 ? strerrorname_np(errno) : text;
}

/* TCP's rules. Return: the kind of result, KINDS for a usual one, -1 for a wrong one */
static int judge(const struct call *call, ssize_t n)
{
	bool late =
		call->limited && (seconds() - call->start) * 1e3 >= (double)(LIMIT_MS - EARLY_MS);
	bool interrupted = plain != call->plain,
	     any = interrupted || restarting != call->restarting;

	if (n > (ssize_t)call->len)
		return -1;
	if (n == (ssize_t)call->len || (n > 0 && (!call->whole || !call->waits)))
		return KINDS;
	if (n > 0 && (any || late))
		return any ? PART_SIGNAL : PART_LIMIT;
	if (n < 0 && errno == EAGAIN && (!call->waits || late))
		return call->waits ? NONE_LIMIT : NOW;
	if (n < 0 && errno == EINTR && (call->waits || call->spliced) &&
	    (interrupted || (call->limited && any)))
		return NONE_SIGNAL;
	return -1;
}

/* A result other than a short read at the end. Return: the number of bytes */
static size_t check(const struct call *call, int kind, ssize_t n, const struct end *end)
{
	int result = judge(call, n);

	seen[kind]++;
	progress++;
	if (result < 0)
		blame(call, text_of(n), n <= 0);
	else if (result < KINDS)
		seen[result]++;
	if (result == NOW)
		poll(&(struct pollfd){ .fd = end->fd, .events = kind < READS ? POLLOUT : POLLIN },
		     1, -1);
	return n > 0 ? (size_t)n : 0;
}

static void limit(struct end *end, int option)
{
	struct timeval time = { 0 };

	if (!once_in(16))
		return;
	end->limited = once_in(3);
	time.tv_usec = end->limited ? LIMIT_MS * 1000 : 0;
	setsockopt(end->fd, SOL_SOCKET, option, &time, sizeof(time));
}

static struct call prepare(const struct end *end, const char *name, bool has_flags, size_t len)
{
	struct call call = { .name = name, .len = len, .limited = end->limited };

	call.waits = !end->nonblocking;
	if (has_flags && once_in(8)) {
		call.flags |= MSG_DONTWAIT;
		call.waits = false;
	}
	call.plain = plain;
	call.restarting = restarting;
	call.start = seconds();
	return call;
}

static size_t length(int way, int last, unsigned int bits)
{
	size_t len = 1 + pick(1UL << pick(bits));

	if (once_in(100))
		len = 1 + pick(LARGEST);
	return way == last && len > PIPE_SIZE ? PIPE_SIZE : len;
}

static size_t write_some(struct end *end)
{
	int way = (int)pick(OUTS);
	bool has_flags = way < OUT_FLAGS;
	struct call call = prepare(end, outs[way], has_flags, length(way, OUT_SPLICE, 15));
	ssize_t n;

	if (has_flags && once_in(16))
		call.flags |= MSG_MORE;
	call.whole = true;
	call.spliced = way >= OUT_COPIES;
	n = write_by(way, end->fd, pattern + end->pos % PERIOD, call.len, call.flags);
	return check(&call, way, n, end);
}

static size_t read_some(struct end *end)
{
	static _Thread_local char got[LARGEST];
	int way = (int)pick(INS);
	bool has_flags = way < IN_FLAGS && way != IN_RECVMMSG;
	struct call call = prepare(end, ins[way], has_flags, length(way, IN_SPLICE, 17));
	bool peeks = has_flags && once_in(16), all;
	int kind = READS + way;
	ssize_t n;

	all = has_flags && !peeks && once_in(8);
	call.flags |= (peeks ? MSG_PEEK : 0) | (all ? MSG_WAITALL : 0);
	call.whole = all;
	n = read_by(way, end->fd, got, call.len, call.flags);
	if (n > 0 && memcmp(got, pattern + end->pos % PERIOD, (size_t)n))
		blame(&call, "other bytes", true);
	if (!end->flow->writers && n >= 0 && end->pos + (size_t)n == end->flow->out.pos) {
		end->done = !n;
		return peeks ? 0 : (size_t)n;
	}
	seen[PEEK] += peeks;
	seen[WAITALL] += all;
	n = (ssize_t)check(&call, kind, n, end);
	return peeks ? 0 : (size_t)n;
}

/* The other end waits, and reaches its limit unless signals interrupt it. */
static void rest(bool quiet)
{
	resting += quiet;
	poll(NULL, 0, 4 * LIMIT_MS);
	resting -= quiet;
}

/* A sequence of calls by one thread. */
static void use(struct end *end, unsigned long number)
{
	bool is_out = end == &end->flow->out;
	unsigned long n;
	size_t moved;

	pthread_mutex_lock(&end->lock);
	begin_sequence(number);
	limit(end, is_out ? SO_SNDTIMEO : SO_RCVTIMEO);
	if (once_in(seen[PART_LIMIT] && seen[NONE_LIMIT] ? 2000 : 200))
		rest(once_in(2));
	for (n = 1 + pick(4); n && !end->done; n--) {
		moved = end->use(end);
		end->pos += moved;
		if (!is_out)
			bytes += moved;
	}
	pthread_mutex_unlock(&end->lock);
}

static void *write_all(void *arg)
{
	struct flow *flow = arg;
	unsigned long number;

	while ((number = sequence++) < round_end)
		use(&flow->out, number);
	sequence--;
	if (!--flow->writers)
		shutdown(flow->out.fd, SHUT_WR);
	running--;
	return NULL;
}

static void *read_all(void *arg)
{
	struct flow *flow = arg;
	/* Other numbers than the writers'. */
	unsigned long number = round_end * 1000 + (unsigned long)(flow->in.fd) * 100;

	while (!flow->in.done)
		use(&flow->in, number++);
	running--;
	return NULL;
}

/* A pair of sockets with random buffers, for two flows. */
static void join(struct flow *two)
{
	static const int sizes[] = { 0, 16384, 65536, 65536 };
	int l = socket(AF_INET, SOCK_STREAM, 0), ends[2] = { socket(AF_INET, SOCK_STREAM, 0), -1 };
	bool nonblocking[2] = { once_in(3), once_in(3) };
	struct sockaddr_in addr;

	for (int i = 0, *size; i < 2; i++) {
		size = &(int){ sizes[pick(4)] };
		if (!*size)
			continue;
		setsockopt(i ? l : ends[0], SOL_SOCKET, SO_SNDBUF, size, sizeof(*size));
		setsockopt(i ? l : ends[0], SOL_SOCKET, SO_RCVBUF, size, sizeof(*size));
	}
	if (listen_here(l, &addr, 1) || connect(ends[0], (void *)&addr, sizeof(addr)) ||
	    (ends[1] = accept(l, NULL, NULL)) < 0)
		err(2, "pair");
	close(l);
	for (int i = 0; i < 2; i++) {
		fcntl(ends[i], F_SETFL, O_RDWR | (nonblocking[i] ? O_NONBLOCK : 0));
		setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &(int){ once_in(2) }, sizeof(int));
		two[i] = (struct flow){ .writers = 2 };
		two[i].out = (struct end){ .lock = PTHREAD_MUTEX_INITIALIZER,
					   .use = write_some,
					   .fd = ends[i],
					   .nonblocking = nonblocking[i],
					   .pos = pick(PERIOD),
					   .flow = &two[i] };
		two[i].in = two[i].out;
		two[i].in.use = read_some;
		two[i].in.fd = ends[!i];
		two[i].in.nonblocking = nonblocking[!i];
	}
}

/* Interrupt threads until they end. */
static void interrupt(pthread_t *threads)
{
	double changed = seconds();
	unsigned long last = 0;

	while (running > 0) {
		if (!resting)
			pthread_kill(threads[pick(THREADS)], once_in(2) ? SIGUSR1 : SIGUSR2);
		poll(NULL, 0, 1);
		if (progress != last) {
			last = progress;
			changed = seconds();
		} else if (seconds() - changed > HANG_S) {
			printf("seed %lu, sequence %lu: nothing moves\n", seed,
			       (unsigned long)sequence);
			wrong++;
			_exit(finish());
		}
	}
}

static void run_round(void)
{
	static struct flow flows[FLOWS];
	pthread_t threads[THREADS];

	begin_sequence(sequence);
	for (int i = 0; i < FLOWS; i += 2)
		join(&flows[i]);
	running = THREADS;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, i & 1 ? write_all : read_all, &flows[i / 4]))
			errx(2, "threads");
	interrupt(threads);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < FLOWS; i++)
		close(flows[i].out.fd);
}

static void on_signal(int number)
{
	if (number == SIGUSR1)
		plain++;
	else
		restarting++;
}

static const char *kind_name(int kind)
{
	if (kind < READS)
		return outs[kind];
	return kind < NOW ? ins[kind - READS] : kinds[kind - NOW];
}

static bool saw_all(bool reports)
{
	bool all = true;

	for (int i = 0; i < KINDS; i++) {
		if (seen[i])
			continue;
		all = false;
		if (reports)
			printf("never seen: %s\n", kind_name(i));
	}
	return all;
}

int main(int argc, char **argv)
{
	unsigned long total = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	struct sigaction action = { .sa_handler = on_signal };

	seed = argc > 2 ? strtoul(argv[2], NULL, 10) : (unsigned long)time(NULL);
	for (state = 1, round_end = 0; round_end < sizeof(pattern); round_end++)
		pattern[round_end] =
			round_end < PERIOD ? (char)pick(256) : pattern[round_end - PERIOD];
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &action, NULL);
	while (sequence < total || (!saw_all(false) && sequence < total + 200000)) {
		round_end = sequence + ROUND;
		run_round();
	}
	if (!saw_all(true))
		wrong++;
	return finish();
}
