// SPDX-License-Identifier: MIT
/* ld_pre_smc, keeper_client, rdma, epoll_watches: finding or starting smc_keep. */
#include "fake_below.h"

#include <link.h>
#include <sched.h>
#include <setjmp.h>
#include <sys/auxv.h>

#include "ld_pre_smc/state/epoll_watches.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/keeper_client.h"
#include "ld_pre_smc/state/smcr_check.h"

static unsigned int peer_uid;
static int peer_pid, sent, started, n_statuses, statuses[2], programs;
static jmp_buf child;
static void *child_stack;

static void a_new_connection(void)
{
	const struct ucred peer = { .uid = peer_uid, .pid = peer_pid };

	assert_int_equal(fake.args[1], SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK);
	fake.n_options = 0;
	fake_socket(8, AF_UNIX, 0);
	fake_option(8, SOL_SOCKET, SO_PEERCRED, &peer, sizeof(peer));
}

static void a_message(void)
{
	sent++;
}

/* All files of the new process, but not of this one. */
static void look_at_range(void)
{
	assert_true(!fake.args[0] && (int)fake.args[1] == -1 && fake.args[2] == 2);
}

static void a_program(void)
{
	programs++;
}

static void the_child_ends(void)
{
	statuses[n_statuses++ % 2] = (int)fake.args[0];
	longjmp(child, 1);
}

/* A child that runs at once, in this thread, until it exits. */
int clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
	void *outer_stack = child_stack;
	jmp_buf outer;

	assert_int_equal((uintptr_t)stack % 16, 0);
	assert_ptr_not_equal(stack, outer_stack);
	assert_int_equal(flags, CLONE_VM | CLONE_VFORK | CLONE_FILES);
	if (fake_call(4712, "clone %#x", flags) < 0)
		return -1;
	started += !child_stack;
	memcpy(&outer, &child, sizeof(outer));
	child_stack = stack;
	if (!setjmp(child))
		run(arg);
	child_stack = outer_stack;
	memcpy(&child, &outer, sizeof(outer));
	return 4712;
}

/* Each test begins at a time of its own, at which a keeper can be started. */
FIXTURE(setup)
{
	static int later;

	fake_setup(state);
	fake.ms += later += 20000;
	fake.pid = 4711;
	peer_uid = geteuid();
	peer_pid = 4713;
	fake_home(4713);
	fake_gives("socket() 1", 8, 99999, a_new_connection);
	fake_gives("sendmsg()", 1, 99, a_message);
	fake_gives("socket() 1 2053", 0, 99, NULL);
	fake_gives("close_range()", 0, 99, look_at_range);
	fake_gives("exit_group()", 0, 99, the_child_ends);
	fake_fails("execve()", ENOENT, 99);
	fake_then(a_program);
	return 0;
}

/* Compare whether the keeper gets the socket, and the number of keepers that are started. */
#define gives(given, starts)                                                                       \
	do {                                                                                       \
		sent = started = programs = n_statuses = 0;                                        \
		comes_to(shim_keeper_give(5, KEEP_CLOSE), given, 0);                               \
		assert_null(fake_fd(0));                                                           \
		assert_int_equal(sent, given);                                                     \
		assert_int_equal(started, starts);                                                 \
	} while (0)

static void look_at_name(void)
{
	const struct keep_home home = { geteuid(), { 42, 43, 42 } };
	struct sockaddr_un addr;

	assert_int_equal(fake.args[2], keep_address(&addr, &home));
	assert_memory_equal((const void *)(intptr_t)fake.args[1], &addr, (size_t)fake.args[2]);
}

static char deeper[256];

/* One file of /proc is changed, or missing. */
TEST(a_keeper_elsewhere_gets_nothing)
{
	static const struct {
		int file;
		const char *text;
		bool given;
	} rows[] = {
		{ FAKE_STATUS, "Name:\tnginx\nUid:\t0\t0\t0\t0\nNSpid:\t4713\n" },
		{ FAKE_STATUS, "Name:\tsmc_keep\nUid:\t0\t0\t0\t9\nNSpid:\t4713\n" },
		{ FAKE_STATUS, "NSpid:\t4713\n" },
		{ FAKE_STATUS, deeper },
		{ FAKE_MOUNTS, "77" FAKE_MOUNT },
		{ FAKE_MOUNTS, "" },
		{ FAKE_MOUNTS, NULL },
		{ FAKE_OWN_MOUNTS, "" },
		{ FAKE_MAP, "         0       1000          1\n" },
		{ FAKE_USER, "42" },
		{ FAKE_USER, NULL, true },
		{ FAKE_NET, "43" },
		{ FAKE_NET, NULL },
		{ FAKE_DIR, NULL },
		/* This process has no home; two numbers: /proc belongs to another PID namespace. */
		{ FAKE_SPACES, NULL },
		{ FAKE_OWN_MAP, NULL },
		{ FAKE_OWN_STATUS, NULL },
		{ FAKE_OWN_STATUS, "Name:\tx\nNSpid:\t9\t4711\n" },
	};

	for (size_t i = 0; next_row(i, rows); i++) {
		setup(NULL);
		snprintf(deeper, sizeof(deeper), "%s", fake.files[FAKE_STATUS].text);
		strcpy(strstr(deeper, "4713"), "4713\t7\n");
		fake.files[rows[i].file].text = rows[i].text;
		if (rows[i].file == FAKE_OWN_MOUNTS)
			fake.files[FAKE_MOUNTS].text = "";
		gives(rows[i].given, 0);
	}
	setup(NULL);
	peer_uid++;
	gives(false, 0);
	peer_uid--;
	peer_pid = 0;
	gives(false, 0);
	/* The first process of a container may be a keeper. */
	peer_pid = 1;
	fake_home(1);
	gives(true, 0);
}

TEST(names_say_where)
{
	static const char some[] = "         0       1000          1\n";
	const struct keep_home home = { 1000, { 4026531836, 7, 10 } };
	struct sockaddr_un addr;
	size_t len = keep_address(&addr, &home);

	assert_string_equal(addr.sun_path + 1, KEEP_NAME "1000/4026531836/7/10");
	assert_int_equal(len, sizeof(sa_family_t) + 1 + strlen(addr.sun_path + 1));
	/* Users that are not mapped are nobody. */
	assert_true(keep_is_known(0, some, strlen(some)));
	assert_true(keep_is_known(65534, FAKE_ALL, strlen(FAKE_ALL)));
	assert_false(keep_is_known(65534, some, strlen(some)));
	assert_false(keep_is_known(65534, FAKE_ALL FAKE_ALL, strlen(FAKE_ALL FAKE_ALL)));
	assert_false(keep_is_known(65534, FAKE_ALL, 0));
}

static void note_number(int fd, void *arg)
{
	*(unsigned int *)arg |= 1U << fd;
}

/* poll() takes no more than the limit. */
TEST(each_open_descriptor_is_visited)
{
	struct rlimit limit, low;
	unsigned int found[2] = { 0 };

	fake_socket(0, AF_UNIX, 0);
	fake_socket(7, AF_UNIX, 0);
	fake_socket(13, AF_UNIX, 0);
	comes_to((shim_each_open(note_number, &found[0]), 0), 0, 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = (struct rlimit){ 6, limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &low);
	shim_each_open(note_number, &found[1]);
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 2; i++)
		assert_int_equal(found[i], 1 << 0 | 1 << 5 | 1 << 7 | 1 << 13);
}

TEST(a_text_may_be_split_between_two_reads)
{
	static char text[3 * 2048];

	fake.files[0].path = "/proc/text";
	fake.files[0].text = text;
	for (size_t at = 2030; at + 4 < sizeof(text); at += at == 2060 ? 4079 : 1) {
		memset(text, 'x', sizeof(text) - 1);
		assert_int_equal(shim_file_has(AT_FDCWD, "/proc/text", "text"), 0);
		memcpy(text + at, "text", 4);
		assert_int_equal(shim_file_has(AT_FDCWD, "/proc/text", "text"), 1);
	}
}

static const char *name_of_library;

TEST(a_keeper_is_found_or_started)
{
	static const struct {
		const char *call;
		int err, times, refused;
		bool given;
		int starts, programs;
	} rows[] = {
		{ "none", 0, 0, 0, true },
		{ "getsockopt 8 1 17", EIO, 1 },
		{ "sendmsg()", EAGAIN, 1 },
		{ "socket() 1", EMFILE, 1 },
		{ "block", EFAULT, 1 },
		/* Too many connections wait already, for example. */
		{ "connect()", EAGAIN, 1 },
		{ "bind()", EINVAL, 1, 1 },
		/* The program is missing. */
		{ "faccessat()", ENOENT, 2, 2 },
		{ "clone", EAGAIN, 1, 2 },
		{ "prctl 37", EINVAL, 1, 1 },
		{ "faccessat()", ENOENT, 1, 1, true, 1, 2 },
		{ "close_range()", ENOSYS, 1, 1, true, 1 },
		{ "socket() 1 2053", EMFILE, 1, 1, true, 1 },
		/* Another process has taken the name in between: no retry. */
		{ "bind() 0", EADDRINUSE, 1, 2, false, 1 },
		{ "none", 0, 0, 1, true, 1, 2 },
	};

	name_of_library = "/opt/lib/ld_pre_smc.so";
	shim_keeper_find();
	for (size_t i = 0; next_row(i, rows); i++) {
		setup(NULL);
		fake_gives("connect()", 0, 1, look_at_name);
		if (rows[i].refused)
			fake_fails("connect()", ECONNREFUSED, rows[i].refused);
		fake_fails(rows[i].call, rows[i].err, rows[i].times);
		gives(rows[i].given, rows[i].starts);
		assert_int_equal(programs, rows[i].programs);
		/* The new keeper ends here; its parent ends with success. */
		assert_int_equal(n_statuses, 2 * started);
		assert_true(!started || (statuses[0] == 1 && statuses[1] == 0));
	}
	/* The library does not start a keeper twice within a second. */
	fake_fails("connect()", ECONNREFUSED, 1);
	gives(false, 0);
}

typedef int (*look_fn)(struct dl_phdr_info *info, size_t size, void *arg);

/* This library is the third of four objects: the search ends there. */
static int look_at_objects(look_fn look, void *arg)
{
	const ElfW(Addr) address = (ElfW(Addr))__ehdr_start;
	struct dl_phdr_info before = { .dlpi_addr = address + 1, .dlpi_name = "/before/x" };
	struct dl_phdr_info behind = { .dlpi_addr = address - 1, .dlpi_name = "/behind/x" };
	struct dl_phdr_info ours = { .dlpi_addr = address, .dlpi_name = name_of_library };

	assert_true(look(&before, sizeof(before), arg) || look(&behind, sizeof(behind), arg) ||
		    look(&ours, sizeof(ours), arg));
	return 1;
}

/* Sanitizers call this function, too, before they are ready. */
__attribute__((no_sanitize("address", "undefined"))) int dl_iterate_phdr(look_fn look, void *arg)
{
	static int (*real)(look_fn look, void *arg);

	if (fake.on)
		return look_at_objects(look, arg);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return real(look, arg);
}

static char paths[4 * PATH_MAX];

static void look_at_path(void)
{
	const char *path = (const char *)(intptr_t)fake.args[1];

	assert_int_equal(fake.args[2], X_OK);
	snprintf(paths + strlen(paths), sizeof(paths) - strlen(paths), "%s ", path);
}

/* The first of these programs that can be executed is the keeper. */
TEST(it_is_beside_the_library)
{
	static char far[PATH_MAX + 32], farther[PATH_MAX + 32], its[2 * PATH_MAX];
	static const char *const rows[][2] = {
		{ "/opt/lib/ld_pre_smc.so", "/opt/lib/smc_keep " SMC_KEEP " " },
		{ "/ld_pre_smc.so", "/smc_keep " SMC_KEEP " " },
		{ "/stage" SMC_HOME "/ld_pre_smc.so",
		  "/stage" SMC_HOME "/smc_keep /stage" SMC_KEEP " " SMC_KEEP " " },
		{ SMC_HOME "/ld_pre_smc.so", SMC_HOME "/smc_keep " SMC_KEEP " " },
		{ "ld_pre_smc.so", SMC_KEEP " " },
		{ far, its },
		{ farther, SMC_KEEP " " },
		{ "", SMC_KEEP " " },
	};

	memset(far, 'x', PATH_MAX);
	memset(farther, 'x', PATH_MAX);
	far[0] = far[PATH_MAX - 10] = farther[0] = farther[PATH_MAX - 9] = '/';
	snprintf(its, sizeof(its), "%.*ssmc_keep " SMC_KEEP " ", PATH_MAX - 9, far);
	for (size_t i = 0; next_row(i, rows); i++) {
		setup(NULL);
		name_of_library = rows[i][0];
		shim_keeper_find();
		paths[0] = '\0';
		fake_gives("faccessat()", -1, 3, look_at_path);
		fake_fails("connect()", ECONNREFUSED, 2);
		gives(false, 0);
		assert_string_equal(paths, rows[i][1]);
	}
}

static void number_zero(void)
{
	fake_socket(0, 0, 0);
}

/* In a program without standard input, which is the first process and would have to reap. */
TEST(number_zero_is_a_number)
{
	fake.pid = 1;
	fake.files[FAKE_OWN_STATUS].text = "\nNSpid:\t1\n";
	fake_gives("socket() 1", 0, 2, number_zero);
	fake_fails("connect()", ECONNREFUSED, 1);
	gives(false, 0);
	fake.file_fd = 0;
	gives(true, 0);
}

static void two_namespaces_are_not_scripted(void)
{
	fake.files[FAKE_SPACES].path = "none";
}

TEST(all_namespaces_or_none_are_sent)
{
	fake_fails("openat()", EMFILE, 1);
	fake_gives("openat()", 0, 1, number_zero);
	fake_gives("connect()", 0, 1, two_namespaces_are_not_scripted);
	gives(false, 0);
}

/* A process that has the name and does not listen is polled now and then, nothing is started. */
TEST(wait_for_the_process_that_has_the_name)
{
	static const struct {
		int refused, pause, ms;
	} rows[] = {
		{ 2, 0, 2 },
		{ 9999, 0, KEEP_KERNEL_MS },
		{ 1, 0, 0 },
		{ 9999, 10000, KEEP_KERNEL_MS },
	};
	long long before;

	fake_fails("bind()", EADDRINUSE, 9999);
	for (size_t i = 0; next_row(i, rows); i++) {
		fake.ms += rows[i].pause;
		before = fake.ms;
		fake_fails("connect()", ECONNREFUSED, rows[i].refused);
		gives(i == 0, 0);
		assert_int_equal(fake.ms - before, rows[i].ms);
	}
}

/* ---- rdma ---- */

static int kind_of_answer, queries, counted;

static void a_query(void)
{
	assert_true(fake.args[1] == (SOCK_RAW | SOCK_CLOEXEC) && fake.args[2] == 20);
	fake_socket(7, AF_NETLINK, 0);
	queries++;
}

static void look_at_request(void)
{
	const struct {
		uint32_t len;
		uint16_t type, flags;
		uint32_t sequence, port;
	} request = { 16, 5 << 10 | 1, 0x301, 0, 0 };

	assert_int_equal(fake.args[2], sizeof(request));
	assert_memory_equal((const void *)(intptr_t)fake.args[1], &request, sizeof(request));
	assert_int_equal(fake.args[3], 0);
}

static void the_kernel_answers(void)
{
	uint16_t type = (uint16_t)kind_of_answer;

	memcpy((char *)(intptr_t)fake.args[1] + 4, &type, sizeof(type));
}

static void the_peer_has_read_little(void)
{
	counted = 9;
}

static void netlink(void)
{
	fake_gives("socket() 16", 7, 99, a_query);
	fake_gives("sendto()", 16, 99, look_at_request);
	fake_gives("recvfrom()", 20, 99, the_kernel_answers);
	fake.ms = 100000000;
}

enum { DEVICE = 5 << 10 | 1, NO_DEVICE = 3, ODD = 2 };

/* Data that SMC-D's loopback device has sent has arrived. */
TEST(what_the_peer_has_not_read_counts_over_rdma)
{
	static const struct {
		int domain, is_connected, kind, queries, counted;
	} rows[] = {
		{ AF_INET, 0, DEVICE, 0, 9 },
		{ AF_SMC, 0, DEVICE, 1, 9 },
		/* Within the host there is no need to ask. */
		{ AF_SMC, 1, DEVICE, 0, 4 },
		{ AF_SMC, 0, NO_DEVICE, 1, 4 },
	};

	netlink();
	fake_gives("ioctl 5 0x5411", 0, 99, the_peer_has_read_little);
	for (size_t i = 0; next_row(i, rows); i++) {
		fake_socket(5, rows[i].domain, rows[i].domain == AF_SMC ? 0 : IPPROTO_TCP)->unsent =
			4;
		fake.fds[5].is_connected = rows[i].is_connected;
		fake.ms += 2000;
		kind_of_answer = rows[i].kind;
		queries = 0;
		comes_to(ioctl(5, 0x5411, &counted), 0, 0);
		assert_int_equal(counted, rows[i].counted);
		assert_int_equal(queries, rows[i].queries);
	}
}

/* @ms: pause before these calls; @yes: number of them that return true */
TEST(devices_are_queried_now_and_then)
{
	static const struct {
		int ms, calls, yes, queries, kind, err;
		const char *fails;
	} rows[] = {
		{ 90000, 15, 15, 0, DEVICE },
		{ 0, 1, 1, 1, DEVICE },
		{ 0, 100, 100, 0, DEVICE },
		/* An answer is cached for a second. */
		{ 2000, 1, 0, 1, NO_DEVICE },
		{ 0, 100, 0, 0, NO_DEVICE },
		{ 1000, 1, 0, 0, NO_DEVICE },
		{ 1000, 1, 0, 1, NO_DEVICE },
		{ 2000, 1, 1, 0, NO_DEVICE },
		/* EMFILE is no answer. The close() below has asked, too. */
		{ 0, 13, 13, 0, NO_DEVICE },
		{ 0, 1, 1, 0, NO_DEVICE, EMFILE, "socket() 16" },
		{ 0, 15, 15, 0, NO_DEVICE },
		{ 0, 1, 1, 0, NO_DEVICE, ENFILE, "socket() 16" },
		{ 0, 15, 15, 0, NO_DEVICE },
		{ 0, 1, 1, 1, NO_DEVICE, EMFILE, "sendto()" },
		{ 0, 16, 15, 1, NO_DEVICE },
		/* An unexpected kind of answer counts as none, and there is no further query. */
		{ 2000, 16, 16, 1, ODD },
		{ 9000, 100, 100, 0, NO_DEVICE },
	};
	int yes;

	netlink();
	for (size_t i = 0; next_row(i, rows); i++) {
		fake.ms += rows[i].ms;
		kind_of_answer = rows[i].kind;
		if (rows[i].fails)
			fake_fails(rows[i].fails, rows[i].err, 1);
		queries = yes = 0;
		fake_begin();
		for (int n = 0; n < rows[i].calls; n++)
			yes += shim_may_be_rdma(false);
		fake_end(-1);
		assert_int_equal(errno, ERRNO_BEFORE);
		assert_int_equal(yes, rows[i].yes);
		assert_int_equal(queries, rows[i].queries);
		if (yes)
			continue;
		/* Without RDMA, nothing remains to be sent; EINVAL means a listener. */
		fake_socket(5, AF_SMC, 0)->unsent = -EINVAL;
		shim_fd_mark_socket(5);
		comes_to(close(5), 0, 0);
		assert_int_equal(fake.quiet, 0);
	}
}

/* ---- epoll ---- */

#define LINE(fd) "tfd: " #fd " events: 1 data: 2\n"

/* An epoll instance as number 3, with this fdinfo, that watches number 5, or does not. */
TEST(watches_are_found)
{
	static char two_pieces[1100];
	static const struct {
		const char *text;
		int has, n;
		uint32_t events;
		uint64_t data;
	} rows[] = {
		{ "pos:\t0\ntfd:   5 events:  19 data:  1a2b3c4d5  pos:0\n", 1, 1, 0x19,
		  0x1a2b3c4d5 },
		{ LINE(7) "tfd: 5 events: f data: 0\n", 1, 1, 15, 0 },
		{ two_pieces, 1, 1, 1, 2 },
		{ LINE(15) LINE(50), 1, 0 },
		{ "tfd: 5 events: 1\n", 1, 0 },
		{ "tfd: 5 data: 1\n", 1, 0 },
		{ "tfd: 5 events: 1 data: 9", 1, 0 },
		{ NULL, 1, 0 },
		{ LINE(5), 0, 0 },
	};
	struct shim_watches found;

	memset(two_pieces, '\n', 1010);
	strcpy(two_pieces + 1010, LINE(5));
	for (size_t i = 0; next_row(i, rows); i++) {
		setup(NULL);
		fake.files[0].path = "/proc/self/fdinfo/3";
		fake.files[0].text = rows[i].text;
		fake_socket(3, 0, 0)->is_epoll = true;
		shim_fd_set(FD_EPOLL, 3);
		fake.fds[5].watchers = (unsigned int)rows[i].has << 3;
		comes_to((shim_watches_find(&found, 5, 9), found.n), rows[i].n, 0);
		assert_int_equal(fake.fds[5].watchers, rows[i].n ? 0 : rows[i].has << 3);
		assert_true(shim_fd_is_set(FD_EPOLL, 3));
		comes_to((shim_watches_restore(&found), 0), 0, 0);
		assert_int_equal(fake.fds[5].watchers, rows[i].has << 3);
		assert_true(!rows[i].n || fake.watched.events == rows[i].events);
		assert_true(!rows[i].n || fake.watched.data.u64 == rows[i].data);
	}
}

TEST(epoll_without_a_watch)
{
	struct shim_watches found;

	/* A socket with events is not added for a test. */
	fake.files[0].path = "/proc/self/fdinfo/3";
	fake.files[0].text = LINE(5);
	fake_socket(3, 0, 0)->is_epoll = true;
	shim_fd_set(FD_EPOLL, 3);
	fake.fds[5].watchers = 1 << 3;
	fake_fails("epoll_ctl 3 1", EPERM, 9);
	comes_to((shim_watches_find(&found, 5, 9), found.n), 0, 0);
	fake.fds[5].revents = POLLHUP;
	comes_to((shim_watches_find(&found, 5, 9), found.n), 1, 0);
	/* Other files than an epoll instance. */
	fake.pid = 0;
	shim_fd_set(FD_EPOLL, 0);
	fake.fds[3].is_epoll = false;
	comes_to((shim_watches_find(&found, 5, 9), found.n), 0, 0);
	assert_int_equal(shim_fd_next(FD_EPOLL, 0), -1);
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
