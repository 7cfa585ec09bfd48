// SPDX-License-Identifier: MIT
/* Unsent data whose reader starts late. */
#include "twin.h"

/* Milliseconds: the kernel gives up after two seconds, or more on a busy machine. */
#define LATE 5500

/* How the writer gives up its socket, which no other process has; preload/keep has more. */
enum end { END_EXIT, END_EXEC, END_CLOSE, END_UNKNOWN };

static void leave(int fd, enum end end)
{
	if (end == END_EXEC) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		execlp("true", "true", (char *)NULL);
	}
	if (end == END_CLOSE)
		close(fd);
	exit(0);
}

static void unsent(enum end end)
{
	struct pair p = make_pair();
	int sizes[2];
	size_t sent = 0;
	pid_t pid;

	if (pipe(sizes))
		return;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(p.a);
		close(p.l);
		sent = fill(p.c);
		if (write(sizes[1], &sent, sizeof(sent)) < 0)
			_exit(1);
		leave(p.c, end);
	}
	close(p.c);
	if (read(sizes[0], &sent, sizeof(sent)) < 0)
		return;
	/* exit() of the writer may take the kernel's two seconds; otherwise they begin now. */
	waitpid(pid, NULL, 0);
	nap(2500);
	say("complete=%d", read_all(p.a) == sent);
}

/* The peer's end of file follows all data; after SHUT_WR the program keeps the socket. */
static void unsent_shutdown(int how)
{
	struct pair p = make_pair();
	size_t sent = fill(p.c);
	int status = 1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(p.c);
		nap(LATE);
		_exit(read_all(p.a) != sent);
	}
	close(p.a);
	SAY("shutdown", shutdown(p.c, how));
	if (how == SHUT_RDWR) {
		char byte;

		SAY("read", recv(p.c, &byte, 1, MSG_DONTWAIT));
		close(p.c);
	}
	say("complete=%d", waitpid(pid, &status, 0) == pid && !status);
}

static enum end end_named(const char *name)
{
	static const char *const names[] = { "unsent_exit", "unsent_exec", "unsent_close" };
	enum end end = END_EXIT;

	while (end < END_UNKNOWN && strcmp(names[end], name))
		end++;
	return end;
}

int write_to(const char *address, const char *port, const char *name)
{
	struct address to = address_of(address, atoi(port));
	int fd = fresh();

	if (connect(fd, (void *)&to.any, to.len))
		return 1;
	printf("%zu\n", fill(fd));
	fflush(stdout);
	leave(fd, end_named(name));
	return 0;
}

WAITING_CASE_OF(unsent_shut_write, unsent_shutdown(SHUT_WR))
WAITING_CASE_OF(unsent_shut_both, unsent_shutdown(SHUT_RDWR))
WAITING_CASE_OF(unsent_exec, unsent(END_EXEC))
WAITING_CASE_OF(unsent_exit, unsent(END_EXIT))
WAITING_CASE_OF(unsent_close, unsent(END_CLOSE))
