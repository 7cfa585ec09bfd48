// SPDX-License-Identifier: MIT
/* ld_pre_smc, sockopt, replace_socket, buffers, listen, choice: sockets before they connect. */
#include "fake_below.h"

#include <sys/resource.h>
#include <sys/time.h>

#include "ld_pre_smc/state/buffers.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/openers.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/replace_socket.h"
#include "process/sockopt_numbers.h"

/* Calls that replace socket 5 by a TCP socket. */
#define TO_TCP "socket 2 524289 0;fcntl 9 4 2;dup3 9 5 0;drop 9;"

static int set_int(int level, int name, int value)
{
	return setsockopt(5, level, name, &value, sizeof(value));
}

static int set_bytes(int level, int name, const void *value, socklen_t len)
{
	int ret = setsockopt(5, level, name, value, len);

	fake_forgive();
	return ret;
}

static int get_int(int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(5, level, name, &value, &len), 0);
	fake_forgive();
	return value;
}

TEST(accepted_options_cost_one_call)
{
	comes_to(set_int(SOL_SOCKET, SO_KEEPALIVE, 1), 0, 0, "setsockopt 5 1 9 1;");
	fake_fails("setsockopt", EINVAL, 1);
	comes_to(set_int(SOL_SOCKET, SO_KEEPALIVE, 1), -1, EINVAL, "setsockopt 5 1 9 1;");
	fake_fails("setsockopt", EOPNOTSUPP, 1);
	comes_to(set_int(IPPROTO_TCP, TCP_NODELAY, 1), -1, EOPNOTSUPP, "setsockopt 5 6 1 1;");
	/* The value of the TCP socket is read only where it has one. */
	fake_socket(5, AF_INET, IPPROTO_TCP);
	fake_fails("setsockopt", EOPNOTSUPP, 1);
	comes_to(set_int(SOL_SOCKET, SO_ZEROCOPY, 1), -1, EOPNOTSUPP, "setsockopt 5 1 60 1;");
	comes_to(set_int(IPPROTO_TCP, TCP_FASTOPEN, 1), 0, 0, "setsockopt 5 6 23 1;");
}

/* Then connect() needs no query. */
TEST(few_options_concern_connect)
{
	const struct linger linger = { 0, 0 };

	shim_fd_mark_plain(5);
	set_int(SOL_SOCKET, SO_KEEPALIVE, 1);
	set_int(IPPROTO_TCP, SO_LINGER, 1);
	assert_true(shim_fd_is_plain(5));
	set_bytes(SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	assert_false(shim_fd_is_plain(5));
}

TEST(options_that_end_smc_are_ignored)
{
	static const int names[] = { TCP_FASTOPEN, TCP_FASTOPEN_CONNECT, TCP_FASTOPEN_KEY,
				     TCP_FASTOPEN_NO_COOKIE };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		fake_fails("setsockopt 5", EIO, 2);
		assert_int_equal(set_int(IPPROTO_TCP, names[i], 1), 0);
		assert_int_equal(set_int(IPPROTO_IP, names[i], 1), 0);
		assert_int_equal(fake.fds[5].protocol, 0);
		assert_false(fake.fds[9].is_open);
		fake.n_answers = 0;
	}
	/* A value that TCP refuses is refused; without a TCP socket to ask, none is. */
	fake_fails("setsockopt 9", EFAULT, 1);
	assert_int_equal(set_int(IPPROTO_TCP, TCP_FASTOPEN, -1), -1);
	assert_int_equal(errno, EFAULT);
	assert_false(fake.fds[9].is_open);
	fake_fails("socket", EMFILE, 1);
	assert_int_equal(set_int(IPPROTO_TCP, TCP_FASTOPEN, 1), 0);
	fake.log[0] = '\0';
	comes_to(set_int(286, TCP_FASTOPEN, 1), 0, ERRNO_BEFORE, "setsockopt 5 286 23 1;");
	fake.config.raw = true;
	comes_to(set_int(IPPROTO_TCP, TCP_FASTOPEN, 1), 0, ERRNO_NOISE, "setsockopt 5 6 23 1;");
}

TEST(options_that_hold_back_are_undone)
{
	fake_socket(5, AF_SMC, 0);
	comes_to(set_int(IPPROTO_TCP, TCP_CORK, 1), 0, 0, "setsockopt 5 6 3 1;setsockopt 5 6 3 0;");
	comes_to(set_int(IPPROTO_TCP, TCP_CORK, 0), 0, 0, "setsockopt 5 6 3 0;");
	comes_to(set_int(IPPROTO_TCP, TCP_DEFER_ACCEPT, 9), 0, 0,
		 "setsockopt 5 6 9 9;setsockopt 5 6 9 0;");
	fake_fails("setsockopt 5", EINVAL, 1);
	comes_to(set_int(IPPROTO_TCP, TCP_CORK, 1), -1, EINVAL, "setsockopt 5 6 3 1;");
	fake_socket(5, AF_INET, IPPROTO_TCP);
	comes_to(set_int(IPPROTO_TCP, TCP_CORK, 1), 0, 0, "setsockopt 5 6 3 1;");
}

TEST(options_that_never_answer_are_refused)
{
	comes_to(set_int(IPPROTO_TCP, TCP_INQ, 1), -1, ENOPROTOOPT,
		 "setsockopt 5 6 36 1;setsockopt 5 6 36 0;");
	comes_to(set_int(IPPROTO_TCP, TCP_INQ, 0), 0, 0, "setsockopt 5 6 36 0;");
	comes_to(set_int(SOL_SOCKET, SO_TIMESTAMPING_NEW, 8), -1, ENOPROTOOPT,
		 "setsockopt 5 1 65 8;setsockopt 5 1 65 0;");
	fake_fails("setsockopt 5", EOPNOTSUPP, 1);
	comes_to(set_int(SOL_SOCKET, SO_ZEROCOPY, 1), -1, EOPNOTSUPP, "setsockopt 5 1 60 1;");
	/* A socket that may become SMC stays TCP. */
	fake_socket(5, AF_INET, IPPROTO_TCP);
	shim_fd_mark_tcp(5);
	assert_int_equal(set_int(IPPROTO_TCP, TCP_CORK, 1), 0);
	assert_true(shim_fd_is_tcp(5));
	assert_int_equal(set_int(IPPROTO_TCP, TCP_INQ, 1), 0);
	assert_false(shim_fd_is_tcp(5));
}

TEST(options_that_need_tcp)
{
	static const struct {
		int level, name;
	} options[] = { { SOL_SOCKET, SO_RCVLOWAT },	  { IPPROTO_TCP, TCP_REPAIR },
			{ IPPROTO_IP, IP_MULTICAST_ALL }, { IPPROTO_IPV6, IPV6_RECVRTHDR },
			{ SOL_SOCKET, SO_PEEK_OFF },	  { 4711, 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		fake_socket(5, AF_SMC, 1);
		fake_int(9, options[i].level, options[i].name, 0);
		assert_int_equal(set_int(options[i].level, options[i].name, 0), 0);
		assert_int_equal(fake.fds[5].protocol, 1);
		assert_int_equal(set_int(options[i].level, options[i].name, 2), 0);
		assert_int_equal(fake.fds[5].protocol, IPPROTO_TCP);
		assert_int_equal(get_int(options[i].level, options[i].name), 2);
		/* Refused by TCP. */
		fake_socket(5, AF_SMC, 1);
		fake_fails("setsockopt 9", ENOPROTOOPT, 1);
		assert_int_equal(set_int(options[i].level, options[i].name, 2), -1);
		assert_int_equal(errno, ENOPROTOOPT);
		assert_int_equal(fake.fds[5].protocol, 1);
	}
	/* Neither on a connected socket nor with SMC_STRICT. */
	fake_socket(5, AF_SMC, 0)->is_connected = true;
	assert_int_equal(set_int(SOL_SOCKET, SO_RCVLOWAT, 2), 0);
	assert_int_equal(fake.fds[5].protocol, 0);
	fake_socket(5, AF_SMC, 0)->state = TCP_ESTABLISHED;
	assert_int_equal(set_int(SOL_SOCKET, SO_RCVLOWAT, 2), 0);
	assert_int_equal(fake.fds[5].protocol, 0);
	fake_socket(5, AF_SMC, 0);
	fake.config.strict = true;
	assert_int_equal(set_int(SOL_SOCKET, SO_RCVLOWAT, 2), 0);
	assert_int_equal(fake.fds[5].protocol, 0);
}

static const struct protection {
	int level, name;
} protections[] = {
	{ IPPROTO_TCP, TCP_MD5SIG },
	{ IPPROTO_TCP, 32 }, /* TCP_MD5SIG_EXT */
	{ IPPROTO_TCP, 38 }, /* TCP_AO_ADD_KEY */
	{ IPPROTO_TCP, 42 }, /* TCP_AO_REPAIR */
	{ IPPROTO_IP, IP_MINTTL },
	{ IPPROTO_IP, IP_XFRM_POLICY },
	{ IPPROTO_IP, IP_IPSEC_POLICY },
	{ IPPROTO_IPV6, 73 }, /* IPV6_MINHOPCOUNT */
	{ IPPROTO_IPV6, IPV6_XFRM_POLICY },
	{ IPPROTO_IPV6, IPV6_IPSEC_POLICY },
	{ SOL_SOCKET, SO_ATTACH_FILTER },
	{ SOL_SOCKET, SO_ATTACH_BPF },
};

/* The data would pass by the key. */
TEST(options_that_protect_are_for_tcp)
{
	for (size_t i = 0; i < ARRAY_SIZE(protections); i++) {
		const struct protection *p = &protections[i];

		fake_socket(5, AF_SMC, 0);
		shim_fd_mark_plain(5);
		assert_int_equal(set_int(p->level, p->name, 255), 0);
		assert_int_equal(fake.fds[5].protocol, IPPROTO_TCP);
		/* Rules do not make it an SMC socket again. */
		shim_fd_clear(FD_SMC, 5);
		assert_false(shim_fd_is_tcp(5));
		/* A refusal of TCP counts. */
		fake_socket(5, AF_SMC, 0);
		shim_fd_mark_plain(5);
		fake_fails("setsockopt 9", EPERM, 1);
		assert_int_equal(set_int(p->level, p->name, 255), -1);
		assert_int_equal(errno, EPERM);
		assert_int_equal(fake.fds[5].protocol, 0);
		fake_shut(9);
	}
	/* No minimum is none. */
	fake_socket(5, AF_SMC, 0);
	fake_int(9, IPPROTO_IP, IP_MINTTL, 0);
	assert_int_equal(set_int(IPPROTO_IP, IP_MINTTL, 0), 0);
	assert_int_equal(fake.fds[5].protocol, 0);
}

/* An option is refused, and no socket is left over. */
static void assert_unprotected(void)
{
	assert_int_equal(set_int(IPPROTO_TCP, TCP_MD5SIG, 1), -1);
	assert_int_equal(errno, ENOPROTOOPT);
	assert_int_equal(fake.fds[5].protocol, 0);
	assert_false(fake.fds[9].is_open);
}

TEST(connections_refuse_options_that_protect)
{
	fake_socket(5, AF_SMC, 0)->is_connected = true;
	assert_unprotected();
	fake_socket(5, AF_SMC, 0)->state = TCP_SYN_SENT;
	assert_unprotected();
	/* Another process may have the socket. */
	fake_socket(5, AF_SMC, 0)->state = TCP_LISTEN;
	assert_unprotected();
	fake_socket(5, AF_SMC, 0);
	assert_unprotected();
	shim_fd_mark_plain(5);
	/* Nothing can be opened, or must not. */
	fake_socket(5, AF_SMC, 0);
	fake_fails("socket", EMFILE, 1);
	assert_unprotected();
	fake.config.strict = true;
	assert_unprotected();
	/* A locked program opens no socket. */
	fake.config.strict = false;
	shim_fd_mark_plain(5);
	shim_is_locked = true;
	fake.log[0] = '\0';
	assert_unprotected();
	assert_string_equal(fake.log, "");
	shim_fd_new(5, 0);
	assert_int_equal(set_int(IPPROTO_TCP, TCP_MD5SIG, 1), 0);
	shim_is_locked = false;
}

TEST(a_listener_that_gets_a_key_listens_again)
{
	fake_socket(5, AF_SMC, 0)->state = TCP_LISTEN;
	fake.fds[5].name = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(179) };
	shim_fd_mark_plain(5);
	shim_fd_drop(FD_PLAIN, 5);
	assert_int_equal(set_int(IPPROTO_TCP, TCP_MD5SIG, 1), 0);
	assert_int_equal(fake.fds[5].protocol, IPPROTO_TCP);
	assert_non_null(strstr(fake.log, "listen 5 7;"));
	assert_non_null(strstr(fake.log, "bind 5 "));
	assert_false(fake.fds[9].is_open);
}

TEST(so_reuseport_is_for_the_other_kind)
{
	fake_fails("setsockopt 5", EOPNOTSUPP, 1);
	comes_to(set_int(SOL_SOCKET, SO_REUSEPORT, 1), 0, 0,
		 "setsockopt 5 1 15 1;socket 2 524289 256;fcntl 9 4 2;setsockopt 9 1 15 1;"
		 "dup3 9 5 0;drop 9;");
	assert_int_equal(fake.fds[5].protocol, 256);
	/* TCP refuses it, too. */
	fake_fails("setsockopt 5", EOPNOTSUPP, 1);
	comes_to(set_int(SOL_SOCKET, SO_REUSEPORT, 1), 0, 0,
		 "setsockopt 5 1 15 1;socket 2 524289 0;fcntl 9 4 2;setsockopt 9 1 15 1;"
		 "dup3 9 5 0;drop 9;");
	assert_int_equal(fake.fds[5].protocol, IPPROTO_TCP);
	fake_setup(state);
	fake_fails("setsockopt 5", EOPNOTSUPP, 1);
	fake_fails("socket 2 524289 256", EPROTONOSUPPORT, 1);
	comes_to(set_int(SOL_SOCKET, SO_REUSEPORT, 1), 0, 0,
		 "setsockopt 5 1 15 1;socket 2 524289 256;socket 2 524289 0;fcntl 9 4 2;"
		 "setsockopt 9 1 15 1;dup3 9 5 0;drop 9;");
	fake_setup(state);
	fake_fails("setsockopt", EOPNOTSUPP, 2);
	comes_to(set_int(SOL_SOCKET, SO_REUSEPORT, 1), 0, 0,
		 "setsockopt 5 1 15 1;socket 2 524289 256;fcntl 9 4 2;setsockopt 9 1 15 1;"
		 "drop 9;socket 2 524289 0;fcntl 9 4 2;setsockopt 9 1 15 1;dup3 9 5 0;drop 9;");
}

TEST(options_that_tcp_refuses)
{
	fake_fails("setsockopt 9", EPERM, 1);
	assert_int_equal(set_int(SOL_SOCKET, SO_PEEK_OFF, 1), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(fake.fds[5].protocol, 0);
	/* It is so already. */
	fake_int(9, SOL_SOCKET, SO_PEEK_OFF, 0);
	assert_int_equal(set_int(SOL_SOCKET, SO_PEEK_OFF, 0), 0);
	assert_int_equal(fake.fds[5].protocol, 0);
	/* Without a TCP socket the kernel's answer counts. */
	fake_fails("setsockopt 5", EOPNOTSUPP, 1);
	fake_fails("socket", EMFILE, 2);
	assert_int_equal(set_int(SOL_SOCKET, SO_PEEK_OFF, 1), -1);
	assert_int_equal(errno, EOPNOTSUPP);
	fake_fails("dup3", EBUSY, 1);
	assert_int_equal(set_int(SOL_SOCKET, SO_PEEK_OFF, 1), -1);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(fake.fds[5].protocol, 0);
	assert_int_equal(set_int(SOL_SOCKET, SO_PEEK_OFF, 1), 0);
	assert_int_equal(fake.fds[5].protocol, IPPROTO_TCP);
}

static void debug_to_stderr(void)
{
	fake_socket(2, 0, 0)->is_socket = false;
	fake.config.debug = fake.config.err_open = true;
	fake.config.err_dev = 1;
	fake.config.err_ino = fake.fds[2].ino;
}

TEST(debug_lines_name_the_option)
{
	static const struct {
		int level, name;
		const char *says;
	} cases[] = {
		{ SOL_SOCKET, SO_REUSEPORT, "says fd 5: SO_REUSEPORT -> IPPROTO_SMC;" },
		{ SOL_SOCKET, SO_PEEK_OFF, "says fd 5: SO_PEEK_OFF -> TCP;" },
		{ SOL_SOCKET, SO_TXREHASH, "says fd 5: SO_TXREHASH -> TCP;" },
		{ SOL_SOCKET, SO_RCVLOWAT, "says fd 5: SO_RCVLOWAT -> TCP;" },
		{ SOL_SOCKET, SO_PRIORITY, "says fd 5: an option that SMC refuses -> TCP;" },
		{ IPPROTO_TCP, TCP_REPAIR, "says fd 5: a TCP option -> TCP;" },
		{ IPPROTO_TCP, TCP_FASTOPEN, "says fd 5: an option that ends SMC is ignored;" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_setup(state);
		debug_to_stderr();
		fake_fails("setsockopt 5", EOPNOTSUPP, 1);
		assert_int_equal(set_int(cases[i].level, cases[i].name, 2), 0);
		assert_non_null(strstr(fake.log, cases[i].says));
		/* Not if the descriptor is no longer standard error. */
		fake.log[0] = '\0';
		fake_socket(2, 0, 0);
		shim_log_fd(5, "anything", NULL, 0);
		fake.config.err_ino = fake.fds[2].ino;
		fake.config.err_dev = 2;
		shim_log_fd(5, "anything", NULL, 0);
		fake.config.err_dev = 1;
		fake.config.err_open = false;
		shim_log_fd(5, "anything", NULL, 0);
		fake.config.err_open = true;
		shim_is_locked = true;
		shim_log_fd(5, "anything", NULL, 0);
		assert_string_equal(fake.log, "");
		shim_is_locked = false;
		shim_log_fd(-5, "anything", "TCP", EADDRINUSE);
		shim_log_fd(10, "more", NULL, ENOTTY);
		assert_string_equal(fake.log, "says fd -5: anything -> TCP, bind: EADDRINUSE;"
					      "says fd 10: more, bind: errno 25;");
	}
}

/* The kernel's SMC refuses the value; @len bytes come to be the option @now. */
static void assert_padded(int level, int name, const char *value, socklen_t len, int now)
{
	fake_fails("setsockopt 5", EINVAL, 1);
	assert_int_equal(set_bytes(level, name, value, len), 0);
	assert_int_equal(get_int(level, name), now);
	assert_false(fake.fds[9].is_open);
}

static void assert_short_refused(int level, int name, const char *value, socklen_t len)
{
	assert_int_equal(set_bytes(level, name, value, len), -1);
	assert_int_equal(errno, EINVAL);
	assert_false(fake.fds[9].is_open);
}

TEST(short_values_are_padded)
{
	char zero[4] = "";

	assert_padded(IPPROTO_IP, IP_TOS, "\x10", 1, 0x10);
	assert_padded(IPPROTO_IP, IP_TOS, "\xf0", 1, 0xf0);
	assert_padded(IPPROTO_IP, IP_TTL, "", 0, 0);
	assert_padded(IPPROTO_IP, IP_OPTIONS, zero, 2, 0);
	fake_fails("setsockopt 5", EINVAL, 2);
	assert_int_equal(set_bytes(IPPROTO_IP, IP_OPTIONS, "", 0), 0);
	fake.n_answers = 0;
	fake_fails("setsockopt 5 6 13 bbr/3", EINVAL, 1);
	assert_int_equal(set_bytes(IPPROTO_TCP, TCP_CONGESTION, "bbr", 3), 0);
	assert_non_null(strstr(fake.log, "setsockopt 5 6 13 bbr/4;"));
	/* Refusals of TCP count, and those of options that are not short. */
	fake_fails("setsockopt", EINVAL, 2);
	assert_short_refused(IPPROTO_IP, IP_PKTINFO, "", 0);
	fake_fails("setsockopt 5", EINVAL, 99);
	assert_short_refused(IPPROTO_TCP, TCP_NODELAY, "\1", 1);
	assert_short_refused(IPPROTO_IPV6, 67, "\1", 1);
	assert_int_equal(set_int(IPPROTO_TCP, TCP_NODELAY, 1), -1);
	fake_socket(5, AF_INET, IPPROTO_TCP);
	assert_short_refused(IPPROTO_IP, IP_TOS, "\x10", 1);
}

TEST(tcp_ulp_smc_is_done)
{
	fake_fails("setsockopt 5 6 31", EOPNOTSUPP, 99);
	comes_to(set_bytes(IPPROTO_TCP, TCP_ULP, "smc", 3), 0, 0, "setsockopt 5 6 31 smc/3;");
	comes_to(set_bytes(IPPROTO_TCP, TCP_ULP, "smc", 4), 0, 0, "setsockopt 5 6 31 smc/4;");
	comes_to(set_bytes(IPPROTO_TCP, TCP_ULP, "smcx", 5), -1, EOPNOTSUPP,
		 "setsockopt 5 6 31 smcx/5;");
	comes_to(set_bytes(IPPROTO_TCP, TCP_ULP, "smc", 2), -1, EOPNOTSUPP,
		 "setsockopt 5 6 31 sm/2;");
	comes_to(set_bytes(IPPROTO_TCP, TCP_ULP, "tls", 3), -1, EOPNOTSUPP,
		 "setsockopt 5 6 31 tls/3;");
	comes_to(set_bytes(IPPROTO_TCP, TCP_ULP, "", 0), -1, EINVAL, "setsockopt 5 6 31 /0;");
	fake_socket(5, AF_INET, IPPROTO_TCP);
	comes_to(set_bytes(IPPROTO_TCP, TCP_ULP, "smc", 3), -1, EOPNOTSUPP,
		 "setsockopt 5 6 31 smc/3;");
}

static int set_time(int name, long seconds, long microseconds)
{
	const struct timeval time = { seconds, microseconds };

	return set_bytes(SOL_SOCKET, name, &time, sizeof(time));
}

static int set_wide(long long seconds, long long microseconds)
{
	const long long time[2] = { seconds, microseconds };

	return set_bytes(SOL_SOCKET, SO_RCVTIMEO_NEW, time, sizeof(time));
}

TEST(timeouts_differ_from_accepts_mark)
{
	const struct timeval mark = { 0, 1 };
	const int64_t wide[2] = { 0, 1 };

	comes_to(set_time(SO_RCVTIMEO, 0, 1), 0, 0,
		 "setsockopt 5 1 20 0,1;setsockopt 5 1 20 0,10001;");
	comes_to(set_time(SO_RCVTIMEO, 0, 10000), 0, 0,
		 "setsockopt 5 1 20 0,10000;setsockopt 5 1 20 0,10001;");
	comes_to(set_time(SO_RCVTIMEO, 0, 10001), 0, 0, "setsockopt 5 1 20 0,10001;");
	comes_to(set_time(SO_RCVTIMEO, 1, 1), 0, 0, "setsockopt 5 1 20 1,1;");
	comes_to(set_time(SO_RCVTIMEO, 0, 0), 0, 0, "setsockopt 5 1 20 0,0;");
	comes_to(set_wide(0, 1), 0, 0, "setsockopt 5 1 66 0,1;setsockopt 5 1 20 0,10001;");
	comes_to(set_bytes(SOL_SOCKET, SO_RCVTIMEO, &mark, sizeof(mark) - 1), 0, 0,
		 "setsockopt 5 1 20 0;");
	comes_to(set_bytes(SOL_SOCKET, SO_RCVTIMEO_NEW, &wide, sizeof(wide) - 1), 0, 0,
		 "setsockopt 5 1 66 0;");
	fake.fds[5].is_connected = true;
	comes_to(set_time(SO_RCVTIMEO, 0, 1), 0, 0, "setsockopt 5 1 20 0,1;");
	fake_socket(5, AF_INET, IPPROTO_TCP);
	comes_to(set_time(SO_RCVTIMEO, 0, 1), 0, 0, "setsockopt 5 1 20 0,1;");
}

static long long receive_time(void)
{
	struct timeval time = { -1, -1 };
	socklen_t len = sizeof(time);

	assert_int_equal(getsockopt(5, SOL_SOCKET, SO_RCVTIMEO, &time, &len), 0);
	fake_forgive();
	return time.tv_sec * 1000000LL + time.tv_usec;
}

TEST(the_time_of_accept_is_not_shown)
{
	const struct timeval mark = { 0, 1 };
	struct timeval time = { 0 };
	socklen_t len = sizeof(time);

	fake_option(5, SOL_SOCKET, SO_RCVTIMEO, &mark, sizeof(mark));
	comes_to(receive_time(), 1, 0, "");
	fake_int(5, SOL_SOCKET, SO_ACCEPTCONN, 1);
	comes_to(receive_time(), 0, 0, "");
	fake_fails("getsockopt 5 1 20", EBADF, 1);
	fake_gives("getsockopt 5 1 20", 0, 1, NULL);
	comes_to(receive_time(), 0, 0, "");
	fake.config.raw = true;
	comes_to(receive_time(), 1, 0, "");
	fake.config.raw = false;
	comes_to(set_time(SO_RCVTIMEO, 3, 0), 0, 0, "setsockopt 5 1 20 3,0;");
	comes_to(receive_time(), 3000000, 0, "");
	/* Another timeout is not hidden, nor that of another socket. */
	fake_option(5, SOL_SOCKET, SO_SNDTIMEO, &mark, sizeof(mark));
	assert_int_equal(getsockopt(5, SOL_SOCKET, SO_SNDTIMEO, &time, &len), 0);
	assert_int_equal(time.tv_usec, 1);
	fake_option(5, IPPROTO_TCP, SO_RCVTIMEO, &mark, sizeof(mark));
	assert_int_equal(getsockopt(5, IPPROTO_TCP, SO_RCVTIMEO, &time, &len), 0);
	assert_int_equal(time.tv_usec, 1);
	fake_socket(5, AF_INET, IPPROTO_TCP);
	fake_option(5, SOL_SOCKET, SO_RCVTIMEO, &mark, sizeof(mark));
	comes_to(receive_time(), 1, 0, "");
}

TEST(programs_see_tcp)
{
	comes_to(get_int(SOL_SOCKET, SO_DOMAIN), AF_INET, 0, "");
	comes_to(get_int(SOL_SOCKET, SO_PROTOCOL), IPPROTO_TCP, 0, "");
	fake.fds[5].protocol = 1;
	comes_to(get_int(SOL_SOCKET, SO_DOMAIN), AF_INET6, 0, "");
	comes_to(get_int(SOL_SOCKET, SO_PROTOCOL), IPPROTO_TCP, 0, "");
	fake.fds[5].protocol = 256;
	fake.fds[5].name.sin_family = AF_INET6;
	comes_to(get_int(SOL_SOCKET, SO_DOMAIN), AF_INET6, 0, "");
	fake_fails("getsockname", EIO, 1);
	comes_to(get_int(SOL_SOCKET, SO_DOMAIN), AF_INET, 0, "");
	fake.config.raw = true;
	comes_to(get_int(SOL_SOCKET, SO_DOMAIN), AF_SMC, 0, "");
	comes_to(get_int(SOL_SOCKET, SO_PROTOCOL), 256, 0, "");
	fake.config.raw = false;
	fake_socket(5, AF_INET, 17);
	comes_to(get_int(SOL_SOCKET, SO_PROTOCOL), 17, 0, "");
	fake_socket(5, AF_UNIX, 0);
	comes_to(get_int(SOL_SOCKET, SO_PROTOCOL), 0, 0, "");
	comes_to(get_int(SOL_SOCKET, SO_DOMAIN), AF_UNIX, 0, "");
	fake_socket(5, AF_SMC, 0)->state = 0;
	fake_int(5, IPPROTO_TCP, SO_DOMAIN, AF_SMC);
	comes_to(get_int(IPPROTO_TCP, SO_DOMAIN), AF_SMC, 0, "");
}

TEST(an_error_that_was_lost)
{
	fake.fds[5].revents = POLLHUP;
	comes_to(get_int(SOL_SOCKET, SO_ERROR), 0, 0, "");
	fake.retransmitted = 1;
	comes_to(get_int(SOL_SOCKET, SO_ERROR), ETIMEDOUT, 0, "");
	fake_fails("getsockopt 5 6 11", ENOPROTOOPT, 1);
	comes_to(get_int(SOL_SOCKET, SO_ERROR), 0, 0, "");
	fake.fds[5].revents = POLLHUP | POLLIN;
	comes_to(get_int(SOL_SOCKET, SO_ERROR), 0, 0, "");
	fake.fds[5].revents = POLLHUP;
	fake.fds[5].state = TCP_CLOSE_WAIT;
	comes_to(get_int(SOL_SOCKET, SO_ERROR), 0, 0, "");
	fake_socket(5, AF_INET, IPPROTO_TCP)->revents = POLLHUP;
	comes_to(get_int(SOL_SOCKET, SO_ERROR), 0, 0, "");
	fake_socket(5, AF_SMC, 0)->error = EPIPE;
	comes_to(get_int(SOL_SOCKET, SO_ERROR), EPIPE, 0, "");
	fake_socket(5, AF_SMC, 0)->error = ECONNABORTED;
	comes_to(get_int(SOL_SOCKET, SO_ERROR), ETIMEDOUT, 0, "");
}

TEST(a_tcp_socket_answers_for_the_network)
{
	int ignored;

	fake_fails("ioctl 5", ENOTTY, 99);
	comes_to(ioctl(5, 0x8915, &ignored), 0, 0,
		 "ioctl 5 0x8915;socket 2 524289 0;ioctl 9 0x8915;drop 9;");
	fake_fails("ioctl 9", EADDRNOTAVAIL, 1);
	comes_to(ioctl(5, 0x8915, &ignored), -1, EADDRNOTAVAIL,
		 "ioctl 5 0x8915;socket 2 524289 0;ioctl 9 0x8915;drop 9;");
	fake_fails("socket", EMFILE, 1);
	comes_to(ioctl(5, 0x8915, &ignored), -1, ENOTTY, "ioctl 5 0x8915;socket 2 524289 0;");
	comes_to(ioctl(5, 0x5401, &ignored), -1, ENOTTY, "ioctl 5 0x5401;");
	fake_fails("ioctl 5", EINVAL, 1);
	comes_to(ioctl(5, 0x8915, &ignored), -1, EINVAL, "ioctl 5 0x8915;");
	fake.fds[5].protocol = 1;
	comes_to(ioctl(5, 0x8915, &ignored), 0, 0,
		 "ioctl 5 0x8915;socket 10 524289 0;ioctl 9 0x8915;drop 9;");
	fake_gives("ioctl 5", 7, 1, NULL);
	comes_to(ioctl(5, 0x8915, &ignored), 7, 0, "ioctl 5 0x8915;");
	fake.config.raw = true;
	comes_to(ioctl(5, 0x8915, &ignored), -1, ENOTTY, "ioctl 5 0x8915;");
	fake.config.raw = false;
	fake_socket(5, AF_INET, IPPROTO_TCP);
	comes_to(ioctl(5, 0x8915, &ignored), -1, ENOTTY, "ioctl 5 0x8915;");
}

/* FIOGETOWN, and those that set one. */
TEST(an_owner_may_be_set_by_ioctl)
{
	int owner = 9;

	shim_has_owners = false;
	ioctl(5, 0x8903, &owner);
	assert_false(shim_has_owners);
	ioctl(5, 0x8901, &owner);
	assert_true(shim_has_owners);
	shim_has_owners = false;
	ioctl(5, 0x8902, &owner);
	assert_true(shim_has_owners);
}

/* Options set by a program are copied to the replacement. */
TEST(settings_go_along)
{
	const struct shim_sock sock = { .kind = KIND_AF_SMC, .family = AF_INET6 };
	const struct linger linger = { 1, 5 };
	const struct timeval second = { 1, 0 };

	fake.fds[5].protocol = 1;
	fake.fds[5].flags = O_RDWR | O_NONBLOCK | O_ASYNC;
	fake.fds[5].fd_flags = FD_CLOEXEC;
	fake.fds[5].owner = 99;
	fake.fds[5].signal = 34;
	fake_int(5, SOL_SOCKET, SO_KEEPALIVE, 1);
	fake_int(9, SOL_SOCKET, SO_KEEPALIVE, 0);
	fake_int(5, SOL_SOCKET, SO_PRIORITY, 6);
	fake_int(9, SOL_SOCKET, SO_PRIORITY, 6);
	fake_int(5, SOL_SOCKET, SO_MARK, 6); /* not known to the other one */
	fake_option(5, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	fake_int(9, SOL_SOCKET, SO_LINGER, 0);
	fake_option(5, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second));
	fake_option(9, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second));
	fake_int(5, IPPROTO_TCP, TCP_NODELAY, 1);
	fake_int(9, IPPROTO_TCP, TCP_NODELAY, 0);
	fake_int(5, IPPROTO_IP, IP_TTL, 9);
	fake_int(9, IPPROTO_IP, IP_TTL, 64);
	fake_int(5, IPPROTO_IPV6, IPV6_V6ONLY, 1);
	fake_int(9, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	comes_to(shim_swap(5, &sock, KIND_INET, "test"), 0, 0,
		 "socket 10 524289 256;setsockopt 9 1 9 1;setsockopt 9 1 13 1,5;"
		 "setsockopt 9 6 1 1;setsockopt 9 0 2 9;setsockopt 9 41 26 1;owner 9 99;"
		 "fcntl 9 10 34;fcntl 9 4 10242;dup3 9 5 524288;drop 9;");
	/* An IPv4 socket has no options of IPv6. */
	fake_int(9, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	fake.fds[5].signal = fake.fds[5].owner = 0;
	comes_to(shim_swap(5, &(struct shim_sock){ KIND_INET, AF_INET }, KIND_AF_SMC, "test"), 0, 0,
		 "socket 43 524289 0;fcntl 9 4 10242;dup3 9 5 524288;drop 9;");
}

/* Only this process can have set options of its own socket. */
TEST(only_options_set_are_copied)
{
	const struct shim_sock sock = { .kind = KIND_AF_SMC, .family = AF_INET };

	fake_int(5, IPPROTO_IP, IP_FREEBIND, 3);
	fake_int(9, IPPROTO_IP, IP_FREEBIND, 0);
	fake_int(5, SOL_SOCKET, SO_MARK, 7); /* except a privileged helper */
	fake_int(9, SOL_SOCKET, SO_MARK, 0);
	fake_int(5, IPPROTO_IP, IP_TRANSPARENT, 1);
	fake_int(9, IPPROTO_IP, IP_TRANSPARENT, 0);
	shim_fd_mark_plain(5);
	comes_to(shim_swap_open(5, &sock, KIND_TCP), 9, 0,
		 "socket 2 524289 0;setsockopt 9 1 36 7;setsockopt 9 0 19 1;fcntl 9 4 2;");
	fake_shut(9);
	fake_int(9, SOL_SOCKET, SO_MARK, 0);
	fake_int(9, IPPROTO_IP, IP_FREEBIND, 0);
	set_int(IPPROTO_IP, IP_FREEBIND, 3);
	fake.log[0] = '\0';
	comes_to(shim_swap_open(5, &sock, KIND_TCP), 9, 0,
		 "socket 2 524289 0;setsockopt 9 1 36 7;setsockopt 9 0 15 3;fcntl 9 4 2;");
	fake_shut(9);
	/* By an older name. */
	assert_false(shim_option_was_set(SOL_SOCKET, SO_TIMESTAMPNS));
	set_int(SOL_SOCKET, SO_TIMESTAMPNS_NEW, 1);
	assert_true(shim_option_was_set(SOL_SOCKET, SO_TIMESTAMPNS));
	assert_false(shim_option_was_set(IPPROTO_IP, SO_TIMESTAMPNS));
	assert_false(shim_option_was_set(IPPROTO_IPV6, IPV6_RECVERR));
	assert_true(shim_option_was_set(IPPROTO_IPV6, IPV6_TRANSPARENT));
	assert_false(shim_option_was_set(SOL_SOCKET, 128));
	set_int(SOL_SOCKET, 1000, 1);
}

TEST(levels_of_options_are_kept_apart)
{
	static const int levels[] = { SOL_SOCKET, IPPROTO_TCP, IPPROTO_IP, IPPROTO_IPV6 };

	for (int i = 0; i < 4; i++) {
		shim_option_note(levels[i], 100 + i);
		for (int level = 0; level < 4; level++)
			assert_int_equal(shim_option_was_set(levels[level], 100 + i), level == i);
	}
}

TEST(buffers_go_along)
{
	const struct shim_sock sock = { .kind = KIND_AF_SMC, .family = AF_INET };

	fake_int(5, SOL_SOCKET, SO_SNDBUF, 2000);
	fake_int(5, SOL_SOCKET, SO_RCVBUF, 3000);
	fake_int(5, SOL_SOCKET, SO_BUF_LOCK, 0);
	comes_to(shim_swap_open(5, &sock, KIND_TCP), 9, 0, "socket 2 524289 0;fcntl 9 4 2;");
	fake_shut(9);
	comes_to(shim_swap_open(5, &sock, KIND_INET), 9, 0,
		 "socket 2 524289 256;setsockopt 9 1 7 1000;setsockopt 9 1 8 1500;"
		 "setsockopt 9 1 72 0;fcntl 9 4 2;");
	fake_shut(9);
	fake_int(5, SOL_SOCKET, SO_BUF_LOCK, 1);
	comes_to(shim_swap_open(5, &sock, KIND_TCP), 9, 0,
		 "socket 2 524289 0;setsockopt 9 1 7 1000;setsockopt 9 1 72 1;fcntl 9 4 2;");
	fake_shut(9);
	fake_int(5, SOL_SOCKET, SO_BUF_LOCK, 2);
	comes_to(shim_swap_open(5, &sock, KIND_TCP), 9, 0,
		 "socket 2 524289 0;setsockopt 9 1 8 1500;setsockopt 9 1 72 2;fcntl 9 4 2;");
	fake_shut(9);
	/* Less than requested, as root can set it. */
	fake_int(5, SOL_SOCKET, SO_SNDBUF, 1);
	fake.most = 100;
	comes_to(shim_swap_open(5, &sock, KIND_INET), 9, 0,
		 "socket 2 524289 256;setsockopt 9 1 8 1500;setsockopt 9 1 33 1500;"
		 "setsockopt 9 1 72 2;fcntl 9 4 2;");
}

TEST(the_bound_address_is_copied)
{
	const struct shim_sock sock = { .kind = KIND_AF_SMC, .family = AF_INET };
	struct sockaddr_in any = { .sin_family = AF_INET };

	fake.fds[5].name = any;
	fake.fds[5].name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	comes_to(shim_swap(5, &sock, KIND_INET, "test"), 0, 0,
		 "socket 2 524289 256;fcntl 9 4 2;dup3 9 5 0;drop 9;bind 5 0;");
	fake.fds[5].name = any;
	fake.fds[5].name.sin_port = htons(80);
	comes_to(shim_swap(5, &sock, KIND_INET, "test"), 0, 0,
		 "socket 2 524289 256;fcntl 9 4 2;dup3 9 5 0;drop 9;bind 5 80;");
	fake.fds[5].name.sin_family = AF_INET6;
	fake.fds[5].name.sin_port = htons(81);
	comes_to(shim_swap(5, &sock, KIND_INET, "test"), 0, 0,
		 "socket 2 524289 256;fcntl 9 4 2;dup3 9 5 0;drop 9;bind 5 81;");
	fake.fds[5].name.sin_family = AF_INET6;
	fake.fds[5].name.sin_port = 0;
	comes_to(shim_swap(5, &sock, KIND_INET, "test"), 0, 0,
		 "socket 2 524289 256;fcntl 9 4 2;dup3 9 5 0;drop 9;");
	fake.fds[5].name = any;
	fake.fds[5].name.sin_port = htons(80);
	comes_to(shim_swap_unbound(5, &sock, KIND_INET, "test"), 0, 0,
		 "socket 2 524289 256;fcntl 9 4 2;dup3 9 5 0;drop 9;");
	fake_fails("getsockname", ENOBUFS, 1);
	comes_to(shim_swap(5, &sock, KIND_INET, "test"), 0, 0,
		 "socket 2 524289 256;fcntl 9 4 2;dup3 9 5 0;drop 9;");
	fake_fails("drop", EIO, 1);
	comes_to((shim_close(9), 0), 0, 0, "drop 9;");
	fake_fails("dup3", EBADF, 1);
	comes_to(shim_swap_unbound(5, &sock, KIND_INET, "test"), -1, EBADF,
		 "socket 2 524289 256;fcntl 9 4 2;dup3 9 5 0;drop 9;");
	fake.config.strict = true;
	comes_to(shim_swap(5, &sock, KIND_TCP, "test"), -1, EPERM, "");
	comes_to(shim_swap_unbound(5, &sock, KIND_TCP, "test"), -1, EPERM, "");
	comes_to(shim_swap_by_rule(5, &sock, "test"), 0, 0, TO_TCP);
	fake_fails("socket", ENOMEM, 1);
	comes_to(shim_swap_by_rule(5, &sock, "test"), -1, ENOMEM, "socket 2 524289 0;");
}

/* In a program without standard input a new socket is file descriptor 0. */
TEST(number_zero_is_a_number)
{
	const struct shim_sock sock = { .kind = KIND_AF_SMC, .family = AF_INET };
	int ignored;

	fake.first = 0;
	comes_to(shim_swap(5, &sock, KIND_TCP, "test"), 0, 0,
		 "socket 2 524289 0;fcntl 0 4 2;dup3 0 5 0;drop 0;");
	shim_fd_mark_plain(5);
	comes_to(shim_swap_unbound(5, &sock, KIND_TCP, "test"), 0, 0,
		 "socket 2 524289 0;fcntl 0 4 2;dup3 0 5 0;drop 0;");
	assert_false(shim_fd_is_plain(5));
	comes_to(shim_swap_by_rule(5, &sock, "test"), 0, 0,
		 "socket 2 524289 0;fcntl 0 4 2;dup3 0 5 0;drop 0;");
	fake_socket(5, AF_SMC, 0);
	fake_fails("setsockopt 5", EOPNOTSUPP, 1);
	comes_to(set_int(SOL_SOCKET, SO_PEEK_OFF, 1), 0, 0,
		 "socket 2 524289 0;fcntl 0 4 2;setsockopt 0 1 42 1;dup3 0 5 0;drop 0;");
	fake_socket(5, AF_SMC, 0);
	fake_fails("ioctl 5", ENOTTY, 1);
	comes_to(ioctl(5, 0x8915, &ignored), 0, 0,
		 "ioctl 5 0x8915;socket 2 524289 0;ioctl 0 0x8915;drop 0;");
	fake.first = 9;
	fake_socket(0, AF_SMC, 0);
	comes_to(shim_swap_unbound(0, &sock, KIND_TCP, "test"), 0, 0,
		 "socket 2 524289 0;fcntl 9 4 2;dup3 9 0 0;drop 9;");
	fake_shut(0);
	fake.first = 0;
	/* An earlier error is no refusal of SMC. */
	fake.config.kinds[0] = KIND_AF_SMC;
	fake.config.nkinds = 1;
	atomic_store(&shim_openers[0], NULL);
	errno = EAFNOSUPPORT;
	assert_int_equal(socket(AF_INET, SOCK_STREAM, 0), 0);
	assert_int_equal(errno, EAFNOSUPPORT);
	assert_non_null(strstr(fake.log, "socket 43 1 0;"));
	assert_non_null(atomic_load(&shim_openers[0]));
	fake_shut(0);
	fake.log[0] = '\0';
	atomic_store(&shim_openers[0], NULL);
	fake.config.sndbuf = (struct smc_buffer){ 4096, INT_MAX };
	comes_to(socket(AF_INET, SOCK_STREAM, 0), 0, 0,
		 "socket 43 1 0;setsockopt 0 1 7 4096;setsockopt 0 1 72 0;");
}

static struct sockaddr_in at_port(int port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
}

static int bind_to(int port)
{
	struct sockaddr_in in = at_port(port);

	return bind(5, (struct sockaddr *)&in, sizeof(in));
}

TEST(interfaces_share_a_port)
{
	shim_fd_mark_plain(5);
	comes_to(bind_to(80), 0, 0, "bind 5 80;");
	assert_false(shim_fd_is_plain(5));
	fake_fails("bind", EADDRINUSE, 1);
	comes_to(bind_to(80), -1, EADDRINUSE, "bind 5 80;");
	fake_int(5, SOL_SOCKET, SO_BINDTOIFINDEX, 3);
	fake_fails("bind", EACCES, 1);
	comes_to(bind_to(80), -1, EACCES, "bind 5 80;");
	fake_fails("bind", EADDRINUSE, 1);
	fake.fds[5].state = TCP_LISTEN;
	comes_to(bind_to(80), -1, EADDRINUSE, "bind 5 80;");
	fake.fds[5].state = TCP_CLOSE;
	fake_fails("bind", EADDRINUSE, 2);
	comes_to(bind_to(80), -1, EADDRINUSE, "bind 5 80;" TO_TCP "bind 5 80;");
	fake_socket(5, AF_SMC, 0);
	fake_int(5, SOL_SOCKET, SO_BINDTOIFINDEX, 3);
	fake_fails("bind", EADDRINUSE, 1);
	comes_to(bind_to(80), 0, 0, "bind 5 80;" TO_TCP "bind 5 80;");
	fake_socket(5, AF_SMC, 0);
	fake.config.raw = true;
	fake_fails("bind", EADDRINUSE, 1);
	comes_to(bind_to(80), -1, EADDRINUSE, "bind 5 80;");
}

static int connect_to(int port)
{
	struct sockaddr_in in = at_port(port);

	return connect(5, (struct sockaddr *)&in, sizeof(in));
}

TEST(rules_decide_before_the_call)
{
	const struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(80) };
	const char *bad;

	assert_int_equal(rules_parse(&fake.rules, true, "80,listen:90", &bad), 0);
	comes_to(connect_to(80), 0, 0, "connect 5 2;");
	fake.config.has_rules = true;
	comes_to(connect_to(81), 0, 0, "connect 5 2;");
	shim_fd_mark_socket(5);
	comes_to(connect_to(80), 0, 0, TO_TCP "connect 5 2;");
	assert_false(shim_fd_is_marked(5));
	fake_socket(5, AF_SMC, 1);
	comes_to(connect(5, (const struct sockaddr *)&in6, sizeof(in6)), 0, 0,
		 "socket 10 524289 0;fcntl 9 4 2;dup3 9 5 0;drop 9;connect 5 10;");
	/* Replaced neither in use nor in a sandbox, but with SMC_STRICT. */
	fake_socket(5, AF_SMC, 0)->state = TCP_ESTABLISHED;
	comes_to(connect_to(80), 0, 0, "connect 5 2;");
	fake_socket(5, AF_SMC, 0);
	shim_is_locked = true;
	comes_to(connect_to(80), 0, 0, "connect 5 2;");
	shim_is_locked = false;
	fake.config.strict = true;
	comes_to(connect_to(80), 0, 0, TO_TCP "connect 5 2;");
}

#define TO_SMC "socket 43 524289 0;fcntl 9 4 2;dup3 9 5 0;drop 9;"

/* A socket of socket() with number 5. */
static int new_socket(void)
{
	int ret;

	fake_shut(5);
	fake.first = 5;
	ret = socket(AF_INET, SOCK_STREAM, 0);
	fake.first = 9;
	return ret;
}

/* As many sockets as are remembered; the last connections are of one kind. */
static void connect_often(int port)
{
	for (int i = 0; i < 9; i++) {
		new_socket();
		connect_to(port);
	}
	fake.log[0] = '\0';
}

/* Ports that stay on TCP. */
static void use_rules(const char *exclude)
{
	const char *bad;

	fake.rules = (struct rules){ 0 };
	assert_int_equal(rules_parse(&fake.rules, true, exclude, &bad), 0);
	fake.config.has_rules = true;
	fake.config.kinds[0] = KIND_AF_SMC;
	fake.config.nkinds = 1;
}

/* socket() opens the kind that most recent connections needed, connect() corrects it. */
TEST(most_connections_decide)
{
	int n = 0;

	use_rules("80,listen:90");
	/* The first one of the process is enough, for the second socket() after it. */
	for (new_socket(); !shim_fd_is_tcp(5); new_socket(), n++) {
		fake.log[0] = '\0';
		comes_to(connect_to(80), 0, 0, TO_TCP "connect 5 2;");
	}
	assert_int_equal(n, 2);
	fake.log[0] = '\0';
	for (int i = 0; i < 3; i++) {
		comes_to(new_socket(), 5, 0, "socket 2 1 0;");
		comes_to(connect_to(80), 0, 0, "connect 5 2;");
		comes_to(close(5), 0, 0, "close 5;");
		assert_false(shim_fd_is_tcp(5));
	}
	/* Six of eight are SMC. */
	connect_often(80);
	for (n = 0, new_socket(); shim_fd_is_tcp(5); new_socket(), n++)
		connect_to(81);
	assert_int_equal(n, 6);
}

/* socket() opened TCP sockets, while connect() and listen() need SMC. */
TEST(tcp_sockets_become_smc_sockets)
{
	use_rules("80,listen:90");
	connect_often(80);
	comes_to(new_socket(), 5, 0, "socket 2 1 0;");
	comes_to(connect_to(81), 0, 0, TO_SMC "connect 5 2;");
	assert_true(shim_fd_is_marked(5) && !shim_fd_is_tcp(5));
	/* The port decides before listen(2); without one, at listen(2). */
	new_socket();
	fake.log[0] = '\0';
	comes_to(bind_to(90), 0, 0, "bind 5 90;");
	comes_to(bind_to(91), 0, 0, TO_SMC "bind 5 91;");
	new_socket();
	fake.log[0] = '\0';
	comes_to(bind_to(0), 0, 0, "bind 5 0;");
	fake.fds[5].name = at_port(99);
	comes_to(listen(5, 1), 0, 0, TO_SMC "bind 5 99;listen 5 1;");
	/* Buffers get SMC's sizes, unless set by the program. */
	for (int lock = 1; lock <= 2; lock++) {
		new_socket();
		fake_int(5, SOL_SOCKET, SO_BUF_LOCK, lock);
		fake_int(5, SOL_SOCKET, lock == 1 ? SO_SNDBUF : SO_RCVBUF, 2000);
		fake.config.sndbuf = fake.config.rcvbuf = (struct smc_buffer){ 4096, INT_MAX };
		fake.log[0] = '\0';
		comes_to(connect_to(81), 0, 0,
			 lock == 1 ? "socket 43 524289 0;setsockopt 9 1 7 1000;setsockopt 9 1 72 1;"
				     "fcntl 9 4 2;dup3 9 5 0;drop 9;setsockopt 5 1 8 4096;"
				     "setsockopt 5 1 72 1;connect 5 2;" :
				     "socket 43 524289 0;setsockopt 9 1 8 1000;setsockopt 9 1 72 2;"
				     "fcntl 9 4 2;dup3 9 5 0;drop 9;setsockopt 5 1 7 4096;"
				     "setsockopt 5 1 72 2;connect 5 2;");
		fake.config.sndbuf = fake.config.rcvbuf = (struct smc_buffer){ 0 };
	}
	/* Choices go back to SMC when most connections need it. */
	connect_often(81);
	comes_to(new_socket(), 5, 0, "socket 43 1 0;");
	comes_to(connect_to(81), 0, 0, "connect 5 2;");
}

/* Replaced are unused TCP sockets without duplicates whose options SMC has. */
TEST(sockets_that_stay_tcp)
{
	int on = 1;

	use_rules("80");
	connect_often(80);
	new_socket();
	fake_fails("socket 43", EPROTONOSUPPORT, 1);
	fake.log[0] = '\0';
	comes_to(connect_to(81), 0, 0, "socket 43 524289 0;connect 5 2;");
	fake.fds[5].state = TCP_ESTABLISHED;
	comes_to(connect_to(81), 0, 0, "connect 5 2;");
	comes_to(new_socket(), 5, 0, "socket 43 1 0;");
	connect_often(80);
	new_socket();
	set_int(SOL_SOCKET, SO_REUSEPORT, 1);
	fake_int(9, SOL_SOCKET, SO_REUSEPORT, 0);
	fake_fails("setsockopt 9 1 15", EOPNOTSUPP, 1);
	fake.log[0] = '\0';
	comes_to(connect_to(81), 0, 0,
		 "socket 43 524289 0;setsockopt 9 1 15 1;fcntl 9 4 2;drop 9;connect 5 2;");
	connect_often(80);
	new_socket();
	set_int(SOL_SOCKET, SO_RCVLOWAT, 100);
	assert_false(shim_fd_is_tcp(5));
	new_socket();
	set_int(IPPROTO_TCP, TCP_MD5SIG, 1);
	assert_false(shim_fd_is_tcp(5));
	new_socket();
	setsockopt(5, IPPROTO_TCP, TCP_FASTOPEN, &on, sizeof(on));
	set_int(SOL_SOCKET, SO_KEEPALIVE, 1);
	assert_true(shim_fd_is_tcp(5));
	dup(5);
	assert_false(shim_fd_is_tcp(5) || shim_fd_is_tcp(11));
	/* Not in a sandboxed process, and not with SMC_STRICT. */
	new_socket();
	shim_is_locked = true;
	fake.log[0] = '\0';
	comes_to(connect_to(81), 0, 0, "connect 5 2;");
	shim_is_locked = false;
	fake.config.strict = true;
	connect_often(81);
	connect_often(80);
	comes_to(new_socket(), 5, 0, "socket 43 1 0;");
}

TEST(an_option_that_smc_refuses_keeps_tcp)
{
	const struct shim_sock tcp = { .kind = KIND_TCP, .family = AF_INET6 };
	static const struct {
		int level, name;
	} cases[] = {
		{ SOL_SOCKET, SO_KEEPALIVE },
		{ IPPROTO_TCP, TCP_NODELAY },
		{ IPPROTO_IP, IP_TTL },
		{ IPPROTO_IPV6, IPV6_V6ONLY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_setup(state);
		fake_socket(5, AF_INET6, IPPROTO_TCP);
		fake_int(5, cases[i].level, cases[i].name, 1);
		fake_int(9, cases[i].level, cases[i].name, 0);
		fake_fails("setsockopt 9", EOPNOTSUPP, 1);
		assert_int_equal(shim_swap_open(5, &tcp, KIND_AF_SMC), -1);
		assert_int_equal(errno, EOPNOTSUPP);
		assert_false(fake.fds[9].is_open);
	}
}

TEST(settings_that_a_replacement_can_have)
{
	static const struct {
		int level, name;
		bool is_copied;
	} cases[] = {
		{ SOL_SOCKET, SO_KEEPALIVE, true },   { SOL_SOCKET, SO_SNDBUF, true },
		{ SOL_SOCKET, SO_RCVBUF, true },      { SOL_SOCKET, SO_SNDBUFFORCE, true },
		{ SOL_SOCKET, SO_RCVBUFFORCE, true }, { SOL_SOCKET, SO_LOCK_FILTER, false },
		{ IPPROTO_TCP, TCP_NODELAY, true },   { IPPROTO_TCP, TCP_MD5SIG, false },
		{ IPPROTO_IP, IP_TOS, true },	      { IPPROTO_IP, IP_ADD_MEMBERSHIP, false },
		{ IPPROTO_IPV6, IPV6_TCLASS, true },  { IPPROTO_IPV6, IPV6_JOIN_GROUP, false },
		{ IPPROTO_UDP, SO_KEEPALIVE, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(shim_swap_copies(cases[i].level, cases[i].name),
				 cases[i].is_copied);
}

TEST(rules_for_listening)
{
	struct sockaddr_in in = at_port(90);
	const char *bad;

	assert_int_equal(rules_parse(&fake.rules, true, "80,listen:90", &bad), 0);
	fake.config.has_rules = true;
	comes_to(bind_to(80), 0, 0, "bind 5 80;");
	comes_to(bind_to(0), 0, 0, "bind 5 0;");
	in.sin_family = AF_UNIX;
	comes_to(bind(5, (struct sockaddr *)&in, sizeof(in)), 0, 0, "bind 5 90;");
	in.sin_family = AF_INET;
	comes_to(bind(5, (struct sockaddr *)&in, 8), 0, 0, "bind 5 90;");
	comes_to(bind_to(90), 0, 0, TO_TCP "bind 5 90;");
	fake_socket(5, AF_SMC, 0);
	comes_to(listen(5, 1), 0, 0, "listen 5 1;");
	fake.fds[5].name = at_port(90);
	fake_fails("getsockname", EIO, 1);
	comes_to(listen(5, 1), 0, 0, "listen 5 1;");
	comes_to(listen(5, 1), 0, 0, TO_TCP "bind 5 90;listen 5 1;");
}

TEST(sizes_are_locked_for_listen_alone)
{
	fake_int(5, SOL_SOCKET, SO_BUF_LOCK, 0);
	shim_fd_mark_plain(5);
	comes_to(listen(5, 1), 0, 0, "listen 5 1;");
	assert_false(shim_fd_is_plain(5));
	fake.config.sndbuf = (struct smc_buffer){ 1, INT_MAX };
	comes_to(listen(5, 1), 0, 0, "setsockopt 5 1 72 1;listen 5 1;setsockopt 5 1 72 0;");
	fake.config.rcvbuf = (struct smc_buffer){ 1, INT_MAX };
	fake_fails("listen", EADDRINUSE, 1);
	comes_to(listen(5, 1), -1, EADDRINUSE,
		 "setsockopt 5 1 72 3;listen 5 1;setsockopt 5 1 72 0;");
	fake_int(5, SOL_SOCKET, SO_BUF_LOCK, 1);
	fake.config.sndbuf.bytes = 0;
	comes_to(listen(5, 1), 0, 0, "setsockopt 5 1 72 3;listen 5 1;setsockopt 5 1 72 1;");
	fake_shut(5);
	fake_socket(5, AF_SMC, 0);
	comes_to(listen(5, 1), 0, 0, "listen 5 1;");
	fake_int(5, SOL_SOCKET, SO_BUF_LOCK, 1);
	shim_is_locked = true;
	comes_to(listen(5, 1), 0, 0, "listen 5 1;");
}

/* Their clients would inherit the size, and be as many as the descriptors of the program. */
TEST(listeners_of_many_have_the_kernels_sizes)
{
	struct rlimit limit, most;

	fake_int(5, SOL_SOCKET, SO_BUF_LOCK, 0);
	fake.config.rcvbuf = (struct smc_buffer){ 65536, 16 };
	fake.config.sndbuf = (struct smc_buffer){ 65536, INT_MAX };
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	most = limit;
	most.rlim_cur = 16 * SMC_LISTENER_SHARE;
	setrlimit(RLIMIT_NOFILE, &most);
	comes_to(listen(5, 1), 0, 0, "setsockopt 5 1 72 3;listen 5 1;setsockopt 5 1 72 0;");
	most.rlim_cur = 17 * SMC_LISTENER_SHARE;
	setrlimit(RLIMIT_NOFILE, &most);
	comes_to(listen(5, 1), 0, 0, "setsockopt 5 1 72 1;listen 5 1;setsockopt 5 1 72 0;");
	fake.config.sndbuf.below = 5;
	debug_to_stderr();
	assert_int_equal(listen(5, 1), 0);
	assert_like(fake.log, "says fd 5: RLIMIT_NOFILE *;listen 5 1;");
	setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(accepted_tcp_sockets_have_the_listeners_locks)
{
	fake_socket(12, AF_INET, IPPROTO_TCP);
	fake_int(5, SOL_SOCKET, SO_BUF_LOCK, 2);
	shim_accepted_buffers(5, 12);
	assert_string_equal(fake.log, "");
	fake.config.rcvbuf = (struct smc_buffer){ 9, 6 };
	shim_accepted_buffers(5, 12);
	assert_string_equal(fake.log, "setsockopt 12 1 72 2;");
	fake.log[0] = '\0';
	fake.fds[12].protocol = 256;
	shim_accepted_buffers(5, 12);
	fake.fds[12].protocol = IPPROTO_TCP;
	fake_fails("getsockopt 5 1 72", ENOPROTOOPT, 1);
	shim_accepted_buffers(5, 12);
	assert_string_equal(fake.log, "");
}

TEST(a_filter_to_come_is_noticed)
{
	comes_to(prctl(99, 1UL, 2UL, 3UL, 4UL), 0, 0, "prctl 99 2 3 4;");
	assert_false(shim_in_sandbox);
	fake_fails("prctl", EINVAL, 2);
	comes_to(prctl(PR_SET_NO_NEW_PRIVS, 1UL, 2UL, 3UL, 4UL), -1, EINVAL, "prctl 38 2 3 4;");
	comes_to(prctl(PR_SET_SECCOMP, 1UL, 2UL, 3UL, 4UL), -1, EINVAL, "prctl 22 2 3 4;");
	assert_true(shim_in_sandbox);
	assert_false(shim_is_locked);
	comes_to(prctl(PR_SET_SECCOMP, 1UL, 2UL, 3UL, 4UL), 0, 0, "prctl 22 2 3 4;");
	assert_true(shim_is_locked);
	shim_is_locked = false;
	comes_to(prctl(PR_SET_NO_NEW_PRIVS, 1UL, 2UL, 3UL, 4UL), 0, 0, "prctl 38 2 3 4;");
	assert_true(shim_is_locked);
	/* From here on new sockets are TCP sockets. */
	comes_to(socket(AF_INET, SOCK_STREAM, 0), 9, 0, "socket 2 1 0;");
}

TEST(splice_copies)
{
	loff_t at = 0;

	fake_socket(7, 0, 0)->is_socket = false;
	fake.fds[7].mode = S_IFIFO;
	fake.fds[7].revents = POLLOUT;
	comes_to(splice(5, NULL, 7, NULL, 100, 0), 100, 0,
		 "recv 5 100 2;write 7 100;recv 5 100 64;");
	comes_to(splice(5, NULL, 7, NULL, 100000, 0), 8192, 0,
		 "recv 5 8192 2;write 7 8192;recv 5 8192 64;");
	comes_to(splice(5, NULL, 7, NULL, 100000, SPLICE_F_NONBLOCK), 4096, 0,
		 "recv 5 4096 2;write 7 4096;recv 5 4096 64;");
	fake_gives("write", 10, 1, NULL);
	comes_to(splice(5, NULL, 7, NULL, 100, 0), 10, 0, "recv 5 100 2;write 7 100;recv 5 10 64;");
	fake_fails("write", EPIPE, 1);
	comes_to(splice(5, NULL, 7, NULL, 100, 0), -1, EPIPE, "recv 5 100 2;write 7 100;");
	fake_fails("recv", EAGAIN, 1);
	comes_to(splice(5, NULL, 7, NULL, 100, 0), -1, EAGAIN, "recv 5 100 2;");
	fake_gives("recv", 0, 1, NULL);
	comes_to(splice(5, NULL, 7, NULL, 100, 0), 0, 0, "recv 5 100 2;");
	fake.fds[7].revents = 0;
	comes_to(splice(5, NULL, 7, NULL, 100, SPLICE_F_NONBLOCK), -1, EAGAIN, "recv 5 100 2;");
	comes_to(splice(5, NULL, 7, NULL, 100, 0), 100, 0,
		 "recv 5 100 2;write 7 100;recv 5 100 64;");
	fake.fds[7].revents = POLLERR;
	comes_to(splice(5, NULL, 7, NULL, 100, SPLICE_F_NONBLOCK), 100, 0,
		 "recv 5 100 2;write 7 100;recv 5 100 64;");
	comes_to(splice(5, &at, 7, NULL, 100, 0), 3, 0, "splice 5 1 7 0 100 0;");
	comes_to(splice(5, NULL, 7, &at, 100, 0), 3, 0, "splice 5 0 7 1 100 0;");
	comes_to(splice(5, NULL, 7, NULL, 0, 0), 3, 0, "splice 5 0 7 0 0 0;");
	comes_to(splice(7, NULL, 5, NULL, 100, 0), 3, 0, "splice 7 0 5 0 100 0;");
	fake.fds[7].mode = S_IFREG;
	comes_to(splice(5, NULL, 7, NULL, 100, 0), 3, 0, "splice 5 0 7 0 100 0;");
	fake.fds[7].mode = S_IFIFO;
	fake.config.raw = true;
	comes_to(splice(5, NULL, 7, NULL, 100, 0), 3, 0, "splice 5 0 7 0 100 0;");
}

/* A locked program's socket is not queried. */
TEST(data_is_not_held_back)
{
	fake_socket(7, 0, 0)->is_socket = false;
	for (int i = 0; i < 2; i++) {
		shim_is_locked = i;
		shim_fd_unknown(5);
		if (i)
			comes_to(send(5, "x", 1, MSG_MORE), 1, 0, "send 5 1 1 32768;");
		shim_fd_mark_socket(5);
		comes_to(send(5, "x", 1, MSG_MORE), 1, 0, "send 5 1 1 0;");
		comes_to(splice(7, NULL, 5, NULL, 100, SPLICE_F_MORE), 3, 0,
			 "splice 7 0 5 0 100 0;");
		fake.config.raw = true;
		comes_to(send(5, "x", 1, MSG_MORE), 1, 0, "send 5 1 1 32768;");
		comes_to(splice(7, NULL, 5, NULL, 100, SPLICE_F_MORE), 3, 0,
			 "splice 7 0 5 0 100 4;");
		fake.config.raw = false;
	}
}

/* The last test: the refusal is remembered. The file has number 0. */
TEST(a_denied_program_is_named)
{
	fake.config.kinds[0] = KIND_AF_SMC;
	fake.config.nkinds = 1;
	atomic_store(&shim_openers[0], NULL);
	debug_to_stderr();
	fake.file_fd = 0;
	fake.files[0].path = "/proc/thread-self/attr/current";
	fake.files[0].text = "profile\n";
	fake_fails("socket 43", EACCES, 1);
	assert_int_equal(socket(AF_INET, SOCK_STREAM, 0), 9);
	assert_like(fake.log, "*denied to profile,*");
	fake.config.strict = true;
	assert_int_equal(socket(AF_INET, SOCK_STREAM, 0), -1);
}

static struct fixture fixture = { .setup = fake_setup, .teardown = fake_teardown };
