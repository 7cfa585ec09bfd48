// SPDX-License-Identifier: MIT
/* ld_pre_smc/calls/connect: result of connect(2) on an SMC socket, for each kernel answer. */
#include "fake_below.h"

#include <sys/time.h>

#include "ld_pre_smc/calls/connect.h"
#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/replace_socket.h"

/* Calls of the kernel's connect(2), blocking or not; whether SO_LINGER, SO_SNDTIMEO were set. */
static struct {
	int waits, at_once, lingers, has_limit;
} tried;

static int look(int fd, const struct sockaddr *addr, socklen_t len)
{
	const struct fake_option *limit = fake_option_of(fd, SOL_SOCKET, SO_SNDTIMEO);
	struct timeval time = { 0 };

	if (limit)
		memcpy(&time, limit->value, sizeof(time));
	if (fake_fd(fd) && fake.fds[fd].flags & O_NONBLOCK)
		tried.at_once++;
	else
		tried.waits++;
	tried.lingers = option_of(fd, SOL_SOCKET, SO_LINGER) > 0;
	tried.has_limit = (time.tv_sec || time.tv_usec) && time.tv_sec < SHIM_HIDDEN;
	return fake_connect(fd, addr, len);
}

FIXTURE(setup)
{
	const struct linger off = { 0 };
	const struct timeval none = { 0 };
	uint64_t cookie = 4711;

	fake_setup(state);
	atomic_store(&shim_next_fn[SHIM_CONNECT], (shim_any_fn)look);
	fake_option(FAKE_ANY, SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	fake_option(FAKE_ANY, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof(none));
	fake_option(FAKE_ANY, SOL_SOCKET, SO_COOKIE, &cookie, sizeof(cookie));
	return 0;
}

/* Another SMC socket as number 5, or a TCP socket. */
enum after { SAME, RENEWED, AS_TCP };

static enum after after(void)
{
	if (fake.fds[5].domain != AF_SMC)
		return AS_TCP;
	return fake.fds[5].ino == fake.was.fds[5].ino ? SAME : RENEWED;
}

/* Compare value and errno, the socket, and the number of the kernel's connect(2). */
#define connects(call, value, err, after_, waits_, at_once_)                                       \
	do {                                                                                       \
		memset(&tried, 0, sizeof(tried));                                                  \
		comes_to(call, value, err);                                                        \
		assert_int_equal(after(), after_);                                                 \
		assert_int_equal(tried.waits, waits_);                                             \
		assert_int_equal(tried.at_once, at_once_);                                         \
		options_kept(5);                                                                   \
	} while (0)

static int connect_family(int family, socklen_t len)
{
	const struct sockaddr_storage addr = { .ss_family = (sa_family_t)family };

	return connect(5, (const struct sockaddr *)&addr, len);
}

static int to_nobody(void)
{
	return connect_family(AF_UNSPEC, sizeof(struct sockaddr));
}

/* Each test has its own peers: the library remembers broken ones. */
static int to_port(size_t port)
{
	const struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	return connect(5, (const struct sockaddr *)&in, sizeof(in));
}

static void now_connected(void)
{
	fake.fds[5].revents = POLLOUT;
}

/* The socket, or the process; STOPS: its handler does not restart calls. */
enum { QUICK = 1, PLAIN = 2, PEER = 4, STRICT = 8, RAW = 16, STOPS = 32, LINGERS = 64 };

/* No option, no socket, no dup3(); the time is over; poll(2) says that it is connected. */
enum { NO_OPTION = 128, NO_SOCKET = 256, NO_DUP = 512, LATE = 1024, ANSWER = 2048 };

/* Connect to a peer whose handshake broke, to AF_UNSPEC; or listen. */
enum { KNOWN = 4096, NOBODY = 8192, LISTENS = 16384 };

/**
 * struct row - connect(2), or listen(2)
 * @err: of the kernel's, @times or once; @state, @revents: of the socket
 * @got, @after, @waits, @at_once: see connects(); the result is 0 without an errno
 * @again: errno of the non-blocking call after that, @repeats or once
 * @error: SO_ERROR; @signals: times that poll(2) is interrupted
 * @limit: SO_SNDTIMEO, in microseconds; @ms: time that passes
 * @name: port to which it is bound; @bind_err: of bind(2); @port: to which it is bound in the end
 */
struct row {
	int is, err, state, revents, got;
	enum after after;
	int waits, at_once, times, again, repeats, error, signals;
	long long limit, ms;
	int name, bind_err, port;
};

static void arrange(const struct row *row)
{
	const struct timeval time = { (time_t)(row->limit / 1000000), row->limit % 1000000 };
	const struct linger linger = { 1, 30 };

	setup(NULL);
	fake_handler(!(row->is & STOPS));
	fake.config.strict = row->is & STRICT;
	fake.config.raw = row->is & RAW;
	fake.fds[5].state = row->state ? row->state : TCP_CLOSE;
	fake.fds[5].revents = row->revents;
	fake.fds[5].error = row->error;
	fake.fds[5].is_connected = row->is & PEER;
	fake.fds[5].flags |= row->is & QUICK ? O_NONBLOCK : 0;
	fake.fds[5].name.sin_family = row->name ? AF_INET : 0;
	fake.fds[5].name.sin_port = htons((uint16_t)row->name);
	if (row->is & PLAIN)
		shim_fd_mark_plain(5);
	if (row->limit)
		fake_option(5, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
	if (row->is & LINGERS)
		fake_option(5, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	if (row->err)
		fake_fails(row->is & LISTENS ? "listen" : "connect 5", row->err,
			   row->times ? row->times : 1);
	if (row->again)
		fake_fails("connect 5 2 at once", row->again, row->repeats ? row->repeats : 1);
	if (row->is & (LATE | ANSWER))
		fake_gives("poll", !!(row->is & ANSWER), 1,
			   row->is & ANSWER ? now_connected : NULL);
	if (row->signals)
		fake_fails("poll", EINTR, row->signals);
	if (row->is & NO_SOCKET)
		fake_fails("socket", EMFILE, 1);
	if (row->is & NO_DUP)
		fake_fails("dup3", EBUSY, 1);
	if (row->is & NO_OPTION)
		fake_fails("setsockopt", EDOM, 2);
	if (row->bind_err)
		fake_fails("bind", row->bind_err, 1);
}

/* From this port on the kernel has chosen it, perhaps. */
enum { OWN = 32767, KERNELS };

static const struct row answers[] = {
	{ 0, 0, 0, 0, 0, SAME, 1 },
	{ RAW, ECONNREFUSED, 0, POLLHUP, ECONNREFUSED, SAME, 1 },
	/* A refused socket can be used again. */
	{ 0, ECONNREFUSED, 0, 0, ECONNREFUSED, SAME, 1 },
	{ 0, ECONNREFUSED, 0, POLLHUP, ECONNREFUSED, RENEWED, 1 },
	{ 0, ECONNREFUSED, TCP_LISTEN, 0, ECONNREFUSED, SAME, 1 },
	{ 0, ECONNREFUSED, TCP_SYN_SENT, 0, ECONNREFUSED, SAME, 1 },
	{ 0, ECONNREFUSED, TCP_CLOSE_WAIT, 0, ECONNREFUSED, RENEWED, 1 },
	/* One that is connected, or on its way, stays. */
	{ 0, EINPROGRESS, 0, POLLHUP, EINPROGRESS, SAME, 1 },
	{ 0, EISCONN, 0, POLLHUP, EISCONN, SAME, 1 },
	{ 0, EINVAL, 0, POLLHUP, EINVAL, SAME, 1 },
	{ 0, EINVAL, 0, POLLHUP | POLLRDHUP, EISCONN, SAME, 1 },
	{ 0, EINVAL, TCP_LISTEN, POLLIN, EISCONN, SAME, 1 },
	{ 0, EINVAL, TCP_CLOSE_WAIT, POLLIN, EISCONN, SAME, 1 },
	{ PEER, EINVAL, TCP_ESTABLISHED, 0, EISCONN, SAME, 1 },
	/* The kernel has forgotten a refusal. */
	{ 0, ECONNABORTED, 0, 0, 0, SAME, 3, .times = 2 },
	{ 0, ECONNABORTED, 0, 0, ECONNABORTED, SAME, 5, .times = 9 },
	{ 0, ECONNABORTED, 0, POLLHUP, ECONNABORTED, RENEWED, 1, .times = 9 },
	/* After a signal it starts again, on a new socket. */
	{ 0, EINTR, 0, 0, 0, RENEWED, 1, 1 },
	{ ANSWER, EINTR, 0, 0, 0, RENEWED, 1, 2, .again = EINPROGRESS },
	{ ANSWER, EINTR, 0, 0, 0, RENEWED, 1, 2, .again = EINPROGRESS, .signals = 3 },
	{ 0, EINTR, 0, 0, ECONNREFUSED, RENEWED, 1, 1, .again = ECONNREFUSED },
	{ NO_SOCKET, EINTR, 0, 0, EINTR, SAME, 1 },
	{ STOPS, EINTR, 0, 0, EINTR, RENEWED, 1, 1, .again = EINPROGRESS },
	{ STOPS, EALREADY, 0, 0, EINTR, SAME, 1, .signals = 1 },
	{ 0, EINTR, 0, 0, 0, RENEWED, 1, 1, .name = 1000, .bind_err = EADDRINUSE },
	{ 0, EINTR, 0, 0, EINTR, RENEWED, 1, .name = 1000, .bind_err = EACCES },
	/* One in progress is waited for; SO_ERROR has the result. */
	{ 0, EALREADY, 0, POLLOUT, 0, SAME, 1, 1 },
	{ 0, EALREADY, 0, POLLHUP | POLLIN, 0, SAME, 1, 1 },
	{ 0, EALREADY, 0, POLLHUP, ETIMEDOUT, RENEWED, 1 },
	{ 0, EALREADY, 0, POLLOUT | POLLERR, EPERM, SAME, 1, .error = EPERM },
	/* A socket about to fall back returns EALREADY: for 100 ms at most. */
	{ 0, EALREADY, 0, POLLOUT, 0, SAME, 1, 3, .again = EALREADY, .repeats = 2, .ms = 2 },
	{ 0, EALREADY, 0, POLLOUT, 0, SAME, 1, 100, .again = EALREADY, .repeats = 999, .ms = 100 },
	/* SO_SNDTIMEO limits the time. */
	{ 0, 0, 0, 0, 0, SAME, 0, 1, .limit = 2000001 },
	{ ANSWER, 0, 0, 0, 0, SAME, 0, 2, .again = EALREADY, .limit = 2000001 },
	{ NO_OPTION, 0, 0, 0, EDOM, SAME, 0, 1, .again = EDOM, .limit = 2000001 },
	/* With a limit TCP is not restarted. */
	{ 0, 0, 0, 0, EINTR, SAME, 0, 1, .again = EINPROGRESS, .signals = 1, .limit = 2000001 },
#define TIME_OUT LATE, 0, 0, 0, EINPROGRESS, SAME, 0, 1, .again = EINPROGRESS
	{ TIME_OUT, .limit = 5, .ms = 1 },
	{ TIME_OUT, .limit = 2000001, .ms = 2001 },
	{ TIME_OUT, .limit = 2147482000000, .ms = 2147482000 },
	{ TIME_OUT, .limit = 2147483999999, .ms = 2147483647 },
	{ TIME_OUT, .limit = 3000000000000, .ms = 2147483647 },
	/* SO_LINGER waits outside. */
	{ LINGERS, 0, 0, 0, 0, SAME, 1 },
	{ LINGERS, ECONNREFUSED, 0, 0, ECONNREFUSED, SAME, 1 },
	/* Non-blocking sockets get the kernel's answer. */
	{ QUICK, 0, 0, 0, 0, SAME, 0, 1 },
	{ QUICK, EINPROGRESS, 0, 0, EINPROGRESS, SAME, 0, 1 },
	{ QUICK, ECONNREFUSED, 0, POLLHUP, ECONNREFUSED, RENEWED, 0, 1 },
	/* Plain ones are only checked when they fail. */
	{ PLAIN, 0, 0, 0, 0, SAME, 1 },
	{ PLAIN, ECONNREFUSED, 0, 0, ECONNREFUSED, SAME, 1 },
	{ PLAIN, EALREADY, 0, POLLOUT, 0, SAME, 1, 1 },
	{ PLAIN | QUICK, ECONNREFUSED, 0, POLLHUP, ECONNREFUSED, RENEWED, 0, 1 },
	/* TCP was connected and the handshake broke: TCP is tried again. */
	{ 0, ECONNRESET, TCP_ESTABLISHED, POLLERR, 0, AS_TCP, 2 },
	{ 0, EPIPE, TCP_ESTABLISHED, POLLERR, 0, AS_TCP, 2 },
	{ 0, EPROTO, TCP_ESTABLISHED, POLLERR, 0, AS_TCP, 2 },
	{ 0, ETIMEDOUT, TCP_ESTABLISHED, POLLERR, 0, AS_TCP, 2 },
	{ 0, ECONNRESET, TCP_CLOSE, POLLERR, 0, AS_TCP, 2 },
	{ LINGERS, ECONNRESET, TCP_ESTABLISHED, POLLERR, 0, AS_TCP, 2 },
	{ NO_SOCKET, ECONNRESET, TCP_ESTABLISHED, POLLERR, ECONNRESET, SAME, 1 },
	{ STRICT, ECONNRESET, TCP_ESTABLISHED, POLLERR, ECONNRESET, RENEWED, 1 },
	/* No broken handshake. */
	{ 0, ETIMEDOUT, TCP_CLOSE, POLLERR, ETIMEDOUT, SAME, 1 },
	{ 0, ECONNRESET, TCP_SYN_SENT, POLLERR, ECONNRESET, SAME, 1 },
	{ 0, ECONNRESET, TCP_ESTABLISHED, POLLERR | POLLOUT, ECONNRESET, RENEWED, 1 },
	{ 0, ECONNREFUSED, TCP_ESTABLISHED, POLLERR, ECONNREFUSED, RENEWED, 1 },
	{ PEER, ECONNRESET, TCP_ESTABLISHED, POLLERR, ECONNRESET, RENEWED, 1 },
#define BROKEN 0, ECONNRESET, TCP_ESTABLISHED, POLLERR
	/* The address stays bound, except one that the kernel has chosen. */
	{ BROKEN, 0, AS_TCP, 2, .name = 1000, .port = 1000 },
	{ BROKEN, 0, AS_TCP, 2, .bind_err = EACCES },
	{ BROKEN, ECONNRESET, AS_TCP, 1, .name = 1000, .bind_err = EADDRINUSE },
	{ BROKEN, ECONNRESET, AS_TCP, 1, .name = OWN, .bind_err = EADDRINUSE },
	{ BROKEN, 0, AS_TCP, 2, .name = KERNELS, .bind_err = EADDRINUSE },
	{ BROKEN, ECONNRESET, AS_TCP, 1, .name = KERNELS, .bind_err = EACCES },
	/* The next connection to that peer begins with TCP, or with SMC if that is not possible. */
	{ KNOWN, ECONNRESET, TCP_ESTABLISHED, POLLERR, 0, AS_TCP, 2 },
	{ KNOWN, 0, 0, 0, 0, AS_TCP, 1 },
	{ KNOWN | PLAIN, 0, 0, 0, 0, AS_TCP, 1 },
	{ KNOWN | LINGERS, 0, 0, 0, 0, AS_TCP, 1 },
	{ KNOWN | NO_DUP, 0, 0, 0, 0, SAME, 1 },
	{ KNOWN | NO_DUP | LINGERS, 0, 0, 0, 0, SAME, 1 },
	/* AF_UNSPEC makes it new. */
	{ NOBODY, 0, 0, 0, 0, SAME },
	{ NOBODY | NO_SOCKET, 0, TCP_LISTEN, 0, 0, SAME, 1 },
	{ NOBODY, 0, 0, POLLHUP, 0, RENEWED },
	{ NOBODY, 0, 0, POLLERR, 0, RENEWED },
	{ NOBODY | PEER, 0, TCP_ESTABLISHED, 0, 0, RENEWED, .name = 1000 },
	{ NOBODY, 0, TCP_ESTABLISHED, 0, 0, RENEWED, .name = 1000, .port = 1000 },
	{ NOBODY, 0, TCP_ESTABLISHED, 0, 0, RENEWED, .name = 1000, .bind_err = EADDRINUSE },
	{ NOBODY, 0, TCP_ESTABLISHED, 0, EACCES, RENEWED, .name = 1000, .bind_err = EACCES },
	{ NOBODY | NO_SOCKET, 0, TCP_ESTABLISHED, 0, EMFILE, SAME },
	/* A socket listens after connect(). */
	{ LISTENS, EINVAL, 0, 0, 0, RENEWED },
	{ LISTENS, EINVAL, 0, POLLHUP, EINVAL, SAME },
	{ LISTENS | PEER, EINVAL, 0, 0, EINVAL, SAME },
	{ LISTENS, EINVAL, TCP_LISTEN, 0, 0, SAME },
	{ LISTENS, EADDRINUSE, 0, 0, EADDRINUSE, SAME },
};

static int call(const struct row *row, size_t port)
{
	if (row->is & LISTENS)
		return listen(5, 3);
	return row->is & NOBODY ? to_nobody() : to_port(row->is & KNOWN ? 99 : port);
}

TEST(each_answer_of_the_kernel)
{
	long long start;

	for (size_t i = 0; next_row(i, answers); i++) {
		const struct row *row = &answers[i];

		arrange(row);
		start = fake.ms;
		connects(call(row, 100 + i), -!!row->got, row->got, row->after, row->waits,
			 row->at_once);
		assert_int_equal(fake.ms - start, row->ms);
		assert_int_equal(fake.fds[5].port, row->port);
		assert_int_equal(fake.fds[5].backlog,
				 row->after == RENEWED && row->is & LISTENS ? 3 : 0);
		/* TCP lingers itself. */
		assert_int_equal(tried.lingers, row->is == (KNOWN | LINGERS));
		assert_int_equal(tried.has_limit, !!(row->is & NO_OPTION));
		assert_int_equal(shim_fd_is_plain(5), row->is == PLAIN && !row->err);
	}
}

TEST(epoll_watches_the_new_socket)
{
	const struct row refused = { 0, ECONNREFUSED, 0, POLLHUP };

	arrange(&refused);
	fake.files[0].path = "/proc/self/fdinfo/13";
	fake.files[0].text = "tfd: 5 events: 1 data: 9\n";
	fake_socket(13, 0, 0)->is_epoll = true;
	shim_fd_set(FD_EPOLL, 13);
	fake.fds[5].watchers = 1 << 13;
	connects(to_port(80), -1, ECONNREFUSED, RENEWED, 1, 0);
	assert_int_equal(fake.fds[5].watchers, 1 << 13);
	assert_int_equal(fake.watched.data.u64, 9);
}

/* It has hidden the limit, and waits. */
TEST(another_thread_connects)
{
	const struct row row = { LATE, .limit = (SHIM_HIDDEN + 1LL) * 1000000 };
	long long start;

	arrange(&row);
	fake_fails("connect 5", EALREADY, 1);
	start = fake.ms;
	comes_to(to_port(80), -1, EALREADY);
	assert_int_equal(fake.ms - start, 1000);
}

TEST(other_families)
{
	static const struct {
		int domain, protocol, state;
		socklen_t len;
		int got;
	} rows[] = {
		{ AF_SMC, 0, TCP_CLOSE, 16, EAFNOSUPPORT },
		{ AF_SMC, 0, TCP_CLOSE, 15, EINVAL },
		{ AF_SMC, 1, TCP_CLOSE, 24, EAFNOSUPPORT },
		{ AF_SMC, 1, TCP_CLOSE, 23, EINVAL },
		{ AF_SMC, 1, TCP_ESTABLISHED, 24, EISCONN },
		{ AF_INET, IPPROTO_TCP, TCP_CLOSE, 24, EINVAL },
	};

	fake_fails("connect 5", EINVAL, 99);
	for (size_t i = 0; next_row(i, rows); i++) {
		fake_socket(5, rows[i].domain, rows[i].protocol)->state = rows[i].state;
		comes_to(connect_family(AF_UNIX, rows[i].len), -1, rows[i].got);
		assert_int_equal(fake.fds[5].ino, fake.was.fds[5].ino);
	}
}

TEST(odd_addresses)
{
	const socklen_t size = sizeof(struct sockaddr_storage);

	/* Longer and shorter than the address, but valid. */
	connects(connect_family(AF_INET, size), 0, 0, SAME, 1, 0);
	connects(connect_family(AF_UNSPEC, 2), 0, 0, SAME, 0, 0);
	fake.fds[5].revents = POLLHUP;
	fake_fails("connect", EAFNOSUPPORT, 99);
	connects(connect(5, NULL, 0), -1, EAFNOSUPPORT, SAME, 1, 0);
	connects(connect_family(AF_UNIX, 16), -1, EAFNOSUPPORT, SAME, 1, 0);
	connects(connect_family(AF_UNIX, 1), -1, EAFNOSUPPORT, SAME, 1, 0);
	connects(connect_family(AF_INET6, 28), -1, EAFNOSUPPORT, RENEWED, 1, 0);
}

TEST(errors_of_broken_handshakes)
{
	static const struct {
		int err, state, revents, broke;
	} rows[] = {
		{ ETIMEDOUT, TCP_ESTABLISHED, POLLERR, 1 },
		{ ECONNRESET, TCP_CLOSE, POLLERR, 1 },
		{ EPIPE, TCP_CLOSE, POLLERR, 1 },
		{ EPROTO, TCP_CLOSE, 0, 1 },
		{ ETIMEDOUT, TCP_CLOSE, POLLERR },
		{ ECONNRESET, 0, POLLERR },
		{ ECONNRESET, TCP_LISTEN, POLLERR },
		{ ECONNRESET, TCP_SYN_SENT, POLLERR },
		{ ECONNRESET, TCP_CLOSE, POLLIN },
		{ ECONNRESET, TCP_CLOSE, POLLOUT },
		{ ECONNRESET, TCP_CLOSE, POLLRDHUP },
		{ ECONNRESET, TCP_CLOSE, POLLHUP },
		{ 0, TCP_ESTABLISHED, POLLERR },
		{ EINPROGRESS, TCP_ESTABLISHED, POLLERR },
		{ EALREADY, TCP_ESTABLISHED, POLLERR },
		{ EISCONN, TCP_ESTABLISHED, POLLERR },
		{ EINTR, TCP_ESTABLISHED, POLLERR },
		{ ECONNREFUSED, TCP_ESTABLISHED, POLLERR },
	};

	for (size_t i = 0; next_row(i, rows); i++) {
		fake.fds[5].state = rows[i].state;
		fake.fds[5].revents = rows[i].revents;
		assert_int_equal(shim_handshake_broke(5, rows[i].err), rows[i].broke);
	}
}

static int so_error(void)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(5, SOL_SOCKET, SO_ERROR, &value, &len), 0);
	fake_forgive();
	return value;
}

/* A connect() that does not wait ends later; SO_ERROR, or another connect(), shows how. */
TEST(results_of_nonblocking_connects)
{
	static const struct {
		int is, err, state, error, seen, got;
		enum after after;
	} rows[] = {
		{ 0, EINPROGRESS, TCP_ESTABLISHED, ECONNRESET, 0, EALREADY, AS_TCP },
		{ PLAIN, EINPROGRESS, TCP_ESTABLISHED, ECONNRESET, 0, EALREADY, AS_TCP },
		/* Without a TCP socket the error stays. */
		{ NO_SOCKET, EINPROGRESS, TCP_ESTABLISHED, ECONNRESET, ECONNRESET, ECONNRESET },
		/* An answer unrelated to SMC, or none at all. */
		{ 0, EINPROGRESS, TCP_CLOSE, EHOSTUNREACH, EHOSTUNREACH, EHOSTUNREACH },
		{ 0, EINPROGRESS, TCP_CLOSE, 0, 0, 0 },
		/* Nothing is known of a connection that never was in progress. */
		{ 0, ENETUNREACH, TCP_ESTABLISHED, ECONNRESET, ECONNRESET, 0 },
	};
	uint64_t cookie = 1;

	for (size_t i = 0; next_row(i, rows); i++) {
		for (size_t again = 0; again < 2; again++, cookie++) {
			const struct row first = { QUICK | rows[i].is, rows[i].err };
			int err = again ? rows[i].got : 0, value = again ? -!!err : rows[i].seen;
			bool calls = rows[i].after == AS_TCP || (again && !err);

			arrange(&first);
			fake_option(FAKE_ANY, SOL_SOCKET, SO_COOKIE, &cookie, sizeof(cookie));
			comes_to(to_port(300 + 2 * i + again), -1, rows[i].err);
			fake.fds[5].state = rows[i].state;
			fake.fds[5].revents = POLLERR;
			fake.fds[5].error = rows[i].error;
			fake_fails("connect 5", EINPROGRESS, i == 0);
			connects(again ? to_port(300 + 2 * i + again) : so_error(), value, err,
				 rows[i].after, 0, calls);
		}
	}
}

TEST(af_unspec_after_fallback)
{
	fake_socket(5, AF_SMC, IPPROTO_TCP);
	fake_fails("connect", EINVAL, 1);
	connects(to_nobody(), -1, EINVAL, SAME, 1, 0);
	/* Another process may have set a key. */
	connects(to_nobody(), 0, 0, SAME, 1, 0);
	shim_fd_mark_plain(5);
	fake.fds[5].domain = AF_INET6;
	connects(to_nobody(), 0, 0, AS_TCP, 1, 0);
	is_new(5);
	is_socket(5, AF_INET6, IPPROTO_TCP);
	fake_socket(5, AF_UNIX, 0)->is_socket = false;
	comes_to(to_nobody(), 0, 0);
	assert_int_equal(fake.fds[5].ino, fake.was.fds[5].ino);
}

TEST(af_unspec_of_a_listener)
{
	const struct row row = { NOBODY, 0, TCP_LISTEN };

	arrange(&row);
	fake_fails("connect", ECONNREFUSED, 1);
	comes_to(to_nobody(), 0, 0);
	assert_int_equal(after(), AS_TCP);
	assert_int_equal(fake.fds[5].backlog, 0);
}

TEST(linger_waits_outside)
{
	const struct row row = { LINGERS };
	const struct linger none = { 1, 0 };
	struct shim_route route;

	arrange(&row);
	fake_fails("setsockopt 5 1 13", EPERM, 1);
	connects(to_port(80), 0, 0, SAME, 1, 0);
	assert_true(tried.lingers);
	fake_option(5, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	connects(to_port(80), 0, 0, SAME, 1, 0);
	assert_true(tried.lingers);
	comes_to((shim_route_from(&route, 5), 0), 0, 0);
}

static int lingers;

static void look_at_linger(void)
{
	lingers = option_of(5, SOL_SOCKET, SO_LINGER);
}

/* Also while it listens; its clients inherit it. */
TEST(clients_inherit_linger)
{
	const struct row row = { LINGERS };

	arrange(&row);
	fake_socket(6, AF_SMC, 0);
	shim_option_note(SOL_SOCKET, SO_LINGER);
	shim_fd_note_options(5, false);
	comes_to((shim_inherit_options(5, 6), 0), 0, ERRNO_BEFORE);
	assert_int_equal(option_of(6, SOL_SOCKET, SO_LINGER), -1);
	fake_gives("listen", 0, 1, look_at_linger);
	comes_to(listen(5, 3), 0, 0);
	assert_int_equal(lingers, 0);
	options_kept(5);
	shim_fd_note_options(5, true);
	comes_to((shim_inherit_options(5, 6), 0), 0, ERRNO_BEFORE);
	assert_int_equal(option_of(6, SOL_SOCKET, SO_LINGER), 1);
	assert_true(shim_fd_has_options(5));
	comes_to((shim_inherit_options(5, 6), 0), 0, ERRNO_BEFORE);
	assert_false(shim_fd_has_options(5));
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
