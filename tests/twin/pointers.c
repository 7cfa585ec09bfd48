// SPDX-License-Identifier: MIT
/* Addresses without memory: the result of a call, and how much it moved before. */
#include "twin.h"

static void bad_buffers(size_t good)
{
	struct pair p = in_state(IS_CONNECTED);
	char *bad = unmapped() - good, rest[16];
	int way;

	for (way = 0; way < OUT_COPIES; way++) {
		SAY(outs[way], write_by(way, p.c, bad, 6, 0));
		nap(50);
		SAY("arrived", recv(p.a, rest, sizeof(rest), MSG_DONTWAIT));
	}
	for (way = 0; way < IN_COPIES; way++) {
		feed(&p, "abcdef", 6);
		SAY(ins[way], read_by(way, p.c, bad, 6, 0));
		SAY("rest", recv(p.c, rest, sizeof(rest), 0));
	}
}

CASE_OF(pointers_buffers, bad_buffers(0))
CASE_OF(pointers_buffers_part, bad_buffers(3))

static void bad_message(int fd, struct msghdr *msg, struct mmsghdr *msgs)
{
	struct pair p = in_state(HAS_DATA);

	dup2(p.c, fd);
	SAY("sendmsg", sendmsg(fd, msg, 0));
	SAY("sendmmsg", sendmmsg(fd, msgs, 2, 0));
	SAY("recvmsg", recvmsg(fd, msg, 0));
	SAY("recvmmsg", recvmmsg(fd, msgs, 2, 0, NULL));
	SAY("rest", recv(fd, much, 9, 0));
	part(&p);
}

CASE(pointers_messages)
{
	void *bad = unmapped();
	struct iovec part = { much, 1 }, bad_part = { bad, 1 };
	const struct msghdr kinds[] = {
		{ .msg_iov = &part, .msg_iovlen = 1 },
		{ .msg_iov = bad, .msg_iovlen = 1 },
		{ .msg_iov = &bad_part, .msg_iovlen = 1 },
		{ .msg_iov = &part, .msg_iovlen = 1, .msg_control = bad, .msg_controllen = 24 },
		{ .msg_iov = &part, .msg_iovlen = 1, .msg_name = bad, .msg_namelen = 16 },
	};
	int fd = fresh();

	bad_message(fd, NULL, NULL);
	bad_message(fd, bad, bad);
	for (int i = 1; i < 5; i++) {
		struct mmsghdr msgs[] = { { .msg_hdr = kinds[0] }, { .msg_hdr = kinds[i] } };

		bad_message(fd, &msgs[1].msg_hdr, msgs);
	}
}

/* The address and its length, either without memory. */
static void bad_names(enum state state)
{
	static const unsigned int requests[] = { FIONREAD, FIONBIO, SIOCOUTQ, SIOCATMARK,
						 SIOCGIFADDR };
	static const int options[][2] = {
		{ SOL_SOCKET, SO_LINGER },	 { SOL_SOCKET, SO_RCVTIMEO },
		{ SOL_SOCKET, SO_REUSEPORT },	 { SOL_SOCKET, SO_RCVLOWAT },
		{ IPPROTO_TCP, TCP_NODELAY },	 { IPPROTO_TCP, TCP_CORK },
		{ IPPROTO_TCP, TCP_CONGESTION }, { IPPROTO_TCP, TCP_FASTOPEN },
		{ IPPROTO_TCP, TCP_ULP },	 { IPPROTO_IP, IP_TOS },
	};
	struct pair p = in_state(state);
	socklen_t len = 16, *const lens[] = { &len, NULL, (void *)unmapped(), &len };
	void *const names[] = { unmapped(), much, much, NULL };
	char byte;

	for (int i = 0; i < 4; i++) {
		len = 16;
		SAY("getsockname", getsockname(p.c, names[i], lens[i]));
		SAY("getpeername", getpeername(p.c, names[i], lens[i]));
		SAY("recvfrom", recvfrom(p.c, &byte, 1, 0, names[i], lens[i]));
		SAY("accept", accept(p.c, names[i], lens[i]));
		SAY("type", getsockopt(p.c, SOL_SOCKET, SO_TYPE, names[i], lens[i]));
		SAY("nodelay", getsockopt(p.c, IPPROTO_TCP, TCP_NODELAY, names[i], lens[i]));
		SAY("tos", getsockopt(p.c, IPPROTO_IP, IP_TOS, names[i], lens[i]));
		say("len=%u", len);
	}
	SAY("bind", bind(p.c, names[0], 16));
	SAY("connect", connect(p.c, names[0], 16));
	SAY("sendto", sendto(p.c, "x", 1, 0, names[0], 16));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		say("%d/%d=%s", options[i][0], options[i][1],
		    result(setsockopt(p.c, options[i][0], options[i][1], names[0], 16)));
	for (int i = 0; i < 5; i++)
		say("%x=%s", requests[i], result(ioctl(p.c, requests[i], names[0])));
	say_kind("socket", p.c);
}

IN_EACH_STATE(pointers, bad_names)

CASE(pointers_waits)
{
	struct pair p = in_state(HAS_DATA);
	void *bad = unmapped();
	int ep = epoll_create1(0), file = memfd_create("data", 0), ends[2];

	if (pipe(ends) || write(ends[1], "pipe", 4) != 4 || write(file, "file", 4) != 4)
		return;
	SAY("poll", poll(bad, 1, 0));
	SAY("select", select(p.c + 1, bad, NULL, NULL, NULL));
	SAY("add", epoll_ctl(ep, EPOLL_CTL_ADD, p.c, bad));
	SAY("add", epoll_ctl(ep, EPOLL_CTL_ADD, p.c, &(struct epoll_event){ .events = EPOLLIN }));
	SAY("wait", epoll_wait(ep, bad, 1, 0));
	SAY("sendfile", sendfile(p.c, file, bad, 4));
	SAY("in", splice(p.c, bad, ends[1], NULL, 4, 0));
	SAY("out", splice(ends[0], NULL, p.c, bad, 4, 0));
	SAY("rest", recv(p.c, much, 9, 0));
	SAY("none", recv(p.a, much, 9, MSG_DONTWAIT));
}
