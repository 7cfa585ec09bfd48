// SPDX-License-Identifier: MIT
/* Control messages: those that a socket accepts, and those that it reports. */
#include "twin.h"

/* Send a control message of @size bytes of data, whose length field is wrong by @shift. */
static void control_to(int fd, int level, int type, size_t size, int shift)
{
	char control[CMSG_SPACE(64)] = "";
	struct msghdr msg = { .msg_iov = &(struct iovec){ much, 1 },
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = CMSG_SPACE(size) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_len = (__typeof__(cmsg->cmsg_len))(CMSG_LEN(size) + (size_t)shift);
	cmsg->cmsg_level = level;
	cmsg->cmsg_type = type;
	say("%d/%d", level, type);
	SAY("sendmsg", sendmsg(fd, &msg, MSG_NOSIGNAL));
}

static void control_in(enum state state)
{
	static const int kinds[][4] = {
		{ SOL_SOCKET, SCM_RIGHTS, 4, 0 },   { SOL_SOCKET, SCM_CREDENTIALS, 12, 0 },
		{ SOL_SOCKET, SO_MARK, 4, 0 },	    { SOL_SOCKET, SO_MARK, 1, 0 },
		{ SOL_SOCKET, SO_MARK, 4, -8 },	    { SOL_SOCKET, SO_MARK, 4, 1000 },
		{ SOL_SOCKET, SO_TIMESTAMP, 4, 0 }, { SOL_SOCKET, SO_TIMESTAMPING, 4, 0 },
		{ SOL_SOCKET, 9999, 4, 0 },	    { IPPROTO_IP, IP_TTL, 4, 0 },
		{ IPPROTO_IP, IP_TOS, 1, 0 },	    { IPPROTO_IPV6, IPV6_HOPLIMIT, 4, 0 },
		{ IPPROTO_TCP, 1, 4, 0 },
	};
	struct pair p = in_state(state);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		control_to(p.c, kinds[i][0], kinds[i][1], (size_t)kinds[i][2], kinds[i][3]);
		/* A peer that has closed its end answers. */
		nap(i ? 0 : 50);
	}
}

IN_EACH_STATE(control, control_in)

/* Messages that an option adds to data, in a buffer of @size bytes. */
static void control_of(int level, int name, int value, size_t size)
{
	struct pair p = make_pair();
	char control[512], text[4];
	struct msghdr msg = { .msg_iov = &(struct iovec){ text, 2 },
			      .msg_iovlen = 1,
			      .msg_control = control };
	struct cmsghdr *cmsg;

	SAY("set", set(p.c, level, name, value));
	say("get=%d", get(p.c, level, name));
	/* The kernel starts to record times a bit later. */
	nap(100);
	for (int i = 0; i < 3; i++) {
		feed(&p, "ab", 2);
		msg.msg_controllen = size;
		SAY("recvmsg", recvmsg(p.c, &msg, i ? 0 : MSG_PEEK));
		say("flags=%x", (unsigned int)msg.msg_flags);
		for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg))
			say("%d/%d/%d", cmsg->cmsg_level, cmsg->cmsg_type, (int)cmsg->cmsg_len);
	}
}

CASE_OF(control_timestamp, control_of(SOL_SOCKET, SO_TIMESTAMP, 1, 512))
CASE_OF(control_timestampns, control_of(SOL_SOCKET, SO_TIMESTAMPNS, 1, 512))
CASE_OF(control_timestamp_short, control_of(SOL_SOCKET, SO_TIMESTAMP, 1, 17))
CASE_OF(control_timestamping, control_of(SOL_SOCKET, SO_TIMESTAMPING, 0x18, 512))
CASE_OF(control_timestamping_bad, control_of(SOL_SOCKET, SO_TIMESTAMPING, 1 << 30, 512))
CASE_OF(control_inq, control_of(IPPROTO_TCP, TCP_INQ, 1, 512))
CASE_OF(control_inq_none, control_of(IPPROTO_TCP, TCP_INQ, 1, 0))
CASE_OF(control_passcred, control_of(SOL_SOCKET, SO_PASSCRED, 1, 512))
CASE_OF(control_overflow, control_of(SOL_SOCKET, SO_RXQ_OVFL, 1, 512))
CASE_OF(control_ttl, control_of(IPPROTO_IP, IP_RECVTTL, 1, 512))
CASE_OF(control_tos, control_of(IPPROTO_IP, IP_RECVTOS, 1, 512))
CASE_OF(control_hops, control_of(IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1, 512))
CASE_OF(control_packet, control_of(IPPROTO_IP, IP_PKTINFO, 1, 512))
CASE_OF(control_errors, control_of(IPPROTO_IP, IP_RECVERR, 1, 512))
