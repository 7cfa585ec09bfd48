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
	bind_to(l, 0);
	listen(l, 5);
	say_linger("listener", l);
	join(&p, l, fresh());
	say_linger("accepted", p.a);
	SAY("send", send(p.a, data, sizeof(data), 0));
	SAY("close", close(p.a));
	nap(100);
	say("read=%zu", read_all(p.c));
}
