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
