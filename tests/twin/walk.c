// SPDX-License-Identifier: MIT
/*
 * Random walks: programs of 3 to 12 steps that a seed determines, so that all sides run the same.
 *
 * A walk has a listener and three other sockets at most. It knows what must arrive at each end, and
 * waits for that after each step: nothing that it prints depends on time. Steps block only if they
 * need not wait. Steps that are known to differ are left out, see known[].
 */
#include <sys/select.h>

#include "twin.h"

/**
 * struct end - what must be true of a socket; processes share it
 * @in: bytes to read; @sent, @got: places in the streams
 * @fin, @reset: what the peer has sent; @fin_first: before a reset, or instead of one over SMC
 * @shut: the end's own directions, POLLIN and POLLOUT
 * @used: true if it has listened or been connected
 * @clients: those that wait for accept(2)
 */
struct end {
	struct end *peer, *clients[16];
	int in, n_clients, users;
	unsigned int sent, got, shut;
	bool fin, reset, fin_first, closed, starts, listens, used, nonblocking, limited;
};

struct slot {
	int fd;
	struct end *end;
	char name;
};

/* States of TCP, as in TCP_INFO. */
enum { ESTABLISHED = 1, FIN_WAIT1 = 4, FIN_WAIT2, CLOSE = 7, LAST_ACK = 9, CLOSING = 11 };

#define N_ENDS 64
#define BATCH 50

/* Where a step runs: with an empty slot; with a socket; with a socket, perhaps in a child. */
enum place { EMPTY, HERE, ANYWHERE };

struct step {
	void (*run)(struct slot *s, unsigned int n);
	unsigned int weight;
	enum place place;
};

static struct slot slots[] = { { .name = 'a' }, { .name = 'b' }, { .name = 'c' }, { .name = 'l' } };
static struct slot *const last = &slots[3];
static struct end *ends;
static int n_ends, ep, n_holders;
static unsigned long luck;
static pid_t holders[16];
/* Seconds that settle() waits */
static double patience;

/* Print and return the result of a call. */
#define DO(slot, step, call) (errno = 0, say_step((slot)->name, step, call))

static unsigned int dice(unsigned int sides)
{
	luck ^= luck << 13;
	luck ^= luck >> 7;
	luck ^= luck << 17;
	return (unsigned int)(luck >> 20) % sides;
}

static struct end *new_end(void)
{
	struct end *end = &ends[n_ends++];

	end->users = 1;
	return end;
}

static void fill_slot(struct slot *s, int fd, struct end *end)
{
	if (fd >= 0)
		*s = (struct slot){ fd, end, s->name };
}

static bool is_free(const struct slot *s)
{
	return s->fd < 0;
}

static void part_ends(struct end *end, bool reset)
{
	struct end *peer = end->peer;

	if (peer && reset) {
		peer->reset = true;
		peer->fin_first = peer->fin;
	}
	if (peer)
		peer->fin = true;
	for (int i = 0; i < end->n_clients; i++)
		end->clients[i]->peer->reset = end->clients[i]->peer->fin_first =
			end->clients[i]->closed = true;
	end->n_clients = 0;
	end->listens = false;
}

/* The last descriptor is closed. */
static void end_users(struct end *end)
{
	if (--end->users)
		return;
	part_ends(end, end->in > 0 && !(end->fin && end->shut & POLLOUT));
	end->closed = true;
}

static bool is_settled(const struct slot *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN | POLLOUT | POLLRDHUP };
	const struct end *end = s->end;
	unsigned int wrong = 0;
	struct tcp_info info;
	socklen_t len = sizeof(int);
	int n = 0;

	poll(&p, 1, 0);
	if ((end->starts && !(p.revents & (POLLOUT | POLLERR | POLLHUP))) ||
	    (end->n_clients && !(p.revents & POLLIN)) ||
	    ((end->fin || end->reset) && !(p.revents & POLLRDHUP)))
		return false;
	if (end->in && !end->reset && !ioctl(s->fd, FIONREAD, &n) && n < end->in)
		return false;
	syscall(SYS_getsockopt, s->fd, SOL_SOCKET, SO_PROTOCOL, &n, &len);
	len = sizeof(info);
	if (n != IPPROTO_TCP || getsockopt(s->fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return true;
	/* Acknowledged ends of streams change events. */
	if (end->fin)
		wrong |= 1 << ESTABLISHED | 1 << FIN_WAIT1 | 1 << FIN_WAIT2;
	if (end->shut & POLLOUT)
		wrong |= 1 << FIN_WAIT1 | 1 << LAST_ACK | 1 << CLOSING;
	if (end->reset)
		wrong = ~(1U << CLOSE);
	return !(wrong >> info.tcpi_state & 1);
}

/* Only the first event that does not come costs time. */
static void settle(void)
{
	for (struct slot *s = slots; s <= last; s++) {
		double end = seconds() + patience;

		while (!is_free(s) && !is_settled(s) && seconds() < end)
			nap(1);
		if (is_free(s))
			continue;
		if (seconds() >= end) {
			say("%c.late", s->name);
			patience = 0.1;
		}
		s->end->starts = false;
	}
}

static void do_socket(struct slot *s, unsigned int n)
{
	int flags = n % 3 ? 0 : SOCK_NONBLOCK, fd = fresh_with(flags);

	say("%c=socket(%s)", s->name, flags ? "NONBLOCK" : "");
	fill_slot(s, fd, new_end());
	s->end->nonblocking = flags;
}

static struct slot *a_listener(unsigned int n)
{
	for (size_t i = n; i < n + 4; i++)
		if (slots[i % 4].fd >= 0 && slots[i % 4].end->listens)
			return &slots[i % 4];
	return NULL;
}

static void do_bind(struct slot *s, unsigned int n)
{
	static const char *const names[] = { "bind", "bind(used)", "bind(l)" };
	const int ports[] = { 0, refused_port(), is_free(last) ? 0 : port_of(last->fd) };

	n %= 3;
	DO(s, names[n], bind_to(s->fd, ports[n]));
}

static void do_listen(struct slot *s, unsigned int n)
{
	if (!do_step(s->name, &s->fd, "listen"))
		s->end->listens = s->end->used = true;
}

/* After connect(2); without a peer, after AF_UNSPEC. */
static void restart(struct end *end, struct end *peer)
{
	*end = (struct end){ .peer = peer,
			     .users = end->users,
			     .starts = peer,
			     .used = true,
			     .nonblocking = end->nonblocking,
			     .limited = end->limited };
}

/* Connect to a listener, to a port without one, or, if @l is @s, to itself. */
static void connect_slot(struct slot *s, struct slot *l)
{
	int port = l ? port_of(l->fd) : refused_port();
	struct end *end = s->end;

	if (DO(s, l == s ? "self" : "connect", connect_to(s->fd, port)) && errno != EINPROGRESS)
		return;
	end->starts = !end->peer;
	if (end->peer || !l)
		return;
	restart(end, l == s ? end : new_end());
	if (l == s)
		return;
	end->peer->peer = end;
	l->end->clients[l->end->n_clients++] = end->peer;
}

static void do_unconnect(struct slot *s, unsigned int n)
{
	if (do_step(s->name, &s->fd, "unspec"))
		return;
	part_ends(s->end, true);
	if (s->end->peer)
		s->end->peer->peer = NULL;
	restart(s->end, NULL);
}

static void do_connect(struct slot *s, unsigned int n)
{
	if (n % 8 < 2)
		connect_slot(s, NULL);
	else if (n % 8 > 2)
		connect_slot(s, a_listener(n / 8));
	/* A socket that has listened may no longer have its port. */
	else if (port_of(s->fd) && !s->end->used)
		connect_slot(s, s);
}

/* The first client of a listener. */
static void do_accept(struct slot *s, unsigned int n)
{
	struct slot *l = a_listener(n / 8);
	struct end *server;
	int fd, flags = n % 2 ? SOCK_NONBLOCK : 0;

	if (!l || (!l->end->n_clients && !l->end->nonblocking))
		return;
	fd = (int)(n % 3 ? accept4(l->fd, NULL, NULL, flags) : accept(l->fd, NULL, NULL));
	say("%c=accept(%c)=%s", s->name, l->name, fd < 0 ? result(-1) : "ok");
	if (fd < 0)
		return;
	server = l->end->clients[0];
	server->used = true;
	memmove(l->end->clients, l->end->clients + 1, sizeof(l->end->clients) - sizeof(server));
	l->end->n_clients--;
	server->nonblocking = n % 3 && flags;
	fill_slot(s, fd, server);
}

static void do_pair(struct slot *s, unsigned int n)
{
	struct slot *next = s < last - 1 ? s + 1 : slots;

	if (!is_free(next) || !a_listener(3) || a_listener(3)->end->n_clients)
		return;
	do_socket(s, n);
	connect_slot(s, a_listener(3));
	settle();
	do_accept(next, 24 + n % 8);
}

static void count_write(struct end *end, ssize_t n)
{
	struct end *peer = end->peer;

	if (n <= 0 || !peer)
		return;
	end->sent += (unsigned int)n;
	if (peer->closed || peer->shut == (POLLIN | POLLOUT))
		peer->reset = end->reset = true;
	else
		peer->in += (int)n;
}

static void do_write(struct slot *s, unsigned int n)
{
	static const size_t lens[] = { 1, 100, 2000 };
	static const int flags[] = { 0, MSG_DONTWAIT, MSG_NOSIGNAL };
	const char *data = much + s->end->sent % 251;
	size_t len = lens[n % 3];
	char name[40];
	int way = (int)(n / 3 % OUTS);

	/* TCP may refuse the second message to a peer that has closed. */
	if (way == OUT_SENDMMSG && s->end->fin)
		way = OUT_SENDMSG;
	snprintf(name, sizeof(name), "%s(%zu)", outs[way], len);
	if (!s->end->peer || s->end->peer->in < 8000)
		count_write(s->end,
			    DO(s, name, write_by(way, s->fd, data, len, flags[n / 27 % 3])));
}

/* Data that is held back for a moment. */
static void do_more(struct slot *s, unsigned int n)
{
	char *data = much + s->end->sent % 251;

	if (n % 2)
		count_write(s->end, DO(s, "more", send(s->fd, data, 10, MSG_MORE)));
	else
		DO(s, "cork", set(s->fd, IPPROTO_TCP, TCP_CORK, 1));
	data = much + s->end->sent % 251;
	if (!s->end->reset)
		count_write(s->end, DO(s, "send", send(s->fd, data, 10, 0)));
	if (n % 2 == 0)
		DO(s, "uncork", set(s->fd, IPPROTO_TCP, TCP_CORK, 0));
}

static void do_read(struct slot *s, unsigned int n)
{
	static const size_t lens[] = { 1, 100, 8500 };
	static const int all_flags[] = { 0, MSG_PEEK, MSG_WAITALL, MSG_DONTWAIT };
	size_t len = lens[n % 3];
	struct end *end = s->end;
	char data[8500], name[40];
	ssize_t got;
	bool is_over = !end->peer || end->fin || end->reset || end->shut & POLLIN;
	int way = (int)(n / 3 % INS), flags = way < IN_FLAGS ? all_flags[n / 24 % 4] : 0;

	/* recvmmsg() would find the end or peeked bytes twice, over TCP a write's error. */
	if (way == IN_RECVMMSG && (flags == MSG_PEEK || end->fin))
		way = IN_RECVMSG;
	/* Calls that would wait. */
	if (!is_over && !end->nonblocking && !end->limited &&
	    end->in < (flags == MSG_WAITALL ? (int)len : 1)) {
		way = IN_RECVFROM;
		flags = MSG_DONTWAIT;
	}
	snprintf(name, sizeof(name), "%s(%zu,%x)", ins[way], len, (unsigned int)flags);
	got = DO(s, name, read_by(way, s->fd, data, len, flags));
	if (got > 0 && memcmp(data, much + end->got % 251, (size_t)got))
		say("wrong");
	if (got > 0 && flags != MSG_PEEK) {
		end->in -= (int)got;
		end->got += (unsigned int)got;
	}
}

static void do_shutdown(struct slot *s, unsigned int n)
{
	static const char *const names[] = { "shut_read", "shut_write", "shut_both" };
	static const unsigned int bits[] = { POLLIN, POLLOUT, POLLIN | POLLOUT };
	struct end *end = s->end;

	n %= 3;
	/* With unread data this is a reset over SMC: smc_close_final(). */
	if (n == SHUT_RDWR && end->in)
		n = SHUT_WR;
	if (do_step(s->name, &s->fd, names[n]))
		return;
	if (end->listens && n != SHUT_WR)
		part_ends(end, false);
	else if (!end->listens)
		end->shut |= bits[n];
	if (end->peer && n != SHUT_RD)
		end->peer->fin = true;
}

static void do_close(struct slot *s, unsigned int n)
{
	do_step(s->name, &s->fd, "close");
	end_users(s->end);
	s->fd = -1;
}

static void do_dup(struct slot *s, unsigned int n)
{
	struct slot *to = &slots[n % 3];

	if (to->end == s->end)
		return;
	say("%c=dup(%c)", to->name, s->name);
	s->end->users++;
	if (is_free(to)) {
		fill_slot(to, n / 3 % 2 ? dup(s->fd) : fcntl(s->fd, F_DUPFD, 0), s->end);
	} else {
		dup2(s->fd, to->fd);
		end_users(to->end);
		to->end = s->end;
	}
}

/* A child that does nothing, so that close() does not end connections. */
static void do_hold(struct slot *s, unsigned int n)
{
	pid_t pid;

	say("hold");
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	holders[n_holders++] = pid;
	for (size_t i = 0; i < 4; i++)
		if (!is_free(&slots[i]))
			slots[i].end->users++;
}

static const struct {
	int level, name;
	const char *text;
	int value;
} options[] = {
#define OPTION(level, name, value)                                                                 \
	{                                                                                          \
		level, name, #name, value                                                          \
	}
	/* clang-format off */
	OPTION(SOL_SOCKET, SO_KEEPALIVE, 1), OPTION(SOL_SOCKET, SO_REUSEADDR, 1),
	/* Not SO_REUSEPORT: smc_setsockopt() refuses it on a socket that is connected. */
	OPTION(SOL_SOCKET, SO_OOBINLINE, 1),
	OPTION(SOL_SOCKET, SO_PRIORITY, 3), OPTION(SOL_SOCKET, SO_MARK, 7),
	OPTION(SOL_SOCKET, SO_DONTROUTE, 0), OPTION(SOL_SOCKET, SO_BROADCAST, 1),
	OPTION(SOL_SOCKET, SO_TYPE, 1), OPTION(SOL_SOCKET, SO_DOMAIN, 1),
	OPTION(SOL_SOCKET, SO_PROTOCOL, 1), OPTION(SOL_SOCKET, SO_ACCEPTCONN, 1),
	OPTION(SOL_SOCKET, SO_NO_CHECK, 0), OPTION(SOL_SOCKET, SO_LINGER, 1),
	OPTION(IPPROTO_TCP, TCP_NODELAY, 1), OPTION(IPPROTO_TCP, TCP_KEEPIDLE, 44),
	OPTION(IPPROTO_TCP, TCP_KEEPINTVL, 45), OPTION(IPPROTO_TCP, TCP_KEEPCNT, 4),
	OPTION(IPPROTO_TCP, TCP_SYNCNT, 3), OPTION(IPPROTO_TCP, TCP_LINGER2, 30),
	OPTION(IPPROTO_TCP, TCP_USER_TIMEOUT, 30000),
	OPTION(IPPROTO_TCP, TCP_NOTSENT_LOWAT, 100000), OPTION(IPPROTO_IP, IP_TOS, 16),
	OPTION(IPPROTO_IP, IP_TTL, 44), OPTION(IPPROTO_IP, IP_FREEBIND, 1),
	OPTION(IPPROTO_IPV6, IPV6_V6ONLY, 1), OPTION(IPPROTO_IPV6, IPV6_TCLASS, 32),
/* clang-format on */
#undef OPTION
};

static void do_option(struct slot *s, unsigned int n)
{
	size_t i = n / 4 % (sizeof(options) / sizeof(options[0]));

	if (n % 2)
		DO(s, options[i].text,
		   set(s->fd, options[i].level, options[i].name, n & 2 ? options[i].value : 0));
	say("%c.%s=%d", s->name, options[i].text, get(s->fd, options[i].level, options[i].name));
}

static void do_limit(struct slot *s, unsigned int n)
{
	say("%c.limit", s->name);
	limit(s->fd, SO_RCVTIMEO, 20);
	s->end->limited = true;
}

static void do_nonblocking(struct slot *s, unsigned int n)
{
	int on = n % 2;

	if (n & 2)
		DO(s, on ? "nonblocking" : "blocking", nonblocking(s->fd, on) - 1);
	else
		DO(s, on ? "fionbio" : "no fionbio", ioctl(s->fd, FIONBIO, &on));
	s->end->nonblocking = on;
	say("%c.flags=%x", s->name, (unsigned int)fcntl(s->fd, F_GETFL));
}

static void do_events(struct slot *s, unsigned int n)
{
	struct timeval none = { 0 };
	fd_set in, out;

	if (n % 2) {
		say("%c:%s", s->name, events(s->fd));
		return;
	}
	FD_ZERO(&in);
	FD_SET(s->fd, &in);
	out = in;
	DO(s, "select", select(s->fd + 1, &in, &out, NULL, &none));
	say("%d%d", FD_ISSET(s->fd, &in), FD_ISSET(s->fd, &out));
}

static void do_ask(struct slot *s, unsigned int n)
{
	int inq = -1;

	if (n % 2) {
		do_step(s->name, &s->fd, "error");
		return;
	}
	DO(s, "fionread", ioctl(s->fd, FIONREAD, &inq));
	say("%d", inq);
}

static int port_of_peer(int fd)
{
	struct sockaddr_in6 name = { 0 };
	socklen_t len = sizeof(name);

	return getpeername(fd, (void *)&name, &len) ? -errno : ntohs(name.sin6_port);
}

static void do_names(struct slot *s, unsigned int n)
{
	int own = port_of(s->fd), peer = port_of_peer(s->fd);

	say("%c.bound=%d peer=%d", s->name, own > 0, peer < 0 ? peer : peer > 0);
	for (size_t i = 0; i < 4; i++)
		if (!is_free(&slots[i]) && own && slots[i].end == s->end->peer)
			say("same=%d%d", own == port_of_peer(slots[i].fd),
			    peer == port_of(slots[i].fd));
}

static void do_watch(struct slot *s, unsigned int n)
{
	static const char *const names[] = { "add", "del", "mod" };
	static const unsigned int flags[] = { 0, EPOLLET, EPOLLONESHOT };
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | flags[n / 4 % 3],
				     .data.u32 = (unsigned int)(s - slots) };
	unsigned int op = n % 4 % 3;
	char name[20];

	snprintf(name, sizeof(name), "%s(%x)", names[op], flags[n / 4 % 3] >> 24);
	DO(s, name, epoll_ctl(ep, (int)op + 1, s->fd, &event));
}

enum {
	ALONE = 1,
	LISTENS = 2,
	USED = 4,
	PARTED = 8,
	WAS_RESET = 16,
	WAS_SHUT = 32,
	FIN_FIRST = 64
};

static unsigned int state_of(const struct end *end)
{
	return (!end->peer && !end->listens ? ALONE : 0) | (end->listens ? LISTENS : 0) |
	       (end->used ? USED : 0) | (end->fin || end->reset ? PARTED : 0) |
	       (end->reset ? WAS_RESET : 0) | (end->shut ? WAS_SHUT : 0) |
	       (end->fin_first ? FIN_FIRST : 0);
}

/* Steps that differ over SMC in this state, which no library can hide, or need not hide. */
static const struct {
	void (*run)(struct slot *s, unsigned int n);
	unsigned int state;
	const char *why;
} known[] = {
	{ do_events, ALONE, "smc_poll() reports nothing in SMC_INIT, and less after a failure" },
	{ do_events, WAS_RESET, "a reset does not set SEND_SHUTDOWN: smc_poll() reports no HUP" },
	{ do_connect, PARTED, "smc_connect() sees a connection in SMC_ACTIVE only: EINVAL" },
	{ do_connect, LISTENS, "smc_connect() leaves SS_CONNECTING, and listen() fails" },
	{ do_unconnect, USED, "there are no resets; the library replaces the socket" },
	{ do_bind, USED, "TCP may have a port no longer, where a socket of SMC is bound" },
	{ do_names, ALONE | USED, "or the reverse, after the end of a listener with connections" },
	{ do_shutdown, PARTED | WAS_SHUT,
	  "TCP has no connection any more, smc_shutdown() returns 0" },
	{ do_shutdown, ALONE, "TCP fails, but later reads return 0" },
	{ do_write, WAS_RESET | WAS_SHUT, "SMC has EPIPE of SHUT_WR, TCP first ECONNRESET" },
	{ do_read, WAS_RESET | WAS_SHUT, "SMC drops what comes after SHUT_RD, TCP resets itself" },
	{ do_ask, WAS_RESET, "after a write to a closed peer TCP has EPIPE in SO_ERROR" },
	{ do_names, WAS_RESET, "the kernel has the peer's name until its worker has run" },
	{ do_read, FIN_FIRST, "TCP reads the end of file, SMC has one bit for what follows" },
	{ do_write, FIN_FIRST, "the same: TCP has EPIPE" },
};

static bool is_known(void (*run)(struct slot *s, unsigned int n), const struct slot *s)
{
	size_t i, all = sizeof(known) / sizeof(known[0]);

	for (i = 0; i < all && !is_free(s); i++)
		if (known[i].run == run && !(known[i].state & ~state_of(s->end)))
			return true;
	return false;
}

static void do_epoll(struct slot *s, unsigned int n)
{
	struct epoll_event events[8];
	int count = epoll_wait(ep, events, 8, 0);

	say("epoll:");
	for (unsigned int slot = 0; slot < 4; slot++)
		for (int i = 0; i < count; i++)
			if (events[i].data.u32 == slot && !is_known(do_events, &slots[slot]))
				say("%c:%x", slots[slot].name, events[i].events);
}

static const struct step steps[] = {
	/* clang-format off */
	{ do_socket, 3, EMPTY }, { do_bind, 2, ANYWHERE }, { do_listen, 1, ANYWHERE },
	{ do_connect, 4, ANYWHERE }, { do_unconnect, 1, ANYWHERE }, { do_accept, 4, EMPTY },
	{ do_pair, 3, EMPTY },
	{ do_write, 8, ANYWHERE }, { do_more, 1, ANYWHERE }, { do_read, 9, ANYWHERE },
	/* getpeername() knows the peer only if this process has shut the socket down. */
	{ do_shutdown, 4, HERE }, { do_close, 3, HERE }, { do_dup, 2, HERE },
	{ do_hold, 1, HERE }, { do_option, 5, ANYWHERE }, { do_limit, 1, ANYWHERE },
	{ do_nonblocking, 2, ANYWHERE }, { do_events, 4, ANYWHERE }, { do_ask, 2, ANYWHERE },
	{ do_names, 3, ANYWHERE }, { do_watch, 3, ANYWHERE }, { do_epoll, 4, ANYWHERE },
	/* clang-format on */
};

static void perform(const struct step *step, struct slot *s, unsigned int n)
{
	step->run(s, n);
	if (pipes)
		say("sigpipe");
	pipes = 0;
}

static void run_step(const struct step *step, struct slot *s, unsigned int n, bool in_child)
{
	if (is_free(s) != (step->place == EMPTY) || is_known(step->run, s))
		return;
	if (step->place != ANYWHERE || !in_child) {
		perform(step, s, n);
	} else {
		pid_t pid = fork();

		if (!pid) {
			say("child:");
			perform(step, s, n);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	settle();
}

static const struct step *pick_step(void)
{
	const size_t n = sizeof(steps) / sizeof(steps[0]);
	unsigned int sum = 0, place;
	size_t i;

	for (i = 0; i < n; i++)
		sum += steps[i].weight;
	place = dice(sum);
	for (i = 0; place >= steps[i].weight; i++)
		place -= steps[i].weight;
	return &steps[i];
}

/* Descriptors are closed as at the end of a process. */
static void end_walk(void)
{
	for (int i = 0; i < n_holders; i++) {
		kill(holders[i], SIGKILL);
		waitpid(holders[i], NULL, 0);
	}
	close_range(STDERR_FILENO + 1, ~0U, 0);
	refused_fd = -1;
}

/* With an address of its own, a walk meets no ports of others. */
static void begin(unsigned long seed, unsigned long number)
{
	luck = (seed * 1000003 + number + 1) * 0x9e3779b97f4a7c15;
	snprintf(loopback_host, sizeof(loopback_host), "127.%u.%u.1",
		 (unsigned int)(number >> 8 & 63), (unsigned int)(number & 255));
	on(SIGPIPE, on_pipe, 0);
	memset(ends, 0, N_ENDS * sizeof(*ends));
	n_ends = n_holders = pipes = 0;
	patience = 2;
	refused_port();
	ep = epoll_create1(0);
	for (size_t i = 0; i < 4; i++)
		slots[i] = (struct slot){ -1, NULL, slots[i].name };
	fill_slot(last, listener(), new_end());
	last->end->listens = last->end->used = true;
}

/* @name: SEED.NUMBER, then -STEP for each step to leave out */
static void walk(const char *name)
{
	char *end;
	unsigned long seed = strtoul(name, &end, 10), number = strtoul(end + 1, &end, 10);
	unsigned int left_out = 0, n_steps;

	while (*end == '-')
		left_out |= 1U << strtoul(end + 1, &end, 10);
	begin(seed, number);
	n_steps = 3 + dice(10);
	for (unsigned int i = 0; i < n_steps; i++) {
		const struct step *step = i || !dice(4) ? pick_step() : &steps[6];
		unsigned int slot = dice(8), n = dice(1 << 20);
		bool in_child = !dice(10);

		if (!(left_out >> i & 1))
			run_step(step, slot == 7 ? last : &slots[slot % 3], n, in_child);
	}
}

/* Several walks in one process: processes take most of the time. */
static void run_batch(const struct twin_sides *sides, char **names, size_t first, size_t *next)
{
	char name[40];

	for (; *next < sides->n_walks && *next - first < BATCH * (size_t)sides->jobs;
	     *next += (size_t)sides->jobs) {
		snprintf(name, sizeof(name), "%lu.%zu", sides->seed, *next);
		printf("%s\t", *names ? names[*next] : name);
		alarm((unsigned int)sides->seconds);
		walk(*names ? names[*next] : name);
		end_walk();
		alarm(0);
		puts("\t");
	}
}

/* A walk that does not end ends its batch. */
static void run_job(const struct twin_sides *sides, char **names, size_t job)
{
	size_t *next = mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);
	int status;
	pid_t pid;

	setvbuf(stdout, NULL, _IONBF, 0);
	ends = mmap(NULL, N_ENDS * sizeof(*ends), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (*next = job; *next < sides->n_walks;) {
		pid = fork();
		if (!pid) {
			setpgid(0, 0);
			run_batch(sides, names, *next, next);
			exit(0);
		}
		waitpid(pid, &status, 0);
		kill(-pid, SIGKILL);
		if (!status)
			continue;
		say("%s", WTERMSIG(status) == SIGALRM ? "HANG" : result(-status));
		puts("\t");
		*next += (size_t)sides->jobs;
	}
	_exit(0);
}

int run_walks(const struct twin_sides *sides, char **names)
{
	size_t size = 0, i, n_jobs = (size_t)sides->jobs;
	FILE **files = calloc(n_jobs, sizeof(*files));
	char *line = NULL;

	for (i = 0; names[i]; i++)
		if (names[i][strspn(names[i], "0123456789")] != '.')
			errx(2, "not a walk, such as 2.778: '%s'", names[i]);
	for (i = 0; i < 10000; i++)
		much[i] = (char)(i % 251);
	fflush(stdout);
	for (i = 0; i < n_jobs; i++) {
		files[i] = tmpfile();
		if (fork())
			continue;
		dup2(fileno(files[i]), STDOUT_FILENO);
		run_job(sides, names, i);
	}
	while (wait(NULL) > 0)
		;
	for (i = 0; i < n_jobs; i++)
		rewind(files[i]);
	for (i = 0; i < sides->n_walks && getline(&line, &size, files[i % n_jobs]) > 0; i++)
		fputs(line, stdout);
	return i < sides->n_walks ? 2 : 0;
}
