// SPDX-License-Identifier: MIT
/* Peers behind a link that goes down, in a network of their own. */
#include <sched.h>

#include "twin.h"

static struct pair at;

static void link_is(short flags)
{
	struct ifreq req = { .ifr_name = "lo", .ifr_flags = flags };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	ioctl(fd, SIOCSIFFLAGS, &req);
	close(fd);
}

static void user_timeout(void)
{
	set(at.c, IPPROTO_TCP, TCP_USER_TIMEOUT, 1000);
}

static void keepalive(void)
{
	set(at.c, SOL_SOCKET, SO_KEEPALIVE, 1);
	set(at.c, IPPROTO_TCP, TCP_KEEPIDLE, 1);
	set(at.c, IPPROTO_TCP, TCP_KEEPINTVL, 1);
	set(at.c, IPPROTO_TCP, TCP_KEEPCNT, 2);
}

static void both(void)
{
	user_timeout();
	keepalive();
}

/* @early: set the options before the connection */
static void dead(void (*options)(void), bool early, const char *data)
{
	int l;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return say("no rights");
	link_is(IFF_UP);
	nap(100);
	l = listener();
	at.c = fresh();
	if (early)
		options();
	join(&at, l, at.c);
	if (!early)
		options();
	limit(at.c, SO_RCVTIMEO, 12000);
	link_is(0);
	SAY("send", send(at.c, data, strlen(data), 0));
	SAY("recv", call_recv(at.c));
	say("%s error=%d", events(at.c), get(at.c, SOL_SOCKET, SO_ERROR));
	SAY("send", send(at.c, "x", 1, MSG_NOSIGNAL));
}

WAITING_CASE_OF(dead_user_timeout, dead(user_timeout, false, "x"))
WAITING_CASE_OF(dead_keepalive, dead(keepalive, false, ""))
WAITING_CASE_OF(dead_keepalive_early, dead(keepalive, true, ""))
WAITING_CASE_OF(dead_both_early, dead(both, true, "x"))

/* Sockets stay in their network when the process leaves it. */
static void moved(bool connected)
{
	int l = listener(), c = fresh(), other;
	struct pair p = { .l = l, .c = c, .a = -1 };

	if (connected)
		join(&p, l, c);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return say("no rights");
	other = fresh();
	SAY("other", connect_to(other, port_of(l)));
	if (!connected)
		join(&p, l, c);
	echo(&p);
	SAY("reuse", set(other, SOL_SOCKET, SO_REUSEPORT, 1));
	SAY("retry", connect_to(other, port_of(l)));
}

CASE_OF(moved_fresh, moved(false))
CASE_OF(moved_connected, moved(true))

CASE(moved_refused)
{
	int l = listener(), c = fresh();

	SAY("refused", connect_to(c, refused_port()));
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return say("no rights");
	join_and_echo(l, c);
}
