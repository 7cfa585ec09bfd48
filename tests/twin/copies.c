// SPDX-License-Identifier: MIT
/* What a process, a thread or another descriptor does to a socket, seen by its first owner. */
#include <sched.h>

#include "twin.h"

/* Copies that are descriptors, then threads of control. */
enum { BY_DUP, BY_DUPFD, BY_DUP2, BY_SCM, BY_PIDFD, BY_THREAD, BY_CLONE };

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
	*control = (struct cmsghdr){ CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS };
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
	case BY_PIDFD:
		act.fd = (int)syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, getpid(), 0), fd, 0);
		break;
	case BY_THREAD:
		pthread_create(&thread, NULL, run_in_thread, &act);
		pthread_join(thread, NULL);
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
	SAY("refused", connect_to(fd, closed_port()));
}

static void connected(int fd)
{
	SAY("connect", connect_to(fd, port_of(l)));
}

static void retried(int fd)
{
	refused(fd);
	connected(fd);
}

static void reset(int fd)
{
	struct sockaddr unspec = { .sa_family = AF_UNSPEC };

	close(accept(l, NULL, NULL));
	SAY("unspec", connect(fd, &unspec, sizeof(unspec)));
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
	char text[16];
	int a;

	say("proto=%d reuse=%d", get(fd, SOL_SOCKET, SO_PROTOCOL),
	    get(fd, SOL_SOCKET, SO_REUSEPORT));
	undress(fd);
	nonblocking(fd, false);
	SAY("connect", connect_to(fd, port_of(l)));
	nonblocking(l, true);
	poll(&(struct pollfd){ .fd = l, .events = POLLIN }, 1, 1000);
	a = accept(l, NULL, NULL);
	SAY("send", send(fd, "de", 2, 0));
	SAY("recv", recv(a, text, sizeof(text), 0));
	SAY("answer", send(a, "de", 2, 0));
	SAY("recv", recv(fd, text, sizeof(text), 0));
	SAY("shut", shutdown(fd, SHUT_RDWR));
	SAY("again", connect_to(fd, closed_port()));
	say_kind("socket", fd);
}

static void copied(int by, void (*before)(int fd), void (*act)(int fd))
{
	int fd = fresh();

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
	CASE_OF(who##_unspec, copied(by, connected, reset))                                        \
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
ACTS(thread, BY_THREAD)
ACTS(clone, BY_CLONE)
ACTS(clone_files, BY_CLONE | CLONE_FILES)
ACTS(vfork, BY_CLONE | CLONE_VM | CLONE_VFORK)
ACTS(vfork_files, BY_CLONE | CLONE_VM | CLONE_VFORK | CLONE_FILES)
