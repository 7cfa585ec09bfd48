// SPDX-License-Identifier: MIT
/*
 * Behaviour of stream sockets that a program can observe: one line per case, to compare TCP sockets
 * with others.
 *
 *   differs [-6] [CASE]...    all cases without one; -6 for IPv6
 *   differs -w ADDRESS PORT CASE
 *                             writes for a case unsent_* with a remote reader: prints the bytes
 *                             sent
 *
 * A line is: case, tab, result, tab, real type of the sockets (smc, tcp). Each case is a separate
 * process, killed after LIMIT seconds. The cases of unsent data are last, and wait in parallel.
 */
#include <linux/filter.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/time.h>

#include "tests/cases.h"
#include "tests/kernel/transfer.h"
#include "tests/libc.h"

#define LIMIT 20
#ifndef TCP_AO_ADD_KEY
#define TCP_AO_ADD_KEY 38
#endif
#ifndef SO_TXREHASH
#define SO_TXREHASH 74
#endif

static int family = AF_INET;
static char kinds[200];
static volatile sig_atomic_t ticks;

static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar(' ');
}

static const char *result(long ret)
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

/* Successful calls do not change errno. */
static void say_result(const char *name, long ret)
{
	say("%s=%s%s", name, result(ret), ret >= 0 && errno ? " and errno" : "");
}

#define SAY(name, call) (errno = 0, say_result(name, call))

/* Ask the kernel, below any preload library. */
static void tell_kind(const char *name, int fd)
{
	int protocol = 0;
	socklen_t len = sizeof(protocol);
	size_t used = strlen(kinds);

	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len);
	snprintf(kinds + used, sizeof(kinds) - used, "%s%s=%s", used ? " " : "", name,
		 protocol == IPPROTO_TCP ? "tcp" : "smc");
}

static int get(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, level, name, &value, &len) ? -errno : value;
}

static int set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

static const char *events(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT | POLLPRI | POLLRDHUP };
	static const struct {
		short bit;
		const char *name;
	} names[] = {
		{ POLLIN, "IN" },	{ POLLPRI, "PRI" }, { POLLOUT, "OUT" },
		{ POLLRDHUP, "RDHUP" }, { POLLHUP, "HUP" }, { POLLERR, "ERR" },
	};
	static char texts[4][40];
	static unsigned int next;
	char *text = texts[next++ % 4];
	size_t i;

	*text = '\0';
	poll(&p, 1, 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (p.revents & names[i].bit)
			strcat(strcat(text, *text ? "+" : ""), names[i].name);
	return *text ? text : "none";
}

static void wait_for(int fd, short what)
{
	struct pollfd p = { .fd = fd, .events = what };

	poll(&p, 1, 6000);
}

static void nap(int ms)
{
	poll(NULL, 0, ms);
}

static bool nonblocking(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	return !fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

struct address {
	struct sockaddr_storage any;
	socklen_t len;
};

static struct address loopback(int port)
{
	struct address addr = { .len = sizeof(struct sockaddr_in) };
	struct sockaddr_in *in = (void *)&addr.any;
	struct sockaddr_in6 *in6 = (void *)&addr.any;

	if (family == AF_INET) {
		*in = (struct sockaddr_in){ .sin_family = AF_INET,
					    .sin_port = htons(port),
					    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	} else {
		*in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
					      .sin6_port = htons(port),
					      .sin6_addr = in6addr_loopback };
		addr.len = sizeof(*in6);
	}
	return addr;
}

static int port_of(int fd)
{
	struct sockaddr_in6 name = { 0 };
	socklen_t len = sizeof(name);

	getsockname(fd, (void *)&name, &len);
	return ntohs(name.sin6_port);
}

static int bind_to(int fd, int port)
{
	struct address addr = loopback(port);

	return bind(fd, (void *)&addr.any, addr.len);
}

static int connect_to(int fd, int port)
{
	struct address addr = loopback(port);

	return connect(fd, (void *)&addr.any, addr.len);
}

static int fresh(void)
{
	return socket(family, SOCK_STREAM, 0);
}

static int listener(void)
{
	int fd = fresh();

	if (bind_to(fd, 0) || listen(fd, 10))
		exit(9);
	return fd;
}

/* A port without a listener. */
static int closed_port(void)
{
	int fd = socket(family, SOCK_STREAM, IPPROTO_TCP), port;

	bind_to(fd, 0);
	port = port_of(fd);
	close(fd);
	return port;
}

struct pair {
	int l, c, a;
};

static void join(struct pair *p, int l, int c)
{
	*p = (struct pair){ .l = l, .c = c, .a = -1 };
	if (connect_to(c, port_of(l)) && errno != EINPROGRESS) {
		say("connect=%s", result(-1));
		return;
	}
	wait_for(c, POLLOUT);
	p->a = accept(l, NULL, NULL);
	tell_kind("client", p->c);
	tell_kind("accepted", p->a);
}

static struct pair make_pair(void)
{
	struct pair p;
	int l = listener();

	join(&p, l, fresh());
	return p;
}

static void echo(const struct pair *p)
{
	char byte;

	SAY("send", send(p->c, "x", 1, 0));
	SAY("recv", recv(p->a, &byte, 1, 0));
}

/* A TCP port that accepts no more connections. */
static int hole(void)
{
	int l = (int)syscall(SYS_socket, family, SOCK_STREAM, IPPROTO_TCP), c, i;

	bind_to(l, 0);
	listen(l, 0);
	for (i = 0; i < 3; i++) {
		c = (int)syscall(SYS_socket, family, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP);
		connect_to(c, port_of(l));
	}
	nap(100);
	return port_of(l);
}

static void on_alarm(int number)
{
	ticks++;
}

static void on(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

/* ---- reported type of a socket ---- */

CASE(identity)
{
	struct pair p = make_pair();
	int fds[] = { fresh(), p.l, p.c, p.a };

	for (int i = 0; i < 4; i++)
		say("%d/%d/%d", get(fds[i], SOL_SOCKET, SO_DOMAIN),
		    get(fds[i], SOL_SOCKET, SO_PROTOCOL), get(fds[i], SOL_SOCKET, SO_TYPE));
}

CASE(ioctls)
{
	struct ifreq req = { .ifr_name = "lo" };
	struct timeval stamp;
	int fd = fresh();

	SAY("addr", ioctl(fd, SIOCGIFADDR, &req));
	SAY("mask", ioctl(fd, SIOCGIFNETMASK, &req));
	SAY("flags", ioctl(fd, SIOCGIFFLAGS, &req));
	SAY("stamp", ioctl(fd, 0x8906, &stamp));
	SAY("bogus", ioctl(fd, 0x54ff, NULL));
	SAY("tcgets", ioctl(fd, 0x5401, NULL));
	tell_kind("socket", fd);
}

/* ---- options ---- */

/* Set everything that must be copied to a replacement socket. */
static void dress(int fd)
{
	struct timeval time = { .tv_sec = 3, .tv_usec = 500000 };

	set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	set(fd, SOL_SOCKET, SO_RCVBUF, 40000);
	set(fd, SOL_SOCKET, SO_MARK, 7);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
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

static void undress(int fd)
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

static void refused_option(int name, int value)
{
	int fd = fresh(), l;
	struct pair p;

	dress(fd);
	bind_to(fd, 0);
	SAY("off", set(fd, SOL_SOCKET, name, name == SO_PEEK_OFF ? -1 : 0));
	tell_kind("off", fd);
	SAY("set", set(fd, SOL_SOCKET, name, value));
	say("get=%d bound=%d", get(fd, SOL_SOCKET, name), port_of(fd) > 0);
	undress(fd);
	tell_kind("on", fd);
	nonblocking(fd, false);
	l = listener();
	join(&p, l, fd);
	echo(&p);
}

CASE_OF(peek_off, refused_option(SO_PEEK_OFF, 0))
CASE_OF(txrehash, refused_option(SO_TXREHASH, 1))
CASE_OF(rcvlowat, refused_option(SO_RCVLOWAT, 2))

/* Options without which a program does something else. */
static void unanswered(int level, int name)
{
	int l = listener(), fd = fresh();
	struct pair p;

	SAY("set", set(fd, level, name, 1));
	say("get=%d", get(fd, level, name));
	join(&p, l, fd);
	SAY("connected", set(p.c, level, name, 1));
	echo(&p);
}

CASE_OF(zerocopy, unanswered(SOL_SOCKET, SO_ZEROCOPY))
CASE_OF(inq, unanswered(IPPROTO_TCP, TCP_INQ))
CASE_OF(timestamping, unanswered(SOL_SOCKET, SO_TIMESTAMPING))

/* Values that TCP refuses. */
CASE(values)
{
	static const int names[] = { TCP_CORK,	   TCP_DEFER_ACCEPT,	 TCP_INQ,
				     TCP_FASTOPEN, TCP_FASTOPEN_CONNECT, TCP_FASTOPEN_NO_COOKIE };
	struct pair p = make_pair();
	int fd = fresh(), zero = 0;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		SAY("none", setsockopt(fd, IPPROTO_TCP, names[i], NULL, sizeof(zero)));
		SAY("short", setsockopt(fd, IPPROTO_TCP, names[i], &zero, 3));
		SAY("wrong", set(fd, IPPROTO_TCP, names[i], -1));
		SAY("off", set(fd, IPPROTO_TCP, names[i], 0));
		SAY("connected", setsockopt(p.c, IPPROTO_TCP, names[i], NULL, sizeof(zero)));
	}
	tell_kind("fresh", fd);
}

/* The first client has nothing to say for now. */
CASE(defer_accept)
{
	int l = fresh(), idle = fresh(), busy = fresh();

	SAY("defer", set(l, IPPROTO_TCP, TCP_DEFER_ACCEPT, 60));
	bind_to(l, 0);
	listen(l, 5);
	SAY("idle", connect_to(idle, port_of(l)));
	SAY("busy", connect_to(busy, port_of(l)));
	SAY("send", send(busy, "x", 1, 0));
	say("accepted=%d", accept(l, NULL, NULL) >= 0);
	tell_kind("busy", busy);
}

/* ---- options that protect: TCP keeps others out ---- */

static int set_key(int fd, int name)
{
	struct tcp_md5sig key = { .tcpm_keylen = 6, .tcpm_key = "secret" };
	struct address peer = loopback(0);

	memcpy(&key.tcpm_addr, &peer.any, peer.len);
	if (name == TCP_MD5SIG_EXT) {
		key.tcpm_flags = TCP_MD5SIG_FLAG_PREFIX;
		key.tcpm_prefixlen = 8;
	}
	return setsockopt(fd, IPPROTO_TCP, name, &key, sizeof(key));
}

/* Since Linux 6.7, with CONFIG_TCP_AO: struct tcp_ao_add of <linux/tcp.h>. */
static int set_ao_key(int fd)
{
	struct {
		struct sockaddr_storage addr;
		char name[64];
		int32_t ifindex;
		uint32_t flags;
		uint16_t reserved;
		uint8_t prefix, sndid, rcvid, maclen, keyflags, keylen, key[80];
	} __attribute__((aligned(8))) add = {
		.name = "hmac(sha1)",
		.sndid = 100,
		.rcvid = 100,
		.keylen = 6,
		.key = "secret",
	};
	struct address peer = loopback(0);

	memcpy(&add.addr, &peer.any, peer.len);
	add.prefix = family == AF_INET ? 32 : 128;
	return setsockopt(fd, IPPROTO_TCP, TCP_AO_ADD_KEY, &add, sizeof(add));
}

static int set_hops(int fd, bool least)
{
	if (family == AF_INET)
		return set(fd, IPPROTO_IP, least ? IP_MINTTL : IP_TTL, 255);
	return set(fd, IPPROTO_IPV6, least ? IPV6_MINHOPCOUNT : IPV6_UNICAST_HOPS, 255);
}

static int bound(void)
{
	int fd = fresh();

	bind_to(fd, 0);
	return fd;
}

/* A stranger tries first. The listener's only client is @in. */
static void keep_out(int l, int in)
{
	int out = fresh();
	struct pair p;
	char byte;

	listen(l, 5);
	nonblocking(out, true);
	SAY("stranger", connect_to(out, port_of(l)));
	nonblocking(in, true);
	join(&p, l, in);
	SAY("send", send(p.c, "x", 1, 0));
	SAY("recv", recv(p.a, &byte, 1, 0));
	nonblocking(l, true);
	SAY("more", accept(l, NULL, NULL));
	SAY("name", getpeername(out, &(struct sockaddr){ 0 }, &(socklen_t){ 0 }));
}

static void keys(int l, int name)
{
	int in = fresh();

	SAY("server", set_key(l, name));
	SAY("client", set_key(in, name));
	keep_out(l, in);
}

CASE_OF(key, keys(bound(), TCP_MD5SIG))
CASE_OF(key_prefix, keys(bound(), TCP_MD5SIG_EXT))
CASE_OF(key_listening, keys(listener(), TCP_MD5SIG))

CASE(key_reuseport)
{
	int l = fresh(), in = fresh();

	SAY("key", set_key(l, TCP_MD5SIG));
	SAY("reuseport", set(l, SOL_SOCKET, SO_REUSEPORT, 1));
	bind_to(l, 0);
	SAY("client", set_key(in, TCP_MD5SIG));
	keep_out(l, in);
}

CASE(key_retry)
{
	int l = bound(), in = fresh();

	SAY("refused", connect_to(in, closed_port()));
	SAY("server", set_key(l, TCP_MD5SIG));
	SAY("client", set_key(in, TCP_MD5SIG));
	keep_out(l, in);
}

CASE(key_ao)
{
	int l = bound(), in = fresh(), ret;

	errno = 0;
	ret = set_ao_key(l);
	say_result("server", ret);
	SAY("client", set_ao_key(in));
	if (!ret)
		keep_out(l, in);
}

CASE(hops)
{
	int l = bound(), in = fresh();

	SAY("server", set_hops(l, true));
	SAY("client", set_hops(in, false));
	keep_out(l, in);
}

CASE(filter)
{
	struct sock_filter none = { .code = BPF_RET | BPF_K };
	struct sock_fprog filter = { .len = 1, .filter = &none };
	int l = listener();

	SAY("attach", setsockopt(l, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)));
	tell_kind("listener", l);
}

CASE(hops_connected)
{
	struct pair p = make_pair();

	SAY("set", set_hops(p.a, true));
}

CASE(reuseport)
{
	int one = fresh(), two = fresh(), port, clients[12], n[2] = { 0 };

	dress(one);
	SAY("set", set(one, SOL_SOCKET, SO_REUSEPORT, 1));
	SAY("again", set(one, SOL_SOCKET, SO_REUSEPORT, 1));
	SAY("set2", set(two, SOL_SOCKET, SO_REUSEPORT, 1));
	say("get=%d", get(one, SOL_SOCKET, SO_REUSEPORT));
	undress(one);
	SAY("bind", bind_to(one, 0));
	port = port_of(one);
	SAY("bind2", bind_to(two, port));
	listen(one, 20);
	listen(two, 20);
	nonblocking(two, true);
	tell_kind("one", one);
	tell_kind("two", two);
	for (int i = 0; i < 12; i++) {
		clients[i] = fresh();
		connect_to(clients[i], port);
	}
	nap(300);
	while (accept(one, NULL, NULL) >= 0)
		n[0]++;
	while (accept(two, NULL, NULL) >= 0)
		n[1]++;
	say("total=%d", n[0] + n[1]);
}

CASE(reuseport_bound)
{
	int fd = fresh(), port;

	bind_to(fd, 0);
	port = port_of(fd);
	SAY("set", set(fd, SOL_SOCKET, SO_REUSEPORT, 1));
	say("same=%d", port_of(fd) == port);
	SAY("listen", listen(fd, 1));
	tell_kind("socket", fd);
}

CASE(fast_open)
{
	int l = fresh(), c = fresh();
	struct pair p;

	SAY("tfo", set(l, IPPROTO_TCP, TCP_FASTOPEN, 5));
	SAY("no_cookie", set(l, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, 1));
	SAY("key", setsockopt(l, IPPROTO_TCP, TCP_FASTOPEN_KEY, "0123456789abcdef", 16));
	bind_to(l, 0);
	listen(l, 5);
	SAY("connect", set(c, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1));
	join(&p, l, c);
	echo(&p);
}

CASE(collisions)
{
	int l = fresh(), c = fresh();
	struct pair p;

	if (family == AF_INET6) {
		SAY("discover", set(l, IPPROTO_IPV6, IPV6_MTU_DISCOVER, 2));
		SAY("flow", set(c, IPPROTO_IPV6, 33, 1));
	}
	SAY("checksum", set(l, IPPROTO_IP, 23, 1));
	SAY("loop", set(c, IPPROTO_IP, IP_MULTICAST_LOOP, 0));
	bind_to(l, 0);
	listen(l, 5);
	SAY("listening", set(l, IPPROTO_IP, IP_MULTICAST_LOOP, 1));
	join(&p, l, c);
	SAY("connected", set(p.c, IPPROTO_IP, IP_MULTICAST_LOOP, 0));
	echo(&p);
}

static void short_options(int fd)
{
	unsigned char tos = 16, ttl = 44;
	char name[16] = "";
	socklen_t len = sizeof(name);

	SAY("tos", setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, 1));
	SAY("ttl", setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, 1));
	SAY("tos2", setsockopt(fd, IPPROTO_IP, IP_TOS, "\10\0", 2));
	SAY("none", setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, 0));
	SAY("bogus", setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "no!", 3));
	SAY("tcp", setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &tos, 1));
	SAY("options", setsockopt(fd, IPPROTO_IP, IP_OPTIONS, NULL, 0));
	setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
	getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len);
	say("now %d %d %s", get(fd, IPPROTO_IP, IP_TOS), get(fd, IPPROTO_IP, IP_TTL), name);
}

CASE(short)
{
	struct pair p = make_pair();
	int fd = fresh();

	short_options(fd);
	short_options(p.c);
	tell_kind("fresh", fd);
}

static void say_linger(const char *name, int fd)
{
	struct linger linger = { 0 };
	socklen_t len = sizeof(linger);

	getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len);
	say("%s=%d,%d", name, linger.l_onoff, linger.l_linger);
}

static size_t read_all(int fd)
{
	static char data[65536];
	size_t total = 0;
	ssize_t n;

	while ((n = recv(fd, data, sizeof(data), 0)) > 0)
		total += (size_t)n;
	say("end=%s", result(n));
	return total;
}

static const char data[60000];

CASE(linger)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 5 };
	int l = listener(), c = fresh();
	struct pair p;

	setsockopt(c, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	say_linger("before", c);
	join(&p, l, c);
	say_linger("after", p.c);
	SAY("send", send(p.c, data, sizeof(data), 0));
	if (!fork()) {
		close(p.c);
		_exit(0);
	}
	SAY("close", close(p.c));
	nap(100);
	say("read=%zu", read_all(p.a));
}

CASE(linger_listener)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 5 };
	int l = fresh();
	struct pair p;

	setsockopt(l, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	bind_to(l, 0);
	listen(l, 5);
	say_linger("listener", l);
	join(&p, l, fresh());
	say_linger("accepted", p.a);
	SAY("send", send(p.a, data, sizeof(data), 0));
	SAY("close", close(p.a));
	nap(100);
	say("read=%zu", read_all(p.c));
}

/* ---- connect ---- */

CASE(retry)
{
	int l = listener(), c = fresh();
	struct pair p;

	SAY("refused", connect_to(c, closed_port()));
	say("error=%d", get(c, SOL_SOCKET, SO_ERROR));
	SAY("again", connect_to(c, closed_port()));
	join(&p, l, c);
	echo(&p);
}

CASE(retry_nonblocking)
{
	int l = listener(), c = fresh(), port = closed_port();
	struct pair p;

	dress(c);
	SAY("first", connect_to(c, port));
	wait_for(c, POLLOUT);
	say("error=%d", get(c, SOL_SOCKET, SO_ERROR));
	say("error=%d", get(c, SOL_SOCKET, SO_ERROR));
	SAY("second", connect_to(c, port));
	SAY("third", connect_to(c, port));
	wait_for(c, POLLOUT);
	SAY("fourth", connect_to(c, port));
	undress(c);
	join(&p, l, c);
	echo(&p);
}

CASE(in_use)
{
	struct pair p = make_pair();

	SAY("listener", connect_to(p.l, port_of(p.l)));
	SAY("connected", connect_to(p.c, port_of(p.l)));
	close(p.a);
	wait_for(p.c, POLLIN);
	SAY("closed_by_peer", connect_to(p.c, port_of(p.l)));
	SAY("shutdown", shutdown(p.c, SHUT_WR));
}

/* Only the family is wrong, or also the length. */
CASE(families)
{
	struct sockaddr_in6 other = { .sin6_family = AF_UNIX };
	struct pair p = make_pair();
	int fds[] = { fresh(), p.l, p.c }, i;

	for (i = 0; i < 3; i++) {
		other.sin6_family = AF_UNIX;
		SAY("other", connect(fds[i], (void *)&other, sizeof(other)));
		SAY("shorter", connect(fds[i], (void *)&other, 20));
		SAY("short", connect(fds[i], (void *)&other, 8));
		other.sin6_family = family == AF_INET ? AF_INET6 : AF_INET;
		SAY("swapped", connect(fds[i], (void *)&other, sizeof(other)));
	}
	tell_kind("fresh", fds[0]);
}

CASE(unspec)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int fd = fresh(), l = listener();
	struct pair p;

	SAY("fresh", connect(fd, &none, sizeof(none)));
	join(&p, l, fd);
	SAY("unspec", connect(fd, &none, sizeof(none)));
	kinds[0] = '\0';
	join(&p, l, fd);
	echo(&p);
}

CASE(epoll)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT, .data.u64 = 0xfedcba9876543210 };
	int ep = epoll_create1(EPOLL_CLOEXEC), fd = fresh(), l = listener();
	struct pair p;

	epoll_ctl(ep, EPOLL_CTL_ADD, l, &event);
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
	epoll_ctl(ep, EPOLL_CTL_DEL, l, &event);
	SAY("lowat", set(fd, SOL_SOCKET, SO_RCVLOWAT, 2));
	join(&p, l, fd);
	memset(&event, 0, sizeof(event));
	SAY("wait", epoll_wait(ep, &event, 1, 1000));
	say("%x %llx", event.events, (unsigned long long)event.data.u64);
	SAY("mod", epoll_ctl(ep, EPOLL_CTL_MOD, fd, &event));
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

CASE(self)
{
	int fd = fresh();

	bind_to(fd, 0);
	nonblocking(fd, true);
	connect_to(fd, port_of(fd));
	wait_for(fd, POLLOUT);
	say("error=%d", get(fd, SOL_SOCKET, SO_ERROR));
}

CASE(send_timeout)
{
	struct timeval time = { .tv_usec = 300000 };
	int fd = fresh(), port = hole();
	double start = seconds();

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
	SAY("connect", connect_to(fd, port));
	SAY("again", connect_to(fd, port));
	say("soon=%d flags=%x", seconds() - start < 10, (unsigned int)fcntl(fd, F_GETFL));
	tell_kind("socket", fd);
}

CASE(send_timeout_ok)
{
	struct timeval time = { .tv_sec = 30 };
	int l = listener(), c = fresh();
	struct pair p;

	setsockopt(c, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
	SAY("refused", connect_to(c, closed_port()));
	join(&p, l, c);
	echo(&p);
	SAY("again", connect_to(c, port_of(l)));
}

CASE(late_error)
{
	int fd = fresh();

	set(fd, IPPROTO_TCP, TCP_SYNCNT, 1);
	set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 1500);
	nonblocking(fd, true);
	SAY("connect", connect_to(fd, hole()));
	wait_for(fd, POLLOUT);
	wait_for(fd, POLLOUT);
	say("error=%d", get(fd, SOL_SOCKET, SO_ERROR));
}

static void storm(int us)
{
	struct itimerval often = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &often, NULL);
}

/* Connect until a signal arrives. */
CASE(signals)
{
	int l = listener(), port = port_of(l), failed = 0, i, c;
	pid_t server;

	on(SIGALRM, on_alarm, SA_RESTART);
	server = fork();
	if (!server) {
		storm(0);
		for (;;)
			close(accept(l, NULL, NULL));
	}
	storm(4000);
	for (i = 0; i < 20 || (!ticks && i < 100000); i++) {
		c = fresh();
		failed += connect_to(c, port) && (say("%s", result(-1)), true);
		close(c);
	}
	storm(0);
	kill(server, SIGKILL);
	say("failed=%d signals=%d", failed, ticks > 0);
}

CASE(signal_ends)
{
	int c = fresh(), port = hole();

	on(SIGALRM, on_alarm, 0);
	storm(200000);
	SAY("connect", connect_to(c, port));
	storm(0);
	nonblocking(c, true);
	SAY("again", connect_to(c, port));
	say("poll=%s error=%d", events(c), get(c, SOL_SOCKET, SO_ERROR));
}

CASE(devices)
{
	int one = fresh(), two = fresh();
	struct sockaddr_in6 any = { .sin6_family = (sa_family_t)family };
	socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(any);

	SAY("lo", setsockopt(one, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2));
	SAY("other", setsockopt(two, SOL_SOCKET, SO_BINDTODEVICE, "other", 5));
	SAY("bind", bind(one, (void *)&any, len));
	SAY("listen", listen(one, 1));
	any.sin6_port = htons(port_of(one));
	SAY("bind2", bind(two, (void *)&any, len));
	SAY("listen2", listen(two, 1));
	tell_kind("one", one);
	tell_kind("two", two);
}

static void say_peer(const char *name, int fd)
{
	struct sockaddr_in6 peer = { 0 };
	socklen_t len = sizeof(peer);

	SAY(name, getpeername(fd, (void *)&peer, &len));
	say("%u is_there=%d", len, peer.sin6_port != 0);
}

CASE(peer_name)
{
	struct pair p = make_pair();
	socklen_t len = 0;

	say_peer("fresh", fresh());
	say_peer("listener", p.l);
	SAY("shut", shutdown(p.c, SHUT_WR));
	say_peer("shut", p.c);
	SAY("null", getpeername(p.c, NULL, &len));
	len = 16;
	SAY("null", getpeername(p.c, NULL, &len));
	SAY("null", getpeername(p.c, NULL, NULL));
	say_peer("peer", p.a);
	SAY("both", shutdown(p.c, SHUT_RDWR));
	say_peer("both", p.c);
}

/* ---- splice ---- */

CASE(splice)
{
	struct pair p = make_pair();
	int ends[2], other[2];
	char text[16] = "";

	if (pipe(ends) || pipe(other))
		return;
	nonblocking(p.a, true);
	SAY("empty", splice(p.a, NULL, ends[1], NULL, 100, 0));
	nonblocking(p.a, false);
	send(p.c, "hello", 5, 0);
	SAY("splice", splice(p.a, NULL, ends[1], NULL, 100, 0));
	SAY("tee", tee(ends[0], other[1], 100, 0));
	send(p.c, "abc", 3, 0);
	wait_for(p.a, POLLIN);
	/* The pipe still has bytes. */
	SAY("recv", recv(p.a, text, sizeof(text), MSG_DONTWAIT));
	SAY("pipe", read(ends[0], text, 3));
	say("%.3s", text);
	SAY("pipe", read(ends[0], text, sizeof(text)));
	close(p.c);
	wait_for(p.a, POLLRDHUP);
	SAY("end", splice(p.a, NULL, ends[1], NULL, 100, SPLICE_F_NONBLOCK));
	SAY("nopipe", splice(p.a, NULL, p.a, NULL, 100, 0));
}

CASE(splice_full)
{
	static char much[100000];
	struct pair p = make_pair();
	long total = 0, n;
	int ends[2];

	if (pipe(ends))
		return;
	for (n = 0; n < 10; n++)
		send(p.c, much, 5000, MSG_DONTWAIT);
	fcntl(ends[1], F_SETPIPE_SZ, 4096);
	SAY("first", splice(p.a, NULL, ends[1], NULL, 4096, SPLICE_F_NONBLOCK) > 0);
	SAY("full", splice(p.a, NULL, ends[1], NULL, 100, SPLICE_F_NONBLOCK));
	nonblocking(ends[0], true);
	while (read(ends[0], much, sizeof(much)) > 0)
		;
	shutdown(p.c, SHUT_WR);
	while ((n = splice(p.a, NULL, ends[1], NULL, 3000, 0)) > 0) {
		total += n;
		while (read(ends[0], much, sizeof(much)) > 0)
			;
	}
	say("last=%ld all=%d", n, total > 40000);
}

/* ---- shutdown while others wait ---- */

struct waiter {
	const char *name;
	long (*call)(int fd);
	int fd, err;
	long ret;
	pthread_t thread;
};

static void *wait_in_thread(void *arg)
{
	struct waiter *self = arg;

	errno = 0;
	self->ret = self->call(self->fd);
	self->err = errno;
	return NULL;
}

static long call_accept(int fd)
{
	return accept(fd, NULL, NULL);
}

static long call_accept4(int fd)
{
	return accept4(fd, NULL, NULL, SOCK_CLOEXEC);
}

static long call_recv(int fd)
{
	char byte;

	return recv(fd, &byte, 1, 0);
}

static long call_poll(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, -1);
}

static long call_poll_briefly(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 1000);
}

static long call_select(int fd)
{
	fd_set in;

	FD_ZERO(&in);
	FD_SET(fd, &in);
	return select(fd + 1, &in, NULL, NULL, NULL);
}

/* The events, without EPOLLOUT. */
static long call_epoll(int fd)
{
	struct epoll_event event;

	return epoll_wait(fd, &event, 1, -1) == 1 ? (int)event.events & ~EPOLLOUT : -1;
}

static int watch(int fd, unsigned int what)
{
	struct epoll_event event = { .events = what };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
	if (what & EPOLLOUT)
		epoll_wait(ep, &event, 1, 0);
	return ep;
}

static void start_waiters(struct waiter *waiters, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pthread_create(&waiters[i].thread, NULL, wait_in_thread, &waiters[i]);
	nap(300);
}

/* If one is never woken, the case hangs. */
static void end_waiters(struct waiter *waiters, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pthread_join(waiters[i].thread, NULL);
		errno = waiters[i].err;
		say_result(waiters[i].name, waiters[i].ret);
	}
}

/* State of a listener and its address after shutdown(); then listen again. */
static void tell_shut(int l, int port)
{
	struct pair p;

	say("events=%s accepting=%d same=%d", events(l), get(l, SOL_SOCKET, SO_ACCEPTCONN),
	    port_of(l) == port);
	SAY("accept", accept(l, NULL, NULL));
	SAY("connect", connect_to(fresh(), port));
	SAY("listen", listen(l, 5));
	say("same=%d", port_of(l) == port);
	nonblocking(l, false);
	join(&p, l, fresh());
	tell_kind("listener", l);
	echo(&p);
}

/* A port chosen by the kernel would be lost with shutdown(). */
static int listener_at(int port)
{
	int l = fresh();

	/* As servers do: over SMC, a connection of the library may keep the port in FIN_WAIT2. */
	set(l, SOL_SOCKET, SO_REUSEADDR, 1);
	bind_to(l, port);
	SAY("listen", listen(l, 5));
	return l;
}

static void shut_listener(int how)
{
	int port = closed_port(), l = listener_at(port);
	struct waiter waiters[] = {
		{ "accept", call_accept, l },
		{ "accept4", call_accept4, l },
		{ "accept", call_accept, l },
		{ "poll", call_poll, l },
		{ "poll", call_poll, l },
		{ "select", call_select, l },
		{ "epoll", call_epoll, watch(l, EPOLLIN | EPOLLRDHUP) },
		{ "edge", call_epoll, watch(l, EPOLLIN | EPOLLET) },
	};

	start_waiters(waiters, 8);
	SAY("shutdown", shutdown(l, how));
	end_waiters(waiters, 8);
	tell_shut(l, port);
}

CASE_OF(shut_listener, shut_listener(SHUT_RDWR))
CASE_OF(shut_listener_read, shut_listener(SHUT_RD))

CASE(shut_listener_write)
{
	struct pair p;
	int l = listener();

	SAY("shutdown", shutdown(l, SHUT_WR));
	say("accepting=%d", get(l, SOL_SOCKET, SO_ACCEPTCONN));
	join(&p, l, fresh());
	echo(&p);
}

CASE(shut_listener_idle)
{
	int port = closed_port(), l = listener_at(port);

	nonblocking(l, true);
	SAY("shutdown", shutdown(l, SHUT_RDWR));
	tell_shut(l, port);
}

/* A child has the listener, too: it may go on with it over SMC. */
CASE(shut_listener_shared)
{
	int l = listener();
	struct waiter waiter = { "accept", call_accept, l };
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	start_waiters(&waiter, 1);
	SAY("shutdown", shutdown(l, SHUT_RDWR));
	end_waiters(&waiter, 1);
	SAY("accept", accept(l, NULL, NULL));
	kill(child, SIGKILL);
}

static int listening;

static void on_stop(int number)
{
	int saved = errno;

	ticks = 10 + shutdown(listening, SHUT_RDWR);
	errno = saved;
}

CASE(shut_listener_signal)
{
	struct itimerval soon = { .it_value.tv_usec = 300000 };

	listening = listener();
	on(SIGALRM, on_stop, SA_RESTART);
	setitimer(ITIMER_REAL, &soon, NULL);
	say("accept=%s", result(accept(listening, NULL, NULL)));
	say("shutdown=%d", ticks - 10);
}

CASE(shut_read)
{
	struct pair p = make_pair();
	struct waiter waiters[] = {
		{ "recv", call_recv, p.c },
		{ "writable", call_epoll, watch(p.c, EPOLLIN | EPOLLOUT | EPOLLET) },
	};

	start_waiters(waiters, 2);
	SAY("shutdown", shutdown(p.c, SHUT_RD));
	end_waiters(waiters, 2);
	SAY("send", send(p.c, "x", 1, 0));
	SAY("recv", recv(p.a, &(char){ 0 }, 1, 0));
}

/* Count the rounds in which shutdown() did not wake poll(). */
CASE(shut_both)
{
	struct waiter waiter = { "poll", call_poll_briefly, -1 };
	int l = listener(), lost = 0, i;
	struct pair p;

	for (i = 0; i < 50 && lost < 3; i++) {
		kinds[0] = '\0';
		join(&p, l, fresh());
		waiter.fd = p.c;
		pthread_create(&waiter.thread, NULL, wait_in_thread, &waiter);
		nap(10);
		shutdown(p.c, SHUT_RDWR);
		pthread_join(waiter.thread, NULL);
		lost += !waiter.ret;
		close(p.c);
		close(p.a);
	}
	say("lost=%d", lost);
}

CASE(listen_after_connect)
{
	struct address group = loopback(9);
	int l = fresh();
	struct pair p;

	if (family == AF_INET)
		((struct sockaddr_in *)&group.any)->sin_addr.s_addr = htonl(INADDR_ALLHOSTS_GROUP);
	else
		((struct sockaddr_in6 *)&group.any)->sin6_addr.s6_addr[0] = 0xff;
	SAY("connect", connect(l, (void *)&group.any, group.len));
	SAY("bind", bind_to(l, 0));
	SAY("listen", listen(l, 5));
	join(&p, l, fresh());
	tell_kind("listener", l);
	echo(&p);
}

/* ---- delayed data ---- */

static void tell_all(int fd)
{
	char text[2000];
	ssize_t n, total = 0;

	wait_for(fd, POLLIN);
	while ((n = recv(fd, text, sizeof(text), MSG_DONTWAIT)) > 0) {
		total += n;
		wait_for(fd, POLLIN);
	}
	say("got=%zd", total);
	say_result("end", n);
}

/* The peer has read everything, so its reading triggers no update. */
static struct pair make_drained_pair(void)
{
	struct pair p = make_pair();

	echo(&p);
	return p;
}

CASE(sendfile)
{
	struct pair p = make_drained_pair();
	int file = memfd_create("file", 0);
	char text[1000] = "";
	off_t pos = 0;

	SAY("file", write(file, text, sizeof(text)));
	SAY("sendfile", sendfile(p.c, file, &pos, 100000));
	wait_for(p.a, POLLIN);
	SAY("recv", recv(p.a, text, sizeof(text), MSG_DONTWAIT));
	SAY("cork", set(p.c, IPPROTO_TCP, TCP_CORK, 1));
	pos = 500;
	SAY("sendfile", sendfile(p.c, file, &pos, 100000));
	wait_for(p.a, POLLIN);
	SAY("recv", recv(p.a, text, sizeof(text), MSG_DONTWAIT));
	say("nodelay=%d", get(p.c, IPPROTO_TCP, TCP_NODELAY));
}

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
	say("write=%s", n == sizeof(block) ? "all" : n > 0 ? "some" : result(n));
	close(p.c);
	waitpid(reader, NULL, 0);
}

CASE(more_close)
{
	struct pair p = make_drained_pair();

	SAY("send", send(p.c, "hello", 5, MSG_MORE));
	SAY("close", close(p.c));
	tell_all(p.a);
}

CASE(more_shutdown)
{
	struct pair p = make_drained_pair();

	SAY("send", send(p.c, "hello", 5, MSG_MORE));
	SAY("shutdown", shutdown(p.c, SHUT_WR));
	tell_all(p.a);
}

CASE(cork_left)
{
	int l = listener(), c = fresh();
	struct pair p;

	SAY("cork", set(c, IPPROTO_TCP, TCP_CORK, 1));
	join(&p, l, c);
	echo(&p);
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
	char byte;

	SAY("send", send(p.c, "x", 1, 0));
	say("queued=%d", unsent_bytes(p.c));
	SAY("recv", recv(p.a, &byte, 1, 0));
	SAY("shutdown", shutdown(p.c, SHUT_WR));
	SAY("end", recv(p.a, &byte, 1, 0));
	say("queued=%d", unsent_bytes(p.c));
}

CASE(cork_close)
{
	struct pair p = make_drained_pair();

	SAY("cork", set(p.c, IPPROTO_TCP, TCP_CORK, 1));
	SAY("send", send(p.c, "hello", 5, 0));
	SAY("close", close(p.c));
	tell_all(p.a);
}

/* ---- data, by each call that writes or reads ---- */

/* More than TCP sends without a reader. */
static char much[4 << 20];
static volatile sig_atomic_t pipes, pipe_thread;

/* A handler that changes errno: it runs before the call returns. */
static void on_pipe(int number)
{
	pipes++;
	pipe_thread = gettid();
	errno = 0;
}

/* A pair whose client does not send much ahead. */
static struct pair make_narrow_pair(void)
{
	struct pair p = make_pair();

	for (size_t i = 0; i < sizeof(much); i++)
		much[i] = (char)(i % 251);
	set(p.c, SOL_SOCKET, SO_SNDBUF, 65536);
	on(SIGPIPE, on_pipe, 0);
	pipes = 0;
	return p;
}

static void part(struct pair *p)
{
	close(p->c);
	close(p->a);
	close(p->l);
}

static void say_amount(const char *name, ssize_t n, size_t len)
{
	if (n <= 0)
		say_result(name, n);
	else
		say("%s=%s", name, n == (ssize_t)len ? "all" : "some");
}

/* Return: true if @total right bytes arrive. */
static bool arrives(int fd, size_t total)
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

/* A process that begins to read when the writer waits, and exits 0 if all right bytes arrive. */
static pid_t start_reader(struct pair *p, size_t total)
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

static void say_status(const char *name, pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	say("%s=%d", name, status);
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

/* Full means no progress for two seconds: a busy kernel still moves data to the peer. */
static size_t fill(int fd)
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

static void limit_sends(int fd, int ms)
{
	struct timeval time = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

/* A blocked write returns with a part of its bytes, for one of these reasons. */
static void write_parts(int ms, int tick_ms, int signal_flags, int open_flags, int flags)
{
	on(SIGALRM, on_alarm, signal_flags);
	for (int way = 0; way < (flags ? OUT_FLAGS : OUT_COPIES); way++) {
		struct pair p = make_narrow_pair();
		ssize_t n;

		limit_sends(p.c, ms);
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
	limit_sends(p.c, 50);
	write_full(p.c, 0);
	limit_sends(p.c, 60000);
	on(SIGALRM, on_alarm, SA_RESTART);
	storm(50000);
	write_full(p.c, 0);
	limit_sends(p.c, 0);
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

/* A child that has the accepted end, and ends without reading the data that arrives. */
static pid_t leave_unread(struct pair *p)
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
	tell_all(p.a);
}

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

/* ---- calls that end early, or interrupt others ---- */

struct call {
	int fd, way;
	bool reads;
	atomic_bool cleaned;
};

static void clean(void *call)
{
	sigset_t mask;
	bool blocked = false;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int i = 1; i < 32; i++)
		blocked |= sigismember(&mask, i) == 1;
	((struct call *)call)->cleaned = !blocked;
}

static void *call_for_long(void *arg)
{
	struct call *call = arg;

	pthread_cleanup_push(clean, call);
	if (call->reads)
		read_by(call->way, call->fd, (char[16]){ 0 }, 16, 0);
	else
		write_by(call->way, call->fd, much, sizeof(much), 0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(bool reads)
{
	for (int way = 0; way < (reads ? (int)IN_COPIES : (int)OUT_COPIES); way++) {
		struct pair p = make_narrow_pair(), other = make_pair();
		struct call call = { .fd = p.c, .way = way, .reads = reads };
		pthread_t thread;
		void *value = NULL;

		pthread_create(&thread, NULL, call_for_long, &call);
		if (!reads)
			wait_for(p.a, POLLIN);
		nap(100);
		pthread_cancel(thread);
		pthread_join(thread, &value);
		say("%s=%d cleaned=%d", reads ? ins[way] : outs[way], value == PTHREAD_CANCELED,
		    call.cleaned);
		echo(&other);
		part(&p);
		part(&other);
	}
	on(SIGALRM, on_alarm, 0);
	storm(1000);
	wait_for(-1, 0);
	storm(0);
	say("ticks=%d", ticks > 0);
}

CASE_OF(cancel_write, cancel(false))
CASE_OF(cancel_read, cancel(true))

CASE(vfork_write)
{
	struct pair p = make_narrow_pair();
	pid_t reader = start_reader(&p, sizeof(much)), child = vfork();
	static volatile ssize_t n;

	if (!child) {
		n = write(p.c, much, sizeof(much) / 2);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	say_amount("child", n, sizeof(much) / 2);
	n = write(p.c, much + sizeof(much) / 2, sizeof(much) / 2);
	say_amount("parent", n, sizeof(much) / 2);
	part(&p);
	say_status("reader", reader);
}

static int other_end;
static volatile sig_atomic_t written;

static void write_on_alarm(int number)
{
	written += write(other_end, "t", 1) == 1;
	ticks++;
}

CASE(handler_write)
{
	struct pair p = make_narrow_pair(), other = make_pair();
	pid_t reader = start_reader(&p, sizeof(much));
	size_t pos = 0;
	ssize_t n = 1;

	other_end = other.c;
	on(SIGALRM, write_on_alarm, SA_RESTART);
	storm(10000);
	for (; pos < sizeof(much) && n > 0; pos += n > 0 ? (size_t)n : 0)
		n = write(p.c, much + pos, sizeof(much) - pos);
	storm(0);
	part(&p);
	say_status("reader", reader);
	close(other.c);
	say("written=%d arrived=%d", written == ticks, read_all(other.a) == (size_t)ticks);
}

/* ---- unsent data: the reader starts late ---- */

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

/* Prints the number of sent bytes before it ends. */
static int write_to(const char *address, const char *port, enum end end)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };
	int fd = fresh();

	if (inet_pton(AF_INET, address, &to.sin_addr) != 1 || connect(fd, (void *)&to, sizeof(to)))
		return 1;
	printf("%zu\n", fill(fd));
	fflush(stdout);
	leave(fd, end);
	return 0;
}

CASE_OF(unsent_shut_write, unsent_shutdown(SHUT_WR))
CASE_OF(unsent_shut_both, unsent_shutdown(SHUT_RDWR))
CASE_OF(unsent_exec, unsent(END_EXEC))
CASE_OF(unsent_exit, unsent(END_EXIT))
CASE_OF(unsent_close, unsent(END_CLOSE))

/* ---- processes ---- */

static struct {
	pid_t pid;
	int out;
} running[200];

static void start(size_t i)
{
	int out = memfd_create("out", MFD_CLOEXEC);

	/* Use high numbers: cases expect the lowest descriptors to be free. */
	running[i].out = fcntl(out, F_DUPFD_CLOEXEC, 100);
	close(out);
	fflush(stdout);
	running[i].pid = fork();
	if (running[i].pid)
		return;
	dup2(running[i].out, STDOUT_FILENO);
	printf("%s\t", cases[i].name);
	fflush(stdout);
	cases[i].run();
	printf("\t%s\n", kinds);
	/* Not _exit(): coverage data is written at exit. */
	exit(0);
}

static void end(size_t i)
{
	pid_t pid = running[i].pid;
	char text[1024];
	int status = 0, ms;
	ssize_t len;

	for (ms = 0; ms < LIMIT * 1000 && !waitpid(pid, &status, WNOHANG); ms += 20)
		nap(20);
	if (ms >= LIMIT * 1000)
		kill(pid, SIGKILL), waitpid(pid, &status, 0);
	len = pread(running[i].out, text, sizeof(text), 0);
	fwrite(text, 1, len > 0 ? (size_t)len : 0, stdout);
	if (WIFSIGNALED(status))
		printf(" HANG\t\n");
	close(running[i].out);
}

static bool waits(size_t i)
{
	return strstr(cases[i].name, "unsent_");
}

static bool is_wanted(size_t i, char **names)
{
	bool wanted = !*names;

	for (; *names; names++)
		wanted |= !strcmp(*names, cases[i].name);
	return wanted;
}

static enum end end_named(const char *name)
{
	static const char *const names[] = { "unsent_exit", "unsent_exec", "unsent_close" };
	enum end end = END_EXIT;

	while (end < END_UNKNOWN && strcmp(names[end], name))
		end++;
	return end;
}

int main(int argc, char **argv)
{
	char **names = argv + 1;
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	if (argc == 5 && !strcmp(argv[1], "-w"))
		return write_to(argv[2], argv[3], end_named(argv[4]));
	if (argc > 1 && !strcmp(argv[1], "-6")) {
		family = AF_INET6;
		names++;
	}
	for (i = 0; i < n_cases; i++) {
		if (is_wanted(i, names) && !waits(i)) {
			start(i);
			end(i);
		}
	}
	for (i = 0; i < n_cases; i++)
		if (is_wanted(i, names) && waits(i))
			start(i);
	for (i = 0; i < n_cases; i++)
		if (is_wanted(i, names) && waits(i))
			end(i);
	return 0;
}
