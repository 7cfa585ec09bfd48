// SPDX-License-Identifier: MIT
/* Each call that writes: amounts, delayed data, full buffers. */
#include "twin.h"

/* More than fits between the two ends, before the reader starts. */
CASE(blocking_write)
{
	static char block[8 << 20];
	struct pair p = make_pair();
	pid_t reader = fork();
	ssize_t n;

	if (!reader) {
		close(p.c);
		wait_for(p.a, POLLIN);
		nap(500);
		while (recv(p.a, block, sizeof(block), 0) > 0)
			;
		_exit(0);
	}
	close(p.a);
	n = write(p.c, block, sizeof(block));
	if (n > 0)
		say("write=%s", n == sizeof(block) ? "all" : "some");
	else
		say("write=%s", result(n));
	close(p.c);
	waitpid(reader, NULL, 0);
}

static void send_and_end(bool is_corked, bool closes)
{
	struct pair p = make_drained_pair();

	if (is_corked)
		SAY("cork", set(p.c, IPPROTO_TCP, TCP_CORK, 1));
	SAY("send", send(p.c, "hello", 5, is_corked ? 0 : MSG_MORE));
	if (closes)
		SAY("close", close(p.c));
	else
		SAY("shutdown", shutdown(p.c, SHUT_WR));
	say_rest(p.a);
}

CASE_OF(more_close, send_and_end(false, true))
CASE_OF(more_shutdown, send_and_end(false, false))
CASE_OF(cork_close, send_and_end(true, true))

CASE(cork_left)
{
	int l = listener(), c = fresh();
	struct pair p;

	SAY("cork", set(c, IPPROTO_TCP, TCP_CORK, 1));
	p = join_and_echo(l, c);
	SAY("cork", set(p.c, IPPROTO_TCP, TCP_CORK, 1));
	echo(&p);
}

/* TCP counts data until it has arrived, and the end of the connection, not until they are read. */
static int unsent_bytes(int fd)
{
	int queued = -1, i;

	for (i = 0; i < 100 && !ioctl(fd, SIOCOUTQ, &queued) && queued; i++)
		nap(20);
	return queued;
}

CASE(out_queue)
{
	struct pair p = make_pair();

	SAY("send", send(p.c, "x", 1, 0));
	say("queued=%d", unsent_bytes(p.c));
	SAY("recv", call_recv(p.a));
	SAY("shutdown", shutdown(p.c, SHUT_WR));
	SAY("end", call_recv(p.a));
	say("queued=%d", unsent_bytes(p.c));
}

CASE(whole)
{
	for (int way = 0; way < OUT_SPLICE; way++) {
		struct pair p = make_narrow_pair();
		pid_t reader = start_reader(&p, sizeof(much));

		say_amount(outs[way], write_by(way, p.c, much, sizeof(much), 0), sizeof(much));
		part(&p);
		say_status("reader", reader);
	}
}

CASE(uncounted)
{
	struct pair p = make_narrow_pair();
	pid_t reader = start_reader(&p, 3000000);

	for (size_t i = 0; i < 30; i++)
		(void)!write(p.c, much + i * 100000, 100000);
	part(&p);
	say_status("reader", reader);
}

/* A blocked write returns with a part of its bytes, for one of these reasons. */
static void write_parts(int ms, int tick_ms, int signal_flags, int open_flags, int flags)
{
	on(SIGALRM, on_alarm, signal_flags);
	for (int way = 0; way < (flags ? OUT_FLAGS : OUT_COPIES); way++) {
		struct pair p = make_narrow_pair();
		ssize_t n;

		limit(p.c, SO_SNDTIMEO, ms);
		nonblocking(p.c, open_flags);
		storm(tick_ms * 1000);
		n = write_by(way, p.c, much, sizeof(much), flags);
		storm(0);
		say_amount(outs[way], n, sizeof(much));
		say("right=%d", n > 0 && arrives(p.a, (size_t)n));
		SAY("rest", recv(p.a, &(char){ 0 }, 1, MSG_DONTWAIT));
		part(&p);
	}
}

CASE_OF(part_time, write_parts(100, 0, 0, 0, 0))
CASE_OF(part_signal, write_parts(0, 50, 0, 0, 0))
CASE_OF(part_restart, write_parts(0, 50, SA_RESTART, 0, 0))
CASE_OF(part_nonblocking, write_parts(0, 0, 0, O_NONBLOCK, 0))
CASE_OF(part_dontwait, write_parts(0, 0, 0, 0, MSG_DONTWAIT))

static void write_full(int fd, int flags)
{
	for (int way = 0; way < (flags ? OUT_FLAGS : OUTS); way++)
		SAY(outs[way], write_by(way, fd, much, 1000, flags));
}

CASE(full)
{
	struct pair p = make_narrow_pair();

	fill(p.c);
	write_full(p.c, 0);
	nonblocking(p.c, false);
	write_full(p.c, MSG_DONTWAIT);
	limit(p.c, SO_SNDTIMEO, 50);
	write_full(p.c, 0);
	limit(p.c, SO_SNDTIMEO, 60000);
	on(SIGALRM, on_alarm, SA_RESTART);
	storm(50000);
	write_full(p.c, 0);
	limit(p.c, SO_SNDTIMEO, 0);
	on(SIGALRM, on_alarm, 0);
	write_full(p.c, 0);
	storm(0);
}

static pid_t stopped;

static void on_third_alarm(int number)
{
	if (++ticks == 3)
		kill(stopped, SIGCONT);
}

CASE(full_restart)
{
	struct pair p = make_narrow_pair();

	fill(p.c);
	nonblocking(p.c, false);
	stopped = fork();
	if (!stopped) {
		close(p.c);
		raise(SIGSTOP);
		read_all(p.a);
		_exit(0);
	}
	close(p.a);
	waitpid(stopped, NULL, WUNTRACED);
	on(SIGALRM, on_third_alarm, SA_RESTART);
	storm(50000);
	SAY("write", write(p.c, much, 1000));
	storm(0);
	say("ticks=%d", ticks >= 3);
	part(&p);
	say_status("reader", stopped);
}

static void *shut_write(void *pair)
{
	const struct pair *p = pair;

	wait_for(p->a, POLLIN);
	nap(100);
	shutdown(p->c, SHUT_WR);
	return NULL;
}

CASE(shut_during_write)
{
	for (int way = 0; way < OUT_COPIES; way++) {
		struct pair p = make_narrow_pair();
		pthread_t thread;

		pthread_create(&thread, NULL, shut_write, &p);
		say_amount(outs[way], write_by(way, p.c, much, sizeof(much), 0), sizeof(much));
		say("pipes=%d", pipes);
		pthread_join(thread, NULL);
		SAY("again", write_by(way, p.c, much, 1, 0));
		say("pipes=%d", pipes);
		part(&p);
	}
}

static void *shut_sleeper(void *pair)
{
	const struct pair *p = pair;
	static char data[4096];

	wait_until_it_sleeps(getpid());
	shutdown(p->c, SHUT_WR);
	while (recv(p->a, data, sizeof(data), 0) > 0)
		;
	return NULL;
}

/* The write waits in the kernel, as nothing fits. The peer reads after the end. */
CASE(shut_full_write)
{
	struct pair p = make_narrow_pair();
	pthread_t thread;

	fill(p.c);
	nonblocking(p.c, false);
	pthread_create(&thread, NULL, shut_sleeper, &p);
	SAY("write", write(p.c, much, 1000));
	say("pipes=%d", pipes);
	pthread_join(thread, NULL);
	part(&p);
}

CASE(close_during_write)
{
	for (int way = 0; way < OUT_COPIES; way++) {
		struct pair p = make_narrow_pair();
		pid_t pid = leave_unread(&p);

		say_amount(outs[way], write_by(way, p.c, much, sizeof(much), 0), sizeof(much));
		SAY("then", write_by(way, p.c, much, 1, 0));
		say("pipes=%d", pipes);
		SAY("then", write_by(way, p.c, much, 1, 0));
		say("pipes=%d", pipes);
		waitpid(pid, NULL, 0);
		part(&p);
	}
}

/* All of @total bytes must come without another write. */
static void say_arrival(int fd, size_t total)
{
	static char got[200000];
	size_t pos = 0;
	ssize_t n = 1;

	while (pos < total && n > 0) {
		wait_for(fd, POLLIN);
		n = recv(fd, got, sizeof(got), MSG_DONTWAIT);
		pos += n > 0 ? (size_t)n : 0;
	}
	say("arrived=%zu", pos);
}

CASE(more)
{
	for (int way = 0; way < OUT_FLAGS; way++) {
		struct pair p = make_drained_pair();

		SAY(outs[way], write_by(way, p.c, "hello", 5, MSG_MORE));
		say_arrival(p.a, 5);
		part(&p);
	}
}

CASE(more_splice)
{
	struct pair p = make_drained_pair();
	int ends[2];

	SAY("pipe", pipe(ends));
	SAY("write", write(ends[1], "hello", 5));
	SAY("splice", splice(ends[0], NULL, p.c, NULL, 5, SPLICE_F_MORE));
	say_arrival(p.a, 5);
}

CASE(cork)
{
	struct pair p = make_drained_pair();

	SAY("cork", set(p.c, IPPROTO_TCP, TCP_CORK, 1));
	SAY("write", write(p.c, "hello", 5));
	say_arrival(p.a, 5);
	SAY("write", write_by(OUT_SENDFILE, p.c, much, 100000, 0));
	say_arrival(p.a, 100000);
	say("cork=%d", get(p.c, IPPROTO_TCP, TCP_CORK));
}

CASE(more_kill)
{
	struct pair p = make_drained_pair();
	pid_t pid = fork();

	if (!pid) {
		send(p.c, "hello", 5, MSG_MORE);
		raise(SIGKILL);
	}
	close(p.c);
	waitpid(pid, NULL, 0);
	say_rest(p.a);
}
