// SPDX-License-Identifier: MIT
/* ld_pre_smc, accept and accept_window: accept(2) of an SMC listener whose clients come and go. */
#include "fake_below.h"

#include <pthread.h>
#include <sys/time.h>

#include "ld_pre_smc/state/accept_window.h"

/* A call of the kernel's accept(2): for a microsecond, under a lock, not to be cancelled. */
enum { WAITS, SHORT = 1, LOCKED = 2, FIRM = 4 };
#define ALONE (SHORT | FIRM)
#define WINDOW (ALONE | LOCKED)

static int how_taken, flags_taken;

static void set_limit(long ms)
{
	const struct timeval time = { ms / 1000, ms % 1000 * 1000 };

	fake_option(5, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
}

/* Microseconds. */
static long limit(void)
{
	struct timeval time;

	memcpy(&time, fake_option_of(5, SOL_SOCKET, SO_RCVTIMEO)->value, sizeof(time));
	return time.tv_sec * 1000000 + time.tv_usec;
}

static int take4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	int saved = errno, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	how_taken = (limit() == 1 ? SHORT : 0) | (fake.fds[5].is_locked ? LOCKED : 0) |
		    (state == PTHREAD_CANCEL_DISABLE ? FIRM : 0);
	pthread_setcancelstate(state, &state);
	flags_taken = flags;
	errno = saved;
	return fake_accept(fd, addr, len);
}

static int take(int fd, struct sockaddr *addr, socklen_t *len)
{
	return take4(fd, addr, len, 0);
}

FIXTURE(setup)
{
	fake_setup(state);
	atomic_store(&shim_next_fn[SHIM_ACCEPT], (shim_any_fn)take);
	atomic_store(&shim_next_fn[SHIM_ACCEPT4], (shim_any_fn)take4);
	/* A window that was left open would be stale by then. */
	fake.ms += 1000;
	shim_fd_set(FD_SMC, 5);
	set_limit(0);
	return 0;
}

static int passes;
static bool leaves;

static void meanwhile(void)
{
	fake.ms += passes;
	fake.fds[5].revents = leaves ? 0 : fake.fds[5].revents;
}

/* A listener with a client, of this process alone, non-blocking; the client leaves meanwhile. */
enum { READY = 1, OWN = 2, QUICK = 4, TCP = 8, RAW = 16, LEAVES = 32, STOPS = 64, V6 = 128 };

/*
 * @result, @got, @how: of accept(2), and how the kernel's accept(2) was last called
 * @err: of the kernel's first call, after @ms; @limit: SO_RCVTIMEO in milliseconds
 * @locks: times that others have the lock; @waits: milliseconds until then
 */
static const struct row {
	int is, result, got, how, err, ms, limit, locks, waits;
	const char *fails;
} rows[] = {
	{ READY, 12, 0, WINDOW },
	{ READY | OWN, 12, 0, ALONE },
	{ OWN, 12, 0, WAITS },
	{ READY | QUICK, 12, 0, WAITS },
	{ READY | QUICK | OWN, 12, 0, WAITS },
	{ READY | RAW, 12, 0, WAITS },
	{ READY | TCP, 12, 0, WAITS },
	{ TCP, -1, EINTR, WAITS, EINTR },
	/* A wait ends early by a window of another caller, or by itself. */
	{ 0, 12, 0, WAITS },
	{ 0, -1, ECONNABORTED, WAITS, ECONNABORTED },
	{ 0, 12, 0, WAITS, EAGAIN, .ms = 100 },
	{ 0, 12, 0, WAITS, EAGAIN, .limit = 110 },
	{ 0, 12, 0, WAITS, EAGAIN, .ms = 1979, .limit = 2000 },
	{ 0, -1, EAGAIN, WAITS, EAGAIN, .ms = 1980, .limit = 2000 },
	{ 0, 12, 0, WAITS, EINTR, .ms = 19 },
	{ 0, -1, EINTR, WAITS, EINTR, .ms = 20 },
	{ 0, -1, EINTR, WAITS, EINTR, .limit = 110 },
	{ STOPS, -1, EINTR, WAITS, EINTR },
	/* Another process took the client, and the next one is there. */
	{ READY, 12, 0, WINDOW, EAGAIN },
	/* The client has left: a socket that is at its end. */
	{ READY | LEAVES, 9, 0, WINDOW, EAGAIN },
	{ READY | LEAVES | V6, 9, 0, WINDOW, EINTR },
	{ READY | LEAVES, -1, EFAULT, WINDOW, EAGAIN, .fails = "getsockname" },
	{ READY | LEAVES, -1, ECONNABORTED, WINDOW, EAGAIN, .fails = "socket" },
	/* A busy window is waited for, unless its holder is gone, or there are no locks. */
	{ READY, 12, 0, WINDOW, .locks = 3, .waits = 3 },
	{ READY, 12, 0, ALONE, .locks = 1000, .waits = 200 },
	{ READY, 12, 0, ALONE, .locks = -1 },
};

static void arrange(const struct row *row)
{
	setup(NULL);
	fake_handler(!(row->is & STOPS));
	if (row->is & OWN)
		shim_fd_mark_plain(5);
	fake.fds[5].revents = row->is & READY ? POLLIN : 0;
	fake.fds[5].flags |= row->is & QUICK ? O_NONBLOCK : 0;
	fake.fds[5].protocol = row->is & TCP ? IPPROTO_TCP : !!(row->is & V6);
	fake.config.raw = row->is & RAW;
	set_limit(row->limit);
	passes = row->ms;
	leaves = row->is & LEAVES;
	fake_fails("accept", row->err, 1);
	if (!row->err)
		fake_gives("accept", 12, 1, NULL);
	fake_then(meanwhile);
	fake_fails("lock 5 1", row->locks < 0 ? EBADF : EAGAIN, abs(row->locks));
	if (row->fails)
		fake_fails(row->fails, EFAULT, 1);
}

TEST(clients_of_listeners)
{
	struct sockaddr_storage addr;
	struct sockaddr *name = (struct sockaddr *)&addr;
	socklen_t len = sizeof(addr);
	long long start;

	for (size_t i = 0; next_row(i, rows); i++) {
		for (int flags = 0; flags <= SOCK_CLOEXEC; flags += SOCK_CLOEXEC) {
			arrange(&rows[i]);
			start = fake.ms + rows[i].ms;
			comes_to(flags ? accept4(5, name, &len, flags) : accept(5, name, &len),
				 rows[i].result, rows[i].got);
			assert_int_equal(how_taken, rows[i].how);
			assert_int_equal(flags_taken, flags);
			assert_int_equal(fake.ms - start, rows[i].waits);
			assert_false(fake.fds[5].is_locked);
			assert_int_equal(limit(), 1000 * rows[i].limit);
			assert_int_equal(shim_fd_is_marked(5), !(rows[i].is & TCP));
			if (rows[i].result != 9)
				continue;
			is_socket(9, rows[i].is & V6 ? AF_INET6 : AF_INET, IPPROTO_TCP);
			assert_int_equal(addr.ss_family, fake.fds[9].domain);
			assert_int_equal(fake.fds[9].shut, 3);
			assert_int_equal(fake.fds[9].fd_flags, flags ? FD_CLOEXEC : 0);
		}
	}
}

TEST(a_client_may_be_number_zero)
{
	fake.fds[5].revents = POLLIN;
	/* Unknown flags fail before the listener is checked. */
	comes_to(accept4(5, NULL, NULL, -1), 12, 0);
	assert_int_equal(how_taken, WAITS);
	fake_gives("accept", 0, 2, NULL);
	errno = EAGAIN;
	assert_int_equal(accept(5, NULL, NULL), 0);
	fake.fds[5].revents = 0;
	comes_to(accept(5, NULL, NULL), 0, 0);
	/* A socket that stands for a client that has left may have number 0, too. */
	arrange(&(struct row){ READY | LEAVES, .err = EAGAIN });
	fake.first = 0;
	comes_to(accept(5, NULL, NULL), 0, 0);
	assert_int_equal(fake.fds[0].shut, 3);
}

/* Only a limit that the program has set is restored; other listeners cost a query. */
TEST(limits_of_own_listeners)
{
	const struct timeval second = { 1, 0 };

	shim_fd_mark_plain(5);
	fake.fds[5].revents = POLLIN;
	set_limit(2000);
	comes_to(accept(5, NULL, NULL), 12, 0);
	assert_int_equal(limit(), 0);
	assert_int_equal(setsockopt(5, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)), 0);
	comes_to(accept(5, NULL, NULL), 12, 0);
	assert_int_equal(limit(), 1000000);
	fork();
	comes_to(accept(5, NULL, NULL), 12, 0);
	assert_int_equal(how_taken, WINDOW);
}

static void locked_once(void)
{
	fake_fails("lock 5 1", EAGAIN, 150);
}

TEST(patience_with_a_window)
{
	long long start = fake.ms;
	struct shim_window other = { .fd = 5, .is_shared = true };

	fake.fds[5].revents = POLLIN;
	assert_true(shim_window_enter(&other, 0));
	comes_to(accept(5, NULL, NULL), 12, 0);
	assert_int_equal(fake.ms - start, 202);
	/* A free window ends the wait for an earlier holder. */
	setup(NULL);
	fake.fds[5].revents = POLLIN;
	fake_fails("accept", EAGAIN, 1);
	fake_then(locked_once);
	fake_fails("lock 5 1", EAGAIN, 150);
	comes_to(accept(5, NULL, NULL), 12, 0);
	assert_int_equal(fake.ms - start, 300);
}

TEST(a_listener_may_change_its_flags)
{
	fake.fds[5].revents = POLLIN;
	fake.fds[5].flags |= O_NONBLOCK;
	comes_to(accept(5, NULL, NULL), 12, 0);
	assert_true(shim_fd_is_set(FD_QUICK, 5));
	comes_to(accept(5, NULL, NULL), 12, 0);
	calls(1);
	fake.fds[5].flags = 0;
	comes_to(accept(5, NULL, NULL), 12, 0);
	assert_int_equal(how_taken, WINDOW);
	assert_false(shim_fd_is_set(FD_QUICK, 5));
	shim_fd_drop(FD_SMC, 5);
	shim_fd_clear(FD_SMC, 12);
	comes_to(accept(5, NULL, NULL), 12, 0);
	only_call();
	assert_false(shim_fd_is_marked(12));
}

/* Numbers beyond the tables are in none of them. */
TEST(numbers_that_are_too_large)
{
	comes_to(accept(SHIM_FD_NUMBERS, NULL, NULL), 12, 0);
	fake_fails("accept", EAGAIN, 1);
	comes_to(accept(SHIM_FD_NUMBERS, NULL, NULL), -1, EAGAIN);
	assert_false(shim_fd_is_set(FD_SOCKET, 0));
	fake.fds[5].revents = POLLIN;
	fake_gives("accept 5", SHIM_FD_NUMBERS, 1, NULL);
	comes_to(accept(5, NULL, NULL), SHIM_FD_NUMBERS, 0);
}

/* Compare the microseconds that shim_window_time() finds, and those that are set then. */
static void finds(long microseconds, long set)
{
	struct timeval time;

	shim_window_time(5, &time);
	assert_int_equal(time.tv_sec * 1000000 + time.tv_usec, microseconds);
	assert_int_equal(limit(), set);
	assert_false(fake.fds[5].is_locked);
}

TEST(a_mark_without_owner_is_no_time)
{
	struct shim_window window = { .fd = 5, .is_shared = true }, other = window;
	long long start = fake.ms;

	set_limit(10);
	finds(0, 0);
	/* No longer than 200 ms while another process is in its window. */
	set_limit(10);
	assert_true(shim_window_enter(&window, 0));
	assert_false(shim_window_enter(&other, 0));
	other.fd = 6;
	assert_true(shim_window_enter(&other, 0));
	fake.fds[5].is_locked = false;
	finds(0, 0);
	assert_int_equal(fake.ms - start, 202);
	shim_window_leave(&window);
	shim_window_wait(5);
	assert_int_equal(fake.ms - start, 202);
	set_limit(10);
	fake_fails("getsockopt 5 1 20", EBADF, 1);
	finds(0, 10000);
	set_limit(7008);
	finds(7008000, 7008000);
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
