// SPDX-License-Identifier: MIT
/* Data after close(), with and without SO_LINGER. */
#include "twin.h"

static void say_linger(const char *name, int fd)
{
	struct linger linger = { 0 };
	socklen_t len = sizeof(linger);

	getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len);
	say("%s=%d,%d", name, linger.l_onoff, linger.l_linger);
}

static const char data[60000];

CASE(linger)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 5 };
	int l = listener(), c = fresh();
	struct pair p;

	setsockopt(c, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	say_linger("before", c);
	join(&p, l, c);
	say_linger("after", p.c);
	SAY("send", send(p.c, data, sizeof(data), 0));
	if (!fork()) {
		close(p.c);
		_exit(0);
	}
	SAY("close", close(p.c));
	nap(100);
	say("read=%zu", read_all(p.a));
}

CASE(linger_listener)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 5 };
	int l = fresh();
	struct pair p;

	setsockopt(l, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	start_listening(l);
	say_linger("listener", l);
	join(&p, l, fresh());
	say_linger("accepted", p.a);
	SAY("send", send(p.a, data, sizeof(data), 0));
	SAY("close", close(p.a));
	nap(100);
	say("read=%zu", read_all(p.c));
}

#define END(letter) " " letter ".readable events rest send events"
#define SERVER_ENDS(steps) "l.pair c.send a.readable " steps " nap" END("c")
#define CLIENT_ENDS(steps) "l.pair a.send c.readable " steps " nap" END("a")

PLAY(close_unread, CLIENT_ENDS("close"))
PLAY(close_unread_server, SERVER_ENDS("close"))
PLAY(close_unread_answer, CLIENT_ENDS("send close"))
PLAY(close_unread_answer_server, SERVER_ENDS("send close"))
PLAY(close_read, CLIENT_ENDS("recv send close"))
PLAY(close_abort, CLIENT_ENDS("recv abort"))
PLAY(close_abort_server, SERVER_ENDS("recv abort"))
PLAY(close_abort_data, CLIENT_ENDS("recv send nap abort"))
PLAY(close_abort_error, "l.pair c.abort nap a.error events rest send")

/* A listener closes while a client waits for accept(). */
#define PENDING(steps)                                                                             \
	"l.listener note c.fresh connect " steps " l.close nap d.fresh reconnect c.names" END("c")

PLAY(close_pending, PENDING("events"))
PLAY(close_pending_data, PENDING("send"))
PLAY(close_pending_shut, PENDING("l.shut_read"))

/* Another descriptor keeps the connection. */
#define DUP(way) "l.pair d.dup c.send " way " nap a.events d." way " c.close nap nap" END("a")

PLAY(close_dup, DUP("close"))
PLAY(close_range, DUP("range"))
PLAY(close_fclose, DUP("fclose"))
PLAY(close_dup2, DUP("replace"))
PLAY(close_from, "l.pair d.dup c.close d.closefrom c.close d.close" END("a"))
