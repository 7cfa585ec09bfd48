// SPDX-License-Identifier: MIT
/*
 * ld_pre_smc, close, dup, fd_table, unsent_data, shutdown, exit, exec: who keeps a socket with
 * unsent data when its file descriptor is closed, and which numbers need system calls at all.
 */
#include "fake_below.h"

#include <setjmp.h>

#include "ld_pre_smc/state/log.h"
#include "ld_pre_smc/state/options.h"
#include "ld_pre_smc/state/smcr_check.h"
#include "ld_pre_smc/state/unsent_data.h"

/* Some libcs do not declare them. */
int close_range(unsigned int first, unsigned int last, int flags);
void closefrom(int low);

/* Requests to the keeper, and the latest. */
static struct {
	int n, fd, how;
} kept;

static void keep(void)
{
	const struct msghdr *message = (const struct msghdr *)(intptr_t)fake.args[1];
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	int fds[KEEP_FDS] = { -1 };

	/* The compiler does not know that it is there. */
	if (header) {
		assert_int_equal(header->cmsg_len, CMSG_LEN(sizeof(fds)));
		assert_true(header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS);
		memcpy(fds, CMSG_DATA(header), sizeof(fds));
	}
	for (int i = 1; i < KEEP_FDS; i++)
		assert_int_equal(fds[i], FAKE_FILE);
	assert_true(message->msg_iovlen == 1 && message->msg_iov->iov_len == 1);
	assert_int_equal(fake.open_flags, O_PATH | O_CLOEXEC);
	assert_int_equal(fake.args[2], MSG_NOSIGNAL | MSG_DONTWAIT);
	assert_true(fake_fd(fds[0]) && fake.is_blocked);
	kept.how = *(char *)message->msg_iov->iov_base;
	kept.fd = fds[0];
	kept.n++;
}

static void a_new_connection(void)
{
	const struct ucred me = { .uid = geteuid(), .pid = 4713 };

	fake_socket(8, AF_UNIX, 0);
	fake_option(8, SOL_SOCKET, SO_PEERCRED, &me, sizeof(me));
}

static int shuts, sizes, is_quiet;

static int look_at_shutdown(int fd, int how)
{
	shuts = 10 * shuts + how + 1;
	is_quiet = fake.is_blocked;
	return fake_shutdown(fd, how);
}

static int look_at_option(int fd, int level, int name, const void *value, socklen_t len)
{
	sizes += level == SOL_SOCKET && name == SO_SNDBUF;
	return fake_setsockopt(fd, level, name, value, len);
}

static const struct linger off = { 0, 9 };

/* An SMC socket that close() knows. */
static void own_socket(int fd)
{
	fake_socket(fd, AF_SMC, 0);
	fake_option(fd, SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	shim_fd_mark_socket(fd);
}

static int programs;

static int fake_execve(const char *path, char *const argv[], char *const envp[])
{
	assert_printed("x name value", "%s %s %s", path, argv[0], envp[0]);
	programs += !argv[1];
	return 0;
}

static int fake_fexecve(int fd, char *const argv[], char *const envp[])
{
	return fake_execve(fd == 6 ? "x" : "", argv, envp);
}

FIXTURE(setup)
{
	fake_setup(state);
	/* RDMA devices stay unknown: see test_shim_rdma. */
	fake_gives("socket() 16", -1, 99, NULL);
	for (int i = 0; i < 20; i++)
		shim_may_be_rdma(false);
	fake_setup(state);
	fake_home(4713);
	fake_gives("socket() 1", 8, 999, a_new_connection);
	fake_gives("sendmsg()", 1, 99, keep);
	atomic_store(&shim_next_fn[SHIM_SHUTDOWN], (shim_any_fn)look_at_shutdown);
	atomic_store(&shim_next_fn[SHIM_SETSOCKOPT], (shim_any_fn)look_at_option);
	atomic_store(&shim_next_fn[SHIM_EXECVE], (shim_any_fn)fake_execve);
	atomic_store(&shim_next_fn[SHIM_EXECVPE], (shim_any_fn)fake_execve);
	atomic_store(&shim_next_fn[SHIM_FEXECVE], (shim_any_fn)fake_fexecve);
	own_socket(5);
	memset(&kept, 0, sizeof(kept));
	shuts = sizes = is_quiet = 0;
	return 0;
}

/* How a descriptor ended: also with signals blocked, or after the keeper had the socket. */
enum end { OPEN, CLOSED, QUIET, KEPT };

static enum end end_of(int fd)
{
	if (!(fake.closed >> fd & 1))
		return OPEN;
	if (kept.n != 1 || kept.fd != fd || kept.how != KEEP_CLOSE)
		return fake.quiet >> fd & 1 ? QUIET : CLOSED;
	return KEPT;
}

#define ends(call, value, err, fd, end)                                                            \
	do {                                                                                       \
		kept.n = 0;                                                                        \
		comes_to(call, value, err);                                                        \
		assert_int_equal(end_of(fd), end);                                                 \
	} while (0)

TEST(other_files_cost_nothing)
{
	fake_socket(6, AF_INET, IPPROTO_TCP)->unsent = 100;
	ends(close(6), 0, 0, 6, CLOSED);
	only_call();
	comes_to(close(7), -1, 0);
	only_call();
}

enum { CLOSES = 5, EXITS = CLOSES + 3, WAYS = EXITS + 8 };

static int end_by(int way)
{
	static char name[] = "name", value[] = "value";
	static char *argv[] = { name, NULL }, *env[] = { value, NULL };

	environ = env;
	switch (way) {
	case 0: return close(5);
	case 1: return close_range(5, 5, 0);
	case 2: closefrom(5); return 0;
	case 3: return dup2(6, 5) - 5;
	case 4: return dup3(6, 5, O_CLOEXEC) - 5;
	case 5: ends_by(_exit); return 0;
	case 6: ends_by(_Exit); return 0;
	case 7: ends_by(quick_exit); return 0;
	case 8: return execve("x", argv, env);
	case 9: return execvpe("x", argv, env);
	case 10: return fexecve(6, argv, env);
	case 11: return execv("x", argv);
	case 12: return execvp("x", argv);
	case 13: return execl("x", name, (char *)NULL);
	case 14: return execlp("x", name, (char *)NULL);
	default: return execle("x", name, (char *)NULL, env);
	}
}

enum {
	TCP = 1,
	LINGER = 2,
	UNKNOWN = 4, /* whether it is a socket */
	RAW = 8,
	SANDBOX = 16,
	VFORK = 32,
	PARENT = 64,	/* the parent has the socket, too */
	STRANGER = 128, /* the parent has another socket under that number */
	ALONE = 256,	/* no keeper can be reached */
	SHORT = 512,	/* the keeper takes nothing */
};

static void make(int is, int unsent)
{
	const struct linger on = { 1, 0 };

	setup(NULL);
	fake_socket(6, AF_INET, IPPROTO_TCP);
	fake.fds[5].unsent = unsent;
	fake.fds[5].fd_flags = FD_CLOEXEC;
	fake.fds[5].protocol = is & TCP ? IPPROTO_TCP : 0;
	fake_option(5, SOL_SOCKET, SO_LINGER, is & LINGER ? &on : &off, sizeof(on));
	if (is & UNKNOWN)
		shim_fd_drop(FD_SOCKET, 5);
	fake.config.raw = is & RAW;
	shim_in_sandbox = is & SANDBOX;
	fake.pid = is & VFORK ? 1 : 0;
	fake.parent_ino = is & (PARENT | STRANGER) ? fake.fds[5].ino + !!(is & STRANGER) : 0;
	if (is & ALONE)
		fake_fails("connect()", ENOENT, 99);
	if (is & SHORT)
		fake_fails("sendmsg()", EAGAIN, 99);
}

TEST(the_keeper_gets_unsent_data)
{
	static const struct {
		int is, unsent;
		enum end end;
	} rows[] = {
		{ 0, 0, QUIET },
		{ UNKNOWN, 0, QUIET },
		/* A listener. */
		{ 0, -EINVAL, QUIET },
		{ 0, -EBADF, CLOSED },
		{ 0, 1, KEPT },
		{ UNKNOWN, 1, KEPT },
		{ STRANGER, 1, KEPT },
		/* TCP sends the rest itself, even after a fallback. */
		{ TCP, 1, CLOSED },
		{ TCP | UNKNOWN, 1, CLOSED },
		{ LINGER, 1, CLOSED },
		{ LINGER, 0, QUIET },
		{ RAW, 1, CLOSED },
		{ SANDBOX, 1, CLOSED },
		{ PARENT, 1, CLOSED },
		/* In a child of vfork() nothing is closed. */
		{ VFORK, 1, CLOSED },
		{ ALONE, 1, CLOSED },
		{ SHORT, 1, CLOSED },
	};
	char **before = environ;
	long long start = fake.ms;
	bool exits;

	for (size_t i = 0; next_row(i, rows); i++) {
		for (int way = 0; way < WAYS; way++) {
			make(rows[i].is, rows[i].unsent);
			programs = kept.n = 0;
			comes_to(end_by(way), 0, 0);
			assert_int_equal(kept.n, rows[i].end == KEPT);
			assert_true(way >= CLOSES || end_of(5) == rows[i].end);
			assert_true(way || shim_fd_is_marked(5) == !(rows[i].is & TCP));
			assert_int_equal(programs, way >= EXITS);
			/* An exit waits as long as the kernel does in close(). */
			exits = way >= CLOSES && way < EXITS;
			assert_int_equal(fake.ms - start, exits && rows[i].is >= ALONE ? 2015 : 0);
		}
	}
	make(0, 1);
	fake.fds[5].fd_flags = 0;
	comes_to(end_by(EXITS), 0, 0);
	assert_int_equal(kept.n, 0);
	environ = before;
}

static void send_all(void)
{
	fake.fds[5].unsent = 0;
}

TEST(exit_waits_until_all_is_sent)
{
	long long start = fake.ms;

	make(ALONE, 1);
	fake.fds[5].revents = POLLERR;
	ends_by(_exit);
	assert_int_equal(fake.ms - start, 0);
	fake.fds[5].revents = 0;
	fake_gives("sleep 2", 0, 1, send_all);
	ends_by(_exit);
	assert_int_equal(fake.ms - start, 3);
}

TEST(debug_lines)
{
	static const char *const said[] = { "fd 5: unsent\n*smc_keep has *\n",
					    "fd 5: unsent\n*no smc_keep\n", "" };
	struct log_line line = { 0 };

	for (int i = 0; i < 3; i++) {
		make(i == 1 ? ALONE : 0, 9);
		fake_socket(2, 0, 0)->is_socket = false;
		fake.config.debug = fake.config.err_open = true;
		fake.config.err.st_dev = 1;
		fake.config.err.st_ino = fake.fds[2].ino + (i == 2);
		comes_to(close(5), 0, 0);
		assert_like(fake.said, said[i]);
	}
	for (int i = 0; i < 400; i++)
		log_format(&line, "x");
	assert_int_equal(line.len, sizeof(line.text) - 1);
}

/* One of two instances has the socket; a third one is closed. The keeper still has the socket. */
TEST(it_leaves_epoll_and_async)
{
	for (int is_shut = 0; is_shut < 2; is_shut++) {
		make(0, 1);
		fake_socket(13, 0, 0)->is_epoll = fake_socket(14, 0, 0)->is_epoll = true;
		for (int fd = 13; fd < 16; fd++)
			shim_fd_set(FD_EPOLL, fd);
		fake.fds[5].watchers = 1 << 13;
		fake.fds[5].flags = O_RDWR | O_ASYNC;
		if (is_shut) {
			comes_to(shutdown(5, SHUT_WR), 0, 0);
			assert_int_equal(fake.fds[5].watchers, 1 << 13);
			fake.fds[5].unsent = 0;
		}
		ends(close(5), 0, 0, 5, is_shut ? QUIET : KEPT);
		assert_true(!fake.fds[5].watchers && fake.fds[5].flags == O_RDWR);
		assert_true(shim_fd_is_set(FD_EPOLL, 13) && shim_fd_is_set(FD_EPOLL, 14));
		assert_false(shim_fd_is_set(FD_EPOLL, 15) || shim_fd_is_set(FD_KEPT, 5));
	}
}

/*
 * @shuts: the kernel's shutdown(2), in order, a digit each: 1 for SHUT_RD and so on; the kernel
 * wakes threads before it notes the end. @wakes: sizes set, which wakes threads
 */
TEST(shutdown_is_left_to_the_keeper)
{
	static const struct {
		int is, unsent, how, fails, shuts;
		int is_quiet, kept, wakes;
	} rows[] = {
		{ 0, 0, SHUT_RD, 0, 1, .wakes = 1 },
		{ 0, 0, SHUT_WR, 0, 2, .is_quiet = 1 },
		{ 0, 0, SHUT_RDWR, 0, 13, .is_quiet = 1 },
		{ 0, 0, 99, 0, 100 },
		{ 0, 1, SHUT_RD, 0, 1, .wakes = 1 },
		{ 0, 1, SHUT_WR, 0, 0, .kept = KEEP_SHUT_WR },
		{ 0, 1, SHUT_RDWR, 0, 1, .kept = KEEP_SHUT_RDWR, .wakes = 1 },
		{ 0, 0, SHUT_RD, ENOTCONN, 1 },
		{ 0, 1, SHUT_RDWR, ENOTCONN, 1, .kept = KEEP_SHUT_RDWR },
		{ 0, 0, SHUT_RDWR, ENOTCONN, 1, .is_quiet = 1 },
		{ ALONE, 1, SHUT_WR, 0, 2 },
		{ SANDBOX, 1, SHUT_RDWR, 0, 13 },
		{ RAW, 1, SHUT_WR, 0, 2 },
		{ TCP, 1, SHUT_RDWR, 0, 3 },
	};
	const struct sockaddr_in peer = { .sin_family = AF_INET, .sin_port = htons(80) };
	const uint64_t cookie = 4711;

	for (size_t i = 0; next_row(i, rows); i++) {
		make(rows[i].is, rows[i].unsent);
		fake_int(5, SOL_SOCKET, SO_SNDBUF, 4000);
		fake_int(5, SOL_SOCKET, SO_BUF_LOCK, 0);
		if (rows[i].fails)
			fake_fails("shutdown", rows[i].fails, 1);
		comes_to(shutdown(5, rows[i].how), rows[i].fails ? -1 : 0, rows[i].fails);
		assert_int_equal(shuts, rows[i].shuts);
		assert_int_equal(is_quiet, rows[i].is_quiet);
		assert_int_equal(kept.how, rows[i].kept);
		assert_int_equal(shim_fd_is_set(FD_KEPT, 5), rows[i].kept != 0);
		assert_int_equal(sizes, rows[i].wakes);
		assert_int_equal(option_of(5, SOL_SOCKET, SO_SNDBUF), 4000);
		assert_int_equal(option_of(5, SOL_SOCKET, SO_BUF_LOCK), 0);
	}
	/* The kernel still takes data of a socket that is left to smc_keep. */
	make(0, 1);
	fake_option(5, SOL_SOCKET, SO_COOKIE, &cookie, sizeof(cookie));
	fake.fds[5].is_connected = true;
	fake.fds[5].name = peer;
	comes_to(send(5, "x", 1, MSG_NOSIGNAL), 1, 0);
	comes_to(shutdown(5, SHUT_WR), 0, 0);
	comes_to(send(5, "x", 1, MSG_NOSIGNAL), -1, EPIPE);
	/* The connection may end between the two calls. */
	make(0, 0);
	fake_fails("shutdown 5 2", ENOTCONN, 1);
	comes_to(shutdown(5, SHUT_RDWR), 0, 0);
}

static int knocks, resets;

static void knock(void)
{
	const struct timeval limit = { 0, 200000 };

	assert_memory_equal(fake_option_of(9, SOL_SOCKET, SO_SNDTIMEO)->value, &limit,
			    sizeof(limit));
	assert_true(fake.is_blocked);
	resets += option_of(9, SOL_SOCKET, SO_LINGER);
	knocks++;
}

/* Clients end the waits; by a reset, unless others may have the socket or the address. */
TEST(shutdown_of_a_listener)
{
	enum { OWN = 1024, SHARED = 2048, STRICT = 4096, NO_TCP = 8192 };
	static const struct {
		int is, how, err, knocks, resets;
	} rows[] = {
		{ 0, SHUT_WR },
		{ OWN, SHUT_RD, 0, 2, 2 },
		{ OWN | STRICT, SHUT_RDWR, 0, 2, 2 },
		{ OWN | SHARED, SHUT_RD, 0, 2 },
		{ 0, SHUT_RD, 0, 2 },
		{ NO_TCP, SHUT_RD, ENOTCONN },
		{ STRICT, SHUT_RD, ENOTCONN },
		{ RAW, SHUT_WR, ENOTCONN },
	};

	for (size_t i = 0; next_row(i, rows); i++) {
		make(rows[i].is, 0);
		fake.config.strict = rows[i].is & STRICT;
		fake.fds[5].name.sin_family = AF_INET;
		fake.fds[5].name.sin_port = htons(80);
		fake_int(5, SOL_SOCKET, SO_ACCEPTCONN, 1);
		fake_int(5, SOL_SOCKET, SO_REUSEPORT, !!(rows[i].is & SHARED));
		if (rows[i].is & OWN)
			shim_fd_set(FD_OWN, 5);
		fake_fails("shutdown", ENOTCONN, 1);
		fake_fails("connect() 9", ECONNREFUSED, 1);
		fake_then(knock);
		fake_gives("connect() 9", 0, 1, knock);
		fake_fails("bind", EADDRINUSE, 1);
		if (rows[i].is & NO_TCP)
			fake_fails("socket 2", EMFILE, 1);
		knocks = resets = 0;
		comes_to(shutdown(5, rows[i].how), -!!rows[i].err, rows[i].err);
		assert_int_equal(knocks, rows[i].knocks);
		assert_int_equal(resets, rows[i].resets);
		assert_int_equal(fake.fds[5].domain, knocks ? AF_INET : AF_SMC);
		assert_int_equal(fake.fds[5].port, knocks ? 80 : 0);
		assert_int_equal(shim_fd_is_marked(5), !knocks);
		assert_int_equal(shim_fd_is_tcp(5), !!(rows[i].is & OWN));
	}
}

TEST(a_number_that_cannot_be_copied)
{
	make(0, 1);
	ends(dup2(7, 5), -1, EBADF, 5, OPEN);
	ends(dup2(5, 5), 5, 0, 5, OPEN);
	assert_int_equal(kept.n, 0);
	fake_fails("dup", EINVAL, 3);
	comes_to(dup3(5, 7, 0), -1, EINVAL);
	comes_to(dup2(5, 7), -1, EINVAL);
	comes_to(dup(5), -1, EINVAL);
	assert_false(shim_fd_is_marked(7));
	shim_has_owners = false;
	fcntl(5, F_GETFL);
	assert_false(shim_has_owners);
	fcntl(5, F_SETOWN_EX, &(struct f_owner_ex){ F_OWNER_PID, 9 });
	assert_true(shim_has_owners);
}

TEST(a_filter_is_looked_for)
{
	static const char *const files[] = { "", NULL, "Name:\tx\nSeccomp:\t2\n" };

	fake.files[FAKE_DIR].path = "/proc/self/status";
	for (int i = 0; i < 3; i++) {
		fake.files[FAKE_DIR].text = files[i];
		shim_in_sandbox = false;
		comes_to((shim_sandbox_look(), shim_in_sandbox), i > 0, 0);
	}
}

/* For other marks see test_shim_table.c. */
TEST(marks_beyond_the_tables)
{
	shim_fd_set(FD_EPOLL, 13);
	shim_fd_copy(5, SHIM_FD_NUMBERS);
	shim_fd_copy(13, SHIM_FD_NUMBERS);
	shim_fd_unknown(SHIM_FD_NUMBERS);
	assert_false(shim_fd_is_set(FD_KEPT, 0));
	shim_fd_copy(SHIM_FD_NUMBERS, 6);
	assert_true(shim_fd_is_set(FD_EPOLL, 6) && shim_fd_is_marked(6));
	shim_fd_unknown(-1);
	assert_true(shim_fd_is_marked(SHIM_FD_NUMBERS));
	assert_false(shim_fd_is_marked(-1));
	fake_gives("epoll_create1", SHIM_FD_NUMBERS, 1, NULL);
	comes_to(epoll_create1(0), SHIM_FD_NUMBERS, 0);
	assert_false(shim_fd_bytes[SHIM_FD_NUMBERS] & FD_EPOLL);
	fake_gives("epoll_create", 0, 1, NULL);
	comes_to(epoll_create1(0), 0, 0);
	assert_true(shim_fd_is_set(FD_EPOLL, 0));
	comes_to(epoll_create(3), 13, 0);
	/* The findings of a vfork() child are not kept. */
	shim_fd_set(FD_SMC, 63);
	fake.pid = 1;
	shim_fd_clear(FD_SMC, 63);
	assert_true(shim_fd_is_marked(63));
	fake.pid = 0;
	shim_fd_clear(FD_SMC, 63);
	assert_false(shim_fd_is_marked(63));
	shim_fd_clear(FD_SMC, -1);
}

TEST(ranges_are_looked_through)
{
	own_socket(6);
	fake.fds[6].unsent = 1;
	fake_socket(7, AF_INET, IPPROTO_TCP);
	shim_fd_set(FD_SMC, 7);
	comes_to(close_range(5, 6, 1), 0, 0);
	assert_true(end_of(5) == OPEN && end_of(6) == OPEN);
	comes_to(close_range(0, 5, 0), 0, 0);
	assert_true(end_of(5) == QUIET && end_of(6) == OPEN);
	comes_to(close_range(6, ~0U, 0), 0, 0);
	assert_true(end_of(6) == KEPT && end_of(7) == CLOSED);
	assert_false(shim_fd_is_marked(7));
	comes_to(close_range(1 << 20, ~0U, 0), 0, 0);
	only_call();
	setup(NULL);
	comes_to((closefrom(6), 0), 0, 0);
	assert_int_equal(end_of(5), OPEN);
	comes_to((closefrom(-3), 0), 0, 0);
	assert_int_equal(end_of(5), QUIET);
}

static int fake_fclose(FILE *file)
{
	int saved = errno, fd = fileno(file);

	if (fd >= 0)
		fake_shut(fd);
	errno = saved;
	return 0;
}

/*
 * The caller gets the error of a write, even if fclose() has freed the stream. Real files pose as
 * SMC sockets; fclose() is hidden from the compiler.
 */
TEST(a_stream_that_cannot_be_written)
{
	static int (*volatile end_stream)(FILE *) = fclose;

	for (int unsent = 0; unsent < 2; unsent++) {
		FILE *file;
		int fd;

		fake.on = false;
		file = fopen("/dev/full", "w");
		setup(NULL);
		fd = fileno(file);
		own_socket(fd);
		fake.fds[fd].unsent = unsent;
		atomic_store(&shim_next_fn[SHIM_FCLOSE], (shim_any_fn)fake_fclose);
		fputs("text", file);
		ends(end_stream(file), -1, ENOSPC, fd, unsent ? KEPT : CLOSED);
		fake.on = false;
		atomic_store(&shim_next_fn[SHIM_FCLOSE], NULL);
		end_stream(file);
	}
	/* A stream in memory has no descriptor. */
	fake.on = true;
	comes_to(end_stream(fmemopen(NULL, 16, "w")), 0, 0);
}

/* The only socket, in a program that had closed its standard input. */
TEST(number_zero_is_a_number)
{
	shim_fd_clear(FD_SMC, 5);
	own_socket(0);
	fake.fds[0].unsent = 1;
	fake.fds[0].fd_flags = FD_CLOEXEC;
	assert_int_equal(shim_fd_next(FD_SMC, 0), 0);
	ends_by(_exit);
	assert_int_equal(kept.n, 1);
	shim_unsent_leave(true);
	assert_int_equal(kept.n, 2);
	shim_fd_mark_plain(0);
	comes_to(fork(), 4711, 0);
	assert_false(shim_fd_is_set(FD_PLAIN, 0));
	comes_to(dup(0), 11, 0);
	assert_true(shim_fd_is_marked(11));
	fake_shut(11);
	shim_fd_clear(FD_SMC, 11);
	fake.fds[0].unsent = 0;
	ends(close_range(0, 0, 0), 0, 0, 0, QUIET);
	own_socket(0);
	fake_socket(6, AF_INET, IPPROTO_TCP);
	ends(dup2(6, 0), 0, 0, 0, QUIET);
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
