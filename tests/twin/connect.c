// SPDX-License-Identifier: MIT
/* connect(2): refused, repeated, interrupted, late. */
#include "twin.h"

CASE(retry)
{
	int l = listener(), c = fresh();

	SAY("refused", connect_to(c, refused_port()));
	say("error=%d", get(c, SOL_SOCKET, SO_ERROR));
	SAY("again", connect_to(c, refused_port()));
	join_and_echo(l, c);
}

CASE(retry_nonblocking)
{
	int l = listener(), c = fresh(), port = refused_port();

	dress(c);
	SAY("first", connect_to(c, port));
	wait_for(c, POLLOUT);
	say("error=%d", get(c, SOL_SOCKET, SO_ERROR));
	say("error=%d", get(c, SOL_SOCKET, SO_ERROR));
	SAY("second", connect_to(c, port));
	SAY("third", connect_to(c, port));
	wait_for(c, POLLOUT);
	SAY("fourth", connect_to(c, port));
	undress(c);
	join_and_echo(l, c);
}

CASE(in_use)
{
	struct pair p = make_pair();

	SAY("listener", connect_to(p.l, port_of(p.l)));
	SAY("connected", connect_to(p.c, port_of(p.l)));
	close(p.a);
	wait_for(p.c, POLLIN);
	SAY("closed_by_peer", connect_to(p.c, port_of(p.l)));
	SAY("shutdown", shutdown(p.c, SHUT_WR));
}

/* The family alone is wrong, or the length, too. */
CASE(families)
{
	struct sockaddr_in6 other = { .sin6_family = AF_UNIX };
	struct pair p = make_pair();
	int fds[] = { fresh(), p.l, p.c }, i;

	for (i = 0; i < 3; i++) {
		other.sin6_family = AF_UNIX;
		SAY("other", connect(fds[i], (void *)&other, sizeof(other)));
		SAY("shorter", connect(fds[i], (void *)&other, 20));
		SAY("short", connect(fds[i], (void *)&other, 8));
		other.sin6_family = family == AF_INET ? AF_INET6 : AF_INET;
		SAY("swapped", connect(fds[i], (void *)&other, sizeof(other)));
	}
	say_kind("fresh", fds[0]);
}

CASE(unspec)
{
	int fd = fresh(), l = listener();
	struct pair p;

	SAY("fresh", disconnect(fd));
	join(&p, l, fd);
	SAY("unspec", disconnect(fd));
	forget_kinds();
	p = join_and_echo(l, fd);
}

CASE(epoll)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT, .data.u64 = 0xfedcba9876543210 };
	int ep = epoll_create1(EPOLL_CLOEXEC), fd = fresh(), l = listener();
	struct pair p;

	epoll_ctl(ep, EPOLL_CTL_ADD, l, &event);
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
	epoll_ctl(ep, EPOLL_CTL_DEL, l, &event);
	SAY("lowat", set(fd, SOL_SOCKET, SO_RCVLOWAT, 2));
	join(&p, l, fd);
	memset(&event, 0, sizeof(event));
	SAY("wait", epoll_wait(ep, &event, 1, 1000));
	say("%x %llx", event.events, (unsigned long long)event.data.u64);
	SAY("mod", epoll_ctl(ep, EPOLL_CTL_MOD, fd, &event));
}

CASE(self)
{
	int fd = fresh();

	bind_to(fd, 0);
	nonblocking(fd, true);
	connect_to(fd, port_of(fd));
	wait_for(fd, POLLOUT);
	say("error=%d", get(fd, SOL_SOCKET, SO_ERROR));
}

CASE(send_timeout)
{
	int fd = fresh(), port = hole();
	double start = seconds();

	limit(fd, SO_SNDTIMEO, 300);
	SAY("connect", connect_to(fd, port));
	SAY("again", connect_to(fd, port));
	say("soon=%d flags=%x", seconds() - start < 10, (unsigned int)fcntl(fd, F_GETFL));
	say_kind("socket", fd);
}

CASE(send_timeout_ok)
{
	int l = listener(), c = fresh();

	limit(c, SO_SNDTIMEO, 30000);
	SAY("refused", connect_to(c, refused_port()));
	join_and_echo(l, c);
	SAY("again", connect_to(c, port_of(l)));
}

CASE(late_error)
{
	int fd = fresh();

	set(fd, IPPROTO_TCP, TCP_SYNCNT, 1);
	set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 1500);
	nonblocking(fd, true);
	SAY("connect", connect_to(fd, hole()));
	wait_for(fd, POLLOUT);
	wait_for(fd, POLLOUT);
	say("error=%d", get(fd, SOL_SOCKET, SO_ERROR));
}

/* Connect until a signal arrives. */
CASE(signals)
{
	int l = listener(), port = port_of(l), failed = 0, i, c;
	pid_t server;

	on(SIGALRM, on_alarm, SA_RESTART);
	server = fork();
	if (!server) {
		storm(0);
		for (;;)
			close(accept(l, NULL, NULL));
	}
	storm(4000);
	for (i = 0; i < 20 || (!ticks && i < 100000); i++) {
		c = fresh();
		failed += connect_to(c, port) && (say("%s", result(-1)), true);
		close(c);
	}
	storm(0);
	kill(server, SIGKILL);
	say("failed=%d signals=%d", failed, ticks > 0);
}

CASE(signal_ends)
{
	int c = fresh(), port = hole();

	on(SIGALRM, on_alarm, 0);
	storm(200000);
	SAY("connect", connect_to(c, port));
	storm(0);
	nonblocking(c, true);
	SAY("again", connect_to(c, port));
	say("poll=%s error=%d", events(c), get(c, SOL_SOCKET, SO_ERROR));
}

CASE(devices)
{
	int one = fresh(), two = fresh();
	struct sockaddr_in6 any = { .sin6_family = (sa_family_t)family };
	socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(any);

	SAY("lo", setsockopt(one, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2));
	SAY("other", setsockopt(two, SOL_SOCKET, SO_BINDTODEVICE, "other", 5));
	SAY("bind", bind(one, (void *)&any, len));
	SAY("listen", listen(one, 1));
	any.sin6_port = htons(port_of(one));
	SAY("bind2", bind(two, (void *)&any, len));
	SAY("listen2", listen(two, 1));
	say_kind("one", one);
	say_kind("two", two);
}

#define JOIN " join send a.readable recv"
#define FAILING(how) "l.listener c.fresh " how " error events " how " names" JOIN

PLAY(connect_refused, FAILING("refused"))
PLAY(connect_any, FAILING("any"))
PLAY(connect_broadcast, FAILING("broadcast"))
PLAY(connect_multicast, FAILING("multicast"))
PLAY(connect_subnet, FAILING("subnet"))
PLAY(connect_bound,
     "l.listener c.fresh bind note refused names is_same bind" JOIN " c.names is_same")
PLAY(connect_bound_any, "l.listener c.fresh bind_any note refused names bind" JOIN " c.is_same")
PLAY(connect_bound_port,
     "d.fresh bind note close l.listener c.fresh rebind refused bind" JOIN " c.is_same")
PLAY(connect_bound_far, "c.nonblocking bind note foreign names is_same bind events")
PLAY(connect_refused_port, "c.fresh refused names note bind is_same")

PLAY(connect_progress, "l.listener c.nonblocking hole hole events error names send recv bind listen"
		       " connect unspec events" JOIN)
PLAY(connect_progress_shut, "l.listener c.nonblocking hole shut_write events error send" JOIN)
PLAY(connect_progress_close, "c.nonblocking hole close close")
PLAY(connect_established, "l.listener c.nonblocking connect settle connect connect refused bind"
			  " listen send a.accept readable recv")
/* The client leaves while the connection is being made. */
PLAY(connect_leave, "l.listener c.nonblocking connect close a.accept readable events rest send")

/* The first call of any kind reports the refusal. */
#define FIRST(steps)                                                                               \
	"l.listener c.nonblocking refused settle events " steps " connect connect settle connect"  \
	" send a.accept readable recv"

PLAY(connect_first_recv, FIRST("recv events recv send error events"))
PLAY(connect_first_send, FIRST("send events send recv error events"))
PLAY(connect_first_error, FIRST("error events recv error send"))
PLAY(connect_first_connect, FIRST("refused error events recv"))
PLAY(connect_first_shutdown, FIRST("shut_both events error send recv"))

PLAY(connect_dup, "l.listener c.fresh d.dup c.refused d.join c.connect send a.readable recv")
PLAY(connect_dup_later,
     "l.listener c.nonblocking d.dup c.refused d.settle c.refused d.join c.events"
     " send a.readable recv")

PLAY(unspec_bound, "l.listener c.fresh bind unspec events" JOIN)
PLAY(unspec_refused, "l.listener c.fresh refused unspec events" JOIN)
PLAY(unspec_close_wait, "l.pair a.close c.readable unspec events" JOIN)
PLAY(unspec_shut, "l.pair c.shut_write unspec events a.rest c.events" JOIN)
PLAY(unspec_listener, "l.listener unspec events is_listening take listen c.fresh" JOIN)

#define FULL                                                                                       \
	"l.fresh bind listen_none c.nonblocking connect settle d.nonblocking connect nap events "

WAITING_CASE_OF(connect_full, play(FULL "connect a.accept d.settle events error"))
WAITING_CASE_OF(connect_full_close, play(FULL "l.close c.readable events d.settle error events"))

/* Right and wrong lengths and families. */
static void lengths(int (*call)(int fd, const struct sockaddr *addr, socklen_t len), int port)
{
	static const socklen_t lens[] = { 0, 1, 2, 8, 15, 16, 23, 24, 27, 28, 128, 129, -1 };
	static const sa_family_t families[] = { AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 };
	struct address to = loopback(port), any = { .len = to.len };
	const struct sockaddr_storage other = { .ss_family = AF_UNIX };
	struct pair p = make_pair();
	size_t i;

	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		SAY("fresh", call(fresh(), (void *)&to.any, lens[i]));
		SAY("connected", call(p.c, (void *)&to.any, lens[i]));
		SAY("null", call(fresh(), NULL, lens[i]));
		/* smc_bind() checks the family before the length. */
		if (port)
			SAY("other", call(fresh(), (void *)&other, lens[i]));
	}
	for (i = 0; i < 4; i++) {
		to.any.ss_family = any.any.ss_family = families[i];
		SAY("family", call(fresh(), (void *)&to.any, to.len));
		SAY("any", call(fresh(), (void *)&any.any, any.len));
	}
	SAY("closed", call(-1, (void *)&to.any, to.len));
}

CASE_OF(connect_lengths, lengths(connect, refused_port()))
CASE_OF(bind_lengths, lengths(bind, 0))

static int target;

static long call_connect(int fd)
{
	return connect_to(fd, target);
}

CASE(connect_threads)
{
	int fd = fresh();
	struct waiter first = { "first", call_connect, fd },
		      second = { "second", call_connect, fd };

	target = hole();
	limit(fd, SO_SNDTIMEO, 700);
	start_waiters(&first, 1);
	start_waiters(&second, 1);
	end_waiters(&first, 1);
	end_waiters(&second, 1);
}
