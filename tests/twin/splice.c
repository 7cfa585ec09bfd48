// SPDX-License-Identifier: MIT
/* splice(2) and sendfile(2). */
#include "twin.h"

CASE(splice)
{
	struct pair p = make_pair();
	int ends[2], other[2];
	char text[16] = "";

	if (pipe(ends) || pipe(other))
		return;
	nonblocking(p.a, true);
	SAY("empty", splice(p.a, NULL, ends[1], NULL, 100, 0));
	nonblocking(p.a, false);
	send(p.c, "hello", 5, 0);
	SAY("splice", splice(p.a, NULL, ends[1], NULL, 100, 0));
	SAY("tee", tee(ends[0], other[1], 100, 0));
	send(p.c, "abc", 3, 0);
	wait_for(p.a, POLLIN);
	/* The pipe still has bytes. */
	SAY("recv", recv(p.a, text, sizeof(text), MSG_DONTWAIT));
	SAY("pipe", read(ends[0], text, 3));
	say("%.3s", text);
	SAY("pipe", read(ends[0], text, sizeof(text)));
	close(p.c);
	wait_for(p.a, POLLRDHUP);
	SAY("end", splice(p.a, NULL, ends[1], NULL, 100, SPLICE_F_NONBLOCK));
	SAY("nopipe", splice(p.a, NULL, p.a, NULL, 100, 0));
}

CASE(splice_full)
{
	static char bytes[100000];
	struct pair p = make_pair();
	long total = 0, n;
	int ends[2];

	if (pipe(ends))
		return;
	for (n = 0; n < 10; n++)
		send(p.c, bytes, 5000, MSG_DONTWAIT);
	fcntl(ends[1], F_SETPIPE_SZ, 4096);
	SAY("first", splice(p.a, NULL, ends[1], NULL, 4096, SPLICE_F_NONBLOCK) > 0);
	SAY("full", splice(p.a, NULL, ends[1], NULL, 100, SPLICE_F_NONBLOCK));
	nonblocking(ends[0], true);
	while (read(ends[0], bytes, sizeof(bytes)) > 0)
		;
	shutdown(p.c, SHUT_WR);
	while ((n = splice(p.a, NULL, ends[1], NULL, 3000, 0)) > 0) {
		total += n;
		while (read(ends[0], bytes, sizeof(bytes)) > 0)
			;
	}
	say("last=%ld all=%d", n, total > 40000);
}

CASE(sendfile)
{
	struct pair p = make_drained_pair();
	int file = memfd_create("file", 0);
	char text[1000] = "";
	off_t pos = 0;

	SAY("file", write(file, text, sizeof(text)));
	SAY("sendfile", sendfile(p.c, file, &pos, 100000));
	wait_for(p.a, POLLIN);
	SAY("recv", recv(p.a, text, sizeof(text), MSG_DONTWAIT));
	SAY("cork", set(p.c, IPPROTO_TCP, TCP_CORK, 1));
	pos = 500;
	SAY("sendfile", sendfile(p.c, file, &pos, 100000));
	wait_for(p.a, POLLIN);
	SAY("recv", recv(p.a, text, sizeof(text), MSG_DONTWAIT));
	say("nodelay=%d", get(p.c, IPPROTO_TCP, TCP_NODELAY));
}

/* All calls between files, pipes and a socket, with and without offsets. */
static void move_in(enum state state)
{
	struct pair p = in_state(state);
	int file = memfd_create("file", 0), null = open("/dev/null", O_WRONLY), ends[2], other[2];
	off_t pos = 0, end = 4;

	if (pipe2(ends, O_NONBLOCK) || pipe2(other, O_NONBLOCK) || write(file, "file", 4) != 4)
		return;
	SAY("none", sendfile(p.c, file, &pos, 0));
	SAY("end", sendfile(p.c, file, &end, 9));
	SAY("negative", sendfile(p.c, file, &(off_t){ -1 }, 9));
	SAY("position", sendfile(p.c, file, NULL, 9));
	SAY("write_only", sendfile(p.c, null, NULL, 9));
	SAY("from_socket", sendfile(null, p.c, NULL, 9));
	SAY("from_pipe", sendfile(p.c, ends[0], NULL, 9));
	SAY("empty", splice(ends[0], NULL, p.c, NULL, 9, 0));
	SAY("pipe", write(ends[1], "pipe", 4));
	SAY("offset", splice(ends[0], NULL, p.c, &pos, 9, 0));
	SAY("offset", splice(p.c, &pos, other[1], NULL, 9, 0));
	SAY("flags", splice(ends[0], NULL, p.c, NULL, 9, 0x100));
	SAY("flags", splice(p.c, NULL, other[1], NULL, 9, 0x100));
	SAY("reverse", splice(ends[1], NULL, p.c, NULL, 9, 0));
	SAY("reverse", splice(p.c, NULL, ends[0], NULL, 9, 0));
	SAY("file", splice(file, NULL, p.c, NULL, 9, 0));
	SAY("tee", tee(ends[0], p.c, 9, 0));
	SAY("tee", tee(p.c, ends[1], 9, 0));
	SAY("vmsplice", vmsplice(p.c, &(struct iovec){ much, 1 }, 1, 0));
	SAY("copy", copy_file_range(file, &pos, p.c, NULL, 1, 0));
	SAY("copy", copy_file_range(p.c, NULL, file, NULL, 1, 0));
	SAY("in", splice(p.c, NULL, other[1], NULL, 2, SPLICE_F_MOVE));
	SAY("in", splice(p.c, NULL, other[1], NULL, 9, SPLICE_F_NONBLOCK));
	SAY("in", read(other[0], much, 9));
	SAY("again", sendfile(p.c, file, &pos, 9));
	/* A peer that has closed its end answers. */
	nap(50);
	SAY("out", splice(ends[0], NULL, p.c, NULL, 9, SPLICE_F_MORE));
	say("position=%d pipes=%d", (int)pos, pipes);
}

IN_EACH_STATE(move, move_in)
