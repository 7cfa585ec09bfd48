// SPDX-License-Identifier: MIT
/* ld_pre_smc, accept and accept_window: accept(2) of an SMC listener whose clients come and go. */
#include "fake_below.h"

#include <pthread.h>
#include <sys/time.h>

#include "ld_pre_smc/state/accept_window.h"

FIXTURE(setup)
{
	fake_setup(state);
	/* A window that was left open would be stale by then. */
	fake.ms += 1000;
	shim_fd_mark(5);
	fake_option(5, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ 0 }, sizeof(struct timeval));
	return 0;
}

#define OPEN "lock 5 1;setsockopt 5 1 20 0,1;"
#define SHUT "setsockopt 5 1 20 0,0;lock 5 0;"

static void client_comes(void)
{
	fake.fds[5].revents = POLLIN;
}

static void client_is_gone(void)
{
	fake.fds[5].revents = 0;
}

TEST(a_waiting_client_is_taken_in_a_window)
{
	client_comes();
	comes_to(accept(5, NULL, NULL), 12, 0, OPEN "accept 5;" SHUT);
	assert_true(shim_fd_is_set(FD_SOCKET, 12));
	comes_to(accept4(5, NULL, NULL, SOCK_CLOEXEC), 12, 0, OPEN "accept4 5 524288;" SHUT);
	fake_fails("accept", EMFILE, 1);
	comes_to(accept(5, NULL, NULL), -1, EMFILE, OPEN "accept 5;" SHUT);
	comes_to(accept4(5, NULL, NULL, -1), 12, 0, "accept4 5 -1;");
}

static int cancel_state;

static void note_cancel_state(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
}

TEST(a_window_cannot_be_cancelled)
{
	client_comes();
	fake_gives("accept", 12, 1, note_cancel_state);
	comes_to(accept(5, NULL, NULL), 12, 0, OPEN "accept 5;" SHUT);
	assert_int_equal(cancel_state, PTHREAD_CANCEL_DISABLE);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel_state);
	assert_int_equal(cancel_state, PTHREAD_CANCEL_ENABLE);
}

/* No lock between processes, and no query for a timeout that was never set. */
TEST(an_own_listener_is_taken_without_a_lock)
{
	const struct timeval second = { 1, 0 };

	shim_fd_mark_plain(5);
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;");
	client_comes();
	fake_option(5, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
	comes_to(accept(5, NULL, NULL), 12, 0,
		 "setsockopt 5 1 20 0,1;accept 5;setsockopt 5 1 20 0,0;");
	assert_int_equal(setsockopt(5, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)), 0);
	fake.log[0] = '\0';
	comes_to(accept(5, NULL, NULL), 12, 0,
		 "setsockopt 5 1 20 0,1;accept 5;setsockopt 5 1 20 1,0;");
	fake.fds[5].flags |= O_NONBLOCK;
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;");
	fake.fds[5].flags = 0;
	fork();
	fake.log[0] = '\0';
	comes_to(accept(5, NULL, NULL), 12, 0,
		 "lock 5 1;setsockopt 5 1 20 0,1;accept 5;setsockopt 5 1 20 1,0;lock 5 0;");
}

TEST(accept_repeats_until_a_client_comes)
{
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;");
	fake_fails("accept", EAGAIN, 1);
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;accept 5;");
	fake_fails("accept", ECONNABORTED, 1);
	comes_to(accept(5, NULL, NULL), -1, ECONNABORTED, "accept 5;");
	/* Handlers with and without SA_RESTART. */
	signal(SIGUSR1, SIG_IGN);
	fake_fails("accept", EINTR, 1);
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;accept 5;");
}

static void passes(void)
{
	fake.ms += 100;
}

/* The length of a window. */
static void window_passes(void)
{
	fake.ms += 20;
}

static void ignore(int number)
{
}

TEST(calls_that_ended_by_themselves)
{
	const struct timeval second = { 0, 110000 };
	const struct sigaction action = { .sa_handler = ignore };

	/* A later signal belongs to the program. */
	fake_fails("accept", EINTR, 1);
	fake_then(passes);
	comes_to(accept(5, NULL, NULL), -1, EINTR, "accept 5;");
	fake_fails("accept", EINTR, 1);
	fake_then(window_passes);
	comes_to(accept(5, NULL, NULL), -1, EINTR, "accept 5;");
	fake_fails("accept", EAGAIN, 1);
	fake_then(passes);
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;accept 5;");
	/* The program's own timeout is over, or is not. */
	fake_option(5, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
	fake_fails("accept", EAGAIN, 1);
	fake_then(passes);
	comes_to(accept(5, NULL, NULL), -1, EAGAIN, "accept 5;");
	fake_fails("accept", EAGAIN, 1);
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;accept 5;");
	fake_fails("accept", EINTR, 1);
	comes_to(accept(5, NULL, NULL), -1, EINTR, "accept 5;");
	setup(NULL);
	sigaction(SIGUSR1, &action, NULL);
	fake_fails("accept", EINTR, 1);
	comes_to(accept(5, NULL, NULL), -1, EINTR, "accept 5;");
	signal(SIGUSR1, SIG_IGN);
	fake.fds[5].protocol = IPPROTO_TCP;
	fake_fails("accept", EINTR, 1);
	comes_to(accept(5, NULL, NULL), -1, EINTR, "accept 5;");
}

/* shutdown() has replaced the listener, and sent a client. */
static void listener_is_shut(void)
{
	shim_fd_drop(FD_SMC, 5);
}

TEST(shutdown_ends_the_wait)
{
	fake_int(5, SOL_SOCKET, SO_ACCEPTCONN, 0);
	fake_gives("accept", 12, 1, listener_is_shut);
	comes_to(accept(5, NULL, NULL), -1, EINVAL, "accept 5;drop 12;");
	shim_fd_mark(5);
	fake_fails("accept", ECONNRESET, 1);
	fake_then(listener_is_shut);
	comes_to(accept(5, NULL, NULL), -1, EINVAL, "accept 5;drop -1;");
	/* A TCP listener loses its mark, too. */
	shim_fd_mark(5);
	fake_int(5, SOL_SOCKET, SO_ACCEPTCONN, 1);
	fake_gives("accept", 12, 1, listener_is_shut);
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;");
}

TEST(a_client_that_left_is_a_closed_socket)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);

	client_comes();
	fake_fails("accept", EAGAIN, 1);
	fake_then(client_is_gone);
	comes_to(accept(5, NULL, NULL), 9, 0, OPEN "accept 5;" SHUT "socket 2 1 0;shutdown 9 2;");
	setup(NULL);
	client_comes();
	fake.fds[5].protocol = 1;
	fake_fails("accept4", EINTR, 1);
	fake_then(client_is_gone);
	comes_to(accept4(5, NULL, NULL, SOCK_CLOEXEC), 9, 0,
		 OPEN "accept4 5 524288;" SHUT "socket 10 524289 0;shutdown 9 2;");
	setup(NULL);
	client_comes();
	fake_fails("accept", EAGAIN, 1);
	fake_then(client_is_gone);
	comes_to(accept(5, (struct sockaddr *)&addr, &len), 9, 0,
		 OPEN "accept 5;" SHUT "socket 2 1 0;shutdown 9 2;");
	assert_int_equal(addr.sin_family, AF_INET);
	setup(NULL);
	client_comes();
	fake_fails("getsockname", EFAULT, 1);
	fake_fails("accept", EAGAIN, 1);
	fake_then(client_is_gone);
	comes_to(accept(5, (struct sockaddr *)&addr, &len), -1, EFAULT,
		 OPEN "accept 5;" SHUT "socket 2 1 0;shutdown 9 2;drop 9;");
	setup(NULL);
	client_comes();
	fake.first = 0;
	fake_fails("accept", EAGAIN, 1);
	fake_then(client_is_gone);
	comes_to(accept(5, NULL, NULL), 0, 0, OPEN "accept 5;" SHUT "socket 2 1 0;shutdown 0 2;");
	setup(NULL);
	client_comes();
	fake_fails("socket", EMFILE, 1);
	fake_fails("accept", EAGAIN, 1);
	fake_then(client_is_gone);
	comes_to(accept(5, NULL, NULL), -1, ECONNABORTED, OPEN "accept 5;" SHUT "socket 2 1 0;");
}

/* Another process took the client, and the next one is there. */
TEST(one_taken_by_another_is_no_client)
{
	client_comes();
	fake_fails("accept", EAGAIN, 1);
	comes_to(accept(5, NULL, NULL), 12, 0, OPEN "accept 5;" SHUT OPEN "accept 5;" SHUT);
}

TEST(a_busy_window_is_waited_for)
{
	struct shim_window other;

	client_comes();
	fake_fails("lock 5 1", EAGAIN, 3);
	comes_to(accept(5, NULL, NULL), 12, 0,
		 "lock 5 1;nap;lock 5 1;nap;lock 5 1;nap;" OPEN "accept 5;" SHUT);
	/* If locks are not available, accept(2) does not wait. */
	fake_fails("lock 5 1", EBADF, 1);
	comes_to(accept(5, NULL, NULL), 12, 0, OPEN "accept 5;" SHUT);
	/* The wait ends after 200 ms, if the holder of the lock is gone. */
	fake_fails("lock 5 1", EAGAIN, 1000);
	comes_to((accept(5, NULL, NULL), fake.log[0] = '\0', fake.ms), 1001203, 0, "");
	setup(NULL);
	client_comes();
	assert_true(shim_window_enter(&other, 5, 0));
	fake.log[0] = '\0';
	comes_to((accept(5, NULL, NULL), fake.log[0] = '\0', fake.ms), 1001202, 0, "");
}

static void locked_once(void)
{
	fake_fails("lock 5 1", EAGAIN, 150);
}

/* A free window ends the wait for an earlier holder. */
TEST(patience_starts_again)
{
	client_comes();
	fake_fails("accept", EAGAIN, 1);
	fake_then(locked_once);
	fake_fails("lock 5 1", EAGAIN, 150);
	comes_to((accept(5, NULL, NULL), fake.log[0] = '\0', fake.ms), 1001300, 0, "");
	/* The client is file descriptor 0, after an earlier error. */
	setup(NULL);
	client_comes();
	fake_gives("accept", 0, 2, NULL);
	errno = EAGAIN;
	assert_int_equal(accept(5, NULL, NULL), 0);
	client_is_gone();
	assert_int_equal(accept(5, NULL, NULL), 0);
}

TEST(nonblocking_listeners_are_left_alone)
{
	client_comes();
	fake.fds[5].flags |= O_NONBLOCK;
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;");
	assert_true(shim_fd_is_set(FD_QUICK, 5));
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;");
	client_is_gone();
	fake_fails("accept", EAGAIN, 1);
	comes_to(accept(5, NULL, NULL), -1, EAGAIN, "accept 5;");
	fake.fds[5].flags &= ~O_NONBLOCK;
	client_comes();
	comes_to(accept(5, NULL, NULL), 12, 0, OPEN "accept 5;" SHUT);
	assert_false(shim_fd_is_set(FD_QUICK, 5));
	fake.fds[5].protocol = IPPROTO_TCP;
	fake.fds[5].domain = AF_INET;
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;");
	assert_false(shim_fd_is_marked(5));
	shim_fd_mark(5);
	fake.fds[5].protocol = 0;
	fake.fds[5].domain = AF_SMC;
	fake.config.raw = true;
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;");
	fake.config.raw = false;
	shim_fd_drop(FD_SMC, 5);
	fake_shut(12);
	shim_fd_clear(FD_SMC, 12);
	comes_to(accept(5, NULL, NULL), 12, 0, "accept 5;");
	assert_false(shim_fd_is_marked(12));
}

/* Numbers beyond the tables are in none of them. */
TEST(numbers_that_are_too_large)
{
	comes_to(accept(SHIM_FD_NUMBERS, NULL, NULL), 12, 0, "accept 1048576;");
	fake_fails("accept", EAGAIN, 1);
	comes_to(accept(SHIM_FD_NUMBERS, NULL, NULL), -1, EAGAIN, "accept 1048576;");
	assert_false(shim_fd_is_set(FD_SOCKET, 0));
	client_comes();
	fake_gives("accept 5", SHIM_FD_NUMBERS, 1, NULL);
	comes_to(accept(5, NULL, NULL), SHIM_FD_NUMBERS, 0, OPEN "accept 5;" SHUT);
	shim_fd_set(FD_EPOLL, 0);
	shim_fd_drop(FD_SMC, SHIM_FD_NUMBERS);
	shim_fd_clear(FD_SMC, SHIM_FD_NUMBERS);
	assert_true(shim_fd_is_set(FD_EPOLL, 0));
}

TEST(a_mark_without_owner_is_no_time)
{
	const struct timeval mark = { 0, 10000 };
	struct shim_window window, other;
	struct timeval time;

	fake_option(5, SOL_SOCKET, SO_RCVTIMEO, &mark, sizeof(mark));
	shim_window_time(5, &time);
	assert_false(time.tv_sec || time.tv_usec);
	assert_string_equal(fake.log, OPEN SHUT);
	/* The marker stays while another process is in its window. */
	setup(NULL);
	fake_option(5, SOL_SOCKET, SO_RCVTIMEO, &mark, sizeof(mark));
	assert_true(shim_window_enter(&window, 5, 0));
	assert_false(shim_window_enter(&other, 5, 0));
	assert_true(shim_window_enter(&other, 6, 0));
	fake.log[0] = '\0';
	shim_window_time(5, &time);
	assert_false(time.tv_sec || time.tv_usec);
	assert_string_equal(fake.log, "");
	shim_window_wait(5);
	assert_int_equal(fake.ms, 1001202);
	shim_window_leave(&window);
	shim_window_wait(5);
	assert_int_equal(fake.ms, 1001202);
	fake_fails("getsockopt 5 1 20", EBADF, 1);
	shim_window_time(5, &time);
	assert_false(time.tv_sec || time.tv_usec);
	fake_option(5, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ 7, 8 }, sizeof(mark));
	shim_window_time(5, &time);
	assert_true(time.tv_sec == 7 && time.tv_usec == 8);
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
