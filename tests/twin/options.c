// SPDX-License-Identifier: MIT
/* Options of sockets. */
#include "twin.h"

static void refused_option(int name, int value)
{
	int fd = fresh(), l;

	dress(fd);
	bind_to(fd, 0);
	SAY("off", set(fd, SOL_SOCKET, name, name == SO_PEEK_OFF ? -1 : 0));
	say_kind("off", fd);
	SAY("set", set(fd, SOL_SOCKET, name, value));
	say("get=%d bound=%d", get(fd, SOL_SOCKET, name), port_of(fd) > 0);
	undress(fd);
	say_kind("on", fd);
	nonblocking(fd, false);
	l = listener();
	join_and_echo(l, fd);
}

CASE_OF(peek_off, refused_option(SO_PEEK_OFF, 0))
CASE_OF(txrehash, refused_option(SO_TXREHASH, 1))
CASE_OF(rcvlowat, refused_option(SO_RCVLOWAT, 2))

/* Options whose refusal makes a program do something else. */
static void unanswered(int level, int name)
{
	int l = listener(), fd = fresh();
	struct pair p;

	SAY("set", set(fd, level, name, 1));
	say("get=%d", get(fd, level, name));
	join(&p, l, fd);
	SAY("connected", set(p.c, level, name, 1));
	echo(&p);
}

CASE_OF(zerocopy, unanswered(SOL_SOCKET, SO_ZEROCOPY))
CASE_OF(inq, unanswered(IPPROTO_TCP, TCP_INQ))
CASE_OF(timestamping, unanswered(SOL_SOCKET, SO_TIMESTAMPING))

/* Values that TCP refuses. */
CASE(values)
{
	static const int names[] = { TCP_CORK,	   TCP_DEFER_ACCEPT,	 TCP_INQ,
				     TCP_FASTOPEN, TCP_FASTOPEN_CONNECT, TCP_FASTOPEN_NO_COOKIE };
	struct pair p = make_pair();
	int fd = fresh(), zero = 0;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		SAY("none", setsockopt(fd, IPPROTO_TCP, names[i], NULL, sizeof(zero)));
		SAY("short", setsockopt(fd, IPPROTO_TCP, names[i], &zero, 3));
		SAY("wrong", set(fd, IPPROTO_TCP, names[i], -1));
		SAY("off", set(fd, IPPROTO_TCP, names[i], 0));
		SAY("connected", setsockopt(p.c, IPPROTO_TCP, names[i], NULL, sizeof(zero)));
	}
	say_kind("fresh", fd);
}

/* The first client has nothing to say for now. */
CASE(defer_accept)
{
	int l = fresh(), idle = fresh(), busy = fresh();

	SAY("defer", set(l, IPPROTO_TCP, TCP_DEFER_ACCEPT, 60));
	start_listening(l);
	SAY("idle", connect_to(idle, port_of(l)));
	SAY("busy", connect_to(busy, port_of(l)));
	SAY("send", send(busy, "x", 1, 0));
	say("accepted=%d", accept(l, NULL, NULL) >= 0);
	say_kind("busy", busy);
}

CASE(reuseport)
{
	int one = fresh(), two = fresh(), port, clients[12], n[2] = { 0 };

	dress(one);
	SAY("set", set(one, SOL_SOCKET, SO_REUSEPORT, 1));
	SAY("again", set(one, SOL_SOCKET, SO_REUSEPORT, 1));
	SAY("set2", set(two, SOL_SOCKET, SO_REUSEPORT, 1));
	say("get=%d", get(one, SOL_SOCKET, SO_REUSEPORT));
	undress(one);
	SAY("bind", bind_to(one, 0));
	port = port_of(one);
	SAY("bind2", bind_to(two, port));
	listen(one, 20);
	listen(two, 20);
	nonblocking(two, true);
	say_kind("one", one);
	say_kind("two", two);
	for (int i = 0; i < 12; i++) {
		clients[i] = fresh();
		connect_to(clients[i], port);
	}
	nap(300);
	while (accept(one, NULL, NULL) >= 0)
		n[0]++;
	while (accept(two, NULL, NULL) >= 0)
		n[1]++;
	say("total=%d", n[0] + n[1]);
}

CASE(reuseport_bound)
{
	int fd = fresh(), port;

	bind_to(fd, 0);
	port = port_of(fd);
	SAY("set", set(fd, SOL_SOCKET, SO_REUSEPORT, 1));
	say("same=%d", port_of(fd) == port);
	SAY("listen", listen(fd, 1));
	say_kind("socket", fd);
}

CASE(fast_open)
{
	int l = fresh(), c = fresh();

	SAY("tfo", set(l, IPPROTO_TCP, TCP_FASTOPEN, 5));
	SAY("no_cookie", set(l, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, 1));
	SAY("key", setsockopt(l, IPPROTO_TCP, TCP_FASTOPEN_KEY, "0123456789abcdef", 16));
	start_listening(l);
	SAY("connect", set(c, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1));
	join_and_echo(l, c);
}

CASE(collisions)
{
	int l = fresh(), c = fresh();
	struct pair p;

	if (family == AF_INET6) {
		SAY("discover", set(l, IPPROTO_IPV6, IPV6_MTU_DISCOVER, 2));
		SAY("flow", set(c, IPPROTO_IPV6, 33, 1));
	}
	SAY("checksum", set(l, IPPROTO_IP, 23, 1));
	SAY("loop", set(c, IPPROTO_IP, IP_MULTICAST_LOOP, 0));
	start_listening(l);
	SAY("listening", set(l, IPPROTO_IP, IP_MULTICAST_LOOP, 1));
	join(&p, l, c);
	SAY("connected", set(p.c, IPPROTO_IP, IP_MULTICAST_LOOP, 0));
	echo(&p);
}

static void short_options(int fd)
{
	unsigned char tos = 16, ttl = 44;
	char name[16] = "";
	socklen_t len = sizeof(name);

	SAY("tos", setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, 1));
	SAY("ttl", setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, 1));
	SAY("tos2", setsockopt(fd, IPPROTO_IP, IP_TOS, "\10\0", 2));
	SAY("none", setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, 0));
	SAY("bogus", setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "no!", 3));
	SAY("tcp", setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &tos, 1));
	SAY("options", setsockopt(fd, IPPROTO_IP, IP_OPTIONS, NULL, 0));
	setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
	getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len);
	say("now %d %d %s", get(fd, IPPROTO_IP, IP_TOS), get(fd, IPPROTO_IP, IP_TTL), name);
}

CASE(short)
{
	struct pair p = make_pair();
	int fd = fresh();

	short_options(fd);
	short_options(p.c);
	say_kind("fresh", fd);
}
