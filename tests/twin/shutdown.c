// SPDX-License-Identifier: MIT
/* shutdown(2) while others wait. */
#include "twin.h"

/* State of a listener and its address after shutdown(); then listen again. */
static void say_shut(int l, int port)
{
	struct pair p;

	say("events=%s accepting=%d same=%d", events(l), get(l, SOL_SOCKET, SO_ACCEPTCONN),
	    port_of(l) == port);
	SAY("accept", accept(l, NULL, NULL));
	SAY("connect", connect_to(fresh(), port));
	SAY("listen", listen(l, 5));
	say("same=%d", port_of(l) == port);
	nonblocking(l, false);
	join(&p, l, fresh());
	say_kind("listener", l);
	echo(&p);
}

/* A port that the kernel chose for the listener would be lost with shutdown(). */
static int fixed_listener(void)
{
	int one = fresh(), l = fresh(), port;

	bind_to(one, 0);
	port = port_of(one);
	close(one);
	/* As servers do: over SMC, a connection of the library may keep the port in FIN_WAIT2. */
	set(l, SOL_SOCKET, SO_REUSEADDR, 1);
	bind_to(l, port);
	SAY("listen", listen(l, 5));
	return l;
}

static void shut_listener(int how)
{
	int l = fixed_listener(), port = port_of(l);
	struct waiter waiters[] = {
		{ "accept", call_accept, l },
		{ "accept4", call_accept4, l },
		{ "accept", call_accept, l },
		{ "poll", call_poll, l },
		{ "poll", call_poll, l },
		{ "select", call_select, l },
		{ "epoll", call_epoll, watch(l, EPOLLIN | EPOLLRDHUP) },
		{ "edge", call_epoll, watch(l, EPOLLIN | EPOLLET) },
	};

	start_waiters(waiters, 8);
	SAY("shutdown", shutdown(l, how));
	end_waiters(waiters, 8);
	say_shut(l, port);
}

CASE_OF(shut_listener, shut_listener(SHUT_RDWR))
CASE_OF(shut_listener_read, shut_listener(SHUT_RD))

CASE(shut_listener_write)
{
	int l = listener();

	SAY("shutdown", shutdown(l, SHUT_WR));
	say("accepting=%d", get(l, SOL_SOCKET, SO_ACCEPTCONN));
	join_and_echo(l, fresh());
}

CASE(shut_listener_idle)
{
	int l = fixed_listener(), port = port_of(l);

	nonblocking(l, true);
	SAY("shutdown", shutdown(l, SHUT_RDWR));
	say_shut(l, port);
}

/* A child has the listener, too: the child may go on with it over SMC. */
CASE(shut_listener_shared)
{
	int l = listener();
	struct waiter waiter = { "accept", call_accept, l };
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	start_waiters(&waiter, 1);
	SAY("shutdown", shutdown(l, SHUT_RDWR));
	end_waiters(&waiter, 1);
	SAY("accept", accept(l, NULL, NULL));
	kill(child, SIGKILL);
}

static int listening;

static void on_stop(int number)
{
	int saved = errno;

	ticks = 10 + shutdown(listening, SHUT_RDWR);
	errno = saved;
}

CASE(shut_listener_signal)
{
	struct itimerval soon = { .it_value.tv_usec = 300000 };

	listening = listener();
	on(SIGALRM, on_stop, SA_RESTART);
	setitimer(ITIMER_REAL, &soon, NULL);
	say("accept=%s", result(accept(listening, NULL, NULL)));
	say("shutdown=%d", ticks - 10);
}

CASE(shut_read)
{
	struct pair p = make_pair();
	int ep = watch(p.c, EPOLLIN | EPOLLOUT | EPOLLET);
	struct waiter waiters[] = { { "recv", call_recv, p.c }, { "writable", call_epoll, ep } };

	/* The socket is writable at first. */
	call_epoll(ep);
	start_waiters(waiters, 2);
	SAY("shutdown", shutdown(p.c, SHUT_RD));
	end_waiters(waiters, 2);
	SAY("send", send(p.c, "x", 1, 0));
	SAY("recv", call_recv(p.a));
}

/* Count the rounds in which shutdown() did not wake poll(). */
CASE(shut_both)
{
	struct waiter waiter = { "poll", call_poll_briefly, -1 };
	int l = listener(), lost = 0, i;
	struct pair p;

	for (i = 0; i < 50 && lost < 3; i++) {
		forget_kinds();
		join(&p, l, fresh());
		waiter.fd = p.c;
		pthread_create(&waiter.thread, NULL, wait_in_thread, &waiter);
		nap(10);
		shutdown(p.c, SHUT_RDWR);
		pthread_join(waiter.thread, NULL);
		lost += !waiter.ret;
		close(p.c);
		close(p.a);
	}
	say("lost=%d", lost);
}

CASE(listen_after_connect)
{
	struct address group = address_of(family == AF_INET ? "224.0.0.1" : "ff00::1", 9);
	int l = fresh();
	struct pair p;

	SAY("connect", connect(l, (void *)&group.any, group.len));
	SAY("bind", bind_to(l, 0));
	SAY("listen", listen(l, 5));
	join(&p, l, fresh());
	say_kind("listener", l);
	echo(&p);
}

#define TWICE(how) how " " how " events recv send "
#define UNCONNECTED(how)                                                                           \
	"c.fresh " TWICE(how) "c.fresh bind " TWICE(how) "c.fresh refused " TWICE(                 \
		how) "c.nonblocking hole " TWICE(how) "listen"

PLAY(shut_unconnected_read, UNCONNECTED("shut_read"))
PLAY(shut_unconnected_write, UNCONNECTED("shut_write"))
PLAY(shut_unconnected_both, UNCONNECTED("shut_both"))
PLAY(shut_wrong, "l.pair c.shut_wrong l.shut_wrong d.fresh shut_wrong close shut_wrong c.send"
		 " a.readable recv")

/* A socket that was shut down before connect(). */
#define EARLY(how) "l.listener c.fresh " how " join send a.send nap c.events a.events c.recv a.recv"

PLAY(shut_early_read, EARLY("shut_read"))
PLAY(shut_early_write, EARLY("shut_write"))
PLAY(shut_early_both, EARLY("shut_both"))

/* One end, or both, with data in both directions. */
#define ENDS(how, more)                                                                            \
	"l.pair c.send a.send nap c." how " nap " more " c.events a.events recv recv c.recv recv"  \
	" a.send nap c.events a.events c.recv send names"

PLAY(shut_end_read, ENDS("shut_read", "c.events"))
PLAY(shut_end_write, ENDS("shut_write", "c.events"))
PLAY(shut_end_both, ENDS("shut_both", "c.events"))
PLAY(shut_ends_read, ENDS("shut_read", "a.shut_read nap"))
PLAY(shut_ends_write, ENDS("shut_write", "a.shut_write nap"))
PLAY(shut_ends_both, ENDS("shut_both", "a.shut_both nap"))

/* After the peer has closed, with and without unread data. */
#define CLOSED(how) "l.pair a.close c.readable " TWICE(how) TWICE("shut_both") "error names"
#define RESET(how)                                                                                 \
	"l.pair c.send a.readable close c.readable " TWICE(how) TWICE("shut_both") "error"

PLAY(shut_closed_read, CLOSED("shut_read"))
PLAY(shut_closed_write, CLOSED("shut_write"))
PLAY(shut_closed_both, CLOSED("shut_both"))
PLAY(shut_reset_read, RESET("shut_read"))
PLAY(shut_reset_write, RESET("shut_write"))

PLAY(shut_dialogue, "l.pair c.send shut_write a.rest send close c.rest close")
PLAY(shut_dup, "l.pair d.dup shut_write c.send d.close a.send rest close c.rest")

/* A listener on a port of the kernel's choice, with a client that waits. */
#define CHOSEN(how)                                                                                \
	"l.listener c.fresh connect l." how " names listen names c.fresh connect a.accept"

PLAY(shut_chosen_read, CHOSEN("shut_read"))
PLAY(shut_chosen_both, CHOSEN("shut_both"))

/* The peer closes after SHUT_WR. */
#define OVER(how) "l.pair c.shut_write a.close c.readable events " TWICE(how)

PLAY(shut_over_read, OVER("shut_read"))
PLAY(shut_over_write, OVER("shut_write"))
PLAY(shut_over_both, OVER("shut_both"))
