// SPDX-License-Identifier: MIT
/* Side effects that the library must not have: manners CASE, see cases[]; a line each. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "tests/libc.h"

static atomic_bool done;
static atomic_int spurious;
static int epfd;

/* A new socket that is replaced by a TCP socket. */
static int swapped(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), two = 2;

	return setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &two, sizeof(two)) ? -1 : fd;
}

static void *wait_for_events(void *unused)
{
	struct epoll_event event;

	while (!done) {
		if (epoll_wait(epfd, &event, 1, 0) > 0)
			spurious++;
	}
	return unused;
}

/* A thread waits for an event that never comes, while another has its sockets replaced. */
static int run_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	pthread_t thread;

	epoll_ctl(epfd, EPOLL_CTL_ADD, eventfd(0, 0), &event);
	pthread_create(&thread, NULL, wait_for_events, NULL);
	for (int i = 0; i < 2000; i++)
		close(swapped());
	done = true;
	pthread_join(thread, NULL);
	return printf("%d events that are not the program's\n", spurious) < 0;
}

static void *cancelled(void *survived)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd, two = 2;

	pthread_cancel(pthread_self());
	fd = socket(AF_INET, SOCK_STREAM, 0);
	epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event);
	setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &two, sizeof(two));
	*(bool *)survived = true;
	pthread_testcancel();
	return NULL;
}

/* Neither socket() nor setsockopt() is a cancellation point. */
static int run_cancel(void)
{
	bool survived = false;
	pthread_t thread;

	pthread_create(&thread, NULL, cancelled, &survived);
	pthread_join(thread, NULL);
	return puts(survived ? "not cancelled" : "CANCELLED") < 0;
}

/* Install a filter that gives this answer to a system call. */
static int filter(unsigned int number, unsigned int answer)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* A sandbox that the library cannot detect, where poll(2) fails. */
static int run_nopoll(void)
{
	if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    filter(SYS_ppoll, SECCOMP_RET_ERRNO | EPERM))
		return 77;
	alarm(10);
	return puts(swapped() < 0 ? "no socket" : "swapped") < 0;
}

/* Exit with ten connections whose peer does not read. */
static int run_exit(void)
{
	struct sockaddr_in addr;
	int listener = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0), fd;
	static char data[65536];

	if (listen_here(listener, &addr, 16))
		return 1;
	for (int i = 0; i < 10; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
			return 1;
		while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
			;
	}
	return 0;
}

static int listener, client;

/* A listener, unless there is one, and its client. Return: not 0 if that failed. */
static int join(void)
{
	struct sockaddr_in addr;

	listener = listener ? listener : socket(AF_INET, SOCK_STREAM, 0);
	client = socket(AF_INET, SOCK_STREAM, 0);
	return listen_here(listener, &addr, 16) ||
	       connect(client, (struct sockaddr *)&addr, sizeof(addr));
}

/* getpeername() into memory that can be read but not written. */
static int run_constant(void)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);

	if (join() || shutdown(client, SHUT_WR) || getpeername(client, (void *)&addr, &len) ||
	    len != sizeof(addr))
		return puts("no name") < 0;
	if (!getpeername(client, page, &len) || errno != EFAULT ||
	    !getpeername(client, (void *)&addr, page) || errno != EFAULT)
		return puts("no error") < 0;
	return puts("EFAULT") < 0;
}

/* A sandbox that the program enters with a listener that has SO_LINGER. */
static int run_linger(void)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 5 };

	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (setsockopt(listener, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) || join() ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    filter(SYS_getsockopt, SECCOMP_RET_KILL_PROCESS))
		return 77;
	return puts(accept(listener, NULL, NULL) < 0 ? "no client" : "alive") < 0;
}

static int listen_too(const struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) ||
	    (addr && bind(fd, (const struct sockaddr *)addr, sizeof(*addr))) ||
	    (addr && (listen(fd, 4096) || fcntl(fd, F_SETFL, O_NONBLOCK))))
		return -1;
	return fd;
}

/* Clients of one listener, after shutdown() of another one with its address. */
static int run_reuseport(void)
{
	int first = listen_too(NULL), second, fd, n = 0;
	struct sockaddr_in addr;

	if (listen_here(first, &addr, 16))
		return 1;
	second = listen_too(&addr);
	if (second < 0 || shutdown(first, SHUT_RDWR))
		return 1;
	for (; (fd = accept(second, NULL, NULL)) >= 0; n++)
		close(fd);
	return printf("%s\n", n <= 64 ? "few" : "many") < 0;
}

static char many[16 << 20];

static void *send_many(void *sent)
{
	*(ssize_t *)sent = send(client, many, sizeof(many), MSG_NOSIGNAL);
	return NULL;
}

/* The peer resets a connection while a write waits: the error is left for the next call. */
static int run_reset(void)
{
	struct linger linger = { .l_onoff = 1 };
	socklen_t len = sizeof(int);
	ssize_t sent = 0;
	pthread_t thread;
	int peer, err = 0;

	if (join() || (peer = accept(listener, NULL, NULL)) < 0 ||
	    pthread_create(&thread, NULL, send_many, &sent) || recv(peer, many, 1, 0) != 1 ||
	    setsockopt(peer, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) || close(peer))
		return 1;
	pthread_join(thread, NULL);
	getsockopt(client, SOL_SOCKET, SO_ERROR, &err, &len);
	return printf("%s, %d\n", sent > 0 ? "some" : "none", err == ECONNRESET) < 0;
}

/* Another file gets the number of the socket while a write waits. */
static int run_reuse(void)
{
	struct timeval time = { .tv_sec = 2 };
	int ends[2], peer;
	ssize_t sent = 0;
	pthread_t thread;

	if (join() || (peer = accept(listener, NULL, NULL)) < 0 ||
	    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time)) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
	    pthread_create(&thread, NULL, send_many, &sent) || recv(peer, many, 1, 0) != 1)
		return 1;
	poll(NULL, 0, 100); /* most likely it waits by then */
	dup2(ends[0], client);
	pthread_join(thread, NULL);
	return puts(recv(ends[1], many, 1, MSG_DONTWAIT) < 0 ? "nothing" : "SOME") < 0;
}

/* 1024 messages, each of which the kernel leaves incomplete, on a thread with a small stack. */
static void *send_messages(void *unused)
{
	static struct mmsghdr messages[1024];
	struct iovec part = { .iov_base = (char[8]){ 0 }, .iov_len = 8 };

	for (int i = 0; i < 1024; i++)
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &part, .msg_iovlen = 1 };
	errno = 0;
	printf("%d, %d\n", sendmmsg(client, messages, 1024, 0), errno);
	return unused;
}

static int run_messages(void)
{
	pthread_attr_t small;
	pthread_t thread;

	if (join() || pthread_attr_init(&small) || pthread_attr_setstacksize(&small, 65536) ||
	    pthread_create(&thread, &small, send_messages, NULL))
		return 1;
	return pthread_join(thread, NULL);
}

static char stack[65536];

/* Calls allowed in a signal handler: both file descriptors are invalid. */
static void call_all(int number __attribute__((unused)))
{
	int off = 0;

	setsockopt(-1, SOL_SOCKET, SO_KEEPALIVE, &off, sizeof(off));
	listen(-1, 1);
	close(-1);
}

static size_t untouched(void)
{
	size_t n = 0;

	while (n < sizeof(stack) && stack[n] == 1)
		n++;
	return n;
}

static void call_nothing(int number __attribute__((unused)))
{
}

/* Stack that a signal handler needs, including the kernel's frame. */
static size_t stack_of(void (*handler)(int))
{
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	memset(stack, 1, sizeof(stack));
	if (sigaltstack(&own, NULL) || sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1))
		return 0;
	return sizeof(stack) - untouched();
}

/* The smallest stack of a signal handler is MINSIGSTKSZ, 2048 bytes, minus the signal frame. */
static int run_stack(void)
{
	size_t without, with;

	call_all(0); /* resolve the symbols first */
	without = stack_of(call_nothing);
	with = stack_of(call_all);
	if (!without || !with)
		return 77;
	fprintf(stderr, "%zu bytes\n", with - without);
	return puts(with - without < 1536 ? "small" : "large") < 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = { { "epoll", run_epoll },	      { "cancel", run_cancel },
		      { "nopoll", run_nopoll },	      { "exit", run_exit },
		      { "constant", run_constant },   { "linger", run_linger },
		      { "reuseport", run_reuseport }, { "messages", run_messages },
		      { "reset", run_reset },	      { "reuse", run_reuse },
		      { "stack", run_stack } };

	epfd = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!strcmp(argv[1], cases[i].name))
			return cases[i].run();
	}
	return 2;
}
