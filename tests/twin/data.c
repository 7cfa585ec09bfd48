// SPDX-License-Identifier: MIT
/* Flags, addresses, numbers of parts and order of data of each call that writes or reads. */
#include "twin.h"

/* Each flag alone. */
static void write_flags(int way)
{
	struct pair p = in_state(IS_CONNECTED);
	char byte;

	for (int bit = 0; bit < 32; bit++) {
		ssize_t n;

		if (1U << bit == MSG_OOB || 1U << bit == MSG_MORE)
			continue;
		n = write_by(way, p.c, "x", 1, (int)(1U << bit));
		say("%x=%s", 1U << bit, result(n));
		if (n > 0)
			(void)!recv(p.a, &byte, 1, 0);
	}
}

CASE_OF(write_flags_send, write_flags(OUT_SEND))
CASE_OF(write_flags_sendto, write_flags(OUT_SENDTO))
CASE_OF(write_flags_sendmsg, write_flags(OUT_SENDMSG))
CASE_OF(write_flags_sendmmsg, write_flags(OUT_SENDMMSG))

/* The result of a call, what the call puts in the buffer, and how much it leaves. */
static void read_flags(int way)
{
	struct pair p = in_state(IS_CONNECTED);
	char text[16], rest[16];

	for (int bit = 0; bit < 32; bit++) {
		ssize_t n;

		feed(&p, "abcdef", 6);
		strcpy(text, "......");
		n = read_by(way, p.c, text, 3, (int)(1U << bit));
		say("%x=%s,%s,%zd", 1U << bit, result(n), text, recv(p.c, rest, sizeof(rest), 0));
	}
}

CASE_OF(read_flags_recv, read_flags(IN_RECV))
CASE_OF(read_flags_recvfrom, read_flags(IN_RECVFROM))
CASE_OF(read_flags_recvmsg, read_flags(IN_RECVMSG))
CASE_OF(read_flags_recvmmsg, read_flags(IN_RECVMMSG))

static void read_with(int flags)
{
	struct pair p = in_state(IS_CONNECTED);
	char text[16] = "......";

	for (int way = 0; way < IN_FLAGS; way++) {
		feed(&p, "abcdef", 6);
		SAY(ins[way], read_by(way, p.c, text, 4, flags));
		say("%s", text);
		SAY("null", recv(p.c, NULL, 1, flags));
		SAY("rest", recv(p.c, text, sizeof(text), flags));
		SAY("rest", recv(p.c, text, sizeof(text), 0));
	}
	close(p.a);
	wait_for(p.c, POLLRDHUP);
	SAY("end", recv(p.c, text, sizeof(text), flags));
}

CASE_OF(read_truncated, read_with(MSG_TRUNC))
CASE_OF(read_truncated_peek, read_with(MSG_TRUNC | MSG_PEEK))
CASE_OF(read_truncated_whole, read_with(MSG_TRUNC | MSG_WAITALL | MSG_DONTWAIT))
CASE_OF(read_peek, read_with(MSG_PEEK))
CASE_OF(read_peek_whole, read_with(MSG_PEEK | MSG_WAITALL | MSG_DONTWAIT))

/* Addresses to send to, which stream sockets ignore, or connect to. */
static void address_in(enum state state)
{
	struct pair p, other = make_pair();
	struct address to = loopback(port_of(other.l));
	const socklen_t lengths[] = { to.len, 4, 0, 200, (socklen_t)-1 };

	for (int i = 0; i < 10; i++) {
		p = in_state(state);
		SAY(i < 5 ? "sendto" : "fastopen",
		    sendto(p.c, "x", 1, i < 5 ? 0 : MSG_FASTOPEN, (void *)&to.any, lengths[i % 5]));
		say("pipes=%d", pipes);
		part(&p);
	}
}

IN_EACH_STATE(address, address_in)

/* Results in the fields of a message, and lengths of addresses. */
static void fields_in(enum state state)
{
	static const int flags[] = { MSG_PEEK, MSG_CMSG_CLOEXEC, MSG_TRUNC };
	struct pair p = in_state(state);
	char text[4], control[100];
	struct sockaddr_storage from;
	struct msghdr msg = { .msg_iov = &(struct iovec){ text, 1 }, .msg_iovlen = 1 };

	for (int i = 0; i < 3; i++) {
		msg.msg_name = &from;
		msg.msg_namelen = sizeof(from);
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		msg.msg_flags = 0x7777;
		SAY("recvmsg", recvmsg(p.c, &msg, flags[i]));
		say("name=%u control=%d flags=%x", msg.msg_namelen, (int)msg.msg_controllen,
		    (unsigned int)msg.msg_flags);
	}
	for (int len = 100; len > -200; len -= 100) {
		socklen_t size = (socklen_t)len;

		SAY("recvfrom", recvfrom(p.c, text, 1, MSG_PEEK, (void *)&from, &size));
		say("len=%d", (int)size);
	}
}

IN_EACH_STATE(fields, fields_in)

/* Numbers of parts of a message. */
CASE(write_parts)
{
	static const int counts[] = { 0, 1, 1024, 1025, -1 };
	static struct iovec parts[1025];
	struct pair p = in_state(IS_CONNECTED);
	struct msghdr msg = { .msg_iov = parts };

	set(p.c, IPPROTO_TCP, TCP_NODELAY, 1);
	for (size_t i = 0; i < 1025; i++)
		parts[i] = (struct iovec){ i % 2 ? NULL : much, i % 2 ? 0 : 1 };
	for (int i = 0; i < 5; i++) {
		msg.msg_iovlen = (__typeof__(msg.msg_iovlen))counts[i];
		SAY("writev", writev(p.c, parts, counts[i]));
		SAY("pwritev2", pwritev2(p.c, parts, counts[i], -1, 0));
		SAY("sendmsg", sendmsg(p.c, &msg, 0));
		nap(50);
		SAY("readv", readv(p.a, parts, counts[i]));
		SAY("preadv2", preadv2(p.a, parts, counts[i], -1, 0));
		SAY("recvmsg", recvmsg(p.a, &msg, MSG_DONTWAIT));
	}
}

CASE(read_messages)
{
	static const struct timespec times[] = {
		{ 0, 0 }, { 50, 0 }, { 0, 1000000000 }, { -1, 0 }
	};
	struct iovec part = { much, 2 };
	const struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	struct mmsghdr msgs[] = { { .msg_hdr = msg }, { .msg_hdr = msg }, { .msg_hdr = msg } };
	struct pair p = in_state(IS_CONNECTED);

	for (int i = 0; i < 4; i++) {
		struct timespec time = times[i];

		feed(&p, "abcd", 4);
		SAY("recvmmsg", recvmmsg(p.c, msgs, 3, 0, &time));
		say("left=%d", time.tv_sec > 0);
		SAY("rest", recv(p.c, much, 9, 0));
	}
	SAY("empty", recvmmsg(p.c, msgs, 3, 0, NULL));
	SAY("none", recvmmsg(p.c, msgs, 0, 0, NULL));
}

/* Calls with an offset, and flags of pwritev2(2). */
CASE(write_offsets)
{
	struct pair p = in_state(HAS_DATA);
	struct iovec part = { much, 1 };

	SAY("pread", pread(p.c, much, 1, 0));
	SAY("pwrite", pwrite(p.c, much, 1, 0));
	SAY("preadv", preadv(p.c, &part, 1, 0));
	SAY("pwritev", pwritev(p.c, &part, 1, 0));
	SAY("preadv2", preadv2(p.c, &part, 1, -2, 0));
	SAY("lseek", lseek(p.c, 0, SEEK_CUR));
	for (int bit = 0; bit < 10; bit++) {
		feed(&p, "a", 1);
		say("%x=%s,%s", 1U << bit, result(pwritev2(p.c, &part, 1, -1, 1 << bit)),
		    result(preadv2(p.c, &part, 1, -1, 1 << bit)));
	}
	SAY("recv", recv(p.c, much, 99, 0));
	nonblocking(p.c, false);
	SAY("empty", preadv2(p.c, &part, 1, -1, RWF_NOWAIT));
}

/* Bytes of all calls arrive in the order of the calls. */
CASE(order)
{
	struct pair p = make_pair();
	char text[64] = "", *end = text, bytes[] = "ABC";
	int way;

	for (way = 0; way < OUTS; way++, bytes[0]++)
		SAY(outs[way], write_by(way, p.c, bytes, 3, 0));
	for (way = 0; way < INS; way++) {
		wait_for(p.a, POLLIN);
		end += read_by(way, p.a, end, 3, 0);
	}
	SAY("recv", recv(p.a, end, 3, MSG_WAITALL));
	say("%s", text);
}

static void say_line(FILE *in)
{
	char line[80] = "";

	if (fgets(line, sizeof(line), in))
		line[strcspn(line, "\n")] = '\0';
	say("'%s' eof=%d error=%d", line, feof(in) != 0, ferror(in) != 0);
}

CASE(stdio)
{
	struct pair p = make_pair();
	FILE *out = fdopen(p.c, "r+"), *in = fdopen(dup(p.a), "r");

	say("printed=%d", fprintf(out, "%d lines\nsecond\n", 2));
	SAY("flush", fflush(out));
	say_line(in);
	say_line(in);
	SAY("seek", fseek(out, 0, SEEK_SET));
	SAY("shutdown", shutdown(p.a, SHUT_WR));
	say_line(out);
	SAY("put", fputs("last", out) < 0);
	SAY("close", fclose(out));
	SAY("closed", fcntl(p.c, F_GETFD));
	say_line(in);
	SAY("put", fputs("none", in) < 0);
	SAY("close", fclose(in));
}
