// SPDX-License-Identifier: MIT
/*
 * Calls that wait for input, with arguments that the kernel refuses, on a pair of UNIX sockets: a
 * line each, which must be the same with ld_pre_smc_spin.so and without. Each in a child, so that
 * none pauses.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tests/cases.h"

static int ends[2], epfd;
static struct pollfd one = { .events = POLLIN };
static struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT };
static struct timespec negative = { -1, 0 }, wrong = { 0, 2000000000 }, below = { 1, -1 },
		       some = { 0, 20000000 };
static struct iovec part;
static char data[64];
static fd_set set;
static sigset_t none;

/* Not known to the compiler, which would warn. */
static void *volatile bad = (void *)8, *volatile kernels = (void *)-4096L,
		      *volatile some_file = &one;
static volatile int minus = -1;

/* The last bytes of a page; the next one is not mapped. */
static void *before_end(size_t size)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + 4096, 4096);
	return pages + 4096 - size;
}

static int poll_many(nfds_t n)
{
	struct pollfd *last = before_end(sizeof(*last));

	*last = (struct pollfd){ .fd = -1, .events = POLLIN };
	return poll(last, n, 5);
}

static int select_for(fd_set *in, time_t sec, suseconds_t usec)
{
	struct timeval time = { sec, usec };

	return select(ends[1] + 1, in, NULL, NULL, &time);
}

/* The set was valid once. */
static int select_unmapped(void)
{
	fd_set *in = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 3; i++) {
		*in = set;
		select_for(in, 0, 2000);
	}
	munmap(in, 4096);
	return select_for(in, 0, 2000);
}

/* A refused call takes no event. */
static int epoll_refused(void)
{
	int ret = epoll_pwait(epfd, &event, 1, 20, bad);

	return ret < 0 && errno == EFAULT ? -10 - epoll_wait(epfd, &event, 1, 20) : ret;
}

static int read_parts(int n)
{
	static struct iovec parts[1025];

	for (int i = 0; i < 1025; i++)
		parts[i] = (struct iovec){ data, 1 };
	return (int)readv(ends[1], parts, n);
}

static long result;

#define CALL(name, call) CASE_OF(name, result = (call))

CALL(poll_many, poll_many((nfds_t)0x100000001ULL))
CALL(poll_none_of_many, poll_many((nfds_t)0x100000000ULL))
CALL(poll_bad, poll(bad, 1, 5))
CALL(poll_limit, poll(some_file, 2000000, 5))
CALL(ppoll_negative, ppoll(&one, 1, &negative, NULL))
CALL(ppoll_wrong, ppoll(&one, 1, &wrong, &none))
CALL(ppoll_below, ppoll(&one, 1, &below, NULL))
CALL(ppoll_mask, ppoll(&one, 1, &some, bad))
CALL(ppoll, ppoll(&one, 1, &some, before_end(8)))
CALL(select_bad, select(ends[1] + 1, bad, NULL, NULL, NULL))
CALL(select_out, select(ends[1] + 1, &set, bad, NULL, NULL))
CALL(select_negative, select_for(&set, -1, 0))
CALL(select_usec, select_for(&set, 0, -1))
CALL(select_unmapped, select_unmapped())
CALL(pselect_mask, pselect(ends[1] + 1, &set, NULL, NULL, &some, bad))
CALL(pselect_negative, pselect(ends[1] + 1, &set, NULL, NULL, &negative, &none))
CALL(pselect_wrong, pselect(ends[1] + 1, &set, NULL, NULL, &wrong, NULL))
CALL(epoll_none, epoll_wait(epfd, &event, 0, 5))
CALL(epoll_bad, epoll_wait(epfd, bad, 1, 20))
CALL(epoll_mask, epoll_refused())
#ifdef __GLIBC__
CALL(epoll_pwait2, epoll_pwait2(epfd, &event, 1, &wrong, &none))
CALL(epoll_negative, epoll_pwait2(epfd, &event, 1, &negative, NULL))
CALL(readv_at, preadv2(ends[1], &part, 1, 3, 0))
CALL(readv_at_once, preadv2(ends[1], &part, 1, -1, RWF_NOWAIT))
CALL(readv_flags, preadv2(ends[1], &part, 1, -1, 1 << 30))
CALL(readv_bad_at, preadv2(ends[1], bad, 1, -1, 0))
#endif
CALL(recv_kernels, recv(ends[1], kernels, 5, 0))
CALL(read_kernels, read(ends[1], kernels, 5))
CALL(recvfrom_kernels, recvfrom(ends[1], kernels, 5, 0, NULL, NULL))
CALL(recvmsg_bad, recvmsg(ends[1], bad, 0))
CALL(recvmmsg_bad, recvmmsg(ends[1], bad, 1, 0, NULL))
CALL(recvmmsg_time,
     recvmmsg(ends[1], &(struct mmsghdr){ .msg_hdr = { .msg_iov = &part } }, 1, 0, &wrong))
CALL(readv_bad, readv(ends[1], bad, 1))
CALL(readv_many, read_parts(1025))
CALL(readv_negative, readv(ends[1], &part, minus))

static void on_tick(int number)
{
}

/* Signals come while a call spins. */
static void run(const struct test_case *test)
{
	struct itimerval every = { { 0, 100 }, { 0, 100 } };
	int status;

	fflush(stdout);
	if (!fork()) {
		alarm(10);
		if (!strncmp(test->name, "re", 2))
			setitimer(ITIMER_REAL, &every, NULL);
		test->run();
		printf("%s %ld %d\n", test->name, result, result < 0 ? errno : 0);
		exit(0);
	}
	wait(&status);
	if (status)
		printf("%s ends with %#x\n", test->name, status);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_tick };

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	epfd = epoll_create1(0);
	epoll_ctl(epfd, EPOLL_CTL_ADD, ends[1], &event);
	one.fd = ends[1];
	FD_SET(ends[1], &set);
	sigaction(SIGALRM, &action, NULL);
	/* The library knows that there is a connection, and does not pause any more. */
	for (int i = 0; i < 2; i++)
		recv(ends[1], data, (size_t)write(ends[0], "x", 1), 0);
	for (int has_input = 0; has_input < 2; has_input++) {
		if (has_input && write(ends[0], "input", 5) < 0)
			return 1;
		for (size_t i = 0; i < n_cases; i++)
			run(&cases[i]);
	}
	return 0;
}
