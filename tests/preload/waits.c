// SPDX-License-Identifier: MIT
/*
 * Random sequences of calls that wait for input, on a pair of UNIX sockets. Their results must be
 * the same with ld_pre_smc_spin.so and without.
 * usage: waits SEED COUNT: prints a line for each call of one sequence, else a sum for each hundred
 */
#include <sys/select.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "tests/libc.h"

#define CALLS 12

static int ends[2], epfd, ticks, ticks_left;
static size_t queued;
static int is_nonblocking, has_timeout, is_shut, is_verbose;
static unsigned long long state;
static unsigned int sum;

static unsigned int pick(unsigned int n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(state >> 33) % n;
}

/* A call that succeeds keeps errno. */
static void note(const char *call, long ret, long more)
{
	char line[128];
	int i, len = snprintf(line, sizeof(line), "%s %ld %ld %d", call, ret, more, errno);

	for (i = 0; i < len; i++)
		sum = (sum ^ (unsigned char)line[i]) * 16777619;
	if (is_verbose)
		puts(line);
	errno = 77;
}

static void on_tick(int number)
{
	int saved = errno;

	ticks++;
	/* With SA_RESTART nothing else ends the call. */
	if (ticks_left && !--ticks_left)
		(void)!write(ends[0], "t", 1);
	errno = saved;
}

/* Periodic: a single tick before the call begins would let it wait for ever. */
static void tick(int is_on, int restarts)
{
	struct itimerval every = { { 0, is_on ? 1000 : 0 }, { 0, is_on ? 1000 : 0 } };
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = restarts ? SA_RESTART : 0 };

	ticks_left = is_on && restarts ? 3 : 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 35)
#define read_at(fd, parts, n) preadv2(fd, parts, n, -1, 0)
#else
#define read_at readv
#define epoll_pwait2(fd, events, n, time, mask) epoll_pwait(fd, events, n, msec, mask)
#endif

static long receive(unsigned int which, char *data, size_t len, int flags)
{
	struct iovec parts[2] = { { data, len / 2 }, { data + len / 2, len - len / 2 } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	switch (which) {
	case 0: return recv(ends[1], data, len, flags);
	case 1: return recvfrom(ends[1], data, len, flags, NULL, NULL);
	case 2: return recvmsg(ends[1], &message, flags);
	case 3: return readv(ends[1], parts, 2);
	case 4: return read_at(ends[1], parts, 2);
	default: return read(ends[1], data, len);
	}
}

static void do_receive(void)
{
	static const int all[] = {
		0, 0, MSG_PEEK, MSG_WAITALL, MSG_DONTWAIT, MSG_WAITALL | MSG_DONTWAIT
	};
	int flags = all[pick(sizeof(all) / sizeof(all[0]))], restarts = 0, is_ticking;
	unsigned int which = pick(6);
	size_t len = 1 + pick(400);
	char data[400];
	long ret;

	if (which > 2)
		flags = 0;
	/* MSG_WAITALL of more than there is ends with the time-out only. */
	if (flags & MSG_WAITALL && len > queued && !has_timeout && !is_nonblocking)
		flags &= ~MSG_WAITALL;
	is_ticking =
		!queued && !is_nonblocking && !has_timeout && !is_shut && !(flags & MSG_DONTWAIT);
	if (is_ticking) {
		restarts = (int)pick(2);
		tick(1, restarts);
	}
	ret = receive(which, data, len, flags);
	note(is_ticking ? "receive, ticking" : "receive", ret, restarts);
	tick(0, 0);
	if (is_ticking && restarts)
		queued++;
	if (ret > 0 && !(flags & MSG_PEEK))
		queued -= (size_t)ret;
}

static long wait_once(unsigned int which, int msec, short *revents)
{
	struct pollfd one[2] = { { ends[1], POLLIN, 0 }, { ends[0], POLLPRI, 0 } };
	struct timespec time = { 0, msec * 1000000L };
	struct timeval limit = { 0, msec * 1000 };
	struct epoll_event event = { 0 };
	sigset_t none;
	fd_set set;
	long ret;

	sigemptyset(&none);
	FD_ZERO(&set);
	FD_SET(ends[1], &set);
	switch (which) {
	case 0: ret = poll(one, 2, msec); break;
	case 1: ret = ppoll(one, 2, msec < 0 ? NULL : &time, pick(2) ? &none : NULL); break;
	case 2:
		/* Each 16th set cannot be read. */
		ret = select(ends[1] + 1, pick(16) ? &set : (fd_set *)8, NULL, NULL,
			     msec < 0 ? NULL : &limit);
		break;
	case 3: ret = pselect(ends[1] + 1, &set, NULL, NULL, msec < 0 ? NULL : &time, &none); break;
	case 4: ret = epoll_wait(epfd, &event, 1, msec); break;
	case 5: ret = epoll_pwait2(epfd, &event, 1, msec < 0 ? NULL : &time, &none); break;
	default: ret = epoll_pwait(epfd, &event, 1, msec, &none); break;
	}
	*revents = ret > 0 ? (short)(one[0].revents | event.events) : 0;
	return ret;
}

static void do_wait(void)
{
	int msec = (int)pick(3) - 1, is_ticking = msec < 0 && !queued && !is_shut;
	unsigned int which = pick(7);
	short revents;
	long ret;

	/* Never restarted. */
	if (is_ticking)
		tick(1, 0);
	ret = wait_once(which, msec, &revents);
	note(is_ticking ? "wait, ticking" : "wait", ret, revents);
	tick(0, 0);
}

static void do_send(void)
{
	char data[300];
	size_t len = 1 + pick(sizeof(data));

	memset(data, 'd', sizeof(data));
	if (is_shut || queued > 4096)
		return;
	note("send", send(ends[0], data, len, MSG_NOSIGNAL), 0);
	queued += len;
}

static void do_set(void)
{
	struct timeval limit = { 0, (has_timeout = (int)pick(2)) * 2000 };

	is_nonblocking = !pick(4);
	note("fcntl", fcntl(ends[1], F_SETFL, is_nonblocking ? O_NONBLOCK : 0), 0);
	note("setsockopt", setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
}

static void sequence(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int i;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		exit(2);
	epfd = epoll_create1(0);
	epoll_ctl(epfd, EPOLL_CTL_ADD, ends[1], &event);
	queued = 0;
	is_nonblocking = has_timeout = is_shut = 0;
	errno = 77;
	for (i = 0; i < CALLS; i++) {
		switch (pick(8)) {
		case 0:
		case 1: do_send(); break;
		case 2: do_set(); break;
		case 3:
		case 4:
		case 5: do_receive(); break;
		default: do_wait(); break;
		}
		if (!pick(20) && !is_shut) {
			is_shut = 1;
			note("shutdown", shutdown(ends[0], SHUT_WR), 0);
		}
	}
	close(ends[0]);
	close(ends[1]);
	close(epfd);
}

int main(int argc, char **argv)
{
	int i, count = argc > 2 ? atoi(argv[2]) : 1;

	state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	is_verbose = count == 1;
	for (i = 1; i <= count; i++) {
		sequence();
		if (i % 100 == 0)
			printf("%d %08x\n", i, sum);
	}
	return !ticks && count > 100;
}
