// SPDX-License-Identifier: MIT
/*
 * ld_pre_smc, close, dup, fd_table, unsent_data, shutdown, exit, exec: who keeps a socket with
 * unsent data when its file descriptor is closed, and which numbers need system calls at all.
 */
#include "fake_below.h"

#include <setjmp.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "ld_pre_smc/calls/exit.h"
#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/smcr_check.h"
#include "ld_pre_smc/state/unsent_data.h"

/* Some libcs do not declare them. */
int pidfd_getfd(int pidfd, int target, unsigned int flags);
int close_range(unsigned int first, unsigned int last, int flags);
void closefrom(int low);

#define KEEPER "block;socket() 1 526341 0;connect() 8;sendmsg() 8;drop 8;unblock;"

static void a_new_connection(void)
{
	const struct ucred me = { .uid = geteuid(), .pid = 4713 };

	fake_socket(8, AF_UNIX, 0);
	fake_option(8, SOL_SOCKET, SO_PEERCRED, &me, sizeof(me));
}

static const struct linger off = { 0, 9 };

FIXTURE(setup)
{
	fake_setup(state);
	/* RDMA devices stay unknown: see test_shim_rdma. */
	fake_gives("socket() 16", -1, 99, NULL);
	for (int i = 0; i < 20; i++)
		shim_may_be_rdma(false);
	fake_setup(state);
	fake_home(4713);
	fake_gives("socket() 1", 8, 99, a_new_connection);
	fake_gives("sendmsg()", 1, 99, NULL);
	fake_option(5, SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	shim_fd_mark_socket(5);
	return 0;
}

TEST(other_files_cost_nothing)
{
	fake_socket(6, AF_INET, IPPROTO_TCP)->unsent = 100;
	comes_to(close(6), 0, 0, "close 6;");
	comes_to(close(7), -1, 0, "close 7;");
	/* A wrong mark is dropped. */
	shim_fd_mark(6);
	fake_socket(6, AF_INET, IPPROTO_TCP)->unsent = 100;
	comes_to(close(6), 0, 0, "close 6;");
	assert_false(shim_fd_is_marked(6));
	assert_true(shim_fd_is_marked(5));
}

TEST(sockets_without_unsent_data_are_closed)
{
	comes_to(close(5), 0, 0, "block;close 5;unblock;");
	assert_true(shim_fd_is_marked(5));
	/* EINVAL: a listener. */
	setup(NULL);
	fake.fds[5].unsent = -EINVAL;
	comes_to(close(5), 0, 0, "block;close 5;unblock;");
	setup(NULL);
	fake.fds[5].unsent = -EBADF;
	comes_to(close(5), 0, 0, "close 5;");
}

TEST(the_keeper_gets_unsent_data)
{
	fake.fds[5].unsent = 1;
	comes_to(close(5), 0, 0, KEEPER "close 5;");
	/* Also for a descriptor without a mark. */
	setup(NULL);
	shim_fd_drop(FD_SOCKET, 5);
	fake.fds[5].unsent = 1;
	comes_to(close(5), 0, 0, KEEPER "close 5;");
	/* After a fallback TCP sends the rest itself. */
	setup(NULL);
	fake.fds[5].protocol = IPPROTO_TCP;
	fake.fds[5].unsent = 1;
	comes_to(close(5), 0, 0, "close 5;");
	assert_false(shim_fd_is_marked(5));
}

TEST(linger_and_raw_keep_the_kernels_close)
{
	const struct linger linger = { 1, 0 };

	fake.fds[5].unsent = 1;
	fake_option(5, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	comes_to(close(5), 0, 0, "close 5;");
	setup(NULL);
	fake.fds[5].unsent = 1;
	fake.config.raw = true;
	comes_to(close(5), 0, 0, "close 5;");
	setup(NULL);
	fake.fds[5].unsent = 1;
	shim_in_sandbox = true;
	comes_to(close(5), 0, 0, "close 5;");
	shim_in_sandbox = false;
	/* In a child of vfork() nothing is closed. */
	setup(NULL);
	fake.fds[5].unsent = 1;
	fake.pid = 1;
	comes_to(close(5), 0, 0, "close 5;");
}

static void debug_on(void)
{
	fake_socket(2, 0, 0)->is_socket = false;
	fake.config.debug = fake.config.err_open = true;
	fake.config.err_dev = 1;
	fake.config.err_ino = fake.fds[2].ino;
}

static void unsent_says(const char *says)
{
	debug_on();
	fake.fds[5].unsent = 9;
	close(5);
	assert_like(fake.log, says);
	setup(NULL);
}

TEST(debug_lines)
{
	unsent_says("*says fd 5: *smc_keep has *;close 5;*");
	fake_fails("connect()", ENOENT, 99);
	unsent_says("*says fd 5: *no smc_keep;close 5;*");
	shim_log_text("nobody reads it");
	assert_string_equal(fake.log, "");
	debug_on();
	shim_log_text("of another library");
	assert_like(fake.log, "*says of another library*");
}

TEST(long_lines_are_cut)
{
	struct log_line line = { 0 };

	for (int i = 0; i < 400; i++)
		log_format(&line, "x");
	assert_int_equal(line.len, sizeof(line.text) - 1);
}

TEST(shared_sockets_stay_open)
{
	fake.fds[5].unsent = 1;
	fake.parent_ino = fake.fds[5].ino;
	comes_to(close(5), 0, 0, "close 5;");
	setup(NULL);
	fake.fds[5].unsent = 1;
	fake.parent_ino = fake.fds[5].ino + 1;
	comes_to(close(5), 0, 0, KEEPER "close 5;");
	/* A duplicate of its own. */
	setup(NULL);
	fake.fds[5].unsent = 1;
	comes_to(dup(5), 11, 0, "dup 5;");
	assert_true(shim_fd_has_copies());
	comes_to(close(5), 0, 0, "close 5;");
	comes_to(close(11), 0, 0, KEEPER "close 11;");
}

TEST(it_leaves_epoll_and_async)
{
	fake_socket(13, 0, 0)->is_epoll = true;
	fake_socket(14, 0, 0)->is_epoll = true;
	comes_to(epoll_create1(0), 13, 0, "epoll_create1 0;");
	shim_fd_set(FD_EPOLL, 14);
	shim_fd_set(FD_EPOLL, 15);
	fake_fails("epoll_ctl 14", ENOENT, 1);
	fake.fds[5].unsent = 1;
	fake.fds[5].flags = O_RDWR | O_ASYNC;
	comes_to(close(5), 0, 0,
		 KEEPER "fcntl 5 4 2;epoll_ctl 13 2 5 0;epoll_ctl 14 2 5 0;close 5;");
	assert_true(shim_fd_is_set(FD_EPOLL, 13));
	assert_true(shim_fd_is_set(FD_EPOLL, 14));
	assert_false(shim_fd_is_set(FD_EPOLL, 15));
}

TEST(epoll_instances_are_known)
{
	fake_fails("epoll_create", EMFILE, 1);
	comes_to(epoll_create(3), -1, EMFILE, "epoll_create 3;");
	assert_false(shim_fd_is_set(FD_EPOLL, 13));
	comes_to(epoll_create(3), 13, 0, "epoll_create 3;");
	assert_true(shim_fd_is_set(FD_EPOLL, 13));
	fake_gives("epoll_create1", 0, 1, NULL);
	comes_to(epoll_create1(0), 0, 0, "epoll_create1 0;");
	assert_true(shim_fd_is_set(FD_EPOLL, 0));
	fake_gives("epoll_create1", SHIM_FD_NUMBERS, 1, NULL);
	comes_to(epoll_create1(0), SHIM_FD_NUMBERS, 0, "epoll_create1 0;");
}

TEST(shutdown_does_not_hide_the_peer)
{
	const struct sockaddr_in peer = { .sin_family = AF_INET, .sin_port = htons(80) };
	uint64_t cookie = 4711;
	struct sockaddr_in name = { 0 };
	socklen_t len = 4;

	fake_option(5, SOL_SOCKET, SO_COOKIE, &cookie, sizeof(cookie));
	fake.fds[5].is_connected = true;
	fake.fds[5].state = TCP_FIN_WAIT2;
	fake.fds[5].name = peer;
	comes_to(shutdown(5, SHUT_WR), 0, 0, "block;shutdown 5 1;unblock;");
	fake.fds[5].is_connected = false;
	comes_to(getpeername(5, (void *)&name, &len), 0, 0, "");
	assert_int_equal(len, sizeof(name));
	assert_memory_equal(&name, &peer, 4);
	len = (socklen_t)-1;
	comes_to(getpeername(5, (void *)&name, &len), -1, EINVAL, "");
	/* TCP forgets it, too; another socket has none. */
	fake.fds[5].state = TCP_CLOSE;
	comes_to(getpeername(5, (void *)&name, &len), -1, ENOTCONN, "");
	fake_socket(5, AF_SMC, 0)->state = TCP_FIN_WAIT2;
	cookie++;
	fake_option(5, SOL_SOCKET, SO_COOKIE, &cookie, sizeof(cookie));
	comes_to(getpeername(5, (void *)&name, &len), -1, ENOTCONN, "");
}

TEST(shutdown_is_left_to_the_keeper)
{
	comes_to(shutdown(5, SHUT_RD), 0, 0, "shutdown 5 0;");
	comes_to(shutdown(5, SHUT_WR), 0, 0, "block;shutdown 5 1;unblock;");
	comes_to(shutdown(5, SHUT_RDWR), 0, 0, "block;shutdown 5 0;shutdown 5 2;unblock;");
	comes_to(shutdown(5, 99), 0, 0, "shutdown 5 99;");
	fake.fds[5].unsent = 1;
	comes_to(shutdown(5, SHUT_RD), 0, 0, "shutdown 5 0;");
	comes_to(shutdown(5, SHUT_WR), 0, 0, KEEPER);
	assert_true(shim_fd_is_set(FD_KEPT, 5));
	fake_fails("shutdown", ENOTCONN, 1);
	comes_to(shutdown(5, SHUT_RDWR), -1, ENOTCONN, KEEPER "shutdown 5 0;");
	/* The keeper has a copy of the socket, so close() must remove it from epoll instances. */
	fake_socket(13, 0, 0)->is_epoll = true;
	shim_fd_set(FD_EPOLL, 13);
	fake.fds[5].unsent = 0;
	comes_to(close(5), 0, 0, "epoll_ctl 13 2 5 0;block;close 5;unblock;");
	assert_false(shim_fd_is_set(FD_KEPT, 5));
	setup(NULL);
	fake_fails("connect()", ENOENT, 99);
	fake.fds[5].unsent = 1;
	comes_to(shutdown(5, SHUT_WR), 0, 0,
		 "block;socket() 1 526341 0;connect() 8;drop 8;unblock;shutdown 5 1;");
	fake.config.raw = true;
	comes_to(shutdown(5, SHUT_WR), 0, 0, "shutdown 5 1;");
}

TEST(the_end_of_reading_wakes_threads)
{
	fake_int(5, SOL_SOCKET, SO_SNDBUF, 4000);
	comes_to(shutdown(5, SHUT_RD), 0, 0, "shutdown 5 0;setsockopt 5 1 7 2000;");
	fake.fds[5].unsent = 1;
	comes_to(shutdown(5, SHUT_RDWR), 0, 0, KEEPER "shutdown 5 0;setsockopt 5 1 7 2000;");
	fake_fails("shutdown", ENOTCONN, 1);
	comes_to(shutdown(5, SHUT_RD), -1, ENOTCONN, "shutdown 5 0;");
	shim_in_sandbox = true;
	comes_to(shutdown(5, SHUT_RDWR), 0, 0, "shutdown 5 0;shutdown 5 2;");
	shim_in_sandbox = false;
	fake_socket(5, AF_INET, IPPROTO_TCP);
	comes_to(shutdown(5, SHUT_RDWR), 0, 0, "shutdown 5 2;");
}

#define OPEN_TCP "socket 2 524289 0;fcntl 9 4 2;"
#define REPLACE "dup3 9 5 0;drop 9;"
#define CLIENT(reset)                                                                              \
	"socket 2 524289 0;setsockopt 9 1 21 0,200000;setsockopt 9 1 13 " reset                    \
	",0;connect() 9;drop 9;"

static void a_listener(void)
{
	fake_socket(5, AF_SMC, 0);
	fake_int(5, SOL_SOCKET, SO_ACCEPTCONN, 1);
	fake_fails("shutdown", ENOTCONN, 1);
	shim_fd_mark_socket(5);
}

TEST(shutdown_of_a_listener)
{
	a_listener();
	comes_to(shutdown(5, SHUT_WR), 0, 0, "block;shutdown 5 1;unblock;");
	a_listener();
	shim_fd_set(FD_OWN, 5);
	fake_fails("connect() 9", ECONNREFUSED, 1);
	fake_gives("connect() 9", 0, 1, NULL);
	fake_fails("bind", EADDRINUSE, 1);
	comes_to(shutdown(5, SHUT_RD), 0, 0,
		 "shutdown 5 0;" OPEN_TCP REPLACE
		 "block;" CLIENT("1") "nap;" CLIENT("1") "bind 5 0;nap;bind 5 0;unblock;");
	assert_true(shim_fd_is_tcp(5));
	/* Others may have it. */
	a_listener();
	shim_fd_drop(FD_OWN, 5);
	fake_fails("connect() 9", EINPROGRESS, 1);
	comes_to(shutdown(5, SHUT_RD), 0, 0,
		 "shutdown 5 0;" OPEN_TCP REPLACE "block;" CLIENT("0") "bind 5 0;unblock;");
	assert_false(shim_fd_is_marked(5) || shim_fd_is_tcp(5));
	a_listener();
	fake_fails("socket 2", EMFILE, 1);
	comes_to(shutdown(5, SHUT_RD), -1, ENOTCONN, "shutdown 5 0;socket 2 524289 0;");
	a_listener();
	fake.config.strict = true;
	comes_to(shutdown(5, SHUT_RD), -1, ENOTCONN, "shutdown 5 0;");
	a_listener();
	fake.config.raw = true;
	comes_to(shutdown(5, SHUT_WR), -1, ENOTCONN, "shutdown 5 1;");
}

static char how_told;

static void look_at_message(void)
{
	const struct msghdr *message = (const struct msghdr *)(intptr_t)fake.args[1];
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fds[KEEP_FDS] = { -1 };

	assert_non_null(header);
	/* The compiler does not know that this never returns. */
	if (!header)
		return;
	memcpy(fds, CMSG_DATA(header), sizeof(fds));
	assert_int_equal(message->msg_iovlen, 1);
	assert_int_equal(message->msg_iov->iov_len, 1);
	assert_int_equal(header->cmsg_level, SOL_SOCKET);
	assert_int_equal(header->cmsg_type, SCM_RIGHTS);
	assert_int_equal(header->cmsg_len, CMSG_LEN(sizeof(fds)));
	assert_int_equal(fds[0], 5);
	for (int i = 1; i < KEEP_FDS; i++)
		assert_int_equal(fds[i], FAKE_FILE);
	assert_int_equal(fake.open_flags, O_PATH | O_CLOEXEC);
	assert_int_equal(fake.args[2], MSG_NOSIGNAL | MSG_DONTWAIT);
	how_told = *(char *)message->msg_iov->iov_base;
}

TEST(the_keeper_gets_the_request)
{
	fake_gives("sendmsg()", 1, 99, look_at_message);
	fake.fds[5].unsent = 1;
	shutdown(5, SHUT_WR);
	assert_int_equal(how_told, KEEP_SHUT_WR);
	shutdown(5, SHUT_RDWR);
	assert_int_equal(how_told, KEEP_SHUT_RDWR);
	close(5);
	assert_int_equal(how_told, KEEP_CLOSE);
}

TEST(dup2_closes_the_overwritten_number)
{
	fake_socket(6, AF_INET, IPPROTO_TCP);
	shim_fd_mark_plain(6);
	comes_to(dup2(6, 5), 5, 0, "block;dup2 6 5;unblock;");
	assert_false(shim_fd_is_plain(6));
	assert_false(shim_fd_is_set(FD_SOCKET, 5));
	setup(NULL);
	comes_to(dup2(6, 5), -1, EBADF, "dup2 6 5;");
	comes_to(dup2(5, 5), 5, 0, "dup2 5 5;");
	fake_socket(6, AF_INET, IPPROTO_TCP);
	fake.fds[5].unsent = 1;
	comes_to(dup3(6, 5, O_CLOEXEC), 5, 0, KEEPER "dup3 6 5 524288;");
	setup(NULL);
	fake_socket(6, AF_INET, IPPROTO_TCP);
	comes_to(dup3(6, 5, 0), 5, 0, "block;dup3 6 5 0;unblock;");
	setup(NULL);
	comes_to(dup3(5, 7, 0), 7, 0, "dup3 5 7 0;");
	assert_true(shim_fd_is_marked(7));
	fake_fails("dup3", EINVAL, 1);
	comes_to(dup3(5, 6, 0), -1, EINVAL, "dup3 5 6 0;");
	assert_false(shim_fd_is_marked(6));
	fake_fails("dup2", EBADF, 1);
	comes_to(dup2(5, 6), -1, EBADF, "dup2 5 6;");
	assert_false(shim_fd_is_marked(6));
	fake_fails("dup", EBADF, 1);
	comes_to(dup(5), -1, EBADF, "dup 5;");
	/* The mark of a descriptor closed by a raw system call. */
	shim_fd_mark_socket(11);
	comes_to(dup(5), 11, 0, "dup 5;");
	assert_false(shim_fd_is_set(FD_SOCKET, 11));
	assert_true(shim_fd_is_set(FD_SOCKET, 5));
	shim_fd_copy(5, 5);
	assert_true(shim_fd_is_set(FD_SOCKET, 5));
}

TEST(duplicates_of_fcntl)
{
	shim_has_owners = false;
	fcntl(5, F_GETFL);
	assert_false(shim_has_owners);
	fcntl(5, F_SETOWN_EX, &(struct f_owner_ex){ F_OWNER_PID, 9 });
	assert_true(shim_has_owners);
	fake.log[0] = '\0';
	fake_gives("fcntl", 6, 9, NULL);
	comes_to(fcntl(5, F_DUPFD, 6), 6, 0, "fcntl 5 0 6;");
	assert_true(shim_fd_is_marked(6));
	shim_fd_clear(FD_SMC, 6);
	comes_to(fcntl(5, F_DUPFD_CLOEXEC, 6), 6, 0, "fcntl 5 1030 6;");
	assert_true(shim_fd_is_marked(6));
	shim_fd_clear(FD_SMC, 6);
	comes_to(fcntl(5, F_SETFL, 6), 6, 0, "fcntl 5 4 6;");
	assert_false(shim_fd_is_marked(6));
	fake_fails("fcntl", EMFILE, 1);
	comes_to(fcntl(5, F_DUPFD, 6), -1, EMFILE, "fcntl 5 0 6;");
	/* Mark an epoll instance, and a number beyond the tables. */
	shim_fd_set(FD_EPOLL, 13);
	comes_to(fcntl(13, F_DUPFD, 6), -1, EBADF, "");
	fake_socket(13, 0, 0);
	comes_to(fcntl(13, F_DUPFD, 6), 6, 0, "fcntl 13 0 6;");
	assert_true(shim_fd_is_set(FD_EPOLL, 6));
	shim_fd_clear(FD_EPOLL, 6);
	shim_fd_copy(SHIM_FD_NUMBERS, 6);
	assert_true(shim_fd_is_set(FD_EPOLL, 6));
	assert_true(shim_fd_is_marked(6));
	shim_fd_copy(5, SHIM_FD_NUMBERS);
	shim_fd_set(FD_EPOLL, 13);
	shim_fd_copy(13, SHIM_FD_NUMBERS);
	shim_fd_unknown(SHIM_FD_NUMBERS);
	assert_false(shim_fd_is_set(FD_KEPT, 0));
	shim_fd_unknown(-1);
	assert_true(shim_fd_is_marked(SHIM_FD_NUMBERS));
	assert_false(shim_fd_is_marked(-1));
}

TEST(a_filter_is_looked_for)
{
	fake.files[FAKE_DIR].path = "/proc/self/status";
	fake.files[FAKE_DIR].text = "";
	comes_to((shim_sandbox_look(), shim_in_sandbox), false, 0, "");
	fake.files[FAKE_DIR].text = NULL;
	comes_to((shim_sandbox_look(), shim_in_sandbox), false, 0, "");
	fake.files[FAKE_DIR].text = "Name:\tx\nSeccomp:\t2\n";
	comes_to((shim_sandbox_look(), shim_in_sandbox), true, 0, "");
}

TEST(marks_and_the_next_of_them)
{
	assert_int_equal(shim_fd_next(FD_SMC, 0), 5);
	assert_int_equal(shim_fd_next(FD_SMC, 5), 5);
	assert_int_equal(shim_fd_next(FD_SMC, 6), -1);
	shim_fd_mark(63);
	shim_fd_mark(64);
	shim_fd_mark(130);
	assert_int_equal(shim_fd_next(FD_SMC, 6), 63);
	assert_int_equal(shim_fd_next(FD_SMC, 64), 64);
	assert_int_equal(shim_fd_next(FD_SMC, 65), 130);
	assert_int_equal(shim_fd_next(FD_SMC, 131), -1);
	shim_fd_mark_plain(6);
	shim_fd_clear(FD_SMC, 6);
	assert_false(shim_fd_is_plain(6));
	assert_true(shim_fd_close(5));
	assert_false(shim_fd_close(5));
	assert_false(shim_fd_close(-1));
	assert_false(shim_fd_close(SHIM_FD_NUMBERS));
	/* The findings of a vfork() child are not kept. */
	fake.pid = 1;
	shim_fd_clear(FD_SMC, 63);
	assert_true(shim_fd_is_marked(63));
	fake.pid = 0;
	shim_fd_clear(FD_SMC, 63);
	assert_false(shim_fd_is_marked(63));
	shim_fd_clear(FD_SMC, -1);
}

TEST(fork_removes_plain_marks)
{
	shim_fd_mark_plain(5);
	shim_fd_mark_plain(70);
	comes_to(fork(), 4711, 0, "fork;");
	assert_false(shim_fd_is_plain(5));
	assert_false(shim_fd_is_plain(70));
	fake_fails("fork", EAGAIN, 1);
	comes_to(fork(), -1, EAGAIN, "fork;");
}

TEST(ranges_are_looked_through)
{
	fake_socket(6, AF_SMC, 0)->unsent = 1;
	fake_option(6, SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	fake_socket(7, AF_INET, IPPROTO_TCP);
	shim_fd_mark_socket(6);
	shim_fd_mark(7);
	comes_to(close_range(5, 6, 1), 0, 0, "close_range 5 6 1;");
	comes_to(close_range(0, 5, 0), 0, 0, "block;close 5;unblock;close_range 0 5 0;");
	comes_to(close_range(6, ~0U, 0), 0, 0, KEEPER "close_range 6 4294967295 0;");
	assert_false(shim_fd_is_marked(7));
	comes_to(close_range(1 << 20, ~0U, 0), 0, 0, "close_range 1048576 4294967295 0;");
	setup(NULL);
	comes_to((closefrom(5), 0), 0, 0, "block;close 5;unblock;closefrom 5;");
	setup(NULL);
	comes_to((closefrom(6), 0), 0, 0, "closefrom 6;");
	comes_to((closefrom(-3), 0), 0, 0, "block;close 5;unblock;closefrom -3;");
}

static int fake_fclose(FILE *file)
{
	int saved = errno, fd = fileno(file);

	errno = saved;
	return fake_call(0, "fclose %d", fd);
}

/* A stream over a real file that poses as an SMC socket. */
static FILE *stream(const char *path)
{
	FILE *file;

	fake.on = false;
	file = fopen(path, "w");
	setup(NULL);
	assert_true(fileno(file) < FAKE_FDS);
	fake_socket(fileno(file), AF_SMC, 0);
	fake_option(fileno(file), SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	shim_fd_mark_socket(fileno(file));
	atomic_store(&shim_next_fn[SHIM_FCLOSE], (shim_any_fn)fake_fclose);
	return file;
}

/* Hide the name from the compiler. */
static int (*volatile end_stream)(FILE *) = fclose;

TEST(streams_are_closed_like_numbers)
{
	FILE *file = stream("/dev/null");
	char below[256];

	snprintf(below, sizeof(below), "block;fclose %d;unblock;", fileno(file));
	comes_to(end_stream(file), 0, 0, below);
	fake.fds[fileno(file)].unsent = 1;
	snprintf(below, sizeof(below), KEEPER "fclose %d;", fileno(file));
	comes_to(end_stream(file), 0, 0, below);
	shim_fd_clear(FD_SMC, fileno(file));
	snprintf(below, sizeof(below), "fclose %d;", fileno(file));
	comes_to(end_stream(file), 0, 0, below);
	file = fmemopen(NULL, 16, "w");
	comes_to(end_stream(file), 0, 0, "fclose -1;");
	/* A failed write is reported to the caller, even if fclose() has freed the stream. */
	file = stream("/dev/full");
	fputs("text", file);
	snprintf(below, sizeof(below), "fclose %d;", fileno(file));
	comes_to(end_stream(file), EOF, ENOSPC, below);
	fake.fds[fileno(file)].unsent = 1;
	fputs("text", file);
	snprintf(below, sizeof(below), KEEPER "fclose %d;", fileno(file));
	comes_to(end_stream(file), EOF, ENOSPC, below);
	atomic_store(&shim_next_fn[SHIM_FCLOSE], NULL);
}

/* The only socket, in a program that had closed its standard input. */
TEST(number_zero_is_a_number)
{
	shim_fd_clear(FD_SMC, 5);
	fake_socket(0, AF_SMC, 0)->unsent = 1;
	fake.fds[0].fd_flags = FD_CLOEXEC;
	fake_option(0, SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	shim_fd_mark_plain(0);
	assert_int_equal(shim_fd_next(FD_SMC, 0), 0);
	atomic_store(&shim_next_fn[SHIM_EXIT], leave_now);
	ends_by(_exit);
	shim_leave_by_exec();
	assert_string_equal(fake.log, KEEPER KEEPER);
	fake.log[0] = '\0';
	atomic_store(&shim_next_fn[SHIM_EXIT], NULL);
	comes_to(fork(), 4711, 0, "fork;");
	assert_false(shim_fd_is_plain(0));
	comes_to(dup(0), 11, 0, "dup 0;");
	assert_true(shim_fd_is_marked(11));
	fake.fds[0].unsent = fake.fds[11].unsent = 0;
	fake_shut(11);
	shim_fd_clear(FD_SMC, 11);
	comes_to(close_range(0, 0, 0), 0, 0, "block;close 0;unblock;close_range 0 0 0;");
	fake_socket(0, AF_SMC, 0);
	fake_socket(6, AF_INET, IPPROTO_TCP);
	comes_to(dup2(6, 0), 0, 0, "block;dup2 6 0;unblock;");
}

static void send_all(void)
{
	fake.fds[5].unsent = 0;
}

TEST(the_end_of_the_process)
{
	fake.fds[5].unsent = 1;
	ends_by(_exit);
	assert_string_equal(fake.log, KEEPER);
	fake.log[0] = '\0';
	ends_by(_Exit);
	assert_string_equal(fake.log, KEEPER);
	fake.log[0] = '\0';
	ends_by(quick_exit);
	assert_string_equal(fake.log, KEEPER);
	fake.log[0] = '\0';
	/* Data of a socket that the parent shares is sent without help. */
	fake.parent_ino = fake.fds[5].ino;
	ends_by(_exit);
	assert_string_equal(fake.log, "");
	fake.parent_ino = 0;
	/* Without a keeper: as long as the kernel waits in close(), with growing intervals. */
	fake_fails("connect()", ENOENT, 99);
	ends_by(_exit);
	assert_int_equal(fake.ms, 1002015);
	assert_non_null(strstr(fake.log, "sleep 1;sleep 2;sleep 4;sleep 8;sleep 16;sleep 16;"));
	fake.log[0] = '\0';
	fake_gives("sleep 2", 0, 1, send_all);
	ends_by(_exit);
	assert_null(strstr(fake.log, "sleep 4"));
	fake.fds[5].unsent = 1;
	fake.log[0] = '\0';
	fake.fds[5].revents = POLLERR;
	ends_by(_exit);
	assert_null(strstr(fake.log, "sleep"));
	/* Nor in a sandbox, with SMC_RAW, or in a child of vfork(). */
	fake.log[0] = '\0';
	for (int i = 0; i < 4; i++) {
		fake.pid = i == 0;
		fake.config.raw = i == 1;
		shim_in_sandbox = i == 2;
		fake.fds[5].unsent = i < 3;
		ends_by(_exit);
	}
	assert_string_equal(fake.log, "");
}

static int fake_execve(const char *path, char *const argv[], char *const envp[])
{
	return fake_call(-1, "execve %s %s %s", path, argv[0], envp[0]);
}

static int fake_fexecve(int fd, char *const argv[], char *const envp[])
{
	return fake_call(-1, "fexecve %d %s %s", fd, argv[0], envp[0]);
}

TEST(exec_closes_cloexec_descriptors)
{
	static char name[] = "name", value[] = "value";
	char *const argv[] = { name, NULL }, *const env[] = { value, NULL }, **before = environ;
	fake.fds[5].unsent = 1;
	atomic_store(&shim_next_fn[SHIM_EXECVE], (shim_any_fn)fake_execve);
	atomic_store(&shim_next_fn[SHIM_EXECVPE], (shim_any_fn)fake_execve);
	atomic_store(&shim_next_fn[SHIM_FEXECVE], (shim_any_fn)fake_fexecve);
	comes_to(execve("x", argv, env), -1, 0, "execve x name value;");
	fake.fds[5].fd_flags = FD_CLOEXEC;
	comes_to(execve("x", argv, env), -1, 0, KEEPER "execve x name value;");
	comes_to(execvpe("x", argv, env), -1, 0, KEEPER "execve x name value;");
	comes_to(fexecve(6, argv, env), -1, 0, KEEPER "fexecve 6 name value;");
	environ = (char **)env;
	comes_to(execv("x", argv), -1, 0, KEEPER "execve x name value;");
	comes_to(execvp("x", argv), -1, 0, KEEPER "execve x name value;");
	comes_to(execl("x", name, (char *)NULL), -1, 0, KEEPER "execve x name value;");
	comes_to(execlp("x", name, (char *)NULL), -1, 0, KEEPER "execve x name value;");
	comes_to(execle("x", name, (char *)NULL, env), -1, 0, KEEPER "execve x name value;");
	environ = before;
	fake.fds[5].protocol = IPPROTO_TCP;
	comes_to(execve("x", argv, env), -1, 0, "execve x name value;");
	fake.fds[5].protocol = fake.fds[5].unsent = 0;
	comes_to(execve("x", argv, env), -1, 0, "execve x name value;");
	fake.fds[5].unsent = 1;
	fake.pid = 1;
	comes_to(execve("x", argv, env), -1, 0, "execve x name value;");
	atomic_store(&shim_next_fn[SHIM_EXECVE], NULL);
	atomic_store(&shim_next_fn[SHIM_EXECVPE], NULL);
	atomic_store(&shim_next_fn[SHIM_FEXECVE], NULL);
}

TEST(sendfile_sends_the_end_of_the_file)
{
	loff_t at = 0;

	comes_to(sendfile(5, 6, &at, 100), 100, 0, "sendfile 5 6 1 100;");
	fake_int(5, IPPROTO_TCP, TCP_NODELAY, 0);
	fake_gives("sendfile", 50, 1, NULL);
	comes_to(sendfile(5, 6, NULL, 100), 50, 0,
		 "sendfile 5 6 0 100;block;setsockopt 5 6 1 1;setsockopt 5 6 1 0;unblock;");
	fake_int(5, IPPROTO_TCP, TCP_NODELAY, 1);
	fake_gives("sendfile", 50, 1, NULL);
	comes_to(sendfile(5, 6, NULL, 100), 50, 0,
		 "sendfile 5 6 0 100;block;setsockopt 5 6 1 1;unblock;");
	fake_gives("sendfile", 0, 1, NULL);
	comes_to(sendfile(5, 6, NULL, 100), 0, 0, "sendfile 5 6 0 100;");
	fake_fails("sendfile", EAGAIN, 1);
	comes_to(sendfile(5, 6, NULL, 100), -1, EAGAIN, "sendfile 5 6 0 100;");
	fake.fds[5].protocol = IPPROTO_TCP;
	fake_gives("sendfile", 50, 1, NULL);
	comes_to(sendfile(5, 6, NULL, 100), 50, 0, "sendfile 5 6 0 100;");
}

/* One message, with descriptors 6 and 7 in its second header. */
static ssize_t fake_recvmsg(int fd, struct msghdr *message, int flags)
{
	struct cmsghdr *header = message->msg_control;
	const int passed[] = { 6, 7 };

	if (fake_call(0, "recvmsg %d", fd))
		return -1;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	header->cmsg_level = IPPROTO_IP;
	header->cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(header), &(int){ 9 }, sizeof(int));
	header = (struct cmsghdr *)((char *)header + CMSG_SPACE(sizeof(int)));
	header->cmsg_len = CMSG_LEN(sizeof(passed));
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(header), passed, sizeof(passed));
	return 0;
}

static int fake_recvmmsg(int fd, struct mmsghdr *messages, unsigned int n, int flags,
			 struct timespec *timeout)
{
	for (unsigned int i = 0; i < n; i++)
		fake_recvmsg(fd, &messages[i].msg_hdr, flags);
	return (int)n;
}

TEST(passed_descriptors_may_be_anything)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(2 * sizeof(int))];
	} control = { 0 };
	struct mmsghdr message = { .msg_hdr = {
					   .msg_control = &control,
					   .msg_controllen = sizeof(control.space),
				   } };

	atomic_store(&shim_next_fn[SHIM_RECVMSG], (shim_any_fn)fake_recvmsg);
	atomic_store(&shim_next_fn[SHIM_RECVMMSG], (shim_any_fn)fake_recvmmsg);
	fake_gives("recvmsg", -1, 1, NULL);
	comes_to(recvmsg(8, &message.msg_hdr, 0), -1, 0, "recvmsg 8;");
	assert_false(shim_fd_is_marked(6));
	comes_to(recvmsg(8, &message.msg_hdr, 0), 0, 0, "recvmsg 8;");
	assert_true(shim_fd_is_marked(6) && shim_fd_is_marked(7) && shim_fd_is_set(FD_EPOLL, 7));
	assert_false(shim_fd_is_marked(9));
	shim_fd_clear(FD_SMC, 6);
	/* Marks of a descriptor closed by a raw system call must not remain either. */
	shim_fd_mark_plain(7);
	comes_to(recvmmsg(8, &message, 1, 0, NULL), 1, 0, "recvmsg 8;");
	assert_true(shim_fd_is_marked(6));
	assert_false(shim_fd_is_plain(7) || shim_fd_is_set(FD_SOCKET, 7));
	message.msg_hdr.msg_controllen = 0;
	shim_fd_clear(FD_SMC, 6);
	comes_to(recvmsg(8, &message.msg_hdr, 0), 0, 0, "recvmsg 8;");
	assert_false(shim_fd_is_marked(6));
	shim_resolve(SHIM_RECVMSG);
	shim_resolve(SHIM_RECVMMSG);
}

static int fake_pidfd_getfd(int pidfd, int target, unsigned int flags)
{
	return fake_call(6, "pidfd_getfd %d %d %u", pidfd, target, flags);
}

TEST(so_may_those_of_other_processes)
{
	atomic_store(&shim_next_fn[SHIM_PIDFD_GETFD], (shim_any_fn)fake_pidfd_getfd);
	fake_fails("pidfd_getfd", EPERM, 1);
	comes_to(pidfd_getfd(7, 8, 0), -1, EPERM, "pidfd_getfd 7 8 0;");
	assert_false(shim_fd_is_marked(6));
	fake_gives("pidfd_getfd", 0, 1, NULL);
	comes_to(pidfd_getfd(7, 8, 9), 0, 0, "pidfd_getfd 7 8 9;");
	assert_true(shim_fd_is_marked(0) && shim_fd_is_set(FD_EPOLL, 0));
	atomic_store(&shim_next_fn[SHIM_PIDFD_GETFD], NULL);
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
