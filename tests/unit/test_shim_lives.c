// SPDX-License-Identifier: MIT
/* ld_pre_smc/state/lives.c: which lives the library learns from. */
#include "fake_below.h"

#include "launch/learned.h"

/* How a connection begins, or ends. */
enum how {
	USUAL,
	SHARED,	   /* its end is that of a duplicate, at an unknown time */
	FORKED,	   /* a child has it, too, since before connect() */
	UNCHECKED, /* connect() did not wait, and the program did not ask: connected */
	PENDING,   /* the same, not connected */
	REFUSED,   /* connect() fails, */
	REPORTED,  /* or SO_ERROR has an error */
	VFORK,	   /* a child of vfork() closes its copy first */
};

static int slow_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	fake.ms += 10;
	return fake_connect(fd, addr, len);
}

static void begin(int port, enum how how)
{
	const struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	bool is_late = how == UNCHECKED || how == PENDING || how == REPORTED;
	socklen_t len = sizeof(int);
	int error;

	fake_shut(5);
	fake.first = 5;
	assert_int_equal(socket(AF_INET, SOCK_STREAM, 0), 5);
	fake.first = 9;
	fake.n_answers = 0;
	if (how == FORKED)
		fork();
	if (is_late || how == REFUSED)
		fake_fails("connect 5", is_late ? EINPROGRESS : ECONNREFUSED, 1);
	assert_int_equal(connect(5, (const struct sockaddr *)&in, sizeof(in)),
			 is_late || how == REFUSED ? -1 : 0);
	fake.fds[5].is_connected = how != PENDING;
	fake.fds[5].error = how == REPORTED ? ETIMEDOUT : 0;
	if (how == REPORTED)
		getsockopt(5, SOL_SOCKET, SO_ERROR, &error, &len);
}

/* A connection of this many milliseconds, after a handshake of 10. Return: is it an SMC socket? */
static bool live(int port, int ms, enum how how)
{
	bool is_smc;

	begin(port, how);
	is_smc = fake.fds[5].domain == AF_SMC;
	fake.ms += how == VFORK ? 20 : ms;
	if (how == SHARED)
		close(dup(5));
	if (how == VFORK) {
		fake.pid = 1;
		close(5);
		fake.pid = 0;
		fake.fds[5].is_open = true;
		fake.ms += ms - 20;
	}
	if (how == USUAL)
		fake.fds[5].is_connected = false; /* by the peer */
	close(5);
	assert_false(shim_fd_byte(5) & FD_TIMED);
	fake.log[0] = '\0';
	return is_smc;
}

/* Number of connections, at most 99, until one goes to TCP. */
static int until_tcp(int port, int ms, enum how how)
{
	int n = 0;

	live(port, 20, USUAL); /* its handshake counts */
	while (n < 99 && live(port, ms, how))
		n++;
	return n;
}

FIXTURE(setup)
{
	fake_setup(state);
	atomic_store(&shim_next_fn[SHIM_CONNECT], (void (*)(void))slow_connect);
	fake.config.learn = true;
	fake.config.kinds[0] = KIND_AF_SMC;
	fake.config.nkinds = 1;
	return 0;
}

TEST(short_lives_go_to_tcp)
{
	assert_in_range(until_tcp(1, 20, USUAL), 8, 16);
	assert_true(live(2, 20, USUAL));
}

/* A shared connection was long already, or does not count. */
TEST(shared_lives_count_if_they_are_long)
{
	assert_int_equal(until_tcp(3, 20, SHARED), 99);
	for (int i = 0; i < 60; i++)
		assert_true(live(4, i % 6 ? 20 : 2000, i % 6 ? USUAL : SHARED));
}

TEST(only_connections_count)
{
	assert_in_range(until_tcp(5, 20, UNCHECKED), 8, 16);
	assert_int_equal(until_tcp(6, 20, PENDING), 99);
	assert_int_equal(until_tcp(7, 20, REFUSED), 99);
	assert_int_equal(until_tcp(8, 20, REPORTED), 99);
	assert_int_equal(until_tcp(11, 20, FORKED), 99);
	assert_int_equal(until_tcp(10, 2000, VFORK), 99);
	shim_in_sandbox = true;
	assert_int_equal(until_tcp(9, 20, UNCHECKED), 99);
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
