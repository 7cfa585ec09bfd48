// SPDX-License-Identifier: MIT
/* Threads in calls on sockets that others close, replace, shut down or use. */
#include <sched.h>

#include "twin.h"

static struct pair at;

static void leave_alone(int fd)
{
}

static void close_it(int fd)
{
	SAY("close", close(fd));
}

static void replace_it(int fd)
{
	SAY("dup2", dup2(fd == at.l ? listener() : make_pair().c, fd) == fd);
}

static void shut_it(int fd)
{
	SAY("shut", shutdown(fd, SHUT_RDWR));
}

static void fork_with_it(int fd)
{
	pid_t pid = fork();

	if (!pid) {
		close(fd);
		_exit(0);
	}
	say_status("child", pid);
}

static void unshare_it(int fd)
{
	SAY("unshare", unshare(CLONE_FILES));
	SAY("dup", dup(fd) < 0);
	close(fd);
}

static void use_it(int fd)
{
	SAY("send", send(at.c, "y", 1, 0));
	SAY("nodelay", set(fd, IPPROTO_TCP, TCP_NODELAY, 1));
	SAY("lives", make_pair().a < 0);
}

static long wait_connect(int fd)
{
	int c = fresh();

	limit(c, SO_SNDTIMEO, 8000);
	return connect_to(c, hole());
}

static long wait_read(int fd)
{
	char text[16];

	return read(fd, text, sizeof(text));
}

/* Make a call in a thread, do something, then let the peer complete the call. */
static void during(long (*call)(int fd), bool accepts, void (*act)(int fd))
{
	struct waiter waiter = { .name = "call", .call = call };
	struct timespec end;
	int c, port;

	at = make_pair();
	port = port_of(at.l);
	c = fresh();
	waiter.fd = accepts ? at.l : at.c;
	if (call == call_epoll)
		waiter.fd = watch(waiter.fd, EPOLLIN | EPOLLET);
	start_waiters(&waiter, 1);
	act(accepts ? at.l : at.c);
	nap(100);
	SAY("connect", connect_to(c, port));
	SAY("answer", send(at.a, "x", 1, MSG_NOSIGNAL));
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 3;
	if (pthread_timedjoin_np(waiter.thread, NULL, &end))
		return say("never");
	errno = waiter.err;
	say_result("call", waiter.ret);
	forget_kinds();
}

#define DURING(name, call, accepts)                                                                \
	WAITING_CASE_OF(during_##name, during(call, accepts, leave_alone))                         \
	WAITING_CASE_OF(during_##name##_close, during(call, accepts, close_it))                    \
	WAITING_CASE_OF(during_##name##_dup2, during(call, accepts, replace_it))                   \
	WAITING_CASE_OF(during_##name##_shut, during(call, accepts, shut_it))                      \
	WAITING_CASE_OF(during_##name##_fork, during(call, accepts, fork_with_it))                 \
	WAITING_CASE_OF(during_##name##_unshare, during(call, accepts, unshare_it))                \
	WAITING_CASE_OF(during_##name##_use, during(call, accepts, use_it))

DURING(read, wait_read, false)
DURING(accept, call_accept, true)
DURING(poll, call_poll, false)
DURING(poll_listener, call_poll, true)
DURING(epoll, call_epoll, false)
DURING(epoll_listener, call_epoll, true)

/* Cancel a thread in a call, then use its socket. */
static void cancelled(long (*call)(int fd), bool accepts)
{
	struct waiter waiter = { .call = call };
	void *value = NULL;

	at = make_pair();
	waiter.fd = accepts ? at.l : at.c;
	start_waiters(&waiter, 1);
	SAY("cancel", pthread_cancel(waiter.thread));
	SAY("join", pthread_join(waiter.thread, &value));
	say("cancelled=%d ret=%ld", value == PTHREAD_CANCELED, waiter.ret);
	echo(&at);
	at = make_pair();
	echo(&at);
	forget_kinds();
}

WAITING_CASE_OF(cancel_accept, cancelled(call_accept, true))
WAITING_CASE_OF(cancel_connect, cancelled(wait_connect, false))
WAITING_CASE_OF(cancel_poll, cancelled(call_poll, false))
WAITING_CASE_OF(cancel_select, cancelled(call_select, false))

/* Two threads wait for one event each, and two events come: each thread gets one. */
static void two(long (*call)(int fd), bool accepts)
{
	struct waiter waiters[2];

	at = make_pair();
	for (int i = 0; i < 2; i++)
		waiters[i] = (struct waiter){ "call", call, accepts ? at.l : at.c };
	start_waiters(waiters, 2);
	for (int i = 0; i < 2; i++) {
		SAY("connect", connect_to(fresh(), port_of(at.l)));
		SAY("send", send(at.a, "x", 1, 0));
	}
	end_waiters(waiters, 2);
}

WAITING_CASE_OF(two_accept, two(call_accept, true))
WAITING_CASE_OF(two_recv, two(call_recv, false))

/* Two writers of big blocks, and threads that live beside them. */
static long write_much(int fd)
{
	return send(fd, much, sizeof(much), 0);
}

CASE(two_writers)
{
	struct pair p = make_pair();
	struct waiter waiters[] = { { "send", write_much, p.c }, { "send", write_much, p.c } };

	start_waiters(waiters, 2);
	say("all=%d", recv(p.a, much, sizeof(much), MSG_WAITALL) == sizeof(much));
	say("all=%d", recv(p.a, much, sizeof(much), MSG_WAITALL) == sizeof(much));
	end_waiters(waiters, 2);
}

static long live(int fd)
{
	long failed = 0;

	for (int i = 0; i < 10; i++)
		failed += !lives();
	return failed;
}

CASE(thread_lives)
{
	struct waiter waiters[8];

	for (int i = 0; i < 8; i++)
		waiters[i] = (struct waiter){ "failed", live, 0 };
	start_waiters(waiters, 8);
	end_waiters(waiters, 8);
	say("descriptor=%d", fresh());
}

/* The smallest stack that a thread may have on most machines. */
CASE(thread_small_stack)
{
	struct waiter waiter = { .name = "failed", .call = live };
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	SAY("create", pthread_create(&waiter.thread, &attr, wait_in_thread, &waiter));
	end_waiters(&waiter, 1);
}
