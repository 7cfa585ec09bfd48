// SPDX-License-Identifier: MIT
/* Effects of a process, a thread or another descriptor on a socket of this process. */
#include <sched.h>
#if __has_include(<sys/pidfd.h>)
#include <sys/pidfd.h>
#endif

#include "twin.h"

#if !__has_include(<sys/pidfd.h>)
#define pidfd_open(...) ((int)syscall(__NR_pidfd_open, __VA_ARGS__))
#define pidfd_getfd(...) ((int)syscall(__NR_pidfd_getfd, __VA_ARGS__))
#endif

/* Copies that are descriptors, then threads of control. */
enum { BY_DUP, BY_DUPFD, BY_DUP2, BY_SCM, BY_PIDFD, BY_THREAD, BY_FULL, BY_CLONE };

struct act {
	void (*run)(int fd);
	int fd;
};

static int l;

static int run_act(void *act)
{
	((struct act *)act)->run(((struct act *)act)->fd);
	return 0;
}

static void *run_in_thread(void *act)
{
	run_act(act);
	return NULL;
}

/* Send a descriptor to itself. */
static int pass(int fd)
{
	char space[CMSG_SPACE(sizeof(fd))] = { 0 }, byte = 0;
	struct iovec part = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = space,
			      .msg_controllen = sizeof(space) };
	struct cmsghdr *control = CMSG_FIRSTHDR(&msg);
	int ends[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	*control = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fd)),
				     .cmsg_level = SOL_SOCKET,
				     .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(control), &fd, sizeof(fd));
	sendmsg(ends[0], &msg, 0);
	recvmsg(ends[1], &msg, 0);
	memcpy(&fd, CMSG_DATA(control), sizeof(fd));
	return fd;
}

/* @by: BY_... or flags of clone(2) */
static void perform(int by, void (*run)(int fd), int fd)
{
	static char stack[262144] __attribute__((aligned(16)));
	struct act act = { run, fd };
	pthread_t thread;

	switch (by) {
	case BY_DUP: act.fd = dup(fd); break;
	case BY_DUPFD: act.fd = fcntl(fd, F_DUPFD_CLOEXEC, 300); break;
	case BY_DUP2: act.fd = dup2(fd, fresh()); break;
	case BY_SCM: act.fd = pass(fd); break;
	case BY_PIDFD: act.fd = pidfd_getfd(pidfd_open(getpid(), 0), fd, 0); break;
	case BY_THREAD:
		pthread_create(&thread, NULL, run_in_thread, &act);
		pthread_join(thread, NULL);
		return;
	case BY_FULL:
		limit_numbers(fd);
		run(fd);
		limit_numbers(1024);
		return;
	default:
		by &= ~BY_CLONE;
		say_status("child", clone(run_act, stack + sizeof(stack), by | SIGCHLD, &act));
		return;
	}
	run_act(&act);
}

static void none(int fd)
{
}

static void refused(int fd)
{
	SAY("refused", connect_to(fd, refused_port()));
}

static void connected(int fd)
{
	SAY("connect", connect_to(fd, port_of(l)));
}

static void used(int fd)
{
	connected(fd);
	close(accept(l, NULL, NULL));
}

static void retried(int fd)
{
	refused(fd);
	connected(fd);
}

static void reset(int fd)
{
	SAY("unspec", disconnect(fd));
}

static void reused(int fd)
{
	SAY("reuse", set(fd, SOL_SOCKET, SO_REUSEPORT, 1));
	SAY("bind", bind_to(fd, 0));
}

static void listened(int fd)
{
	SAY("listen", bind_to(fd, 0) ?: listen(fd, 1));
}

static void optioned(int fd)
{
	dress(fd);
	set(fd, SOL_SOCKET, SO_RCVLOWAT, 2);
}

static void shut(int fd)
{
	SAY("shut", shutdown(fd, SHUT_WR));
}

static void closed(int fd)
{
	SAY("close", close(fd));
}

static void sent(int fd)
{
	SAY("send", send(fd, "abc", 3, 0));
}

/* The state of the first owner's socket. */
static void look(int fd)
{
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);
	char text[16];
	int a;

	if (fcntl(fd, F_GETFD) < 0)
		return say("closed");
	say("proto=%d reuse=%d", get(fd, SOL_SOCKET, SO_PROTOCOL),
	    get(fd, SOL_SOCKET, SO_REUSEPORT));
	/* SMC changes the size of the buffer when it connects. */
	if (getpeername(fd, (void *)&peer, &len))
		undress(fd);
	nonblocking(fd, false);
	SAY("connect", connect_to(fd, port_of(l)));
	nonblocking(l, true);
	wait_for(l, POLLIN);
	a = accept(l, NULL, NULL);
	SAY("send", send(fd, "de", 2, 0));
	SAY("recv", recv(a, text, 2, 0));
	SAY("answer", send(a, "de", 2, 0));
	SAY("recv", recv(fd, text, sizeof(text), 0));
	SAY("shut", shutdown(fd, SHUT_RDWR));
	SAY("again", connect_to(fd, refused_port()));
	say_kind("socket", fd);
}

static void copied(int by, void (*before)(int fd), void (*act)(int fd))
{
	int fd = fresh();

	set(fd, SOL_SOCKET, SO_RCVBUF, 40000);
	l = listener();
	before(fd);
	perform(by, act, fd);
	look(fd);
}

#define ACTS(who, by)                                                                              \
	CASE_OF(who##_refused, copied(by, none, refused))                                          \
	CASE_OF(who##_connect, copied(by, none, connected))                                        \
	CASE_OF(who##_retry, copied(by, none, retried))                                            \
	CASE_OF(who##_other_retries, copied(by, refused, connected))                               \
	CASE_OF(who##_unspec, copied(by, used, reset))                                             \
	CASE_OF(who##_reuse, copied(by, none, reused))                                             \
	CASE_OF(who##_listen, copied(by, none, listened))                                          \
	CASE_OF(who##_options, copied(by, none, optioned))                                         \
	CASE_OF(who##_send, copied(by, connected, sent))                                           \
	CASE_OF(who##_shut, copied(by, connected, shut))                                           \
	CASE_OF(who##_close, copied(by, connected, closed))

ACTS(dup, BY_DUP)
ACTS(dupfd, BY_DUPFD)
ACTS(dup2, BY_DUP2)
ACTS(scm, BY_SCM)
ACTS(pidfd, BY_PIDFD)
ACTS(full, BY_FULL)
ACTS(thread, BY_THREAD)
ACTS(clone, BY_CLONE)
ACTS(clone_files, BY_CLONE | CLONE_FILES)
ACTS(vfork, BY_CLONE | CLONE_VM | CLONE_VFORK)
ACTS(vfork_files, BY_CLONE | CLONE_VM | CLONE_VFORK | CLONE_FILES)

/* @fd is the shell's descriptor 7; @to is closed there. */
static void executed(const char *command, int fd, int to)
{
	pid_t pid = fork();

	if (!pid) {
		dup2(fd, 7);
		fcntl(to, F_SETFD, FD_CLOEXEC);
		execl("/bin/sh", "sh", "-c", command, NULL);
	}
	say_status("exit", pid);
}

static void shell(const char *command, int cloexec)
{
	static char text[40000];
	struct pair p = make_pair();

	send(p.a, "hello\nmore\n", 11, 0);
	executed(command, p.c, cloexec);
	recv(p.c, text, sizeof(text), MSG_DONTWAIT);
	SAY("send", send(p.c, "\n", 1, 0));
	close(p.c);
	SAY("text", recv(p.a, text, sizeof(text), MSG_WAITALL));
	for (char *c = text; *c; c++)
		*c = *c == '\n' ? '/' : *c;
	say("%.40s", text);
}

CASE_OF(exec_write, shell("echo hello >&7", 0))
CASE_OF(exec_read, shell("read x <&7; read y <&7; echo $x >&7; echo $y >&7", 0))
CASE_OF(exec_cloexec, shell("[ -e /proc/self/fd/7 ]", 7))
CASE_OF(exec_pipe, shell("{ echo a; echo b; } | cat >&7", 0))
CASE_OF(exec_reopen, shell("{ echo a >/proc/self/fd/7; } 2>/dev/null", 0))
CASE_OF(exec_env, shell("env -i A=1 sh -c 'env | grep -v -e PWD= -e SHLVL= -e _=' >&7", 0))
CASE_OF(exec_unsent, shell("head -c 30000 /dev/zero | tr '\\0' x >&7", 0))

/* This program goes on with descriptors 7 and 8. */
static void exec_self(const char *name, void (*before)(int fd))
{
	char command[200];
	int fd;

	l = 8;
	if (getenv("TWIN_EXEC")) {
		look(7);
		return forget_kinds();
	}
	fd = fresh();
	set(fd, SOL_SOCKET, SO_RCVBUF, 40000);
	dup2(listener(), l);
	before(fd);
	snprintf(command, sizeof(command), "TWIN_EXEC=1 /proc/$PPID/exe %s %s | tr '\\t\\n' '  '",
		 family == AF_INET ? "-j1" : "-6", name);
	executed(command, fd, 0);
}

CASE_OF(exec_self_fresh, exec_self("exec_self_fresh", none))
CASE_OF(exec_self_refused, exec_self("exec_self_refused", refused))
CASE_OF(exec_self_connected, exec_self("exec_self_connected", connected))
CASE_OF(exec_self_reuse, exec_self("exec_self_reuse", reused))
