// SPDX-License-Identifier: MIT
/* extra/ld_pre_smc_spin/spin.c over a fake kernel: looks, pauses, processors, signals. */
#include "test.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>

#include "ld_pre_smc/for_spin.h"

enum { SMC_FD = 5, INET_FD, TCP_FD, FILE_FD, EPOLL_FD };

static unsigned char bytes[1 << 20];
static atomic_bool is_locked;
/* The kernel's side. Times in nanoseconds. */
static struct {
	long long now, step, ready_at, ran; /* nanoseconds */
	long looks, masks, options;
	int flags, timeout;
	bool is_interrupted; /* the next look ends with EINTR */
	bool is_host;	     /* a thread that the host has stopped seems to run */
	uint64_t blocked, pending, delivered;
	void (*handler)(int), (*on_look)(void);
	int handler_flags;
} kernel;

/* Files of control groups: a descriptor is the number of a file. */
static struct {
	const char *path, *text;
} fakes[4];

static int fake_open(const char *path, int flags)
{
	for (size_t i = 0; i < ARRAY_SIZE(fakes) && fakes[i].path; i++)
		if (!strcmp(fakes[i].path, path))
			return (int)i;
	return -1;
}

static long fake_ppoll(struct pollfd *fds)
{
	kernel.looks++;
	if (kernel.on_look)
		kernel.on_look();
	kernel.now += kernel.step;
	kernel.ran += kernel.is_host ? kernel.step : 1000;
	if (kernel.is_interrupted) {
		kernel.is_interrupted = false;
		errno = EINTR;
		return -1;
	}
	fds->revents = kernel.now >= kernel.ready_at ? POLLIN : 0;
	return fds->revents != 0;
}

static bool fake_is_smc(int fd, struct shim_sock *sock)
{
	kernel.options++;
	return fd == SMC_FD || fd == INET_FD;
}

static long fake_mask(int how, const uint64_t *new, uint64_t *old)
{
	/* Only reads the mask. */
	if (how < 0) {
		errno = new == (const uint64_t *)8 ? EFAULT : EINVAL;
		return -1;
	}
	kernel.masks++;
	if (old)
		*old = kernel.blocked;
	kernel.blocked = how == SIG_BLOCK ? kernel.blocked | *new : *new;
	kernel.delivered |= kernel.pending & ~kernel.blocked;
	return 0;
}

static long fake_syscall(long number, ...)
{
	long a[5], i;
	va_list list;

	va_start(list, number);
	for (i = 0; i < 5; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	switch (number) {
	case SYS_ppoll: return fake_ppoll((struct pollfd *)a[0]);
	case SYS_epoll_pwait: return fake_ppoll(&(struct pollfd){ 0 });
	case SYS_getsockopt: /* SO_RCVTIMEO */
		((struct timeval *)a[3])->tv_sec = kernel.timeout;
		return 0;
	case SYS_fcntl: return kernel.flags;
	case SYS_rt_sigprocmask:
		return fake_mask((int)a[0], (const uint64_t *)a[1], (uint64_t *)a[2]);
	case SYS_read: return snprintf((char *)a[1], (size_t)a[2], "%s", fakes[a[0]].text);
	case SYS_close: return 0;
	case SYS_rt_sigpending: *(uint64_t *)a[0] = kernel.pending; return 0;
	default: fail_msg("system call %ld", number); return -1;
	}
}

static int fake_clock(clockid_t clock, struct timespec *time)
{
	long long value = clock == CLOCK_THREAD_CPUTIME_ID ? kernel.ran : kernel.now;

	time->tv_sec = value / 1000000000;
	time->tv_nsec = value % 1000000000;
	return 0;
}

static int fake_action(int number, const struct sigaction *new, struct sigaction *old)
{
	memset(old, 0, sizeof(*old));
	if (number == SIGALRM) {
		old->sa_handler = kernel.handler;
		old->sa_flags = kernel.handler_flags;
	}
	return 0;
}

#define syscall fake_syscall
#define clock_gettime fake_clock
#define open fake_open
/* Replace only the function: in uses of the structure, no parenthesis follows. */
#define sigaction(...) fake_action(__VA_ARGS__)
#include "ld_pre_smc_spin/spin.c"

static char logged[128];

static void fake_log(const char *text)
{
	snprintf(logged, sizeof(logged), "%s", text);
}

static const struct smc_shim_view view = {
	.fd_bytes = bytes,
	.is_locked = &is_locked,
	.is_smc = fake_is_smc,
	.log = fake_log,
};

static void on_alarm(int number)
{
}

/* A process of two processors that asked for 50 microseconds; each look takes one. */
FIXTURE(setup)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.step = 1000;
	kernel.now = 1000000000;
	kernel.ready_at = INT64_MAX;
	kernel.handler = on_alarm;
	memset(states, 0, sizeof(states));
	memset(arrays, 0, sizeof(arrays));
	memset(watched, 0, sizeof(watched));
	memset(bytes, 0, sizeof(bytes));
	bytes[SMC_FD] = bytes[INET_FD] = bytes[TCP_FD] = FD_SMC;
	shim = &view;
	budget = 50;
	adapts = false;
	mine = (struct measure){ 0 };
	spin_since = 0;
	processors = 2;
	memset(slots, 0, sizeof(slots));
	rests_until = rest = 0;
	spun = found_input = 0;
	is_used = is_locked = false;
	memset(settled, 0, sizeof(settled));
	return 0;
}

/* Number of looks by one call, if input comes after @usec. */
static long looks_of(int fd, long long usec)
{
	kernel.looks = 0;
	kernel.ready_at = kernel.now + usec * 1000;
	assert_false(spin_input(fd, false));
	return kernel.looks;
}

TEST(spins_until_there_is_input)
{
	errno = EBADF;
	assert_int_equal(looks_of(SMC_FD, 10), 10);
	assert_int_equal(looks_of(INET_FD, 20), 20);
	assert_int_equal(errno, EBADF);
	assert_int_equal(kernel.blocked, 0);
	assert_int_equal(slots[0], 0);
	assert_int_in_range(looks_of(SMC_FD, 1000), 50, 52);
	report();
	assert_string_equal(logged, "2 of 3 spins found input");
}

TEST(others_cost_nothing)
{
	assert_int_equal(looks_of(FILE_FD, 10), 0);
	assert_int_equal(looks_of(-1, 10), 0);
	assert_int_equal(looks_of(1 << 24, 10), 0);
	assert_int_equal(kernel.options, 0);
	is_locked = true;
	assert_int_equal(looks_of(SMC_FD, 10), 0);
	is_locked = false;
	shim = NULL;
	assert_int_equal(looks_of(SMC_FD, 10), 0);
}

/* A descriptor is checked once in a while: its number may be another socket by then. */
TEST(fallen_back)
{
	int i;

	for (i = 0; i < 1000; i++)
		assert_int_equal(looks_of(TCP_FD, 10), 0);
	assert_int_in_range(kernel.options, 2, 40);
	assert_false(spin_is_on());
}

TEST(nonblocking)
{
	kernel.flags = O_NONBLOCK;
	assert_int_equal(looks_of(SMC_FD, 10), 1);
	assert_int_equal(kernel.masks, 0);
	assert_int_equal(looks_of(SMC_FD, 10), 0);
}

/* If input is always there, there are fewer and fewer looks. */
TEST(stream)
{
	long looks = 0;
	int i;

	for (i = 0; i < 1600; i++)
		looks += looks_of(SMC_FD, 0);
	assert_int_in_range(looks, 90, 120);
	assert_int_equal(kernel.masks, 0);
	/* After a call that had to wait, the pause is short again. */
	while (!looks_of(SMC_FD, 10))
		;
	assert_int_equal(looks_of(SMC_FD, 0), 1);
	assert_int_equal(looks_of(SMC_FD, 0), 0);
	assert_int_equal(looks_of(SMC_FD, 0), 1);
}

TEST(stops_without_success)
{
	long looks = 0;
	int i;

	for (i = 0; i < 10000; i++)
		looks += looks_of(SMC_FD, 1000000);
	assert_int_in_range(looks, 9 * 50, 65 * 52);
	for (i = 0; looks_of(SMC_FD, 10) == 0; i++)
		assert_int_in_range(i, 0, LONGEST_PAUSE);
	/* A new connection with the same number starts without a history. */
	for (i = 0; i < 100; i++)
		looks_of(SMC_FD, 1000000);
	spin_new(SMC_FD);
	assert_int_equal(looks_of(SMC_FD, 10), 10);
	/* Input that comes soon keeps the descriptor spinning. */
	for (i = 0; i < 100; i++)
		assert_int_equal(looks_of(SMC_FD, 10), 10);
}

static bool is_slot_free;

/* Another thread looks for a slot, some milliseconds later. */
static void look_for_slot(void)
{
	atomic_uint *slot;

	kernel.now += 20000000;
	slot = begin(now());
	is_slot_free = slot;
	if (slot)
		*slot = 0;
	kernel.now -= 20000000;
}

TEST(few_processors)
{
	processors = 1;
	assert_int_equal(looks_of(SMC_FD, 10), 1);
	processors = 3;
	slots[0] = slots[1] = milliseconds(now()) + 2;
	assert_int_equal(looks_of(SMC_FD, 10), 1);
	slots[1] = 0;
	assert_int_equal(looks_of(SMC_FD, 10), 10);
	assert_int_equal(slots[1], 0);
	slots[0] = 0;
	processors = 2;
	kernel.on_look = look_for_slot;
	assert_int_equal(looks_of(SMC_FD, 1), 1);
	assert_true(is_slot_free);
	spin_new(SMC_FD);
	assert_int_equal(looks_of(SMC_FD, 2), 2);
	assert_false(is_slot_free);
	kernel.on_look = NULL;
	/* The slot of a thread that never came back is free again. */
	slots[0] = milliseconds(now()) + 2;
	kernel.now += 1000000000;
	assert_int_equal(looks_of(SMC_FD, 10), 10);
}

/* Milliseconds until a thread may spin that lost its processor for @lost milliseconds. */
static long rest_after(int lost)
{
	long long start;

	kernel.step = lost * 1000000LL;
	spin_new(SMC_FD);
	assert_int_in_range(looks_of(SMC_FD, 10000000), 2, 3);
	kernel.step = 1000;
	for (start = kernel.now; is_resting(milliseconds(now()));)
		kernel.now += 1000000;
	return (kernel.now - start) / 1000000;
}

TEST(lost_processor)
{
	int i;

	assert_int_in_range(rest_after(5), 48, 53);
	spin_new(SMC_FD);
	assert_int_equal(looks_of(SMC_FD, 10), 10);
	kernel.now += 10000000000;
	assert_int_in_range(rest_after(1000), LONGEST_REST - 1, LONGEST_REST + 2);
	/* Each rest that follows soon is longer. */
	assert_int_in_range(rest_after(3), 2 * LONGEST_REST - 1, 2 * LONGEST_REST + 2);
	for (i = 0; i < 10; i++)
		assert_true(rest_after(3) >= 2 * LONGEST_REST - 1);
	assert_int_in_range(rest_after(3), LONGEST_RESTS - 1, LONGEST_RESTS + 2);
	/* The rest is short if the host of a virtual machine took the processor, */
	kernel.is_host = true;
	assert_int_in_range(rest_after(3), 28, 33);
	kernel.is_host = false;
	for (i = 0; i < 10; i++)
		rest_after(3);
	/* and after a long time without a loss. */
	kernel.now += 10000000000;
	assert_int_in_range(rest_after(3), 28, 33);
	/* During a rest hardly a call looks. */
	begin_rest(now(), 1000000, false);
	kernel.looks = 0;
	for (i = 0; i < 160; i++)
		spin_input(SMC_FD, false);
	assert_int_in_range(kernel.looks, 1, 11);
	/* Milliseconds wrap after 49 days: a rest is over by then. */
	kernel.now += (LONGEST_RESTS + 1000) * 1000000LL;
	assert_false(is_resting(milliseconds(now())));
	kernel.now += 30LL * 86400 * 1000000000;
	assert_false(is_resting(milliseconds(now())));
}

TEST(interrupts)
{
	int i;

	kernel.pending = 1ULL << (SIGALRM - 1);
	errno = EBADF;
	assert_true(spin_input(SMC_FD, false));
	assert_int_equal(errno, EBADF);
	kernel.handler_flags = SA_RESTART;
	assert_false(spin_input(SMC_FD, false));
	kernel.timeout = 1;
	assert_true(spin_input(SMC_FD, false));
	kernel.handler_flags = 0;
	kernel.blocked = kernel.pending;
	assert_false(spin_input(SMC_FD, false));
	assert_int_equal(kernel.blocked, kernel.pending);
	kernel.blocked = 0;
	for (i = 0; i < 2; i++) {
		kernel.handler = i ? SIG_IGN : SIG_DFL;
		assert_false(spin_input(SMC_FD, false));
	}
	/* With input, the call succeeds, unless it waits for all. */
	kernel.handler = on_alarm;
	assert_int_equal(looks_of(SMC_FD, 10), 10);
	kernel.ready_at = kernel.now + 10000;
	assert_true(spin_input(SMC_FD, true));
	/* During the first look no signal is blocked: as before the call. */
	kernel.is_interrupted = true;
	assert_false(spin_input(SMC_FD, false));
}

TEST(polls)
{
	struct pollfd fds[2] = { { .fd = FILE_FD, .events = POLLIN },
				 { .fd = SMC_FD, .events = POLLIN } };
	uint64_t open = 0, closed = 1ULL << (SIGALRM - 1);

	kernel.ready_at = kernel.now + 10000;
	assert_false(spin_poll(fds, 2, -1, NULL));
	assert_int_equal(kernel.looks, 0);
	spin_new(SMC_FD);
	kernel.looks = 0;
	kernel.ready_at = kernel.now + 10000;
	assert_int_equal(spin_poll(fds, 2, -1, NULL), 1);
	assert_int_equal(kernel.looks, 10);
	/* A short time is left to the kernel. */
	assert_false(spin_poll(fds, 2, 50, NULL));
	assert_false(spin_poll(fds, 2, 0, NULL));
	assert_int_equal(kernel.looks, 10);
	/* A handler with SA_RESTART ends the call, too, unless the mask blocks the signal. */
	kernel.ready_at = INT64_MAX;
	kernel.pending = closed;
	kernel.handler_flags = SA_RESTART;
	assert_int_equal(spin_poll(fds, 2, 1000, &open), -1);
	assert_false(spin_poll(fds, 2, 1000, &closed));
	/* The kernel's call refuses an invalid mask. */
	kernel.looks = 0;
	assert_false(spin_poll(fds, 2, 1000, (void *)8));
	assert_int_equal(kernel.looks, 0);
	/* Even with input, the handler of a signal that only this call admits runs. */
	kernel.blocked = closed;
	kernel.delivered = 0;
	kernel.ready_at = kernel.now + 10000;
	assert_int_equal(spin_poll(fds, 2, 1000, &open), 1);
	assert_true(kernel.delivered & closed);
	assert_int_equal(kernel.blocked, closed);
	kernel.blocked = kernel.pending = 0;
	kernel.ready_at = INT64_MAX;
	/* None of these descriptors is a connection. */
	kernel.looks = 0;
	assert_false(spin_poll(fds, 1, -1, NULL));
	assert_int_equal(kernel.looks, 1);
	/* The program wants no input of the connection. */
	memset(arrays, 0, sizeof(arrays));
	fds[1].events = POLLOUT;
	assert_false(spin_poll(fds, 2, -1, NULL));
	assert_int_equal(kernel.looks, 2);
}

TEST(epolls)
{
	struct epoll_event event;

	kernel.ready_at = kernel.now + 10000;
	assert_false(spin_epoll(EPOLL_FD, &event, 1, -1, NULL));
	spin_watch(EPOLL_FD, FILE_FD);
	assert_false(spin_epoll(EPOLL_FD, &event, 1, -1, NULL));
	assert_int_equal(kernel.looks, 0);
	spin_watch(EPOLL_FD, SMC_FD);
	assert_false(spin_epoll(EPOLL_FD, &event, 1, 50, NULL));
	assert_int_equal(kernel.looks, 0);
	assert_int_equal(spin_epoll(EPOLL_FD, &event, 1, -1, NULL), 1);
	assert_int_equal(kernel.looks, 10);
	/* Each second wait finds something at once, as in redis-benchmark. */
	for (int i = 0; i < 100; i++) {
		kernel.looks = 0;
		kernel.ready_at = kernel.now + i % 2 * 10000;
		assert_int_equal(spin_epoll(EPOLL_FD, &event, 1, -1, NULL), 1);
		assert_int_equal(kernel.looks, i % 2 ? 10 : 1);
	}
	kernel.looks = 0;
	spin_watch_new(EPOLL_FD);
	assert_false(spin_epoll(EPOLL_FD, &event, 1, -1, NULL));
	assert_int_equal(kernel.looks, 0);
}

/* ---- threads that adapt ---- */

#define WAKES 20 /* microseconds until a thread that sleeps runs */

static void adapt(void)
{
	budget = 200;
	adapts = true;
}

/*
 * A call that waits for @usec, and sleeps unless it finds input before; the time between two calls
 * is @pause. Return: microseconds for which it spun.
 */
static long wait_for(int fd, long long usec, long long pause)
{
	long long start, time;

	kernel.now += pause * 1000;
	start = kernel.now;
	kernel.ready_at = start + usec * 1000;
	kernel.looks = 0;
	spin_input(fd, false);
	time = (kernel.now - start) / 1000;
	if (kernel.now < kernel.ready_at)
		kernel.now = kernel.ready_at + WAKES * 1000LL;
	spin_ended();
	return time;
}

TEST(grows_while_sleeps_are_short)
{
	static const long want[] = { 0, 12, 24, 48, 96 };
	long i;

	adapt();
	for (i = 0; i < (long)ARRAY_SIZE(want); i++)
		assert_int_in_range(wait_for(SMC_FD, 150, 0), want[i], want[i] + 2);
	/* From then on, each spin finds input, and the thread keeps its time. */
	for (i = 0; i < 1000; i++)
		assert_int_in_range(wait_for(SMC_FD, 150, 0), 149, 151);
	assert_int_equal(mine.usec[SPIN_RECV], 192);
	assert_int_equal(mine.usec[SPIN_EPOLL], 0);
	/* Sleeps that are longer because both ends are woken count, too; the limit stays. */
	for (i = 0; i < 5; i++) {
		wait_for(SMC_FD, 600, 1000);
		assert_int_equal(mine.usec[SPIN_RECV], 200);
	}
	report();
	assert_string_equal(logged, "1000 of 1009 spins found input, recv 200 us");
}

TEST(shrinks_after_long_sleeps)
{
	long spent = 0, i;

	adapt();
	mine.usec[SPIN_RECV] = 200;
	/* A message a second. */
	for (i = 0; i < 1000; i++)
		spent += wait_for(SMC_FD, 1000000, 0);
	assert_int_equal(mine.usec[SPIN_RECV], 0);
	/* Later waits begin with one look of a microsecond each, and in the end with none. */
	assert_int_in_range(spent, 200 + 100 + 50 + 25 + 12, 450);
	/* Calls that find input at once teach nothing. */
	for (i = 0; i < 1000; i++)
		wait_for(SMC_FD, 0, 100);
	assert_int_equal(mine.usec[SPIN_RECV], 0);
	/* Short sleeps teach the thread to spin, after the longest pause. */
	for (i = 0; wait_for(SMC_FD, 100, 0) < 90; i++)
		assert_int_in_range(i, 0, LONGEST_PAUSE + 20);
}

/* Input that always comes too late costs hardly any time. */
TEST(share_in_vain)
{
	long long start = kernel.now, elapsed;
	long spent = 0, i;

	adapt();
	for (i = 0; i < 100000; i++)
		spent += wait_for(SMC_FD, 250, 0);
	elapsed = (kernel.now - start) / 1000;
	assert_int_in_range(spent * 1000 / elapsed, 1, 10);
	/* Many descriptors of one thread, which do not pause. A look takes a microsecond. */
	start = kernel.now;
	for (spent = i = 0; i < 100000; i++) {
		spin_new(SMC_FD);
		spent += wait_for(SMC_FD, 250, 0);
	}
	elapsed = (kernel.now - start) / 1000;
	assert_int_in_range((spent - i) * 1000 / elapsed, 2, 5);
	/* If two of three spins succeed, a quarter of the time is spent in vain. */
	start = kernel.now;
	for (spent = i = 0; i < 100000; i++) {
		spin_new(SMC_FD);
		wait_for(SMC_FD, 20, 0);
		wait_for(SMC_FD, 20, 0);
		spent += wait_for(SMC_FD, 250, 0);
	}
	elapsed = (kernel.now - start) / 1000;
	assert_int_in_range((spent - i) * 100 / elapsed, 18, 26);
}

TEST(adapts_by_kind)
{
	struct epoll_event event;
	struct pollfd one = { .fd = SMC_FD, .events = POLLIN };
	int i;

	adapt();
	spin_new(SMC_FD);
	spin_watch(EPOLL_FD, SMC_FD);
	kernel.ready_at = INT64_MAX;
	for (i = 0; i < 2; i++) {
		assert_false(spin_epoll(EPOLL_FD, &event, 1, -1, NULL));
		kernel.now += 100000;
		spin_ended();
	}
	assert_int_equal(mine.usec[SPIN_EPOLL], 24);
	assert_false(spin_poll(&one, 1, -1, NULL));
	assert_true(spin_since);
	spin_ended();
	assert_int_equal(mine.usec[SPIN_POLL], 12);
	assert_int_equal(mine.usec[SPIN_RECV], 0);
	/* A call that ends by a signal did not sleep. */
	kernel.pending = 1ULL << (SIGALRM - 1);
	assert_int_equal(spin_poll(&one, 1, -1, NULL), -1);
	assert_false(spin_since);
	kernel.pending = 0;
	/* Another thread spins, or the processor was lost: the time of the wait says nothing. */
	slots[0] = milliseconds(now()) + 2;
	assert_false(spin_poll(&one, 1, -1, NULL));
	slots[0] = 0;
	begin_rest(now(), 1000000, false);
	assert_false(spin_epoll(EPOLL_FD, &event, 1, -1, NULL));
	assert_false(spin_since);
}

/* The smallest quota of the group and those above counts, in cgroup2 as in cgroup. */
TEST(quotas)
{
	static const char v1[] = "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_";
	char period[64], limit[64];

	fakes[0].path = "/proc/self/cgroup";
	fakes[0].text = "4:cpu,cpuacct:/a/b\n0::/c/d\n";
	assert_int_equal(quota(), NUMBERS);
	fakes[1].path = "/sys/fs/cgroup/c/cpu.max";
	fakes[1].text = "250000 100000\n";
	assert_int_equal(quota(), 2);
	fakes[1].text = "max 100000\n";
	assert_int_equal(quota(), NUMBERS);
	snprintf(limit, sizeof(limit), "%squota_us", v1);
	snprintf(period, sizeof(period), "%speriod_us", v1);
	fakes[2].path = limit;
	fakes[2].text = "-1\n";
	fakes[3].path = period;
	fakes[3].text = "100000\n";
	assert_int_equal(quota(), NUMBERS);
	fakes[2].text = "390000\n";
	assert_int_equal(quota(), 3);
	fakes[1].text = "150000 100000\n";
	assert_int_equal(quota(), 1);
	memset(fakes, 0, sizeof(fakes));
}

static struct fixture fixture = { .setup = setup };
