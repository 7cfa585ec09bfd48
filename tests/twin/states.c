// SPDX-License-Identifier: MIT
/* Each call that writes or reads, and each that waits, in each state of a client. */
#include "twin.h"

static void write_in(enum state state)
{
	for (int way = 0; way < OUTS; way++) {
		struct pair p = in_state(state);

		SAY(outs[way], write_by(way, p.c, "x", 1, 0));
		say("pipes=%d", pipes);
		part(&p);
	}
}

IN_EACH_STATE(write, write_in)

static void read_in(enum state state)
{
	char text[16];

	for (int way = 0; way < INS; way++) {
		struct pair p = in_state(state);

		SAY(ins[way], read_by(way, p.c, text, sizeof(text), 0));
		part(&p);
	}
}

IN_EACH_STATE(read, read_in)

static void nothing_in(enum state state)
{
	struct pair p = in_state(state);
	int way;

	for (way = 0; way < OUTS; way++)
		SAY(outs[way], write_by(way, p.c, "", 0, 0));
	for (way = 0; way < INS; way++)
		SAY(ins[way], read_by(way, p.c, (char[1]){ 0 }, 0, 0));
	say("pipes=%d events=%s", pipes, events(p.c));
}

IN_EACH_STATE(nothing, nothing_in)

static void say_selected(int fd)
{
	struct timeval none = { 0 };
	fd_set sets[3];

	for (int i = 0; i < 3; i++) {
		FD_ZERO(&sets[i]);
		FD_SET(fd, &sets[i]);
	}
	SAY("select", select(fd + 1, &sets[0], &sets[1], &sets[2], &none));
	for (int i = 0; i < 3; i++)
		say("%d", FD_ISSET(fd, &sets[i]) != 0);
}

static void say_waited(const char *name, int ep)
{
	struct epoll_event event = { 0 };

	epoll_wait(ep, &event, 1, 20);
	say("%s=%s", name, bits(event.events));
}

#define ANY (EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDHUP)

static void events_in(enum state state)
{
	struct pair p = in_state(state);
	int level = watch(p.c, ANY), edge = watch(p.c, ANY | EPOLLET),
	    outer = watch(level, EPOLLIN), once = watch(p.c, ANY | EPOLLONESHOT), error;
	struct epoll_event event = { .events = ANY | EPOLLONESHOT };

	/* The peer's delayed answer to an end is an event, too. */
	nap(state < IS_SHUT_READ ? 0 : 200);
	for (int i = 0; i < 2; i++)
		say_waited("edge", edge);
	say("poll=%s outer=%s", events(p.c), events(outer));
	say_selected(p.c);
	for (int i = 0; i < 2; i++) {
		say_waited("level", level);
		say_waited("once", once);
	}
	SAY("mod", epoll_ctl(once, EPOLL_CTL_MOD, p.c, &event));
	say_waited("once", once);
	error = get(p.c, SOL_SOCKET, SO_ERROR);
	say("error=%d poll=%s", error, events(p.c));
	say_waited("level", level);
	say_waited("edge", edge);
}

IN_EACH_STATE(events, events_in)

/* The socket is watched before a connect() that waits. */
CASE(events_joined)
{
	static const unsigned int masks[] = { EPOLLOUT, EPOLLOUT | EPOLLET, ANY, ANY | EPOLLET };
	int l = listener(), c = fresh(), eps[4], i;
	struct pair p;

	for (i = 0; i < 4; i++)
		eps[i] = watch(c, masks[i]);
	join(&p, l, c);
	for (i = 0; i < 4; i++)
		say_waited("first", eps[i]);
	for (i = 0; i < 4; i++)
		say_waited("second", eps[i]);
}

/* A connect() that does not wait has reported this already. */
CASE(events_joined_twice)
{
	int l = listener(), c = fresh_with(SOCK_NONBLOCK), edge = watch(c, EPOLLOUT | EPOLLET);

	connect_to(c, port_of(l));
	wait_for(c, POLLOUT);
	say_waited("first", edge);
	SAY("connect", connect_to(c, port_of(l)));
	say_waited("second", edge);
}

/* One socket from its start to its end, watched from the start. */
static void life(unsigned int what, bool accepted)
{
	int l = listener(), c = fresh_with(SOCK_NONBLOCK), ep = watch(accepted ? l : c, what);
	struct pair p;
	char text[16];

	say_waited("fresh", ep);
	join(&p, l, c);
	say_waited("connected", ep);
	say_waited("still", ep);
	if (accepted) {
		/* The other end from now on. */
		p = (struct pair){ l, p.a, p.c };
		nonblocking(p.c, true);
		nonblocking(p.a, false);
		ep = watch(p.c, what);
		say_waited("accepted", ep);
	}
	feed(&p, "abcd", 4);
	say_waited("data", ep);
	say_waited("still", ep);
	SAY("read", read(p.c, text, 2));
	say_waited("part", ep);
	feed(&p, "efghij", 6);
	say_waited("more", ep);
	SAY("read", read(p.c, text, sizeof(text)));
	say_waited("drained", ep);
	SAY("write", write(p.c, "abc", 3));
	SAY("read", read(p.a, text, sizeof(text)));
	SAY("shutdown", shutdown(p.a, SHUT_WR));
	wait_for(p.c, POLLRDHUP);
	say_waited("peer", ep);
	SAY("read", read(p.c, text, sizeof(text)));
	say_waited("end", ep);
	SAY("shutdown", shutdown(p.c, SHUT_WR));
	wait_for(p.c, POLLHUP);
	say_waited("both", ep);
	say_waited("still", ep);
}

CASE_OF(life_level, life(ANY, false))
CASE_OF(life_edge_in, life(EPOLLIN | EPOLLET, false))
CASE_OF(life_edge_hup, life(EPOLLRDHUP | EPOLLET, false))
CASE_OF(life_edge_none, life(EPOLLET, false))
CASE_OF(life_exclusive, life(EPOLLIN | EPOLLEXCLUSIVE, false))
CASE_OF(life_once, life(ANY | EPOLLONESHOT, false))
CASE_OF(life_accepted_level, life(ANY, true))
CASE_OF(life_accepted_edge, life(EPOLLIN | EPOLLET, true))
CASE_OF(life_accepted_once, life(ANY | EPOLLONESHOT, true))
