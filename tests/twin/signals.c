// SPDX-License-Identifier: MIT
/* Signals that arrive during calls, and calls of their handlers. */
#include <setjmp.h>
#include <sys/signalfd.h>

#include "twin.h"

static struct pair at;
static int late, to;
static pid_t ringer;
static sigjmp_buf out;

/* From the second signal on, complete any call except connect(2). */
static void wake(int number)
{
	static char data[65536];
	int err = errno;

	if (++ticks < 2)
		return;
	(void)!write(at.a, "x", 1);
	while (recv(at.a, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	connect_to(late, port_of(at.l));
	if (ticks > 5)
		siglongjmp(out, 1);
	errno = err;
}

static void prepare(bool limited)
{
	int ms = limited ? 9000 : 0;

	ticks = 0;
	at = make_pair();
	late = (int)syscall(SYS_socket, family, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP);
	to = fresh();
	limit(at.l, SO_RCVTIMEO, ms);
	limit(at.c, SO_RCVTIMEO, ms);
	limit(at.c, SO_SNDTIMEO, ms);
	limit(to, SO_SNDTIMEO, ms);
}

/* A process that interrupts this one whenever it waits. */
static void ring(void)
{
	pid_t self = getpid();

	ringer = fork();
	if (ringer)
		return;
	do
		wait_until_it_sleeps(self);
	while (!kill(self, SIGALRM));
	_exit(0);
}

static void end_ring(void)
{
	kill(ringer, SIGKILL);
	waitpid(ringer, NULL, 0);
}

static void fill_to_wait(int fd)
{
	fill(fd);
	nonblocking(fd, false);
	errno = 0;
}

static void interrupted(long (*call)(int fd), bool limited, int flags)
{
	prepare(limited);
	on(SIGALRM, wake, flags);
	if (sigsetjmp(out, 1))
		say("never");
	else
		SAY("call", call(at.c));
	end_ring();
	say("signals=%s nonblock=%d", ticks > 1 ? "more" : "1",
	    !!(fcntl(at.c, F_GETFL) & O_NONBLOCK));
}

/* A function that prepares and makes a call, with the client of a pair, and cases of it. */
#define CALL(name, prepare_it, call)                                                               \
	static long name(int fd)                                                                   \
	{                                                                                          \
		prepare_it;                                                                        \
		ring();                                                                            \
		return call;                                                                       \
	}                                                                                          \
	WAITING_CASE_OF(name##_plain, interrupted(name, false, 0))                                 \
	WAITING_CASE_OF(name##_restart, interrupted(name, false, SA_RESTART))                      \
	WAITING_CASE_OF(name##_limited, interrupted(name, true, SA_RESTART))

static char text[16];
static int other;

CALL(sig_recv, , call_recv(fd))
CALL(sig_recv_all, send(at.a, "abcd", 4, 0), recv(fd, text, 10, MSG_WAITALL))
CALL(sig_peek, , recv(fd, text, 10, MSG_PEEK))
CALL(sig_accept, , call_accept(at.l))
CALL(sig_accept4, , call_accept4(at.l))
CALL(sig_poll, , call_poll(fd))
CALL(sig_select, , call_select(at.l))
CALL(sig_epoll, other = watch(fd, EPOLLIN), call_epoll(other))
CALL(sig_epoll_listener, other = watch(at.l, EPOLLIN), call_epoll(other))
CALL(sig_send, fill_to_wait(fd), send(fd, "x", 1, 0))
CALL(sig_sendfile, fill_to_wait(fd), write_by(OUT_SENDFILE, fd, "x", 1, 0))
CALL(sig_connect, other = hole(), connect_to(to, other))

/* Each way to read or write. */
static void ways(bool reads)
{
	ssize_t n;

	on(SIGALRM, on_alarm, 0);
	for (int way = 0; way < (reads ? (int)INS : (int)OUTS); way++) {
		struct pair p = make_narrow_pair();

		forget_kinds();
		errno = 0;
		ring();
		n = reads ? read_by(way, p.c, text, sizeof(text), 0) :
			    write_by(way, p.c, much, sizeof(much), 0);
		end_ring();
		say_amount(reads ? ins[way] : outs[way], n, sizeof(much));
		part(&p);
	}
}

WAITING_CASE_OF(sig_reads, ways(true))
WAITING_CASE_OF(sig_writes, ways(false))

/* Leave a call for good, then use the same sockets and others. */
static void leap(int number)
{
	siglongjmp(out, 1);
}

static void leave(long (*call)(int fd))
{
	static struct pair p;

	prepare(false);
	on(SIGALRM, leap, SA_RESTART);
	if (!sigsetjmp(out, 1))
		SAY("call", call(at.c));
	end_ring();
	forget_kinds();
	for (int i = 0; i < 3; i++) {
		p = make_pair();
		echo(&p);
		part(&p);
	}
	SAY("send", send(at.a, "abc", 3, 0));
	SAY("recv", call_recv(at.c));
	SAY("close", close(at.c));
	SAY("close", close(at.l));
	forget_kinds();
}

WAITING_CASE_OF(sig_leave_recv, leave(sig_recv))
WAITING_CASE_OF(sig_leave_accept, leave(sig_accept))
WAITING_CASE_OF(sig_leave_connect, leave(sig_connect))
WAITING_CASE_OF(sig_leave_poll, leave(sig_poll))
WAITING_CASE_OF(sig_leave_epoll, leave(sig_epoll_listener))

WAITING_CASE(sig_leave_send)
{
	prepare(false);
	on(SIGALRM, leap, SA_RESTART);
	ring();
	if (!sigsetjmp(out, 1))
		SAY("send", send(at.c, much, sizeof(much), 0));
	end_ring();
	close(at.c);
	say("some=%d", read_all(at.a) > 0);
}

/* Leave connect(2) often, at any point. */
CASE(sig_leave_often)
{
	static volatile int i;
	static struct pair p;
	int l = listener();

	on(SIGALRM, leap, 0);
	for (i = 0; i < 60; i++) {
		if (!sigsetjmp(out, 1)) {
			storm(100 + i * 40);
			close(fresh());
			connect_to(fresh(), port_of(l));
			close(accept(l, NULL, NULL));
		}
		storm(0);
	}
	close(l);
	p = make_pair();
	echo(&p);
}

/* Handlers that change what the call waits for, which restarts. */
static void close_it(int number)
{
	close(at.c);
	close(at.l);
}

static void replace_it(int number)
{
	struct pair next;

	if (ticks++)
		return;
	next = make_pair();
	send(next.a, "x", 1, 0);
	connect_to(late, port_of(next.l));
	dup2(next.c, at.c);
	dup2(next.l, at.l);
	errno = 0;
}

static void steal(int number)
{
	char byte;

	if (++ticks > 3)
		return;
	send(at.a, ticks < 3 ? "1" : "2", 1, 0);
	if (ticks < 3)
		recv(at.c, &byte, 1, 0);
}

static void fork_and_wake(int number)
{
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	ticks = 2;
	wake(0);
	_exit(0);
}

static void meddle(long (*call)(int fd), void (*handler)(int))
{
	prepare(false);
	on(SIGALRM, handler, SA_RESTART);
	SAY("call", call(at.c));
	end_ring();
	say("ticks=%d open=%d,%d", ticks > 0, fcntl(at.c, F_GETFD), fcntl(at.l, F_GETFD));
}

WAITING_CASE_OF(sig_close_recv, meddle(sig_recv, close_it))
WAITING_CASE_OF(sig_close_accept, meddle(sig_accept, close_it))
WAITING_CASE_OF(sig_replace_recv, meddle(sig_recv, replace_it))
WAITING_CASE_OF(sig_replace_accept, meddle(sig_accept, replace_it))
WAITING_CASE_OF(sig_steal, meddle(sig_recv, steal))
WAITING_CASE_OF(sig_fork_recv, meddle(sig_recv, fork_and_wake))
WAITING_CASE_OF(sig_fork_accept, meddle(sig_accept, fork_and_wake))

/* Lives in a handler, while the program is in calls of the same kind. */
static void live(int number)
{
	int err = errno;

	ticks += lives();
	errno = err;
}

CASE(sig_lives)
{
	int failed = 0, i;

	on(SIGALRM, live, SA_RESTART);
	for (i = 0; i < 20 || (ticks < 3 && i < 1000); i++) {
		setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 1000 }, NULL);
		failed += !lives();
	}
	storm(0);
	say("failed=%d ticks=%d descriptor=%d", failed, ticks > 2, fresh());
}

/* A handler with little stack. */
CASE(sig_small_stack)
{
	size_t size = 16384, page = (size_t)sysconf(_SC_PAGESIZE);
	struct sigaction action = { .sa_handler = live, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_size = size };
	char *area;

	size = (size + page - 1) / page * page;
	area = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(area, page, PROT_NONE);
	stack.ss_sp = area + page;
	SAY("stack", sigaltstack(&stack, NULL));
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	say("ticks=%d", ticks);
}

/* A broken pipe's signal is from the kernel, for this thread. */
static void say_info(int number, siginfo_t *info, void *context)
{
	say("signal=%d code=%d self=%d", number, info->si_code, info->si_pid == getpid());
}

CASE(sig_pipe_info)
{
	struct sigaction action = { .sa_sigaction = say_info, .sa_flags = SA_SIGINFO };
	struct pair p = make_pair();

	sigaction(SIGPIPE, &action, NULL);
	shutdown(p.c, SHUT_WR);
	SAY("send", send(p.c, "x", 1, 0));
	SAY("fresh", send(fresh(), "x", 1, 0));
	close(p.a);
	p = make_pair();
	close(p.a);
	wait_for(p.c, POLLIN);
	for (int i = 0; i < 100 && write(p.c, "x", 1) > 0; i++)
		nap(10);
}

CASE(sig_pipe_signalfd)
{
	struct signalfd_siginfo info = { 0 };
	struct pair p = make_pair();
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
	on(SIGPIPE, on_pipe, 0);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	shutdown(p.c, SHUT_WR);
	SAY("write", write(p.c, "x", 1));
	SAY("read", read(fd, &info, sizeof(info)));
	say("signal=%u code=%d self=%d", info.ssi_signo, info.ssi_code,
	    info.ssi_pid == (unsigned int)getpid());
	SAY("more", read(fd, &info, sizeof(info)));
}

/* Masks and dispositions are the same after a life. */
CASE(sig_kept)
{
	struct sigaction action;
	int changed = 0, i;
	sigset_t before, after;
	struct pair p;

	sigfillset(&before);
	sigdelset(&before, SIGINT);
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigprocmask(SIG_BLOCK, NULL, &before);
	p = make_pair();
	echo(&p);
	connect_to(fresh(), refused_port());
	shutdown(p.l, SHUT_RDWR);
	shutdown(p.c, SHUT_RDWR);
	part(&p);
	sigprocmask(SIG_BLOCK, NULL, &after);
	for (i = 1; i < 64; i++) {
		sigaction(i, NULL, &action);
		changed += action.sa_handler != (i == SIGPIPE ? SIG_IGN : SIG_DFL);
		changed += sigismember(&before, i) != sigismember(&after, i);
	}
	sigpending(&after);
	say("changed=%d empty=%d", changed, sigisemptyset(&after));
}

static volatile sig_atomic_t band, band_fd;

static void on_io(int number, siginfo_t *info, void *context)
{
	ticks++;
	band_fd = info->si_fd;
	band |= (int)info->si_band;
}

/* O_ASYNC before and after connect(2), with and without F_SETSIG. */
static void async(int number, bool early)
{
	struct sigaction action = { .sa_sigaction = on_io, .sa_flags = SA_SIGINFO | SA_RESTART };
	int l = listener(), c = fresh();
	struct pair p;

	sigaction(number ?: SIGIO, &action, NULL);
	if (!early)
		join(&p, l, c);
	fcntl(c, F_SETOWN, getpid());
	fcntl(c, F_SETSIG, number);
	SAY("async", fcntl(c, F_SETFL, O_ASYNC));
	if (early)
		join(&p, l, c);
	ticks = band = 0;
	send(p.a, "x", 1, 0);
	wait_for(c, POLLIN);
	say("signals=%d fd=%d in=%d", ticks > 0, number && band_fd == c, !!(band & POLLIN));
	ticks = band = 0;
	close(p.a);
	wait_for(c, POLLRDHUP);
	nap(50);
	say("end=%d hup=%d", ticks > 0, !!(band & POLLHUP));
}

CASE_OF(sig_io_late, async(0, false))
CASE_OF(sig_io_early, async(0, true))
CASE_OF(sig_io_number, async(SIGRTMIN, true))
