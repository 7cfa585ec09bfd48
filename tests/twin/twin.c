// SPDX-License-Identifier: MIT
/* Functions for cases of the twin. */
#include <sys/resource.h>

#include "twin.h"

int family = AF_INET;
char loopback_host[INET_ADDRSTRLEN] = "127.0.0.1";
char much[4 << 20];
volatile sig_atomic_t ticks, pipes, pipe_thread;
static char kinds[200];

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar(' ');
}

const char *result(long ret)
{
	static char texts[8][40];
	static unsigned int next;
	char *text = texts[next++ % 8];

	if (ret < 0)
		snprintf(text, sizeof(texts[0]), "-%s", strerrorname_np(errno));
	else
		snprintf(text, sizeof(texts[0]), "%ld", ret);
	return text;
}

void say_result(const char *name, long ret)
{
	say("%s=%s%s", name, result(ret), ret >= 0 && errno ? " and errno" : "");
}

void say_kind(const char *name, int fd)
{
	int protocol = 0;
	socklen_t len = sizeof(protocol);
	size_t used = strlen(kinds);

	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len);
	snprintf(kinds + used, sizeof(kinds) - used, "%s%s=%s", used ? " " : "", name,
		 protocol == IPPROTO_TCP ? "tcp" : "smc");
}

void forget_kinds(void)
{
	*kinds = '\0';
}

void say_kinds(void)
{
	printf("\t%s\n", kinds);
}

int get(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, level, name, &value, &len) ? -errno : value;
}

int set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

const char *bits(unsigned int events)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} names[] = {
		{ POLLIN, "IN" },	{ POLLPRI, "PRI" }, { POLLOUT, "OUT" },
		{ POLLRDHUP, "RDHUP" }, { POLLHUP, "HUP" }, { POLLERR, "ERR" },
		{ POLLNVAL, "NVAL" },
	};
	static char texts[8][40];
	static unsigned int next;
	char *text = texts[next++ % 8];
	size_t i;

	*text = '\0';
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (events & names[i].bit)
			strcat(strcat(text, *text ? "+" : ""), names[i].name);
	return *text ? text : "none";
}

const char *events(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT | POLLPRI | POLLRDHUP };

	poll(&p, 1, 0);
	return bits((unsigned short)p.revents);
}

void wait_for(int fd, short what)
{
	struct pollfd p = { .fd = fd, .events = what };

	poll(&p, 1, 6000);
}

void nap(int ms)
{
	poll(NULL, 0, ms);
}

size_t touched(const char *data, size_t size, char filler)
{
	while (size && data[size - 1] == filler)
		size--;
	return size;
}

bool nonblocking(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	return !fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

struct address address_of(const char *text, int port)
{
	struct address addr = { .any.ss_family = strchr(text, ':') ? AF_INET6 : AF_INET };
	struct sockaddr_in *in = (void *)&addr.any;
	struct sockaddr_in6 *in6 = (void *)&addr.any;
	bool is_v6 = addr.any.ss_family == AF_INET6;

	in->sin_port = htons(port); /* same offset in IPv6 */
	inet_pton(addr.any.ss_family, text, is_v6 ? (void *)&in6->sin6_addr : &in->sin_addr);
	addr.len = is_v6 ? sizeof(*in6) : sizeof(*in);
	return addr;
}

struct address loopback(int port)
{
	return address_of(family == AF_INET ? loopback_host : "::1", port);
}

int port_of(int fd)
{
	struct sockaddr_in6 name = { 0 };
	socklen_t len = sizeof(name);

	getsockname(fd, (void *)&name, &len);
	return ntohs(name.sin6_port);
}

int bind_to(int fd, int port)
{
	struct address addr = loopback(port);

	return bind(fd, (void *)&addr.any, addr.len);
}

int connect_to(int fd, int port)
{
	struct address addr = loopback(port);

	return connect(fd, (void *)&addr.any, addr.len);
}

static void say_address(int ret, const struct address *addr)
{
	char text[INET6_ADDRSTRLEN] = "?";
	const struct sockaddr_in *in = (const void *)&addr->any;
	const struct sockaddr_in6 *in6 = (const void *)&addr->any;

	if (ret) {
		say("%s", result(ret));
		return;
	}
	inet_ntop(addr->any.ss_family,
		  addr->any.ss_family == AF_INET6 ? (const void *)&in6->sin6_addr : &in->sin_addr,
		  text, sizeof(text));
	say("%s,%s,%u", text, in->sin_port ? "some" : "0", addr->len);
}

void say_names(const char *name, int fd)
{
	struct address addr = { .len = sizeof(addr.any) };

	say("%s:", name);
	say_address(getsockname(fd, (void *)&addr.any, &addr.len), &addr);
	addr = (struct address){ .len = sizeof(addr.any) };
	say_address(getpeername(fd, (void *)&addr.any, &addr.len), &addr);
}

int fresh_with(int flags)
{
	const char *kind = getenv("TWIN_SOCKET") ?: "tcp";

	if (!strcmp(kind, "smc"))
		return socket(AF_SMC, SOCK_STREAM | flags, family == AF_INET6);
	if (!strcmp(kind, "ipproto_smc"))
		return socket(family, SOCK_STREAM | flags, IPPROTO_SMC);
	if (!strcmp(kind, "mptcp"))
		return socket(family, SOCK_STREAM | flags, IPPROTO_MPTCP);
	return socket(family, SOCK_STREAM | flags, 0);
}

int fresh(void)
{
	return fresh_with(0);
}

int start_listening(int fd)
{
	return bind_to(fd, 0) ?: listen(fd, 10);
}

int listener(void)
{
	int fd = fresh();

	if (start_listening(fd))
		exit(9);
	return fd;
}

static int raw_socket(int flags)
{
	return (int)syscall(SYS_socket, family, SOCK_STREAM | flags, IPPROTO_TCP);
}

int refused_fd = -1;

int refused_port(void)
{
	if (refused_fd < 0) {
		refused_fd = raw_socket(0);
		bind_to(refused_fd, 0);
	}
	return port_of(refused_fd);
}

int disconnect(int fd)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };

	return connect(fd, &none, sizeof(none));
}

int abort_it(int fd)
{
	struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	return close(fd);
}

void join(struct pair *p, int l, int c)
{
	*p = (struct pair){ .l = l, .c = c, .a = -1 };
	if (connect_to(c, port_of(l)) && errno != EINPROGRESS) {
		say("connect=%s", result(-1));
		return;
	}
	wait_for(c, POLLOUT);
	p->a = accept(l, NULL, NULL);
	say_kind("client", p->c);
	say_kind("accepted", p->a);
}

struct pair make_pair(void)
{
	struct pair p;
	int l = listener();

	join(&p, l, fresh());
	return p;
}

void echo(const struct pair *p)
{
	SAY("send", send(p->c, "x", 1, 0));
	SAY("recv", call_recv(p->a));
}

struct pair join_and_echo(int l, int c)
{
	struct pair p;

	join(&p, l, c);
	echo(&p);
	return p;
}

int hole(void)
{
	int l = raw_socket(0);

	bind_to(l, 0);
	listen(l, 0);
	for (int i = 0; i < 3; i++)
		connect_to(raw_socket(SOCK_NONBLOCK), port_of(l));
	nap(100);
	return port_of(l);
}

void on_alarm(int number)
{
	ticks++;
}

void on(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

size_t read_all(int fd)
{
	static char data[65536];
	size_t total = 0;
	ssize_t n;

	while ((n = recv(fd, data, sizeof(data), 0)) > 0)
		total += (size_t)n;
	say("end=%s", result(n));
	return total;
}

double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void storm(int us)
{
	struct itimerval often = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &often, NULL);
}

void say_rest(int fd)
{
	char text[2000];
	ssize_t n, total = 0;

	errno = 0;
	wait_for(fd, POLLIN);
	while ((n = recv(fd, text, sizeof(text), MSG_DONTWAIT)) > 0) {
		total += n;
		wait_for(fd, POLLIN);
	}
	say("got=%zd", total);
	say_result("end", n);
}

struct pair make_drained_pair(void)
{
	struct pair p = make_pair();

	echo(&p);
	return p;
}

void on_pipe(int number)
{
	pipes++;
	pipe_thread = gettid();
	errno = 0;
}

struct pair make_narrow_pair(void)
{
	struct pair p = make_pair();

	for (size_t i = 0; i < sizeof(much); i++)
		much[i] = (char)(i % 251);
	set(p.c, SOL_SOCKET, SO_SNDBUF, 65536);
	on(SIGPIPE, on_pipe, 0);
	pipes = 0;
	return p;
}

void part(struct pair *p)
{
	close(p->c);
	close(p->a);
	close(p->l);
}

void say_amount(const char *name, ssize_t n, size_t len)
{
	if (n <= 0)
		say_result(name, n);
	else
		say("%s=%s", name, n == (ssize_t)len ? "all" : "some");
}

bool arrives(int fd, size_t total)
{
	static char got[60000];
	size_t pos = 0;
	ssize_t n = 1;

	while (pos < total && n > 0) {
		n = recv(fd, got, total - pos < sizeof(got) ? total - pos : sizeof(got), 0);
		if (n > 0 && memcmp(got, much + pos, (size_t)n))
			return false;
		pos += n > 0 ? (size_t)n : 0;
	}
	return pos == total;
}

pid_t start_reader(struct pair *p, size_t total)
{
	pid_t pid = fork();

	if (pid) {
		close(p->a);
		return pid;
	}
	close(p->c);
	wait_for(p->a, POLLIN);
	nap(100);
	_exit(!arrives(p->a, total) || read_all(p->a));
}

void say_status(const char *name, pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	say("%s=%d", name, status);
}

size_t fill(int fd)
{
	static const char block[32768];
	size_t total = 0;
	ssize_t n;
	int tries;

	nonblocking(fd, true);
	for (tries = 0; tries < 40; tries++) {
		while ((n = send(fd, block, sizeof(block), 0)) > 0) {
			total += (size_t)n;
			tries = 0;
		}
		nap(50);
	}
	return total;
}

void limit(int fd, int name, int ms)
{
	struct timeval time = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	setsockopt(fd, SOL_SOCKET, name, &time, sizeof(time));
}

void limit_numbers(int n)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)n;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void dress(int fd)
{
	set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	set(fd, SOL_SOCKET, SO_RCVBUF, 40000);
	set(fd, SOL_SOCKET, SO_MARK, 7);
	limit(fd, SO_RCVTIMEO, 3500);
	set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 44);
	set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 3333);
	setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
	set(fd, IPPROTO_IP, IP_TOS, 16);
	if (family == AF_INET6) {
		set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
		set(fd, IPPROTO_IPV6, IPV6_TCLASS, 32);
	}
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
	fcntl(fd, F_SETOWN, getpid());
}

void undress(int fd)
{
	struct timeval time = { 0 };
	socklen_t len = sizeof(time);
	char name[16] = "";

	getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, &len);
	len = sizeof(name);
	getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len);
	say("alive=%d reuse=%d rcvbuf=%d mark=%d rcvtimeo=%d.%d nodelay=%d idle=%d timeout=%d "
	    "cc=%s tos=%d cloexec=%d flags=%x owner=%d",
	    get(fd, SOL_SOCKET, SO_KEEPALIVE), get(fd, SOL_SOCKET, SO_REUSEADDR),
	    get(fd, SOL_SOCKET, SO_RCVBUF), get(fd, SOL_SOCKET, SO_MARK), (int)time.tv_sec,
	    (int)time.tv_usec, get(fd, IPPROTO_TCP, TCP_NODELAY),
	    get(fd, IPPROTO_TCP, TCP_KEEPIDLE), get(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), name,
	    get(fd, IPPROTO_IP, IP_TOS), fcntl(fd, F_GETFD), (unsigned int)fcntl(fd, F_GETFL),
	    fcntl(fd, F_GETOWN) == getpid());
	if (family == AF_INET6)
		say("v6only=%d tclass=%d", get(fd, IPPROTO_IPV6, IPV6_V6ONLY),
		    get(fd, IPPROTO_IPV6, IPV6_TCLASS));
}

void *wait_in_thread(void *waiter)
{
	struct waiter *self = waiter;

	self->id = gettid();
	errno = 0;
	self->ret = self->call(self->fd);
	self->err = errno;
	return NULL;
}

long call_accept(int fd)
{
	return accept(fd, NULL, NULL) < 0 ? -1 : 0;
}

long call_accept4(int fd)
{
	return accept4(fd, NULL, NULL, SOCK_CLOEXEC) < 0 ? -1 : 0;
}

long call_recv(int fd)
{
	char byte;

	return recv(fd, &byte, 1, 0);
}

long call_poll(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, -1);
}

long call_poll_briefly(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 1000);
}

long call_select(int fd)
{
	fd_set in;

	FD_ZERO(&in);
	FD_SET(fd, &in);
	return select(fd + 1, &in, NULL, NULL, NULL);
}

long call_epoll(int fd)
{
	struct epoll_event event;

	return epoll_wait(fd, &event, 1, -1) == 1 ? (int)(event.events & ~(uint32_t)EPOLLOUT) : -1;
}

int watch(int fd, unsigned int what)
{
	struct epoll_event event = { .events = what };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
	return ep;
}

static bool sleeps(pid_t pid)
{
	char path[40], text[60] = "", *state;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	state = strchr(text, ')');
	return state && state[2] == 'S';
}

void wait_until_it_sleeps(pid_t pid)
{
	for (int calm = 0; calm < 5; nap(20))
		calm = sleeps(pid) ? calm + 1 : 0;
}

void start_waiters(struct waiter *waiters, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pthread_create(&waiters[i].thread, NULL, wait_in_thread, &waiters[i]);
	for (size_t i = 0; i < n; i++) {
		while (!waiters[i].id)
			nap(20);
		wait_until_it_sleeps(waiters[i].id);
	}
}

void end_waiters(struct waiter *waiters, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pthread_join(waiters[i].thread, NULL);
		errno = waiters[i].err;
		say_result(waiters[i].name, waiters[i].ret);
	}
}

bool lives(void)
{
	struct pair p = { .l = fresh(), .c = fresh() };
	bool failed = start_listening(p.l) || connect_to(p.c, port_of(p.l));

	p.a = accept(p.l, NULL, NULL);
	failed |= send(p.c, "x", 1, 0) != 1 || call_recv(p.a) != 1;
	part(&p);
	return !failed;
}

pid_t leave_unread(struct pair *p)
{
	pid_t pid = fork();

	if (!pid) {
		close(p->c);
		wait_for(p->a, POLLIN);
		nap(100);
		_exit(0);
	}
	close(p->a);
	return pid;
}

const struct named_state states[] = {
	{ "fresh", IS_FRESH },
	{ "bound", IS_BOUND },
	{ "listening", IS_LISTENING },
	{ "refused", IS_REFUSED },
	{ "pending", IS_CONNECTING },
	{ "connected", IS_CONNECTED },
	{ "accepted", IS_ACCEPTED },
	{ "shut", IS_SHUT_BOTH },
	{ "ended", PEER_HAS_CLOSED },
	{ "reset", IS_ABORTED },
	{ NULL, 0 },
};

static int enter_single(enum state state, int flags)
{
	int fd = fresh_with(state == IS_CONNECTING ? SOCK_NONBLOCK : flags);

	if (state == IS_BOUND)
		bind_to(fd, 0);
	if (state == IS_LISTENING)
		start_listening(fd);
	if (state == IS_CONNECTING)
		connect_to(fd, hole());
	if (state == IS_REFUSED && connect_to(fd, refused_port()) && errno == EINPROGRESS)
		wait_for(fd, POLLOUT);
	return fd;
}

void feed(const struct pair *p, const char *data, size_t len)
{
	int before = 0, ready = 0;

	ioctl(p->c, FIONREAD, &before);
	send(p->a, data, len, 0);
	while (!ioctl(p->c, FIONREAD, &ready) && ready < before + (int)len)
		nap(5);
}

static void become_state(struct pair *p, enum state state)
{
	static const int hows[] = { [IS_SHUT_WRITE] = SHUT_WR, [IS_SHUT_BOTH] = SHUT_RDWR };

	if (state == HAS_DATA)
		feed(p, "abc", 3);
	if (state >= IS_SHUT_READ && state <= IS_SHUT_BOTH)
		shutdown(p->c, hows[state]);
	if (state < PEER_HAS_SHUT)
		return;
	if (state == IS_RESET) {
		send(p->c, "x", 1, 0);
		wait_for(p->a, POLLIN);
	}
	if (state == PEER_HAS_SHUT)
		shutdown(p->a, SHUT_WR);
	else if (state == IS_ABORTED)
		abort_it(p->a);
	else
		close(p->a);
	wait_for(p->c, POLLRDHUP);
}

static struct pair enter_with(enum state state, int flags)
{
	struct pair p = { -1, -1, -1 };

	if (state < IS_CONNECTED) {
		p.c = enter_single(state, flags);
		return p;
	}
	p = make_pair();
	nonblocking(p.c, flags);
	become_state(&p, state);
	return state == IS_ACCEPTED ? (struct pair){ p.l, p.a, p.c } : p;
}

struct pair in_state(enum state state)
{
	on(SIGPIPE, on_pipe, 0);
	pipes = 0;
	return enter_with(state, SOCK_NONBLOCK);
}

int enter(enum state state)
{
	return enter_with(state, 0).c;
}

char *unmapped(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* Not munmap(): a library could map its own memory there. */
	mprotect(pages + size, size, PROT_NONE);
	return pages + size;
}
