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
