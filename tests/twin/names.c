// SPDX-License-Identifier: MIT
/* Type and names of sockets. */
#include "twin.h"

CASE(identity)
{
	struct pair p = make_pair();
	int fds[] = { fresh(), p.l, p.c, p.a };

	for (int i = 0; i < 4; i++)
		say("%d/%d/%d", get(fds[i], SOL_SOCKET, SO_DOMAIN),
		    get(fds[i], SOL_SOCKET, SO_PROTOCOL), get(fds[i], SOL_SOCKET, SO_TYPE));
}

CASE(ioctls)
{
	struct ifreq req = { .ifr_name = "lo" };
	struct timeval stamp;
	int fd = fresh();

	SAY("addr", ioctl(fd, SIOCGIFADDR, &req));
	SAY("mask", ioctl(fd, SIOCGIFNETMASK, &req));
	SAY("flags", ioctl(fd, SIOCGIFFLAGS, &req));
	SAY("stamp", ioctl(fd, 0x8906, &stamp));
	SAY("bogus", ioctl(fd, 0x54ff, NULL));
	SAY("tcgets", ioctl(fd, 0x5401, NULL));
	say_kind("socket", fd);
}

static void say_peer(const char *name, int fd)
{
	struct sockaddr_in6 peer = { 0 };
	socklen_t len = sizeof(peer);

	SAY(name, getpeername(fd, (void *)&peer, &len));
	say("%u is_there=%d", len, peer.sin6_port != 0);
}

CASE(peer_name)
{
	struct pair p = make_pair();
	socklen_t len = 0;

	say_peer("fresh", fresh());
	say_peer("listener", p.l);
	SAY("shut", shutdown(p.c, SHUT_WR));
	say_peer("shut", p.c);
	SAY("null", getpeername(p.c, NULL, &len));
	len = 16;
	SAY("null", getpeername(p.c, NULL, &len));
	SAY("null", getpeername(p.c, NULL, NULL));
	say_peer("peer", p.a);
	SAY("both", shutdown(p.c, SHUT_RDWR));
	say_peer("both", p.c);
}

PLAY(name_states, "l.pair d.fresh names bind names d.fresh refused names d.nonblocking hole names"
		  " l.names c.names a.names close c.readable names send nap names close names")

static void name_lengths(int (*call)(int fd, struct sockaddr *addr, socklen_t *len))
{
	static const socklen_t lens[] = { 0, 1, 2, 8, 16, 27, 28, 128, -1 };
	struct pair p = make_pair();

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		socklen_t len = lens[i];

		memset(much, '#', 200);
		errno = 0;
		say("%s", result(call(p.c, (void *)much, &len)));
		say("len=%d used=%zu", (int)len, touched(much, 200, '#'));
	}
	SAY("null", call(p.c, NULL, &(socklen_t){ 16 }));
	SAY("null", call(p.c, (void *)much, NULL));
}

CASE_OF(name_lengths, name_lengths(getsockname))
CASE_OF(name_lengths_peer, name_lengths(getpeername))

static void join_at(int l, const char *at)
{
	struct address to = address_of(at, port_of(l));
	int c;

	family = to.any.ss_family;
	c = fresh();
	SAY(at, connect(c, (void *)&to.any, to.len));
	say_names("client", c);
	if (!strcmp(events(c), "OUT"))
		wait_for(l, POLLIN);
	say_names("accepted", accept(l, NULL, NULL));
}

/* A listener with or without IPV6_V6ONLY; clients of both families. */
static void name_dual(const char *at, const char *six, int v6only)
{
	struct address own = address_of(at, 0);
	int l;

	family = AF_INET6;
	l = fresh();
	SAY("v6only", set(l, IPPROTO_IPV6, IPV6_V6ONLY, v6only));
	SAY("bind", bind(l, (void *)&own.any, own.len));
	SAY("listen", listen(l, 5));
	nonblocking(l, true);
	join_at(l, six);
	join_at(l, "127.0.0.1");
	if (!v6only)
		SAY("bind", bind_to(fresh(), port_of(l)));
	SAY("late", set(l, IPPROTO_IPV6, IPV6_V6ONLY, !v6only));
}

CASE_OF(name_dual, name_dual("::", "::1", 0))
CASE_OF(name_v6only, name_dual("::", "::1", 1))
CASE_OF(name_mapped, name_dual("::ffff:127.0.0.1", "::ffff:127.0.0.1", 0))
CASE_OF(name_mapped_client, name_dual("::", "::ffff:127.0.0.1", 0))
CASE_OF(name_mapped_v6only, name_dual("::ffff:127.0.0.1", "::1", 1))

PLAY(bind_any, "l.fresh bind_any names listen names c.fresh join names a.names")
PLAY(bind_foreign, "c.fresh bind_foreign names free bind_foreign names listen")
PLAY(bind_broadcast, "c.fresh bind_broadcast names listen")
PLAY(bind_multicast, "c.fresh bind_multicast names listen")
PLAY(bind_privileged, "c.fresh unprivileged bind_privileged names listen")
PLAY(bind_states, "l.pair l.bind c.bind note a.bind d.fresh rebind bind bind close bind")
PLAY(bind_no_port, "l.listener c.fresh no_port bind names bind refused names join names")
PLAY(bind_device, "l.fresh device bind listen c.fresh device join names send a.readable recv names")

/* Two sockets at the same port, with SO_REUSEADDR or not; then both listen. */
#define BOTH(one, two) "c." one " bind note d." two " rebind c.listen d.listen e.fresh rebind"

PLAY(bind_reuse_none, BOTH("fresh", "fresh"))
PLAY(bind_reuse_first, BOTH("reusing", "fresh"))
PLAY(bind_reuse_both, BOTH("reusing", "reusing"))
PLAY(bind_reuseport, BOTH("sharing", "sharing"))
PLAY(bind_reuse_mixed, BOTH("reusing", "sharing"))
