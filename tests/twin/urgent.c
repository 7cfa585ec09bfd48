// SPDX-License-Identifier: MIT
/* Urgent data: a byte out of the stream, or a mark in it. */
#include "twin.h"

/* The receiver, which does not block and gets SIGURG. */
static struct pair make_urgent_pair(int in_line)
{
	struct pair p = in_state(IS_CONNECTED);

	on(SIGURG, on_alarm, SA_RESTART);
	SAY("owner", fcntl(p.c, F_SETOWN, getpid()));
	SAY("inline", set(p.c, SOL_SOCKET, SO_OOBINLINE, in_line));
	nonblocking(p.a, true);
	set(p.a, IPPROTO_TCP, TCP_NODELAY, 1);
	return p;
}

/* Where the stream is, the urgent byte, and what follows in the stream. */
static void say_urgent(int fd, int flags)
{
	char urgent[16] = "", text[16] = "";
	int mark = -1;

	SAY("ioctl", ioctl(fd, SIOCATMARK, &mark));
	say("mark=%d events=%s", mark, events(fd));
	SAY("urgent", recv(fd, urgent, sizeof(urgent), MSG_OOB | flags));
	SAY("recv", recv(fd, text, 3, 0));
	say("%s,%s", urgent, text);
}

static void urgent(int in_line, int flags)
{
	struct pair p = make_urgent_pair(in_line);

	say_urgent(p.c, flags);
	SAY("send", send(p.a, "abcd", 4, MSG_OOB));
	SAY("more", send(p.a, "ef", 2, 0));
	wait_for(p.c, POLLPRI);
	for (int i = 0; i < 4; i++)
		say_urgent(p.c, flags);
	say("signals=%d", ticks);
}

CASE_OF(urgent, urgent(0, 0))
CASE_OF(urgent_inline, urgent(1, 0))
CASE_OF(urgent_peek, urgent(0, MSG_PEEK))
CASE_OF(urgent_trunc, urgent(0, MSG_TRUNC))
CASE_OF(urgent_whole, urgent(0, MSG_WAITALL))

/* The last urgent byte counts. */
CASE(urgent_twice)
{
	struct pair p = make_urgent_pair(0);

	for (int i = 0; i < 3; i++) {
		SAY("send", send(p.a, &"ab!"[i], 1, MSG_OOB));
		nap(50);
	}
	SAY("send", send(p.a, "cd", 2, 0));
	for (int i = 0; i < 3; i++)
		say_urgent(p.c, 0);
	say("signals=%d", ticks);
}

CASE(urgent_ways)
{
	struct pair p = make_urgent_pair(0);

	for (int way = 0; way < OUT_FLAGS; way++) {
		SAY(outs[way], write_by(way, p.a, "uv", 1 + (way != OUT_SENDMMSG), MSG_OOB));
		wait_for(p.c, POLLPRI);
		SAY(ins[way], read_by(way, p.c, (char[4]){ 0 }, 4, MSG_OOB));
		SAY("recv", recv(p.c, much, 3, 0));
	}
	/* The urgent byte is not lost at the end of the stream. */
	SAY("send", send(p.a, "ab", 2, MSG_OOB));
	SAY("shutdown", shutdown(p.a, SHUT_WR));
	wait_for(p.c, POLLRDHUP);
	say_urgent(p.c, 0);
	say_urgent(p.c, 0);
}

static void urgent_in(enum state state)
{
	struct pair p = in_state(state);

	SAY("send", send(p.c, "x", 1, MSG_OOB));
	/* A peer that has closed its end answers. */
	nap(50);
	say("pipes=%d", pipes);
	say_urgent(p.c, 0);
}

IN_EACH_STATE(urgent, urgent_in)
