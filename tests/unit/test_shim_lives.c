// SPDX-License-Identifier: MIT
/* ld_pre_smc/state/lives.c: which lives the library learns from. */
#include "fake_below.h"

#include "launch/learned.h"

static int slow_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	fake.ms += 10;
	return fake_connect(fd, addr, len);
}

/*
 * A connection of this many milliseconds, after a handshake of 10. @is_shared: it ends as a
 * duplicate. Return: is it an SMC socket?
 */
static bool live(int port, int ms, bool is_shared)
{
	const struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	bool is_smc;
	int copy;

	fake_shut(5);
	fake.first = 5;
	assert_int_equal(socket(AF_INET, SOCK_STREAM, 0), 5);
	fake.first = 9;
	assert_int_equal(connect(5, (const struct sockaddr *)&in, sizeof(in)), 0);
	is_smc = fake.fds[5].domain == AF_SMC;
	fake.ms += ms;
	if (is_shared) {
		copy = dup(5);
		assert_true(copy >= 0);
		close(copy);
	}
	close(5);
	fake.log[0] = '\0';
	return is_smc;
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
	int n = 0;

	while (live(1, 20, false) && n < 100)
		n++;
	assert_in_range(n, 8, 16);
	assert_true(live(2, 20, false));
}

/* A shared connection ends later, at an unknown time: it was long already, or does not count. */
TEST(shared_lives_count_if_they_are_long)
{
	for (int i = 0; i < 50; i++)
		assert_true(live(3, 20, true));
	for (int i = 0; i < 60; i++)
		assert_true(live(4, i % 6 ? 20 : 2000, !(i % 6)));
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
