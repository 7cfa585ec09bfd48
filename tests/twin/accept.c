// SPDX-License-Identifier: MIT
/* accept(2) and listen(2). */
#include "twin.h"

static void accept_flags(int flags)
{
	int l = listener(), fd;

	signal(SIGIO, SIG_IGN);
	fcntl(l, F_SETFL, O_NONBLOCK | O_ASYNC);
	fcntl(l, F_SETFD, FD_CLOEXEC);
	fcntl(l, F_SETOWN, getpid());
	connect_to(fresh(), port_of(l));
	wait_for(l, POLLIN);
	errno = 0;
	fd = accept4(l, NULL, NULL, flags);
	say("accept=%s", fd < 0 ? result(fd) : "ok");
	say("flags=%x,%d owner=%d", (unsigned int)fcntl(fd, F_GETFL), fcntl(fd, F_GETFD),
	    fcntl(fd, F_GETOWN));
	SAY("wrong", accept4(l, NULL, NULL, flags | O_NOCTTY));
}

CASE_OF(accept_flags, accept_flags(0))
CASE_OF(accept_nonblock, accept_flags(SOCK_NONBLOCK))
CASE_OF(accept_cloexec, accept_flags(SOCK_CLOEXEC))
CASE_OF(accept_flags_both, accept_flags(SOCK_NONBLOCK | SOCK_CLOEXEC))
CASE_OF(accept_flags_wrong, accept_flags(SOCK_STREAM))

PLAY(accept_again, "l.listener take events c.fresh join l.take events a.take c.take l.events")
PLAY(accept_states,
     "c.fresh take bind take close take c.fresh refused take c.nonblocking hole take")

/* The client has left, or is about to leave, when the server takes it. */
#define LATE(steps)                                                                                \
	"l.listener c.fresh connect " steps " nap l.events a.accept names events rest send nap send"

PLAY(accept_closed, LATE("close"))
PLAY(accept_closed_data, LATE("send close"))
PLAY(accept_reset, LATE("abort"))
PLAY(accept_reset_data, LATE("send abort"))
PLAY(accept_shut, LATE("send shut_write"))

#define CLIENTS(last)                                                                              \
	" c.nonblocking connect nap d.nonblocking connect nap e.nonblocking connect nap"           \
	" f.nonblocking connect c.settle d.settle e.settle " last                                  \
	" c.events d.events e.events f.events l.take take take take "

WAITING_CASE_OF(accept_backlog_2, play("l.fresh bind listen_two" CLIENTS(
					  "nap") "events readable take f.settle events"))
PLAY(accept_backlog_5, "l.fresh bind listen" CLIENTS("f.settle nap") "take")
PLAY(accept_backlog_raised, "l.fresh bind listen_none listen" CLIENTS("f.settle nap") "take")

CASE(accept_order)
{
	int l = listener(), i;
	char byte;

	for (i = 0; i < 6; i++) {
		int c = fresh();

		connect_to(c, port_of(l));
		send(c, &"abcdef"[i], 1, 0);
	}
	for (i = 0; i < 6; i++) {
		SAY("recv", recv(accept(l, NULL, NULL), &byte, 1, 0));
		say("%c", byte);
	}
}

/* The kernel has taken the client when it finds that it cannot store the address. */
static void accept_length(socklen_t len, bool is_null)
{
	char peer[sizeof(struct sockaddr_storage)];
	int l = listener(), c = fresh(), a;

	memset(peer, '#', sizeof(peer));
	connect_to(c, port_of(l));
	errno = 0;
	a = accept(l, (void *)peer, is_null ? NULL : &len);
	say("accept=%s len=%d used=%zu", a < 0 ? result(a) : "ok", (int)len,
	    touched(peer, sizeof(peer), '#'));
	nonblocking(l, true);
	SAY("more", accept(l, NULL, NULL));
	nap(100);
	say("client=%s", events(c));
}

CASE_OF(accept_length_0, accept_length(0, false))
CASE_OF(accept_length_8, accept_length(8, false))
CASE_OF(accept_length_long, accept_length(sizeof(struct sockaddr_storage), false))
CASE_OF(accept_length_negative, accept_length((socklen_t)-1, false))
CASE_OF(accept_length_null, accept_length(0, true))

CASE(accept_no_descriptors)
{
	int l = listener(), c = fresh(), last;

	connect_to(c, port_of(l));
	wait_for(l, POLLIN);
	last = dup(l);
	limit_numbers(last + 1);
	SAY("accept", accept(l, NULL, NULL));
	SAY("again", accept4(l, NULL, NULL, SOCK_CLOEXEC));
	say("listener=%s client=%s", events(l), events(c));
	close(last);
	say("accept=%d", accept(l, NULL, NULL) == last);
	SAY("send", send(c, "x", 1, 0));
	SAY("recv", call_recv(last));
}

CASE(accept_timeout)
{
	int l = listener();
	struct pair p;

	limit(l, SO_RCVTIMEO, 200);
	SAY("accept", accept(l, NULL, NULL));
	join(&p, l, fresh());
	SAY("recv", call_recv(p.a));
}

CASE(accept_threads)
{
	int l = listener();
	struct waiter waiters[] = {
		{ "one", call_accept, l },
		{ "two", call_accept, l },
		{ "three", call_accept, l },
	};

	start_waiters(waiters, 3);
	for (int i = 0; i < 3; i++)
		SAY("connect", connect_to(fresh(), port_of(l)));
	end_waiters(waiters, 3);
	say("events=%s", events(l));
}

PLAY(listen_states,
     "l.pair l.listen is_listening c.listen is_listening a.listen d.fresh listen"
     " is_listening d.nonblocking hole listen is_listening a.close c.readable listen")
PLAY(listen_refused, "l.fresh refused listen is_listening names c.fresh join send a.readable recv")
PLAY(listen_refused_later, "l.nonblocking refused settle listen error listen refused listen"
			   " is_listening c.fresh connect a.accept c.send a.readable recv")
