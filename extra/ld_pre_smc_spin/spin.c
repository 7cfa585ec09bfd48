// SPDX-License-Identifier: MIT
/*
 * Look for input for some microseconds before a call sleeps.
 *
 * SMC sockets have no busy polling in the kernel, so each message of a peer wakes a sleeping
 * process: two context switches, and an interrupt to another processor. A process that looks for
 * its input again and again needs neither.
 *
 * Spinning costs a processor. So a descriptor spins while that succeeds, and pauses for more and
 * more calls when it does not. One processor is left to the peer: fewer threads spin than the
 * process has processors. A thread that loses its processor while it spins does not spin for ten
 * times as long.
 *
 * With SMC_SPIN=max:USEC each thread finds out how long to spin, up to USEC, by kind of call. As in
 * the halt polling of KVM, the time grows when a sleep was so short that spinning may replace it,
 * and shrinks after longer sleeps. A sleep takes longer than the wait that spinning would need, as
 * both ends have to be woken, so the time grows even after sleeps of a few times USEC.
 *
 * Only raw system calls: these functions are no cancellation points, and run in signal handlers.
 */
#include "ld_pre_smc_spin/spin.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "launch/variables.h"
#include "ld_pre_smc/for_spin.h"
#include "ld_pre_smc/state/fd_table.h"

/* Descriptors from here on do not spin. */
#define NUMBERS 65536
_Static_assert(NUMBERS <= SHIM_FD_NUMBERS, "each has a mark");

/* Number of unsuccessful spins, less the successful ones, before a descriptor pauses. */
#define MISSES 8

/* Longest pause: number of calls that do not spin. */
#define LONGEST_PAUSE 255

/* Longest pause, in calls, after calls that found input at once. */
#define LONGEST_STREAK 15

/* Calls until a descriptor is checked again, as its number may have become another file. */
#define CHECKED 64

/* Microseconds: a thread that did not run for this long has lost its processor. */
#define LOST 1000

/* Such a thread does not spin for this many times as long, at most 100 milliseconds. */
#define REST 10
#define LONGEST_REST 100

/* Milliseconds: maximum of this pause, which doubles when the thread loses the processor again. */
#define LONGEST_RESTS 3200

/* A thread that adapts begins with this part of its longest time. */
#define FIRST 16

/* A sleep of this many times the longest time is short. */
#define SHORT 4

/*
 * At most this part of its time is spent spinning in vain. If that happens often, the part shrinks
 * to the least one; it does not count for a few longest times.
 */
#define SHARE 4
#define LEAST_SHARE 256
#define WHILE 32

#ifndef SYS_ppoll /* 32-bit architectures without 32-bit time */
#define SYS_ppoll SYS_ppoll_time64
#endif

/*
 * struct state - state of a descriptor, or of the array that a program passes to poll(2)
 * @is_smc: it was an SMC connection when it was checked; @checked: calls until it is checked again
 * @pause: calls until the next look; @streak: length of the pause after input was there at once
 * @misses: failures, less successes; @backoff: length of that pause
 *
 * A wrong state, from another thread or a reused number, only costs time.
 */
struct state {
	unsigned char is_smc, checked, pause, streak, misses, backoff;
};

static struct state states[NUMBERS];

/* By address. */
static struct state arrays[256];

/* For each epoll descriptor, the last connection that was added to it, plus one. */
static int watched[NUMBERS];

/* ld_pre_smc.so may be missing. */
extern __typeof__(smc_shim_view_1) smc_shim_view_1 __attribute__((weak));

/* NULL: nothing spins. */
static const struct smc_shim_view *shim;

static long budget; /* microseconds */
static bool adapts; /* up to that */
static int processors;

/*
 * struct measure - measurements of a thread that adapts, in microseconds
 * @usec: by kind: for how long it spins; @paid: the time up to which its share is used
 * @share: of its time that it has last spun in vain, at most LEAST_SHARE
 * @kind, @state: of the wait since spin_since
 *
 * Signal handlers may change it at any time, which only costs time.
 */
static _Thread_local struct measure {
	long usec[SPIN_KINDS];
	long long paid;
	int share;
	enum spin_kind kind;
	struct state *state;
} mine __attribute__((tls_model("initial-exec")));

_Thread_local long long spin_since __attribute__((tls_model("initial-exec")));

/* The last @usec of any thread plus one, to report; 0: none. */
static atomic_long settled[SPIN_KINDS];

/*
 * A slot for each thread that spins: when its time ends, in milliseconds, or 0. This frees the
 * slots of threads that never return, because a handler jumped or the process forked.
 */
static atomic_uint slots[64];
static atomic_uint rests_until, rest; /* milliseconds: end and length */

/* Calls that spun, and those of them that found input. */
static atomic_ulong spun, found_input;

/* True if this process has had a connection. Until then poll(2) never spins. */
static atomic_bool is_used;

static unsigned char get(const unsigned char *byte)
{
	return __atomic_load_n(byte, __ATOMIC_RELAXED);
}

static void set(unsigned char *byte, int value)
{
	__atomic_store_n(byte, (unsigned char)value, __ATOMIC_RELAXED);
}

/* Microseconds. */
static long long by_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static long long now(void)
{
	return by_clock(CLOCK_MONOTONIC);
}

/* Milliseconds, never 0; they wrap. */
static unsigned int milliseconds(long long usec)
{
	return (unsigned int)(usec / 1000) | 1;
}

static bool is_over(unsigned int deadline, unsigned int time)
{
	return !deadline || (int)(time - deadline) > 0;
}

/* True if the descriptor may be an SMC socket. */
static bool is_marked(int fd)
{
	return shim && (unsigned int)fd < NUMBERS && get(&shim->fd_bytes[fd]) & FD_SMC &&
	       !*shim->is_locked;
}

/* ---- the kernel ---- */

/*
 * struct input - arguments of poll(2), or with @events of epoll_wait(2)
 * @connection: with @events: the last one that was added
 */
struct input {
	enum spin_kind kind;
	struct pollfd *fds;
	nfds_t n;
	struct epoll_event *events;
	int epfd, n_events, connection;
};

/*
 * Number of ready files, negative for an error. Some files report an event only once, even when
 * looked at through an epoll instance.
 */
static long look(const struct input *input)
{
	/* The kernel does not write to a time of zero. */
	static const struct timespec zero;

	if (input->events)
		return syscall(SYS_epoll_pwait, input->epfd, input->events, input->n_events, 0,
			       NULL, sizeof(uint64_t));
	return syscall(SYS_ppoll, input->fds, input->n, &zero, NULL, sizeof(uint64_t));
}

static bool is_connection(int fd)
{
	struct state *state = &states[fd];

	if (!get(&state->is_smc) || !get(&state->checked)) {
		set(&state->is_smc, shim->is_smc(fd, NULL));
		set(&state->checked, CHECKED);
	}
	set(&state->checked, get(&state->checked) - 1);
	if (!get(&state->is_smc))
		return false;
	is_used = true;
	return true;
}

/* ---- signals ---- */

/*
 * Signals are blocked while a thread spins: if a handler ran now, the program's call would not end
 * with EINTR, and could wait for ever.
 */
static uint64_t block_signals(void)
{
	uint64_t all = ~0ULL, old = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, sizeof(all));
	return old;
}

/*
 * True if a signal has a handler that ends the program's call. recv(2) is restarted after a handler
 * with SA_RESTART, unless SO_RCVTIMEO limits it; poll(2) never is: signal(7).
 * @fd: of recv(2), or negative
 */
static bool ends_call(int number, int fd)
{
	struct timeval limit = { 0 };
	socklen_t len = sizeof(limit);
	struct sigaction action;

	if (sigaction(number, NULL, &action) || action.sa_handler == SIG_IGN ||
	    action.sa_handler == SIG_DFL)
		return false;
	if (fd < 0 || !(action.sa_flags & SA_RESTART))
		return true;
	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &limit, &len);
	return limit.tv_sec || limit.tv_usec;
}

/* True if a signal that is to be delivered will end the call. @fd: of recv(2), or negative. */
static bool has_interrupt(uint64_t blocked, int fd)
{
	uint64_t pending = 0;

	syscall(SYS_rt_sigpending, &pending, sizeof(pending));
	pending &= ~blocked;
	for (int number = 1; pending; number++, pending >>= 1)
		if (pending & 1 && ends_call(number, fd))
			return true;
	return false;
}

/* ---- processors ---- */

/* True if a rest ended recently: not longer ago than it lasted. */
static bool was_rest(unsigned int time)
{
	unsigned int until = rests_until;

	return until && time - until < MAX(rest, LONGEST_REST);
}

/* This thread did not run for @lost microseconds. @is_again: others have taken its processor */
static void begin_rest(long long time, long long lost, bool is_again)
{
	unsigned int length = (unsigned int)MIN(lost * REST / 1000, LONGEST_REST);

	rest = is_again ? MIN(MAX(rest * 2, length), LONGEST_RESTS) : length;
	rests_until = milliseconds(time + rest * 1000LL);
}

/* Forgets a rest before milliseconds wrap. */
static bool is_resting(unsigned int time)
{
	unsigned int until = rests_until;

	if (!is_over(until, time))
		return true;
	if (until && time - until > LONGEST_RESTS)
		rests_until = 0;
	return false;
}

/* Return: a slot, or NULL if this thread may not spin. */
static atomic_uint *begin(long long start)
{
	unsigned int time = milliseconds(start), busy;

	for (int i = 0; i < processors - 1 && i < (int)ARRAY_SIZE(slots); i++) {
		busy = slots[i];
		if (is_over(busy, time) &&
		    atomic_compare_exchange_strong(&slots[i], &busy, time + 2 * LONGEST_REST))
			return &slots[i];
	}
	return NULL;
}

/*
 * If the host of a virtual machine took the processor, no other thread here wants it, so a longer
 * rest would not help.
 * Return: like look().
 */
static long look_until_late(const struct input *input, long long start, long usec)
{
	bool is_again = was_rest(milliseconds(start));
	long long ran = is_again ? by_clock(CLOCK_THREAD_CPUTIME_ID) : 0, last = start, time;
	long found;

	do {
		found = look(input);
		time = now();
		if (time - last > LOST) {
			is_again = is_again &&
				   by_clock(CLOCK_THREAD_CPUTIME_ID) - ran < (time - start) / 2;
			begin_rest(time, time - last, is_again);
			break;
		}
		last = time;
	} while (!found && time - start < usec);
	return found;
}

/* A success makes up for one failure, so that a few of them do not end a long pause. */
static void learn(struct state *state, bool is_found)
{
	int misses = get(&state->misses), backoff = get(&state->backoff);

	set(&state->streak, 0);
	if (is_found) {
		set(&state->misses, misses ? misses - 1 : 0);
		set(&state->backoff, backoff / 2);
	} else if (misses < MISSES - 1) {
		set(&state->misses, misses + 1);
	} else {
		backoff = backoff < LONGEST_PAUSE / 2 ? MAX(backoff * 2, 1) : LONGEST_PAUSE;
		set(&state->backoff, backoff);
		set(&state->pause, backoff);
	}
}

/* ---- measure ---- */

/* Return: for how many microseconds this thread spins now, or 0. */
static long time_for(enum spin_kind kind, long long start)
{
	if (!adapts)
		return budget;
	return mine.paid - start < WHILE * budget ? mine.usec[kind] : 0;
}

/* Adapt the time to this wait. @vain: microseconds for which this thread spun */
static void expect_sleep(struct state *state, enum spin_kind kind, long long start, long long vain)
{
	if (vain) {
		mine.share = MIN(MAX(mine.share, SHARE / 2) * 2, LEAST_SHARE);
		mine.paid = MAX(mine.paid, start) + mine.share * vain;
	}
	mine.kind = kind;
	mine.state = state;
	spin_since = start;
}

/* While the time may still grow, spinning has not failed. */
void spin_measure(void)
{
	bool is_short = now() - spin_since <= SHORT * budget;
	long usec = mine.usec[mine.kind], first = MAX(budget / FIRST, 1);

	spin_since = 0;
	if (!is_short || usec == budget)
		learn(mine.state, false);
	if (is_short)
		usec = MIN(MAX(usec * 2, first), budget);
	else
		usec = usec >= first * 2 ? usec / 2 : 0;
	mine.usec[mine.kind] = usec;
	atomic_store_explicit(&settled[mine.kind], usec + 1, memory_order_relaxed);
}

/* ---- spin ---- */

/* Return: like look(), or negative if a signal ends the call. */
static long spin_in(atomic_uint *slot, const struct input *input, int fd, bool is_all,
		    const void *sigmask, long long start, long usec)
{
	uint64_t old = block_signals(), blocked = 0;
	long found = look_until_late(input, start, usec);

	if (sigmask)
		memcpy(&blocked, sigmask, sizeof(blocked));
	if ((found <= 0 || is_all) && has_interrupt(old | blocked, fd))
		found = -1;
	else if (found < 0)
		found = 0;
	*slot = 0;
	/* Like the kernel, run the handlers of signals that only this call unblocks. */
	if (found > 0 && sigmask)
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, sigmask, NULL, sizeof(old));
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof(old));
	return found;
}

/*
 * @fd: of recv(2), negative for poll(2) and its kin
 * @is_all: with MSG_WAITALL: the call waits although there is input
 * Return: like spin_poll().
 */
static long spin(struct state *state, const struct input *input, int fd, bool is_all,
		 const void *sigmask)
{
	enum spin_kind kind = input->kind;
	long long start = now();
	long usec = time_for(kind, start), found;
	atomic_uint *slot;

	if (is_resting(milliseconds(start))) {
		set(&state->pause, LONGEST_STREAK);
		return 0;
	}
	if (!usec)
		expect_sleep(state, kind, start, 0);
	slot = usec ? begin(start) : NULL;
	if (!slot)
		return 0;
	found = spin_in(slot, input, fd, is_all, sigmask, start, usec);
	atomic_fetch_add_explicit(&spun, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&found_input, found > 0, memory_order_relaxed);
	if (!found && adapts) {
		expect_sleep(state, kind, start, now() - start);
		return 0;
	}
	learn(state, found > 0);
	mine.share /= 2;
	return found;
}

/* Count this call. Return: true if it does not spin. */
static bool is_paused(struct state *state)
{
	int pause = get(&state->pause);

	if (pause)
		set(&state->pause, pause - 1);
	return pause;
}

/* Input is there without waiting, so neither this nor the next calls need look(). */
static void skip_some(struct state *state)
{
	int streak = get(&state->streak) * 2 + 1;

	streak = streak < LONGEST_STREAK ? streak : LONGEST_STREAK;
	set(&state->streak, streak);
	set(&state->pause, streak);
}

static void skip_many(struct state *state)
{
	set(&state->pause, CHECKED);
}

/* True if the program waits long enough. */
static bool is_long(long long usec)
{
	return usec < 0 || usec > budget;
}

static bool spin_marked(int fd, bool is_all)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };
	const struct input input = { .kind = SPIN_RECV, .fds = &one, .n = 1 };
	struct state *state = &states[fd];

	if (is_paused(state))
		return false;
	if (!is_connection(fd)) {
		skip_many(state);
		return false;
	}
	if (look(&input)) {
		skip_some(state);
		return false;
	}
	if (syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) {
		skip_many(state);
		return false;
	}
	return spin(state, &input, fd, is_all, NULL) < 0;
}

bool spin_input(int fd, bool is_all)
{
	bool is_interrupted;
	int saved;

	if (!is_marked(fd))
		return false;
	saved = errno;
	is_interrupted = spin_marked(fd, is_all);
	errno = saved;
	return is_interrupted;
}

/* rt_sigprocmask(2) reads a mask before it refuses its first argument. */
bool spin_is_readable(const void *memory, size_t size)
{
	const char *last = (const char *)memory + size - sizeof(uint64_t);
	int saved = errno;
	bool is_valid;

	errno = 0;
	syscall(SYS_rt_sigprocmask, -1, memory, NULL, sizeof(uint64_t));
	if (last != memory && errno != EFAULT)
		syscall(SYS_rt_sigprocmask, -1, last, NULL, sizeof(uint64_t));
	is_valid = errno != EFAULT;
	errno = saved;
	return is_valid;
}

bool spin_is_on(void)
{
	return shim && is_used && !*shim->is_locked;
}

static bool is_marked_connection(int fd)
{
	return is_marked(fd) && is_connection(fd);
}

/* True if this call may spin. look() has found that the memory is valid. */
static bool has_connection(const struct input *input)
{
	if (input->events)
		return is_marked_connection(input->connection);
	for (nfds_t i = 0; i < input->n; i++)
		if (input->fds[i].events & POLLIN && is_marked_connection(input->fds[i].fd))
			return true;
	return false;
}

/* A successful look replaces the program's call, so it costs nothing. Return: as spin_poll(). */
static int wait_for_any(struct state *state, const struct input *input, long long usec,
			const void *sigmask)
{
	int saved = errno;
	long found;

	if (!is_long(usec) || is_paused(state) ||
	    (sigmask && !spin_is_readable(sigmask, sizeof(uint64_t))))
		return 0;
	found = look(input);
	if (found < 0)
		found = 0; /* invalid memory, or a signal: the call itself finds out */
	else if (!has_connection(input))
		skip_many(state);
	else if (!found)
		found = spin(state, input, -1, false, sigmask);
	errno = saved;
	return (int)found;
}

static struct state *state_of(const struct pollfd *fds)
{
	return &arrays[((uintptr_t)fds >> 4) % ARRAY_SIZE(arrays)];
}

bool spin_is_due(struct pollfd *fds, long long usec)
{
	return spin_is_on() && is_long(usec) && !is_paused(state_of(fds));
}

int spin_poll(struct pollfd *fds, nfds_t n, long long usec, const void *sigmask)
{
	/* The kernel, too, ignores the upper half of a 64-bit @n. */
	const struct input input = { .kind = SPIN_POLL, .fds = fds, .n = (unsigned int)n };

	return spin_is_on() && input.n ? wait_for_any(state_of(fds), &input, usec, sigmask) : 0;
}

int spin_epoll(int epfd, struct epoll_event *events, int n, long long usec, const void *sigmask)
{
	struct input input = { .kind = SPIN_EPOLL, .epfd = epfd, .events = events, .n_events = n };

	if (!shim || (unsigned int)epfd >= NUMBERS || !events)
		return 0;
	input.connection = __atomic_load_n(&watched[epfd], __ATOMIC_RELAXED) - 1;
	return is_marked(input.connection) ? wait_for_any(&states[epfd], &input, usec, sigmask) : 0;
}

void spin_new(int fd)
{
	if ((unsigned int)fd >= NUMBERS)
		return;
	states[fd] = (struct state){ 0 };
	is_used = true;
}

void spin_watch(int epfd, int fd)
{
	if ((unsigned int)epfd < NUMBERS && is_marked(fd))
		__atomic_store_n(&watched[epfd], fd + 1, __ATOMIC_RELAXED);
}

int spin_watch_new(int epfd)
{
	if ((unsigned int)epfd < NUMBERS && __atomic_load_n(&watched[epfd], __ATOMIC_RELAXED))
		__atomic_store_n(&watched[epfd], 0, __ATOMIC_RELAXED);
	return epfd;
}

/* ---- start ---- */

static int lesser(int one, int other)
{
	return one < other ? one : other;
}

/* The first bytes of a file, as text; empty without it. */
static void read_start(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : syscall(SYS_read, fd, text, size - 1);

	text[len > 0 ? len : 0] = '\0';
	if (fd >= 0)
		syscall(SYS_close, fd);
}

/* A decimal number, and what follows it; -1 without a digit. No libc: its names differ. */
static long long number_at(const char **text)
{
	long long number = -1;

	for (; **text >= '0' && **text <= '9' && number < NUMBERS * 1000000LL; (*text)++)
		number = (number < 0 ? 0 : number) * 10 + (**text - '0');
	return number;
}

/*
 * Processors that the quota of a control group allows, rounded down; a large number without a
 * quota. @files: names of the files with quota and period; the second is NULL if the first has both
 */
static int quota_of(const char *directory, const char *const files[2])
{
	char path[4096 + 32], text[64];
	const char *at = text;
	long long numbers[2];

	for (int i = 0; i < 2; i++) {
		if (files[i]) {
			snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
			read_start(path, text, sizeof(text));
			at = text;
		}
		numbers[i] = number_at(&at);
		at += *at == ' ';
	}
	if (numbers[0] < 0 || numbers[1] <= 0 || numbers[0] / numbers[1] > NUMBERS)
		return NUMBERS;
	return (int)(numbers[0] / numbers[1]);
}

/*
 * The smallest quota of this process' control group and those above it. @mark: text before its path
 * in /proc/self/cgroup; @root: directory of the root group
 */
static int least_quota(const char *groups, const char *mark, const char *root,
		       const char *const files[2])
{
	const char *path = strstr(groups, mark);
	char directory[4096], *slash;
	int least = NUMBERS;

	if (!path)
		return least;
	path += strlen(mark);
	if (snprintf(directory, sizeof(directory), "%s%.*s", root, (int)strcspn(path, "\n"),
		     path) >= (int)sizeof(directory))
		return least;
	for (slash = directory + strlen(directory); slash; slash = strrchr(directory, '/')) {
		*slash = '\0';
		if (strlen(directory) < strlen(root))
			break;
		least = lesser(least, quota_of(directory, files));
	}
	return least;
}

/* The smaller quota of cgroup2 and of the controller cpu, which version 1 mounts with cpuacct. */
static int quota(void)
{
	static const char *const two[2] = { "cpu.max", NULL };
	static const char *const one[2] = { "cpu.cfs_quota_us", "cpu.cfs_period_us" };
	char groups[4096];

	read_start("/proc/self/cgroup", groups, sizeof(groups));
	return lesser(least_quota(groups, "0::", "/sys/fs/cgroup", two),
		      least_quota(groups, ":cpu,cpuacct:", "/sys/fs/cgroup/cpu,cpuacct", one));
}

static int count_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : lesser(CPU_COUNT(&set), quota());
}

static __attribute__((destructor)) void report(void)
{
	static const char *const kinds[] = { "recv", "poll", "epoll" };
	char text[128];
	int len, kind;

	if (!spun)
		return;
	len = snprintf(text, sizeof(text), "%lu of %lu spins found input", found_input, spun);
	for (kind = 0; kind < SPIN_KINDS; kind++)
		if (settled[kind])
			len += snprintf(text + len, sizeof(text) - (size_t)len, ", %s %ld us",
					kinds[kind], settled[kind] - 1);
	shim->log(text);
}

static __attribute__((constructor)) void prepare(void)
{
	const char *usec = secure_getenv(smc_variables[VAR_SPIN]);

	budget = usec ? smc_parse_spin(usec) : 0;
	if (!budget)
		return;
	adapts = budget < 0;
	budget = labs(budget);
	processors = count_processors();
	if (processors > 1)
		shim = &smc_shim_view_1;
}
