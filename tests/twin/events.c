// SPDX-License-Identifier: MIT
/* Masks, signals and sets of the calls that wait, and buffers that fill and drain. */
#include "twin.h"

/* A closed descriptor and -1 beside a socket that is ready. */
CASE(events_closed)
{
	struct pair p = in_state(HAS_DATA), gone = in_state(HAS_DATA);
	struct pollfd fds[] = { { p.c, POLLIN, 0 }, { -1, POLLIN, 9 }, { gone.c, POLLIN, 0 } };
	struct timeval none = { 0 };
	struct epoll_event event = { .events = EPOLLIN };
	int ep = watch(gone.c, EPOLLIN), copy = dup(p.c);
	fd_set in;

	part(&gone);
	SAY("poll", poll(fds, 3, -1));
	for (int i = 0; i < 3; i++)
		say("%s", bits((unsigned short)fds[i].revents));
	FD_ZERO(&in);
	FD_SET(p.c, &in);
	FD_SET(gone.c, &in);
	SAY("select", select(gone.c + 1, &in, NULL, NULL, &none));
	say("kept=%d,%d", FD_ISSET(p.c, &in), FD_ISSET(gone.c, &in));
	SAY("wait", epoll_wait(ep, &event, 1, 0));
	SAY("mod", epoll_ctl(ep, EPOLL_CTL_MOD, gone.c, &event));
	SAY("add", epoll_ctl(ep, EPOLL_CTL_ADD, p.c, &event));
	SAY("twice", epoll_ctl(ep, EPOLL_CTL_ADD, p.c, &event));
	SAY("copy", epoll_ctl(ep, EPOLL_CTL_ADD, copy, &event));
	SAY("socket", epoll_ctl(p.c, EPOLL_CTL_ADD, ep, &event));
	SAY("socket", epoll_wait(p.c, &event, 1, 0));
	close(p.c);
	SAY("wait", epoll_wait(ep, &event, 1, 0));
	close(copy);
	SAY("wait", epoll_wait(ep, &event, 1, 0));
}

/* A blocked signal that the call's mask unblocks ends the call, unless a socket is ready. */
static void masked(enum state state)
{
	struct pair p = in_state(state);
	struct pollfd fd = { p.c, POLLIN, 0 };
	struct timespec time = { .tv_sec = 5 };
	struct epoll_event event;
	int ep = watch(p.c, EPOLLIN);
	sigset_t blocked, empty;
	fd_set in;

	FD_ZERO(&in);
	FD_SET(p.c, &in);
	sigemptyset(&empty);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	on(SIGALRM, on_alarm, SA_RESTART);
	for (int i = 0; i < 4; i++) {
		raise(SIGALRM);
		switch (i) {
		case 0: SAY("ppoll", ppoll(&fd, 1, &time, &empty)); break;
		case 1: SAY("pselect", pselect(p.c + 1, &in, NULL, NULL, &time, &empty)); break;
		case 2: SAY("pwait", epoll_pwait(ep, &event, 1, 5000, &empty)); break;
		default: SAY("pwait2", syscall(__NR_epoll_pwait2, ep, &event, 1, &time, &empty, 8));
		}
		say("ticks=%d", ticks);
	}
}

IN_EACH_STATE(masked, masked)

/* Signals of a socket until none comes for a while: their reasons and events. */
static void say_signals(const char *step)
{
	struct timespec time = { .tv_nsec = 60000000 };
	siginfo_t info;
	sigset_t set;

	sigfillset(&set);
	say("%s:", step);
	while (sigtimedwait(&set, &info, &time) > 0)
		say("%d,%d,%s", info.si_signo, info.si_code,
		    info.si_signo == SIGIO ? "" : bits((unsigned int)info.si_band));
}

static void signals(int number, bool early)
{
	struct f_owner_ex owner = { F_OWNER_TID, gettid() };
	int l = listener(), c = fresh();
	struct pair p;
	sigset_t set;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (!early)
		join(&p, l, c);
	SAY("owner", fcntl(c, F_SETOWN_EX, &owner));
	SAY("signal", fcntl(c, F_SETSIG, number));
	SAY("flags", fcntl(c, F_SETFL, O_RDWR | O_ASYNC | O_NONBLOCK));
	if (early)
		join(&p, l, c);
	say_signals("connected");
	say("signal=%d flags=%x", fcntl(c, F_GETSIG) == number, (unsigned int)fcntl(c, F_GETFL));
	feed(&p, "abc", 3);
	say_signals("data");
	SAY("read", recv(c, much, 9, 0));
	SAY("write", send(c, much, 9, 0));
	say_signals("written");
	shutdown(p.a, SHUT_WR);
	say_signals("peer");
	SAY("flags", fcntl(c, F_SETFL, O_RDWR));
	shutdown(c, SHUT_WR);
	say_signals("off");
}

CASE_OF(signals_io, signals(0, false))
CASE_OF(signals_io_early, signals(0, true))
CASE_OF(signals_real_time, signals(SIGRTMIN, false))
CASE_OF(signals_real_time_early, signals(SIGRTMIN, true))

/* A buffer that fills, drains, and fills again. */
static void full_of(unsigned int what)
{
	struct pair p = make_narrow_pair();
	int ep = watch(p.c, what);
	struct epoll_event event;

	/* The socket is writable at first. */
	epoll_wait(ep, &event, 1, 0);
	for (int i = 0; i < 2; i++) {
		ssize_t left = (ssize_t)fill(p.c), n = 1;

		SAY("send", send(p.c, "x", 1, 0));
		event.events = 0;
		SAY("full", epoll_wait(ep, &event, 1, 0));
		say("%s %s", bits(event.events), events(p.c));
		for (; left > 0 && n > 0; left -= n)
			n = recv(p.a, much, sizeof(much), 0);
		say("left=%zd", left);
		event.events = 0;
		SAY("empty", epoll_wait(ep, &event, 1, 1000));
		say("%s %s", bits(event.events), events(p.c));
		SAY("send", send(p.c, "", 1, 0));
		SAY("recv", recv(p.a, much, 1, 0));
	}
}

WAITING_CASE_OF(full_level, full_of(EPOLLOUT))
WAITING_CASE_OF(full_edge, full_of(EPOLLOUT | EPOLLET))
WAITING_CASE_OF(full_edge_both, full_of(EPOLLIN | EPOLLOUT | EPOLLET))
