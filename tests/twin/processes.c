// SPDX-License-Identifier: MIT
/* Processes that share sockets, are confined, or run out of numbers; what is left of lives. */
#include <dirent.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "twin.h"

CASE(four_accept)
{
	int l = listener(), i;
	pid_t pids[4];
	struct pair p;

	for (i = 0; i < 4; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(send(accept(l, NULL, NULL), "x", 1, 0) != 1);
	}
	for (i = 0; i < 4; i++) {
		p.c = fresh();
		SAY("connect", connect_to(p.c, port_of(l)));
		SAY("recv", call_recv(p.c));
	}
	for (i = 0; i < 4; i++)
		say_status("child", pids[i]);
}

/* The first owner of unsent data closes or dies, the other lives for a moment. */
static void two_owners(bool dies)
{
	struct pair p = make_narrow_pair();
	pid_t reader = start_reader(&p, 200000), writer = fork();

	if (!writer) {
		nonblocking(p.c, false);
		send(p.c, much, 200000, 0);
		if (dies)
			raise(SIGKILL);
		close(p.c);
		_exit(0);
	}
	say_status("writer", writer);
	nap(200);
	close(p.c);
	say_status("reader", reader);
}

CASE_OF(two_owners_close, two_owners(false))
CASE_OF(two_owners_die, two_owners(true))

static int count(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Descriptors, tasks and children after lives of several kinds. */
CASE(left)
{
	int port = refused_port(), before = count("/proc/self/fd"), next = fresh(), i, fd;

	close(next);
	for (i = 0; i < 5; i++) {
		lives();
		fd = fresh();
		connect_to(fd, port);
		connect_to(fd, port);
		close(fd);
		fd = fresh();
		set(fd, SOL_SOCKET, SO_REUSEPORT, 1);
		bind_to(fd, 0);
		close(fd);
	}
	say("more=%d tasks=%d", count("/proc/self/fd") - before, count("/proc/self/task") - 2);
	SAY("wait", waitpid(-1, NULL, WNOHANG));
	say("descriptor=%d", fresh() == next);
}

/* A policy of a program that is confined, by each way to install it. */
static void confined(bool by_prctl, unsigned int action)
{
	static const int calls[] = { SYS_socket, SYS_connect, SYS_read, SYS_write, SYS_exit_group };
	struct sock_filter filter[16] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0) }, *end = filter;
	struct sock_fprog prog = { .filter = filter };
	int l = listener(), port = port_of(l), c;
	pid_t pid = fork();

	if (pid) {
		close(accept(l, NULL, NULL));
		return say_status("child", pid);
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		*++end = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		*++end = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	*++end = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	prog.len = (unsigned short)(end - filter + 1);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (by_prctl)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
	else
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
	c = fresh();
	SAY("socket", c < 0);
	SAY("connect", connect_to(c, port));
	SAY("write", write(c, "x", 1));
	SAY("getpeername", getpeername(c, NULL, NULL));
	_exit(0);
}

CASE_OF(confined_prctl, confined(true, SECCOMP_RET_ERRNO | ENOMSG))
CASE_OF(confined_seccomp, confined(false, SECCOMP_RET_ERRNO | ENOMSG))
CASE_OF(confined_prctl_kill, confined(true, SECCOMP_RET_KILL_PROCESS))
CASE_OF(confined_seccomp_kill, confined(false, SECCOMP_RET_KILL_PROCESS))

static void say_number(const char *name, int fd)
{
	if (fd >= 0)
		errno = close(fd);
	say_result(name, fd < 0 ? -1 : 0);
}

/* No descriptor is left, or only a few. */
CASE(no_numbers)
{
	struct pair p = make_pair();
	int c = fresh(), n;

	connect_to(c, port_of(p.l));
	wait_for(p.l, POLLIN);
	n = dup(1);
	close(n);
	for (int i = 0; i < 3; i++) {
		limit_numbers(n + i);
		say_number("socket", fresh());
		say_number("accept", accept(p.l, NULL, NULL));
		say_number("dup", dup(c));
		nonblocking(p.l, true);
	}
	limit_numbers(3);
	echo(&p);
	SAY("shut", shutdown(p.c, SHUT_RDWR));
	SAY("close", close(p.c));
}

/* Unusual numbers. */
static void numbered(int to)
{
	struct pair p = make_pair(), at;

	at.l = dup2(p.l, to);
	part(&p);
	p.c = fresh();
	at.c = dup2(p.c, to + 1);
	if (p.c != at.c)
		close(p.c);
	forget_kinds();
	SAY("refused", connect_to(at.c, refused_port()));
	SAY("connect", connect_to(at.c, port_of(at.l)));
	at.a = accept(at.l, NULL, NULL);
	echo(&at);
	SAY("range", close_range((unsigned int)at.l, (unsigned int)at.c, 0));
	SAY("closed", fcntl(at.c, F_GETFD));
	SAY("recv", call_recv(at.a));
}

CASE_OF(number_2, numbered(2))
CASE_OF(number_1000, numbered(1000))

CASE(stream_file)
{
	struct pair p = make_pair();
	FILE *file = fdopen(p.c, "r"), *out = fdopen(dup(p.c), "w");
	char text[40] = "";

	send(p.a, "one\ntwo\n", 8, 0);
	say("%s", fgets(text, sizeof(text), file) ? "line" : "none");
	say("%d", fprintf(out, "three\n"));
	SAY("flush", fflush(out));
	say("%s", fgets(text, sizeof(text), file) ? "line" : "none");
	SAY("close", fclose(file));
	SAY("close", fclose(out));
	SAY("recv", recv(p.a, text, sizeof(text), MSG_WAITALL));
	SAY("again", close(p.c));
}
