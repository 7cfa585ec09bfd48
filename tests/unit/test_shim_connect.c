// SPDX-License-Identifier: MIT
/* ld_pre_smc/calls/connect: result of connect(2) on an SMC socket, for each kernel answer. */
#include "fake_below.h"

#include <sys/time.h>

#include "ld_pre_smc/state/broken_handshake.h"
#include "ld_pre_smc/state/handshake_memory.h"

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

static int to_nobody(void)
{
	return call_at(connect, AF_UNSPEC, 0, sizeof(struct sockaddr));
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
 * @err: of the kernel's call, @times or once; @state, @revents: of the socket
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

/* From this port on, the kernel may have chosen the port. */
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
	/* A socket that is connected, or connecting, stays. */
	{ 0, EISCONN, 0, POLLHUP, EISCONN, SAME, 1 },
	{ 0, EINVAL, 0, POLLHUP | POLLRDHUP, EISCONN, SAME, 1 },
	{ 0, EINVAL, TCP_LISTEN, POLLIN, EISCONN, SAME, 1 },
	{ 0, EINVAL, TCP_CLOSE_WAIT, POLLIN, EISCONN, SAME, 1 },
	{ PEER, EINVAL, TCP_ESTABLISHED, 0, EISCONN, SAME, 1 },
	{ 0, EINVAL, TCP_CLOSE, POLLHUP, ECONNABORTED, RENEWED, 1 },
	/* The kernel has forgotten a refusal. */
	{ 0, ECONNABORTED, 0, 0, 0, SAME, 3, .times = 2 },
	{ 0, ECONNABORTED, 0, 0, ECONNABORTED, SAME, 5, .times = 9 },
	{ 0, ECONNABORTED, 0, POLLHUP, ECONNABORTED, RENEWED, 1, .times = 9 },
	/* After a signal the library connects again, with a new socket. */
	{ ANSWER, EINTR, 0, 0, 0, RENEWED, 1, 2, .again = EINPROGRESS },
	{ ANSWER, EINTR, 0, 0, 0, RENEWED, 1, 2, .again = EINPROGRESS, .signals = 3 },
	{ 0, EINTR, 0, 0, ECONNREFUSED, RENEWED, 1, 1, .again = ECONNREFUSED },
	{ NO_SOCKET, EINTR, 0, 0, EINTR, SAME, 1 },
	{ STOPS, EINTR, 0, 0, EINTR, RENEWED, 1, 1, .again = EINPROGRESS },
	{ STOPS, EALREADY, 0, 0, EINTR, SAME, 1, .signals = 1 },
	{ 0, EINTR, 0, 0, 0, RENEWED, 1, 1, .name = 1000, .bind_err = EADDRINUSE },
	{ 0, EINTR, 0, 0, EINTR, RENEWED, 1, .name = 1000, .bind_err = EACCES },
	/* The library waits for an attempt in progress; SO_ERROR has the result. */
	{ 0, EALREADY, 0, POLLOUT, 0, SAME, 1, 1 },
	{ 0, EALREADY, 0, POLLHUP | POLLIN, 0, SAME, 1, 1 },
	{ 0, EALREADY, 0, POLLHUP, ETIMEDOUT, RENEWED, 1 },
	{ 0, EALREADY, 0, POLLOUT | POLLERR, EPERM, SAME, 1, .error = EPERM },
	/* A socket about to fall back returns EALREADY: for 100 ms at most. */
	{ 0, EALREADY, 0, POLLOUT, 0, SAME, 1, 3, .again = EALREADY, .repeats = 2, .ms = 2 },
	{ 0, EALREADY, 0, POLLOUT, 0, SAME, 1, 100, .again = EALREADY, .repeats = 999, .ms = 100 },
	/* SO_SNDTIMEO limits the wait. */
	{ 0, 0, 0, 0, 0, SAME, 0, 1, .limit = 2000001 },
	{ ANSWER, 0, 0, 0, 0, SAME, 0, 2, .again = EALREADY, .limit = 2000001 },
	{ NO_OPTION, 0, 0, 0, EDOM, SAME, 0, 1, .again = EDOM, .limit = 2000001 },
	/* With a limit, TCP does not restart the call after a signal. */
	{ 0, 0, 0, 0, EINTR, SAME, 0, 1, .again = EINPROGRESS, .signals = 1, .limit = 2000001 },
#define TIME_OUT LATE, 0, 0, 0, EINPROGRESS, SAME, 0, 1, .again = EINPROGRESS
	{ TIME_OUT, .limit = 5, .ms = 1 },
	{ TIME_OUT, .limit = 2000001, .ms = 2001 },
	{ TIME_OUT, .limit = 2147482000000, .ms = 2147482000 },
	{ TIME_OUT, .limit = 2147483999999, .ms = 2147483647 },
	{ TIME_OUT, .limit = 3000000000000, .ms = 2147483647 },
	/* SO_LINGER is hidden during the call. */
	{ LINGERS, 0, 0, 0, 0, SAME, 1 },
	{ LINGERS, ECONNREFUSED, 0, 0, ECONNREFUSED, SAME, 1 },
	/* Plain sockets are checked only when connect() fails. */
	{ PLAIN, 0, 0, 0, 0, SAME, 1 },
	{ PLAIN, ECONNREFUSED, 0, 0, ECONNREFUSED, SAME, 1 },
	{ PLAIN, EALREADY, 0, POLLOUT, 0, SAME, 1, 1 },
	{ PLAIN | QUICK, ECONNREFUSED, 0, POLLHUP, ECONNREFUSED, RENEWED, 0, 1 },
	/* TCP was connected and the handshake broke: TCP is tried again. */
	{ 0, ECONNRESET, TCP_ESTABLISHED, POLLERR, 0, AS_TCP, 2 },
	{ LINGERS, ECONNRESET, TCP_ESTABLISHED, POLLERR, 0, AS_TCP, 2 },
	{ NO_SOCKET, ECONNRESET, TCP_ESTABLISHED, POLLERR, ECONNRESET, RENEWED, 1 },
	{ STRICT, ECONNRESET, TCP_ESTABLISHED, POLLERR, ECONNRESET, RENEWED, 1 },
	/* The handshake did not break. */
	{ 0, ECONNRESET, TCP_SYN_SENT, POLLERR, ECONNRESET, SAME, 1 },
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
	/* AF_UNSPEC makes the socket new. */
	{ NOBODY | NO_SOCKET, 0, TCP_LISTEN, 0, 0, SAME, 1 },
	{ NOBODY, 0, TCP_ESTABLISHED, 0, 0, RENEWED, .name = 1000, .bind_err = EADDRINUSE },
	{ NOBODY, 0, TCP_ESTABLISHED, 0, EACCES, RENEWED, .name = 1000, .bind_err = EACCES },
	{ NOBODY | NO_SOCKET, 0, TCP_ESTABLISHED, 0, EMFILE, SAME },
	/* A socket can listen after connect(). */
	{ LISTENS, EINVAL, 0, 0, 0, RENEWED },
	{ LISTENS | PEER, EINVAL, 0, 0, EINVAL, SAME },
	{ LISTENS, EINVAL, TCP_LISTEN, 0, 0, SAME },
	{ LISTENS, EADDRINUSE, 0, 0, EADDRINUSE, SAME },
};

static int call(const struct row *row, int port)
{
	if (row->is & LISTENS)
		return listen(5, 3);
	return row->is & NOBODY ? to_nobody() : connect_to(row->is & KNOWN ? 99 : port);
}

TEST(each_answer_of_the_kernel)
{
	long long start;

	for (size_t i = 0; next_row(i, answers); i++) {
		const struct row *row = &answers[i];

		arrange(row);
		start = fake.ms;
		/* The library remembers broken peers. */
		connects(call(row, 100 + (int)i), -!!row->got, row->got, row->after, row->waits,
			 row->at_once);
		assert_int_equal(fake.ms - start, row->ms);
		assert_int_equal(fake.fds[5].port, row->port);
		assert_int_equal(fake.fds[5].backlog,
				 row->after == RENEWED && row->is & LISTENS ? 3 : 0);
		/* Only a TCP socket keeps SO_LINGER during the call. */
		assert_int_equal(tried.lingers, row->is == (KNOWN | LINGERS));
		assert_int_equal(tried.has_limit, !!(row->is & NO_OPTION));
		assert_int_equal(shim_fd_is_set(FD_PLAIN, 5), row->is == PLAIN && !row->err);
	}
}

/* The other thread has hidden the limit, and waits. */
TEST(another_thread_connects)
{
	const struct row row = { LATE, .limit = (SHIM_HIDDEN + 1LL) * 1000000 };
	long long start;

	arrange(&row);
	fake_fails("connect 5", EALREADY, 1);
	start = fake.ms;
	comes_to(connect_to(80), -1, EALREADY);
	assert_int_equal(fake.ms - start, 1000);
}

static bool broke(int err, int state, int revents)
{
	fake.fds[5].state = state;
	fake.fds[5].revents = revents;
	return shim_handshake_broke(5, err);
}

TEST(errors_of_broken_handshakes)
{
	static const int errors[] = { 0, EINPROGRESS, EALREADY, EISCONN, EINTR, ECONNREFUSED };
	static const int events[] = { POLLIN, POLLOUT, POLLRDHUP, POLLHUP };

	assert_true(broke(ETIMEDOUT, TCP_ESTABLISHED, POLLERR));
	assert_true(broke(ECONNRESET, TCP_CLOSE, POLLERR));
	assert_true(broke(EPIPE, TCP_CLOSE, POLLERR));
	assert_true(broke(EPROTO, TCP_CLOSE, 0));
	assert_false(broke(ETIMEDOUT, TCP_CLOSE, POLLERR));
	assert_false(broke(ECONNRESET, 0, POLLERR));
	assert_false(broke(ECONNRESET, TCP_LISTEN, POLLERR));
	assert_false(broke(ECONNRESET, TCP_SYN_SENT, POLLERR));
	for (size_t i = 0; next_row(i, events); i++)
		assert_false(broke(ECONNRESET, TCP_CLOSE, events[i]));
	for (size_t i = 0; next_row(i, errors); i++)
		assert_false(broke(errors[i], TCP_ESTABLISHED, POLLERR));
}

/* A connect() that does not wait ends later; SO_ERROR, or another connect(), shows how. */
TEST(results_of_nonblocking_connects)
{
	static const struct {
		int is, err, state, error, seen, got;
		enum after after, after_got;
	} rows[] = {
		{ 0, EINPROGRESS, TCP_ESTABLISHED, ECONNRESET, 0, EALREADY, AS_TCP, AS_TCP },
		{ PLAIN, EINPROGRESS, TCP_ESTABLISHED, ECONNRESET, 0, EALREADY, AS_TCP, AS_TCP },
		/* Without a TCP socket the error stays; connect() leaves a new SMC socket. */
		{ NO_SOCKET, EINPROGRESS, TCP_ESTABLISHED, ECONNRESET, ECONNRESET, ECONNRESET, SAME,
		  RENEWED },
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
			comes_to(connect_to((int)(300 + 2 * i + again)), -1, rows[i].err);
			fake.fds[5].state = rows[i].state;
			fake.fds[5].revents = POLLERR;
			fake.fds[5].error = rows[i].error;
			fake_fails("connect 5", EINPROGRESS, i == 0);
			connects(again ? connect_to((int)(300 + 2 * i + again)) :
					 get_int(SOL_SOCKET, SO_ERROR),
				 value, err, again ? rows[i].after_got : rows[i].after, 0, calls);
		}
	}
}

/* Another process may have set a key. */
TEST(af_unspec_after_fallback)
{
	fake_socket(5, AF_SMC, IPPROTO_TCP);
	fake_fails("connect", EINVAL, 1);
	connects(to_nobody(), -1, EINVAL, SAME, 1, 0);
	connects(to_nobody(), 0, 0, SAME, 1, 0);
	shim_fd_mark_plain(5);
	fake.fds[5].domain = AF_INET6;
	connects(to_nobody(), 0, 0, AS_TCP, 1, 0);
	is_new(5);
	is_socket(5, AF_INET6, IPPROTO_TCP);
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
