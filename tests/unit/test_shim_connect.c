// SPDX-License-Identifier: MIT
/* ld_pre_smc/calls/connect: result of connect(2) on an SMC socket, for each kernel answer. */
#include "fake_below.h"

#include <sys/time.h>

#include "ld_pre_smc/state/handshake_memory.h"
#include "ld_pre_smc/calls/connect.h"

static const struct sockaddr_in peer = { .sin_family = AF_INET, .sin_port = 0x5000 };

/* Calls that replace socket 5 by a TCP socket, and by a new SMC socket. */
#define TO_TCP "socket 2 524289 0;fcntl 9 4 2;dup3 9 5 0;drop 9;"
#define RENEWED "socket 43 524289 0;fcntl 9 4 2;dup3 9 5 0;drop 9;"

static int to_peer(void)
{
	return connect(5, (const struct sockaddr *)&peer, sizeof(peer));
}

static int to_nobody(void)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };

	return connect(5, &none, sizeof(none));
}

TEST(a_connection_is_one_call)
{
	comes_to(to_peer(), 0, 0, "connect 5 2;");
	fake.config.raw = true;
	fake_fails("connect 5", ECONNREFUSED, 1);
	comes_to(to_peer(), -1, ECONNREFUSED, "connect 5 2;");
}

TEST(other_families)
{
	struct sockaddr_in6 other = { .sin6_family = AF_UNIX };
	const struct sockaddr *addr = (const struct sockaddr *)&other;

	fake_fails("connect 5", EINVAL, 99);
	comes_to(connect(5, addr, 16), -1, EAFNOSUPPORT, "connect 5 1;");
	comes_to(connect(5, addr, 15), -1, EINVAL, "connect 5 1;");
	fake_socket(5, AF_SMC, 1);
	comes_to(connect(5, addr, 24), -1, EAFNOSUPPORT, "connect 5 1;");
	comes_to(connect(5, addr, 23), -1, EINVAL, "connect 5 1;");
	fake.fds[5].state = TCP_ESTABLISHED;
	comes_to(connect(5, addr, 24), -1, EISCONN, "connect 5 1;");
	fake_socket(5, AF_INET, IPPROTO_TCP);
	comes_to(connect(5, addr, 24), -1, EINVAL, "connect 5 1;");
}

TEST(refused_sockets_can_be_used_again)
{
	static const int kept[] = { EINPROGRESS, EISCONN, EINVAL };

	fake_fails("connect 5", ECONNREFUSED, 1);
	comes_to(to_peer(), -1, ECONNREFUSED, "connect 5 2;");
	fake.fds[5].revents = POLLHUP;
	fake_fails("connect 5", ECONNREFUSED, 1);
	comes_to(to_peer(), -1, ECONNREFUSED, "connect 5 2;" RENEWED);
	/* A socket that is connected, or on its way. */
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		fake_setup(state);
		fake.fds[5].revents = POLLHUP;
		fake_fails("connect 5", kept[i], 1);
		comes_to(to_peer(), -1, kept[i], "connect 5 2;");
	}
}

TEST(sockets_in_use_report_tcp_error)
{
	static const struct {
		int tcp, error;
	} cases[] = {
		{ TCP_CLOSE, EINVAL },
		{ TCP_LISTEN, EISCONN },
		{ TCP_CLOSE_WAIT, EISCONN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_setup(state);
		fake.fds[5].state = cases[i].tcp;
		fake.fds[5].revents = POLLIN;
		fake_fails("connect 5", EINVAL, 1);
		comes_to(to_peer(), -1, cases[i].error, "connect 5 2;");
	}
}

TEST(connect_again_by_tcp_state)
{
	static const struct {
		int tcp;
		const char *below;
	} cases[] = {
		{ TCP_CLOSE, "connect 5 2;" },
		{ TCP_LISTEN, "connect 5 2;" },
		{ TCP_SYN_SENT, "connect 5 2;" },
		{ TCP_CLOSE_WAIT, "connect 5 2;socket 43 524289 0;fcntl 9 4 2;dup3 9 5 0;drop 9;" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_setup(state);
		fake.fds[5].state = cases[i].tcp;
		fake_fails("connect 5", ECONNREFUSED, 1);
		comes_to(to_peer(), -1, ECONNREFUSED, cases[i].below);
	}
	fake_setup(state);
	fake.fds[5].state = TCP_ESTABLISHED;
	fake.fds[5].is_connected = true;
	fake_fails("connect 5", EINVAL, 1);
	comes_to(to_peer(), -1, EISCONN, "connect 5 2;");
}

TEST(a_forgotten_refusal_is_queried_again)
{
	fake_fails("connect 5", ECONNABORTED, 2);
	comes_to(to_peer(), 0, 0, "connect 5 2;connect 5 2;connect 5 2;");
	fake_fails("connect 5", ECONNABORTED, 9);
	comes_to(to_peer(), -1, ECONNABORTED,
		 "connect 5 2;connect 5 2;connect 5 2;connect 5 2;connect 5 2;");
	fake.fds[5].revents = POLLHUP;
	comes_to(to_peer(), -1, ECONNABORTED, "connect 5 2;" RENEWED);
}

static void ignore(int number)
{
}

/* Install a handler of the program, after which TCP would restart, or not. */
static void handler(int flags)
{
	const struct sigaction action = { .sa_handler = ignore, .sa_flags = flags };

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
}

#define TOLD "fcntl 5 4 2050;connect 5 2 at once;fcntl 5 4 2;"
#define ANEW "connect 5 2;" RENEWED TOLD

static void now_connected(void)
{
	fake.fds[5].revents = POLLOUT;
}

TEST(connect_starts_again_after_a_signal)
{
	handler(SA_RESTART);
	fake_fails("connect 5", EINTR, 1);
	comes_to(to_peer(), 0, 0, ANEW);
	fake_fails("connect 5", EINTR, 1);
	fake_fails("connect 5 2 at once", EINPROGRESS, 1);
	fake_gives("poll -1", 1, 1, now_connected);
	comes_to(to_peer(), 0, 0, ANEW "poll -1;" TOLD);
	/* Repeatedly. */
	fake_fails("connect 5", EINTR, 1);
	fake_fails("connect 5 2 at once", EINPROGRESS, 1);
	fake_gives("poll -1", 1, 1, now_connected);
	fake_fails("poll -1", EINTR, 3);
	comes_to(to_peer(), 0, 0, ANEW "poll -1;poll -1;poll -1;poll -1;" TOLD);
	fake_fails("connect 5", EINTR, 1);
	fake_fails("connect 5 2 at once", ECONNREFUSED, 1);
	comes_to(to_peer(), -1, ECONNREFUSED, ANEW);
	fake_fails("connect 5", EINTR, 1);
	fake_fails("socket", EMFILE, 1);
	comes_to(to_peer(), -1, EINTR, "connect 5 2;socket 43 524289 0;");
}

TEST(a_handler_without_restart_sees_eintr)
{
	handler(0);
	fake_fails("connect 5", EINTR, 1);
	fake_fails("connect 5 2 at once", EINPROGRESS, 1);
	comes_to(to_peer(), -1, EINTR, ANEW);
	fake_fails("connect 5", EALREADY, 1);
	fake_fails("poll", EINTR, 1);
	comes_to(to_peer(), -1, EINTR, "connect 5 2;poll -1;");
	handler(SA_RESTART);
}

TEST(one_in_progress_is_waited_for)
{
	fake.fds[5].revents = POLLOUT;
	fake_fails("connect 5", EALREADY, 1);
	comes_to(to_peer(), 0, 0, "connect 5 2;poll -1;" TOLD);
	/* A socket about to fall back briefly returns EALREADY. */
	fake_fails("connect 5 2 at once", EALREADY, 2);
	fake_fails("connect 5", EALREADY, 1);
	comes_to(to_peer(), 0, 0, "connect 5 2;poll -1;" TOLD "nap;" TOLD "nap;" TOLD);
	/* For 100 ms at most. */
	fake.ms = 0;
	fake_fails("connect 5 2 at once", EALREADY, 999);
	fake_fails("connect 5", EALREADY, 1);
	to_peer();
	assert_int_equal(fake.ms, 100);
}

TEST(the_result_is_so_error)
{
	fake.fds[5].revents = POLLOUT | POLLERR;
	fake.fds[5].error = EHOSTUNREACH;
	fake_fails("connect 5", EALREADY, 1);
	comes_to(to_peer(), -1, EHOSTUNREACH, "connect 5 2;poll -1;");
	fake.fds[5].error = EPERM;
	fake_fails("connect 5", EALREADY, 1);
	comes_to(to_peer(), -1, EPERM, "connect 5 2;poll -1;");
	/* Hung up without an error: no answer. */
	fake.fds[5].revents = POLLHUP;
	fake_fails("connect 5", EALREADY, 1);
	fake_fails("socket", EMFILE, 1);
	comes_to(to_peer(), -1, ETIMEDOUT, "connect 5 2;poll -1;socket 43 524289 0;");
	fake.fds[5].error = 0;
	fake.fds[5].revents = POLLHUP | POLLIN;
	fake_fails("connect 5", EALREADY, 1);
	comes_to(to_peer(), 0, 0, "connect 5 2;poll -1;" TOLD);
}

static void send_time(long seconds, long microseconds)
{
	const struct timeval time = { seconds, microseconds };

	fake_option(5, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

TEST(so_sndtimeo_limits_the_time)
{
	send_time(0, 0);
	comes_to(to_peer(), 0, 0, "connect 5 2;");
	send_time(2, 1);
	comes_to(to_peer(), 0, 0, "setsockopt 5 1 21 0,0;" TOLD "setsockopt 5 1 21 2,1;");
	fake_fails("connect 5 2 at once", EINPROGRESS, 1);
	fake_gives("poll", 0, 1, NULL);
	comes_to(to_peer(), -1, EINPROGRESS,
		 "setsockopt 5 1 21 0,0;" TOLD "poll 2001;setsockopt 5 1 21 2,1;");
	fake_fails("connect 5 2 at once", EALREADY, 1);
	fake_gives("poll", 1, 1, now_connected);
	comes_to(to_peer(), 0, 0,
		 "setsockopt 5 1 21 0,0;" TOLD "poll 2001;" TOLD "setsockopt 5 1 21 2,1;");
	fake_fails("setsockopt", EDOM, 2);
	fake_fails("connect 5 2 at once", ECONNREFUSED, 1);
	comes_to(to_peer(), -1, ECONNREFUSED,
		 "setsockopt 5 1 21 0,0;" TOLD "setsockopt 5 1 21 2,1;");
	/* With a timeout TCP is not restarted. */
	fake_fails("connect 5 2 at once", EINPROGRESS, 1);
	fake_fails("poll", EINTR, 1);
	comes_to(to_peer(), -1, EINTR,
		 "setsockopt 5 1 21 0,0;" TOLD "poll 2001;setsockopt 5 1 21 2,1;");
	send_time(0, 5);
	fake_fails("connect 5 2 at once", EINPROGRESS, 1);
	fake_gives("poll", 0, 1, NULL);
	comes_to(to_peer(), -1, EINPROGRESS,
		 "setsockopt 5 1 21 0,0;" TOLD "poll 1;setsockopt 5 1 21 0,5;");
	send_time(2147482, 0);
	fake_fails("connect 5 2 at once", EINPROGRESS, 1);
	fake_gives("poll", 0, 1, NULL);
	comes_to(to_peer(), -1, EINPROGRESS,
		 "setsockopt 5 1 21 0,0;" TOLD "poll 2147482000;setsockopt 5 1 21 2147482,0;");
	send_time(2147483, 999999);
	fake_fails("connect 5 2 at once", EINPROGRESS, 1);
	fake_gives("poll", 0, 1, NULL);
	comes_to(to_peer(), -1, EINPROGRESS,
		 "setsockopt 5 1 21 0,0;" TOLD "poll 2147483647;setsockopt 5 1 21 2147483,999999;");
	send_time(3000000, 0);
	fake_fails("connect 5 2 at once", EINPROGRESS, 1);
	fake_gives("poll", 0, 1, NULL);
	comes_to(to_peer(), -1, EINPROGRESS,
		 "setsockopt 5 1 21 0,0;" TOLD "poll 2147483647;setsockopt 5 1 21 3000000,0;");
}

TEST(nonblocking_connect_gets_the_kernels_answer)
{
	fake.fds[5].flags |= O_NONBLOCK;
	fake_fails("connect 5", EINPROGRESS, 1);
	comes_to(to_peer(), -1, EINPROGRESS, "connect 5 2 at once;");
	comes_to(to_peer(), 0, 0, "connect 5 2 at once;");
	fake.fds[5].revents = POLLHUP;
	fake_fails("connect 5", ECONNREFUSED, 1);
	comes_to(to_peer(), -1, ECONNREFUSED,
		 "connect 5 2 at once;socket 43 524289 0;fcntl 9 4 2050;dup3 9 5 0;drop 9;");
}

static uint64_t cookie = 4711;

/* The handshake broke off: TCP is established, and only an error is left. */
static void broken(void)
{
	fake_option(5, SOL_SOCKET, SO_COOKIE, &cookie, sizeof(cookie));
	fake.fds[5].state = TCP_ESTABLISHED;
	fake.fds[5].revents = POLLERR;
}

/* Each test has its own peer: the library remembers broken ones. */
static int to_port(int port)
{
	struct sockaddr_in addr = peer;

	addr.sin_port = htons((uint16_t)port);
	return connect(5, (struct sockaddr *)&addr, sizeof(addr));
}

TEST(a_broken_handshake_is_tried_again_as_tcp)
{
	static const int broke[] = { ECONNRESET, EPIPE, EPROTO, ETIMEDOUT };

	for (size_t i = 0; i < ARRAY_SIZE(broke); i++) {
		fake_setup(state);
		broken();
		fake_fails("connect 5", broke[i], 1);
		comes_to(to_port(200 + (int)i), 0, 0, "connect 5 2;" TO_TCP "connect 5 2;");
		/* The next connection to it begins with TCP. */
		fake_socket(5, AF_SMC, 0);
		comes_to(to_port(200 + (int)i), 0, 0, TO_TCP "connect 5 2;");
		fake_socket(5, AF_SMC, 0);
		fake_fails("dup3", EBUSY, 1);
		comes_to(to_port(200 + (int)i), 0, 0, TO_TCP "connect 5 2;");
		fake_socket(5, AF_SMC, 0);
		comes_to(to_port(300 + (int)i), 0, 0, "connect 5 2;");
	}
}

TEST(errors_that_are_no_broken_handshake)
{
	broken();
	fake.fds[5].state = TCP_CLOSE;
	fake_fails("connect 5", ETIMEDOUT, 1);
	comes_to(to_port(81), -1, ETIMEDOUT, "connect 5 2;");
	broken();
	fake.fds[5].state = TCP_SYN_SENT;
	fake_fails("connect 5", ECONNRESET, 1);
	comes_to(to_port(81), -1, ECONNRESET, "connect 5 2;");
	broken();
	fake.fds[5].revents = POLLERR | POLLOUT;
	fake_fails("connect 5", ECONNRESET, 1);
	fake_fails("socket", EMFILE, 1);
	comes_to(to_port(81), -1, ECONNRESET, "connect 5 2;socket 43 524289 0;");
	broken();
	fake_fails("connect 5", ECONNREFUSED, 1);
	fake_fails("socket", EMFILE, 1);
	comes_to(to_port(81), -1, ECONNREFUSED, "connect 5 2;socket 43 524289 0;");
	broken();
	fake.fds[5].is_connected = true;
	fake_fails("connect 5", ECONNRESET, 1);
	fake_fails("socket", EMFILE, 1);
	comes_to(to_port(81), -1, ECONNRESET, "connect 5 2;socket 43 524289 0;");
	fake.fds[5].is_connected = false;
	broken();
	fake.config.strict = true;
	fake_fails("connect 5", ECONNRESET, 1);
	comes_to(to_port(81), -1, ECONNRESET, "connect 5 2;" RENEWED);
}

TEST(errors_of_broken_handshakes)
{
	static const int other[] = { 0, EINPROGRESS, EALREADY, EISCONN, EINTR, ECONNREFUSED };
	static const int early[] = { 0, TCP_LISTEN, TCP_SYN_SENT };
	static const int events[] = { POLLIN, POLLOUT, POLLRDHUP, POLLHUP };

	broken();
	assert_true(shim_handshake_broke(5, ETIMEDOUT));
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		assert_false(shim_handshake_broke(5, other[i]));
	for (size_t i = 0; i < ARRAY_SIZE(early); i++) {
		fake.fds[5].state = early[i];
		assert_false(shim_handshake_broke(5, ECONNRESET));
	}
	fake.fds[5].state = TCP_CLOSE;
	assert_true(shim_handshake_broke(5, ECONNRESET));
	assert_true(shim_handshake_broke(5, EPIPE));
	assert_true(shim_handshake_broke(5, EPROTO));
	assert_false(shim_handshake_broke(5, ETIMEDOUT));
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		fake.fds[5].revents = POLLERR | events[i];
		assert_false(shim_handshake_broke(5, ECONNRESET));
	}
}

TEST(no_debug_line_without_a_tcp_socket)
{
	broken();
	fake_fails("socket", EMFILE, 1);
	fake_fails("connect 5", ECONNRESET, 1);
	comes_to(to_port(82), -1, ECONNRESET, "connect 5 2;socket 2 524289 0;");
}

static void name_it(int port)
{
	fake.fds[5].name.sin_family = AF_INET;
	fake.fds[5].name.sin_port = htons((uint16_t)port);
}

TEST(the_address_stays_bound)
{
	broken();
	name_it(1000);
	fake_fails("connect 5", ECONNRESET, 1);
	comes_to(to_port(83), 0, 0, "connect 5 2;" TO_TCP "bind 5 1000;connect 5 2;");
	fake_setup(state);
	broken();
	name_it(1000);
	fake_fails("bind 5 1000", EADDRINUSE, 1);
	fake_fails("connect 5", ECONNRESET, 1);
	comes_to(to_port(84), -1, ECONNRESET, "connect 5 2;" TO_TCP "bind 5 1000;");
	/* An address chosen by the kernel need not be the same. */
	fake_setup(state);
	broken();
	name_it(32768);
	fake_fails("bind 5 32768", EADDRINUSE, 1);
	fake_fails("connect 5", ECONNRESET, 1);
	comes_to(to_port(85), 0, 0, "connect 5 2;" TO_TCP "bind 5 32768;bind 5 0;connect 5 2;");
	fake_setup(state);
	broken();
	name_it(40000);
	fake_fails("bind 5 40000", EACCES, 1);
	fake_fails("connect 5", ECONNRESET, 1);
	comes_to(to_port(86), -1, ECONNRESET, "connect 5 2;" TO_TCP "bind 5 40000;");
	fake_setup(state);
	broken();
	name_it(32767);
	fake_fails("bind 5 32767", EADDRINUSE, 1);
	fake_fails("connect 5", ECONNRESET, 1);
	comes_to(to_port(87), -1, ECONNRESET, "connect 5 2;" TO_TCP "bind 5 32767;");
}

static int so_error(void)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(5, SOL_SOCKET, SO_ERROR, &value, &len), 0);
	fake_forgive();
	return value;
}

/* A connect() that does not wait ends so; then the handshake has broken. */
static void now_broken(void **state, int port, int err)
{
	fake_setup(state);
	fake.fds[5].flags |= O_NONBLOCK;
	fake_option(5, SOL_SOCKET, SO_COOKIE, &cookie, sizeof(cookie));
	fake_fails("connect 5", err, 1);
	comes_to(to_port(port), -1, err, "connect 5 2 at once;");
	broken();
}

TEST(so_error_of_a_nonblocking_connect)
{
	now_broken(state, 90, EINPROGRESS);
	fake.fds[5].error = ECONNRESET;
	fake_fails("connect 5", EINPROGRESS, 1);
	comes_to(so_error(), 0, 0,
		 "socket 2 524289 0;fcntl 9 4 2050;dup3 9 5 0;drop 9;connect 5 2 at once;");
	/* Without a TCP socket the error stays. */
	now_broken(state, 89, EINPROGRESS);
	fake.fds[5].error = ECONNRESET;
	fake_fails("socket 2", EMFILE, 1);
	comes_to(so_error(), ECONNRESET, 0, "socket 2 524289 0;");
	/* connect() checks, too. */
	now_broken(state, 91, EINPROGRESS);
	fake.fds[5].error = ECONNRESET;
	fake_fails("connect 5", EINPROGRESS, 1);
	comes_to(to_port(91), -1, EALREADY,
		 "socket 2 524289 0;fcntl 9 4 2050;dup3 9 5 0;drop 9;connect 5 2 at once;");
	/* An answer unrelated to SMC. */
	now_broken(state, 92, EINPROGRESS);
	fake.fds[5].state = TCP_CLOSE;
	fake.fds[5].error = EHOSTUNREACH;
	comes_to(to_port(92), -1, EHOSTUNREACH, "");
	fake.fds[5].revents = POLLERR | POLLIN;
	fake.fds[5].error = EHOSTUNREACH;
	comes_to(to_port(92), -1, EHOSTUNREACH, "");
	/* None at all. */
	comes_to(to_port(92), 0, 0, "connect 5 2 at once;");
	/* Nothing is known of a connection that never was in progress. */
	cookie++;
	now_broken(state, 95, ENETUNREACH);
	fake.fds[5].error = ECONNRESET;
	comes_to(so_error(), ECONNRESET, 0, "");
	fake.fds[5].error = ECONNRESET;
	comes_to(to_port(95), 0, 0, "connect 5 2 at once;");
}

TEST(af_unspec_makes_it_new)
{
	comes_to(to_nobody(), 0, 0, "");
	fake.fds[5].state = TCP_LISTEN;
	comes_to(to_nobody(), 0, 0, "connect 5 0;");
	fake.fds[5].state = TCP_CLOSE;
	fake.fds[5].revents = POLLHUP;
	comes_to(to_nobody(), 0, 0, RENEWED);
	fake.fds[5].state = TCP_ESTABLISHED;
	fake.fds[5].is_connected = true;
	name_it(50000);
	comes_to(to_nobody(), 0, 0, RENEWED);
	fake.fds[5].state = TCP_ESTABLISHED;
	name_it(50000);
	fake_fails("bind", EADDRINUSE, 1);
	comes_to(to_nobody(), 0, 0, RENEWED "bind 5 50000;");
	fake.fds[5].state = TCP_ESTABLISHED;
	name_it(50000);
	fake_fails("bind", EACCES, 1);
	comes_to(to_nobody(), -1, EACCES, RENEWED "bind 5 50000;");
	fake.fds[5].revents = POLLERR;
	comes_to(to_nobody(), 0, 0, RENEWED);
	fake.fds[5].state = TCP_ESTABLISHED;
	fake_fails("socket", EMFILE, 1);
	comes_to(to_nobody(), -1, EMFILE, "socket 43 524289 0;");
}

TEST(af_unspec_after_fallback)
{
	fake_socket(5, AF_SMC, IPPROTO_TCP);
	fake_fails("connect", EINVAL, 1);
	comes_to(to_nobody(), -1, EINVAL, "connect 5 0;");
	/* Another process may have set a key. */
	comes_to(to_nobody(), 0, 0, "connect 5 0;");
	shim_fd_mark_plain(5);
	fake.fds[5].domain = AF_INET6;
	comes_to(to_nobody(), 0, 0,
		 "connect 5 0;socket 10 524289 0;fcntl 9 4 2;dup3 9 5 0;drop 9;");
	fake_socket(5, AF_UNIX, 0)->is_socket = false;
	comes_to(to_nobody(), 0, 0, "connect 5 0;");
}

TEST(plain_ones_ask_only_when_they_fail)
{
	shim_fd_mark_plain(5);
	comes_to(to_port(93), 0, 0, "connect 5 2;");
	assert_true(shim_fd_is_plain(5));
	fake_fails("connect 5", ECONNREFUSED, 1);
	comes_to(to_port(93), -1, ECONNREFUSED, "connect 5 2;");
	assert_false(shim_fd_is_plain(5));
	shim_fd_mark_plain(5);
	fake.fds[5].flags |= O_NONBLOCK;
	fake.fds[5].revents = POLLHUP;
	fake_fails("connect 5", ECONNREFUSED, 1);
	comes_to(to_port(93), -1, ECONNREFUSED,
		 "connect 5 2 at once;socket 43 524289 0;fcntl 9 4 2050;dup3 9 5 0;drop 9;");
	shim_fd_mark_plain(5);
	fake.fds[5].flags &= ~O_NONBLOCK;
	fake.fds[5].revents = POLLOUT;
	fake_fails("connect 5", EALREADY, 1);
	comes_to(to_port(93), 0, 0, "connect 5 2;poll -1;" TOLD);
	/* A non-blocking socket is checked later. */
	shim_fd_mark_plain(5);
	fake.fds[5].flags |= O_NONBLOCK;
	fake_option(5, SOL_SOCKET, SO_COOKIE, &cookie, sizeof(cookie));
	fake_fails("connect 5", EINPROGRESS, 1);
	comes_to(to_port(94), -1, EINPROGRESS, "connect 5 2 at once;");
	broken();
	fake.fds[5].error = ECONNRESET;
	comes_to(so_error(), 0, 0,
		 "socket 2 524289 0;fcntl 9 4 2050;dup3 9 5 0;drop 9;connect 5 2 at once;");
	/* Where a handshake broke before, plain sockets are checked, too. */
	fake_socket(5, AF_SMC, 0);
	shim_fd_mark_plain(5);
	comes_to(to_port(94), 0, 0, TO_TCP "connect 5 2;");
}

TEST(linger_waits_outside)
{
	const struct linger time = { 1, 30 }, none = { 1, 0 };

	fake_option(5, SOL_SOCKET, SO_LINGER, &time, sizeof(time));
	comes_to(to_peer(), 0, 0, "setsockopt 5 1 13 0,0;connect 5 2;setsockopt 5 1 13 1,30;");
	fake_fails("connect 5", ECONNREFUSED, 1);
	comes_to(to_peer(), -1, ECONNREFUSED,
		 "setsockopt 5 1 13 0,0;connect 5 2;setsockopt 5 1 13 1,30;");
	comes_to(listen(5, 3), 0, 0, "setsockopt 5 1 13 0,0;listen 5 3;setsockopt 5 1 13 1,30;");
	fake_fails("setsockopt 5 1 13", EPERM, 1);
	comes_to(to_peer(), 0, 0, "setsockopt 5 1 13 0,0;connect 5 2;");
	fake_option(5, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	comes_to(to_peer(), 0, 0, "connect 5 2;");
	/* Not the time of TCP, where a handshake broke before. */
	broken();
	fake_fails("connect 5", ECONNRESET, 1);
	comes_to(to_port(96), 0, 0, "connect 5 2;" TO_TCP "connect 5 2;");
	fake_socket(5, AF_SMC, 0);
	fake_option(5, SOL_SOCKET, SO_LINGER, &time, sizeof(time));
	fake_option(9, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	comes_to(to_port(96), 0, 0,
		 "socket 2 524289 0;setsockopt 9 1 13 1,30;fcntl 9 4 2;dup3 9 5 0;drop 9;"
		 "connect 5 2;");
	fake_socket(5, AF_SMC, 0);
	fake_option(5, SOL_SOCKET, SO_LINGER, &time, sizeof(time));
	fake_fails("dup3", EBUSY, 1);
	comes_to(to_port(96), 0, 0,
		 TO_TCP "setsockopt 5 1 13 0,0;connect 5 2;setsockopt 5 1 13 1,30;");
}

TEST(clients_inherit_linger)
{
	const struct linger time = { 1, 30 };

	fake_option(5, SOL_SOCKET, SO_LINGER, &time, sizeof(time));
	shim_linger_listens = false;
	comes_to((shim_linger_accepted(5, 6), 0), 0, ERRNO_BEFORE, "");
	listen(5, 3);
	fake.log[0] = '\0';
	comes_to((shim_linger_accepted(5, 6), 0), 0, ERRNO_BEFORE, "setsockopt 6 1 13 1,30;");
}

TEST(a_socket_listens_after_connect)
{
	fake.fds[5].state = TCP_CLOSE;
	fake_fails("getpeername", ENOTCONN, 9);
	fake_fails("listen", EINVAL, 1);
	comes_to(listen(5, 3), 0, 0, "listen 5 3;" RENEWED "listen 5 3;");
	fake_fails("listen", EINVAL, 1);
	fake.fds[5].revents = POLLHUP;
	comes_to(listen(5, 3), -1, EINVAL, "listen 5 3;");
	fake.fds[5].revents = 0;
	fake_fails("listen", EADDRINUSE, 1);
	comes_to(listen(5, 3), -1, EADDRINUSE, "listen 5 3;");
}

TEST(a_route_preserves_errno)
{
	struct shim_route route;

	comes_to((shim_route_from(&route, 5), 0), 0, 0, "");
}

TEST(odd_addresses)
{
	const struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	const struct sockaddr local = { .sa_family = AF_UNIX }, none = { .sa_family = AF_UNSPEC };
	struct sockaddr_storage longer = { .ss_family = AF_INET };

	/* Longer and shorter than the address, but valid. */
	comes_to(connect(5, (struct sockaddr *)&longer, sizeof(longer)), 0, 0, "connect 5 2;");
	comes_to(connect(5, &none, sizeof(none.sa_family)), 0, 0, "");
	fake.fds[5].revents = POLLHUP;
	fake_fails("connect", EAFNOSUPPORT, 99);
	comes_to(connect(5, NULL, 0), -1, EAFNOSUPPORT, "connect 5 -1;");
	comes_to(connect(5, &local, sizeof(local)), -1, EAFNOSUPPORT, "connect 5 1;");
	comes_to(connect(5, &local, 1), -1, EAFNOSUPPORT, "connect 5 1;");
	comes_to(connect(5, (const struct sockaddr *)&in6, sizeof(in6)), -1, EAFNOSUPPORT,
		 "connect 5 10;" RENEWED);
}

static struct fixture fixture = { .setup = fake_setup, .teardown = fake_teardown };
