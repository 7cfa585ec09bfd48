// SPDX-License-Identifier: MIT
/* EPIPE, SIGPIPE and resets. */
#include "twin.h"

/* Repeated, as TCP needs the peer's answer to a first write. */
static void write_until_pipe(int way, int fd, int flags)
{
	ssize_t n = 0;

	for (int i = 0; i < 500 && n >= 0; i++) {
		pipes = 0;
		n = write_by(way, fd, "x", 1, flags);
		if (n >= 0)
			nap(10);
	}
	say_result(outs[way], n);
	say("pipes=%d", pipes);
}

static void broken_pipe(int how, int flags)
{
	for (int way = 0; way < (flags ? OUT_FLAGS : OUTS); way++) {
		struct pair p = make_narrow_pair();

		if (how < 0)
			close(p.a);
		else
			shutdown(p.c, how);
		errno = 0;
		write_until_pipe(way, p.c, flags);
		errno = 0;
		write_until_pipe(way, p.c, flags);
		part(&p);
	}
}

CASE_OF(sigpipe_closed, broken_pipe(-1, 0))
CASE_OF(sigpipe_shut, broken_pipe(SHUT_WR, 0))
CASE_OF(sigpipe_shut_both, broken_pipe(SHUT_RDWR, 0))
CASE_OF(no_sigpipe, broken_pipe(-1, MSG_NOSIGNAL))
CASE_OF(no_sigpipe_shut, broken_pipe(SHUT_WR, MSG_NOSIGNAL))

CASE(sigpipe_default)
{
	for (int way = 0; way < OUTS; way++) {
		struct pair p = make_narrow_pair();
		pid_t pid;

		if (way % 2)
			shutdown(p.c, SHUT_WR);
		else
			close(p.a);
		pid = fork();
		if (!pid) {
			signal(SIGPIPE, SIG_DFL);
			write_until_pipe(way, p.c, 0);
			_exit(0);
		}
		say_status(outs[way], pid);
		part(&p);
	}
}

/* A library that writes for a program blocks the signal, and removes it afterwards. */
CASE(sigpipe_blocked)
{
	struct pair p = make_narrow_pair();
	sigset_t set, pending;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	shutdown(p.c, SHUT_WR);
	SAY("write", write(p.c, "x", 1));
	sigpending(&pending);
	say("pending=%d", sigismember(&pending, SIGPIPE));
	SAY("removed", sigtimedwait(&set, NULL, &(struct timespec){ 0 }));
	SAY("more", sigtimedwait(&set, NULL, &(struct timespec){ 0 }));
	SAY("write", send(p.c, "x", 1, MSG_NOSIGNAL));
	SAY("more", sigtimedwait(&set, NULL, &(struct timespec){ 0 }));
}

static void *write_to_shut(void *pair)
{
	ssize_t n = write(((struct pair *)pair)->c, "x", 1);

	say("signalled=%d", n < 0 && pipe_thread == gettid());
	return NULL;
}

CASE(sigpipe_thread)
{
	struct pair p = make_narrow_pair();
	pthread_t thread;

	shutdown(p.c, SHUT_WR);
	pthread_create(&thread, NULL, write_to_shut, &p);
	pthread_join(thread, NULL);
	say("pipes=%d", pipes);
}

CASE(answer_and_close)
{
	char text[16];

	for (int way = 0; way < OUTS; way++) {
		struct pair p = make_narrow_pair();

		SAY("answer", write(p.a, "-ERR\n", 5));
		close(p.a);
		wait_for(p.c, POLLRDHUP);
		SAY(outs[way], write_by(way, p.c, "?", 1, 0));
		SAY("read", read(p.c, text, sizeof(text)));
		SAY("end", read(p.c, text, sizeof(text)));
		say("pipes=%d", pipes);
		part(&p);
	}
}

/* The peer ends with unread data, after an answer or without one. */
static struct pair make_reset_pair(bool answers, bool killed)
{
	struct pair p = make_narrow_pair();
	pid_t pid = fork();

	if (!pid) {
		close(p.c);
		wait_for(p.a, POLLIN);
		if (answers)
			(void)!write(p.a, "abc", 3);
		if (killed)
			raise(SIGKILL);
		_exit(0);
	}
	close(p.a);
	(void)!write(p.c, "question", 8);
	waitpid(pid, NULL, 0);
	wait_for(p.c, POLLRDHUP);
	return p;
}

static void reset(bool answers, bool killed)
{
	char text[16];

	for (int way = 0; way < INS; way++) {
		struct pair p = make_reset_pair(answers, killed);
		const char *before = events(p.c);

		say("%s%s", strstr(before, "IN") ? "IN" : "", strstr(before, "ERR") ? "ERR" : "");
		for (int i = 0; i < 3 + answers; i++)
			SAY(ins[way], read_by(way, p.c, text, sizeof(text), 0));
		part(&p);
	}
}

CASE_OF(reset_close, reset(false, false))
CASE_OF(reset_kill, reset(false, true))
CASE_OF(reset_answer, reset(true, false))

/* The first call of any kind reports the error. */
CASE(reset_once)
{
	struct pair p = make_reset_pair(false, false);
	char text[16];

	say("error=%d", get(p.c, SOL_SOCKET, SO_ERROR));
	SAY("read", read(p.c, text, sizeof(text)));
	p = make_reset_pair(false, false);
	SAY("write", write(p.c, "x", 1));
	SAY("read", read(p.c, text, sizeof(text)));
	p = make_reset_pair(false, false);
	SAY("peek", recv(p.c, text, sizeof(text), MSG_PEEK));
	SAY("read", read(p.c, text, sizeof(text)));
	SAY("write", write(p.c, "x", 1));
	say("pipes=%d", pipes);
	p = make_reset_pair(false, false);
	SAY("none", read(p.c, text, 0));
	SAY("read", read(p.c, text, sizeof(text)));
}

CASE(reset_reader)
{
	for (int way = 0; way < INS; way++) {
		struct pair p = make_narrow_pair();
		pid_t pid = leave_unread(&p);
		char text[16];

		(void)!write(p.c, "question", 8);
		SAY(ins[way], read_by(way, p.c, text, sizeof(text), 0));
		waitpid(pid, NULL, 0);
		part(&p);
	}
}

CASE(error_queue)
{
	struct pair p = make_pair();
	char text[16];

	for (int way = 0; way < IN_FLAGS; way++)
		SAY(ins[way], read_by(way, p.c, text, sizeof(text), MSG_ERRQUEUE));
	SAY("send", send(p.a, "abc", 3, 0));
	wait_for(p.c, POLLIN);
	for (int way = 0; way < IN_FLAGS; way++)
		SAY(ins[way], read_by(way, p.c, text, sizeof(text), MSG_ERRQUEUE));
	SAY("recv", recv(p.c, text, sizeof(text), 0));
}
