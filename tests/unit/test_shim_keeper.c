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
static int peer_pid;
static jmp_buf child;
static bool children_run;
static void *child_stack;

static void a_new_connection(void)
{
	const struct ucred peer = { .uid = peer_uid, .pid = peer_pid };

	fake.n_options = 0;
	fake_socket(8, AF_UNIX, 0);
	fake_option(8, SOL_SOCKET, SO_PEERCRED, &peer, sizeof(peer));
}

static void the_child_ends(void)
{
	longjmp(child, 1);
}

/* A child that runs at once, in this thread, until it exits. */
int clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
	void *outer_stack = child_stack;
	jmp_buf outer;

	assert_int_equal((uintptr_t)stack % 16, 0);
	assert_ptr_not_equal(stack, outer_stack);
	if (fake_call(4712, "clone %#x", flags) < 0)
		return -1;
	if (!children_run)
		return 4712;
	memcpy(&outer, &child, sizeof(outer));
	child_stack = stack;
	if (!setjmp(child))
		run(arg);
	child_stack = outer_stack;
	memcpy(&child, &outer, sizeof(outer));
	return 4712;
}

FIXTURE(setup)
{
	fake_setup(state);
	fake.pid = 4711;
	peer_uid = geteuid();
	peer_pid = 4713;
	fake_home(4713);
	children_run = false;
	fake_gives("socket() 1", 8, 99999, a_new_connection);
	fake_gives("sendmsg()", 1, 99, NULL);
	fake_gives("exit_group()", 0, 99, the_child_ends);
	return 0;
}

#define ASK "socket() 1 526341 0;connect() 8;"
#define GIVEN ASK "sendmsg() 8;drop 8;"
#define REFUSED ASK "drop 8;"
/* The name is free, or not. */
#define NAME "socket() 1 526341 0;bind() 8;drop 8;"
#define STARTED "clone 0x4500;clone 0x4500;close_range() 0 -1 2;"

static void look_at_name(void)
{
	const struct keep_home home = { geteuid(), { 42, 43, 42 } };
	struct sockaddr_un addr;

	assert_int_equal(fake.args[2], keep_address(&addr, &home));
	assert_memory_equal((const void *)(intptr_t)fake.args[1], &addr, (size_t)fake.args[2]);
}

TEST(another_users_keeper_gets_nothing)
{
	fake_gives("connect()", 0, 1, look_at_name);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), true, 0, "block;" GIVEN "unblock;");
	peer_uid++;
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, "block;" ASK "drop 8;unblock;");
	peer_uid--;
	fake_fails("getsockopt 8 1 17", EIO, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, "block;" ASK "drop 8;unblock;");
	fake_gives("sendmsg()", -1, 1, NULL);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, "block;" GIVEN "unblock;");
	fake_fails("socket() 1", EMFILE, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, "block;socket() 1 526341 0;unblock;");
	fake_fails("block", EFAULT, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, "block;");
}

/* Pass with one file of /proc changed; NULL if it is missing. */
static void give_with(int file, const char *text, bool given, const char *below)
{
	const char *was = fake.files[file].text;

	fake.files[file].text = text;
	comes_to(shim_keeper_give(5, KEEP_CLOSE), given, 0, below);
	fake.files[file].text = was;
}

#define STRANGER "block;" REFUSED "unblock;"
#define NO_HOME "block;unblock;"

TEST(a_keeper_elsewhere_gets_nothing)
{
	char deeper[256];

	peer_pid = 0;
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, STRANGER);
	/* The first process of a container may be one. */
	peer_pid = 1;
	fake_home(1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), true, 0, "block;" GIVEN "unblock;");
	fake_home(4713);
	peer_pid = 4713;
	give_with(FAKE_STATUS, "Name:\tnginx\nUid:\t0\t0\t0\t0\nNSpid:\t4713\n", false, STRANGER);
	give_with(FAKE_STATUS, "Name:\tsmc_keep\nUid:\t0\t0\t0\t9\nNSpid:\t4713\n", false,
		  STRANGER);
	give_with(FAKE_STATUS, strstr(fake.files[FAKE_STATUS].text, "NSpid"), false, STRANGER);
	snprintf(deeper, sizeof(deeper), "%s", fake.files[FAKE_STATUS].text);
	strcpy(strstr(deeper, "4713"), "4713\t7\n");
	give_with(FAKE_STATUS, deeper, false, STRANGER);
	give_with(FAKE_MOUNTS, "77" FAKE_MOUNT, false, STRANGER);
	give_with(FAKE_MOUNTS, "", false, STRANGER);
	give_with(FAKE_MOUNTS, NULL, false, STRANGER);
	fake.files[FAKE_MOUNTS].text = "";
	give_with(FAKE_OWN_MOUNTS, "", false, STRANGER);
	fake.files[FAKE_MOUNTS].text = FAKE_MOUNT;
	give_with(FAKE_MAP, "         0       1000          1\n", false, STRANGER);
	give_with(FAKE_USER, "42", false, STRANGER);
	give_with(FAKE_USER, NULL, true, "block;" GIVEN "unblock;");
	give_with(FAKE_NET, "43", false, STRANGER);
	give_with(FAKE_NET, NULL, false, STRANGER);
	give_with(FAKE_DIR, NULL, false, STRANGER);
}

/* Two numbers: /proc belongs to another PID namespace. */
TEST(no_keeper_without_a_home)
{
	give_with(FAKE_SPACES, NULL, false, NO_HOME);
	give_with(FAKE_OWN_MAP, NULL, false, NO_HOME);
	give_with(FAKE_OWN_STATUS, NULL, false, NO_HOME);
	give_with(FAKE_OWN_STATUS, "Name:\tx\nNSpid:\t9\t4711\n", false, NO_HOME);
}

TEST(users_that_are_not_mapped_are_nobody)
{
	static const char some[] = "         0       1000          1\n";

	assert_true(keep_is_known(0, some, strlen(some)));
	assert_true(keep_is_known(65534, FAKE_ALL, strlen(FAKE_ALL)));
	assert_false(keep_is_known(65534, some, strlen(some)));
	assert_false(keep_is_known(65534, FAKE_ALL FAKE_ALL, strlen(FAKE_ALL FAKE_ALL)));
	assert_false(keep_is_known(65534, FAKE_ALL, 0));
}

TEST(names_say_where)
{
	const struct keep_home home = { 1000, { 4026531836, 7, 10 } };
	struct sockaddr_un addr;
	socklen_t len = keep_address(&addr, &home);

	assert_string_equal(addr.sun_path + 1, KEEP_NAME "1000/4026531836/7/10");
	assert_int_equal(len,
			 offsetof(struct sockaddr_un, sun_path) + 1 + strlen(addr.sun_path + 1));
}

/* Each attempt needs a second of its own. */
static void next_second(void)
{
	fake.ms += 1000;
}

static void note_number(int fd, void *arg)
{
	*(unsigned int *)arg |= 1U << fd;
}

TEST(each_open_descriptor_is_visited)
{
	unsigned int want = 0, all = 0, few = 0;
	struct rlimit limit, low;

	fake_socket(0, AF_UNIX, 0);
	fake_socket(13, AF_UNIX, 0);
	for (int fd = 0; fd < FAKE_FDS; fd++)
		want |= fake.fds[fd].is_open ? 1U << fd : 0;
	comes_to((shim_each_open(note_number, &all), (int)all), (int)want, 0, "");
	/* poll() takes no more than the limit. */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = (struct rlimit){ 6, limit.rlim_max };
	fake_socket(7, AF_UNIX, 0);
	setrlimit(RLIMIT_NOFILE, &low);
	shim_each_open(note_number, &few);
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(few, want | 1U << 7);
}

TEST(a_text_may_be_split_between_two_reads)
{
	static char text[3 * 2048];

	fake.files[0].path = "/proc/text";
	fake.files[0].text = text;
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text + sizeof(text) - 5, "text", 4);
	assert_int_equal(shim_file_has(AT_FDCWD, "/proc/text", "text"), 1);
	for (size_t at = 2030; at < 2060; at++) {
		memset(text, 'x', sizeof(text) - 1);
		assert_int_equal(shim_file_has(AT_FDCWD, "/proc/text", "text"), 0);
		strcpy(text + at, "text");
		assert_int_equal(shim_file_has(AT_FDCWD, "/proc/text", "text"), 1);
	}
}

static const char *name_of_library;

TEST(a_keeper_is_started)
{
	name_of_library = "/opt/lib/ld_pre_smc.so";
	shim_keeper_find();
	fake_fails("connect()", ECONNREFUSED, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), true, 0,
		 "block;" REFUSED NAME "prctl 37 0 0 0;faccessat();clone 0x4500;wait4() 4712;" GIVEN
		 "unblock;");
	/* Not twice within a second. */
	fake_fails("connect()", ECONNREFUSED, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, "block;" REFUSED NAME "unblock;");
	next_second();
	fake_fails("faccessat()", ENOENT, 1);
	fake_fails("connect()", ECONNREFUSED, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), true, 0,
		 "block;" REFUSED NAME "prctl 37 0 0 0;faccessat();faccessat();clone 0x4500;"
		 "wait4() 4712;" GIVEN "unblock;");
	/* The program is missing. */
	next_second();
	fake_fails("faccessat()", ENOENT, 2);
	fake_fails("connect()", ECONNREFUSED, 2);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0,
		 "block;" REFUSED NAME "prctl 37 0 0 0;faccessat();faccessat();" REFUSED NAME
		 "unblock;");
	next_second();
	fake_fails("clone", EAGAIN, 1);
	fake_fails("connect()", ECONNREFUSED, 2);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0,
		 "block;" REFUSED NAME "prctl 37 0 0 0;faccessat();clone 0x4500;" REFUSED NAME
		 "unblock;");
	/* Not ECONNREFUSED: too many connections wait already, for example. */
	next_second();
	fake_fails("connect()", EAGAIN, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, "block;" REFUSED "unblock;");
	fake_fails("connect()", ECONNREFUSED, 1);
	fake_fails("bind()", EINVAL, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, "block;" REFUSED NAME "unblock;");
}

typedef int (*look_fn)(struct dl_phdr_info *info, size_t size, void *arg);

/* This library is the third of four objects: the search ends there. */
static int look_at_objects(look_fn look, void *arg)
{
	const uintptr_t address = (uintptr_t)shim_keeper_find;
	ElfW(Phdr) parts[] = {
		{ .p_type = PT_LOAD, .p_vaddr = 16, .p_memsz = 16 },
		{ .p_type = PT_NOTE, .p_vaddr = 0, .p_memsz = (ElfW(Word)) - 1 },
		{ .p_type = PT_LOAD, .p_vaddr = 0, .p_memsz = 16 },
	};
	struct dl_phdr_info before = { address + 1, "/before/x", parts, 3, 0, 0, 0, NULL };
	struct dl_phdr_info behind = { address - 32, "/behind/x", parts, 3, 0, 0, 0, NULL };
	struct dl_phdr_info ours = { address - 31, name_of_library, parts, 3, 0, 0, 0, NULL };

	assert_true(look(&before, sizeof(before), arg) || look(&behind, sizeof(behind), arg) ||
		    look(&ours, sizeof(ours), arg));
	return 1;
}

/* Sanitizers call it, too, before they are ready. */
__attribute__((no_sanitize("address", "undefined"))) int dl_iterate_phdr(look_fn look, void *arg)
{
	static int (*real)(look_fn look, void *arg);

	if (fake.on)
		return look_at_objects(look, arg);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return real(look, arg);
}

static int n_asked;
static char paths_asked[3][PATH_MAX];

static void look_at_path(void)
{
	assert_in_range(n_asked, 0, 2);
	strcpy(paths_asked[n_asked++], (const char *)(intptr_t)fake.args[1]);
	assert_int_equal(fake.args[2], X_OK);
}

/* Path of the keeper for a library of this name. */
static const char *beside(const char *library)
{
	name_of_library = library;
	shim_keeper_find();
	n_asked = 0;
	fake_gives("faccessat()", -1, 3, look_at_path);
	fake_fails("connect()", ECONNREFUSED, 2);
	assert_false(shim_keeper_give(5, KEEP_CLOSE));
	fake.log[0] = '\0';
	next_second();
	return paths_asked[0];
}

TEST(it_is_beside_the_library)
{
	static char name[PATH_MAX + 32];

	fake.ms += 30000;
	assert_string_equal(beside("/opt/lib/ld_pre_smc.so"), "/opt/lib/smc_keep");
	assert_string_equal(paths_asked[1], SMC_KEEP);
	assert_string_equal(beside("/ld_pre_smc.so"), "/smc_keep");
	assert_string_equal(beside("/stage" SMC_HOME "/ld_pre_smc.so"),
			    "/stage" SMC_HOME "/smc_keep");
	assert_string_equal(paths_asked[1], "/stage" SMC_KEEP);
	assert_string_equal(beside(SMC_HOME "/ld_pre_smc.so"), SMC_HOME "/smc_keep");
	assert_int_equal(n_asked, 2);
	assert_string_equal(paths_asked[1], SMC_KEEP);
	assert_string_equal(beside("ld_pre_smc.so"), SMC_KEEP);
	memset(name, 'x', PATH_MAX);
	name[0] = name[PATH_MAX - 9] = '/';
	assert_string_equal(beside(name), SMC_KEEP);
	name[PATH_MAX - 9] = 'x';
	name[PATH_MAX - 10] = '/';
	assert_int_equal(strlen(beside(name)), PATH_MAX - 1);
	beside("");
}

TEST(reapers_start_no_keeper)
{
	next_second();
	fake.ms += 60000;
	fake.pid = 1;
	fake.files[FAKE_OWN_STATUS].text = "\nNSpid:\t1\n";
	fake_fails("connect()", ECONNREFUSED, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, "block;" REFUSED NAME "unblock;");
	fake.pid = 4711;
	fake.files[FAKE_OWN_STATUS].text = "\nNSpid:\t4711\n";
	next_second();
	fake_fails("prctl 37", EINVAL, 1);
	fake_fails("connect()", ECONNREFUSED, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0,
		 "block;" REFUSED NAME "prctl 37 0 0 0;unblock;");
}

/* In a program without standard input. */
TEST(number_zero_is_a_number)
{
	next_second();
	fake.pid = 1;
	fake.files[FAKE_OWN_STATUS].text = "\nNSpid:\t1\n";
	fake_gives("socket() 1", 0, 2, NULL);
	fake_fails("connect()", ECONNREFUSED, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0,
		 "block;socket() 1 526341 0;connect() 0;drop 0;"
		 "socket() 1 526341 0;bind() 0;drop 0;unblock;");
	fake.file_fd = 0;
	comes_to(shim_keeper_give(5, KEEP_CLOSE), true, 0, "block;" GIVEN "unblock;");
}

static void two_namespaces_are_not_scripted(void)
{
	fake.files[FAKE_SPACES].path = "none";
}

TEST(all_namespaces_or_none_are_sent)
{
	fake_fails("openat()", EMFILE, 1);
	fake_gives("openat()", 0, 1, NULL);
	fake_gives("connect()", 0, 1, two_namespaces_are_not_scripted);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0,
		 "block;" ASK "openat();openat();drop 0;drop 8;unblock;");
}

TEST(children_of_the_keepers_start)
{
	children_run = true;
	name_of_library = "/opt/lib/ld_pre_smc.so";
	shim_keeper_find();
	fake.ms += 120000;
	fake_gives("socket() 1 2053", 0, 99, NULL);
	fake_fails("execve()", ENOENT, 99);
	fake_fails("connect()", ECONNREFUSED, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), true, 0,
		 "block;" REFUSED NAME "prctl 37 0 0 0;faccessat();" STARTED "socket() 1 2053 0;"
		 "bind() 0;execve();execve();exit_group() 1;exit_group() 0;"
		 "wait4() 4712;" GIVEN "unblock;");
	next_second();
	fake_fails("close_range()", ENOSYS, 1);
	fake_fails("connect()", ECONNREFUSED, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), true, 0,
		 "block;" REFUSED NAME "prctl 37 0 0 0;faccessat();" STARTED "exit_group() 1;"
		 "exit_group() 0;wait4() 4712;" GIVEN "unblock;");
	next_second();
	fake_gives("socket() 1 2053", 3, 1, NULL);
	fake_fails("connect()", ECONNREFUSED, 1);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), true, 0,
		 "block;" REFUSED NAME "prctl 37 0 0 0;faccessat();" STARTED "socket() 1 2053 0;"
		 "exit_group() 1;exit_group() 0;wait4() 4712;" GIVEN "unblock;");
	/* Another process has taken the name in between: no retry. */
	next_second();
	fake_fails("bind() 0", EADDRINUSE, 1);
	fake_fails("connect()", ECONNREFUSED, 2);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0,
		 "block;" REFUSED NAME "prctl 37 0 0 0;faccessat();" STARTED "socket() 1 2053 0;"
		 "bind() 0;exit_group() 1;exit_group() 0;wait4() 4712;" REFUSED NAME "unblock;");
}

static void a_moment_goes(void)
{
	fake.ms++;
}

/* A process that has the name and does not listen is polled now and then, nothing is started. */
TEST(wait_for_the_process_that_has_the_name)
{
	long long before;

	fake.ms += 200000;
	fake_gives("sleep()", 0, 9999, a_moment_goes);
	fake_fails("connect()", ECONNREFUSED, 2);
	fake_fails("bind()", EADDRINUSE, 9999);
	comes_to(shim_keeper_give(5, KEEP_CLOSE), true, 0,
		 "block;" REFUSED NAME "sleep();" REFUSED NAME "sleep();" GIVEN "unblock;");
	fake_fails("connect()", ECONNREFUSED, 9999);
	before = fake.ms;
	assert_false(shim_keeper_give(5, KEEP_CLOSE));
	assert_int_equal(fake.ms - before, KEEP_KERNEL_MS);
	assert_null(strstr(fake.log, "clone"));
	fake.log[0] = '\0';
	comes_to(shim_keeper_give(5, KEEP_CLOSE), false, 0, "block;" REFUSED "unblock;");
	fake.ms += 10000;
	before = fake.ms;
	assert_false(shim_keeper_give(5, KEEP_CLOSE));
	assert_int_equal(fake.ms - before, KEEP_KERNEL_MS);
	fake.log[0] = '\0';
}

/* ---- rdma ---- */

static int kind_of_answer;

static void the_kernel_answers(void)
{
	uint16_t type = (uint16_t)kind_of_answer;

	memcpy((char *)(intptr_t)fake.args[1] + 4, &type, sizeof(type));
}

static int asked(int calls)
{
	int yes = 0;

	while (calls--)
		yes += shim_may_be_rdma(false);
	return yes;
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

#define ASK_RDMA "block;socket() 16 524291 20;sendto() 7;recvfrom() 7;drop 7;unblock;"

static int counted;

static void the_peer_has_read_little(void)
{
	counted = 9;
}

/* Data that SMC-D's loopback device has sent has arrived. */
TEST(what_the_peer_has_not_read_counts_over_rdma)
{
	fake_gives("socket() 16", 7, 99, NULL);
	fake_gives("sendto()", 16, 99, NULL);
	fake_gives("recvfrom()", 20, 99, the_kernel_answers);
	fake_gives("ioctl 5 0x5411", 0, 99, the_peer_has_read_little);
	fake_socket(5, AF_INET, IPPROTO_TCP)->unsent = 4;
	comes_to(ioctl(5, 0x5411, &counted), 0, 0, "ioctl 5 0x5411;");
	assert_int_equal(counted, 9);
	fake_socket(5, AF_SMC, 0)->unsent = 4;
	kind_of_answer = 5 << 10 | 1;
	comes_to(ioctl(5, 0x5411, &counted), 0, 0, "ioctl 5 0x5411;" ASK_RDMA);
	assert_int_equal(counted, 9);
	/* Within the host there is no need to ask. */
	fake.fds[5].is_connected = true;
	comes_to(ioctl(5, 0x5411, &counted), 0, 0, "ioctl 5 0x5411;");
	assert_int_equal(counted, 4);
	fake.ms += 2000;
	fake.fds[5].is_connected = false;
	kind_of_answer = 3;
	comes_to(ioctl(5, 0x5411, &counted), 0, 0, "ioctl 5 0x5411;" ASK_RDMA);
	assert_int_equal(counted, 4);
	fake.ms += 2000;
}

TEST(devices_are_queried_now_and_then)
{
	fake_gives("socket() 16", 7, 99, NULL);
	fake_gives("sendto()", 16, 99, look_at_request);
	fake_gives("recvfrom()", 20, 99, the_kernel_answers);
	kind_of_answer = 5 << 10 | 1;
	comes_to(asked(15), 15, 0, "");
	comes_to(asked(1), 1, 0, ASK_RDMA);
	comes_to(asked(100), 100, 0, "");
	/* An answer is cached for a second. */
	fake.ms += 2000;
	kind_of_answer = 3;
	comes_to(asked(1), 0, 0, ASK_RDMA);
	/* Then nothing remains to be sent; EINVAL: a listener. */
	shim_fd_mark_socket(5);
	fake.fds[5].unsent = -EINVAL;
	comes_to(close(5), 0, 0, "close 5;");
	comes_to(asked(100), 0, 0, "");
	fake.ms += 1000;
	comes_to(asked(1), 0, 0, "");
	fake.ms += 1000;
	comes_to(asked(1), 0, 0, ASK_RDMA);
	fake.ms += 2000;
	comes_to(asked(1), 1, 0, "");
	/* Too many open files is no answer. */
	comes_to(asked(14), 14, 0, "");
	fake_fails("socket() 16", EMFILE, 1);
	comes_to(asked(1), 1, 0, "block;socket() 16 524291 20;unblock;");
	comes_to(asked(15), 15, 0, "");
	fake_fails("socket() 16", ENFILE, 1);
	comes_to(asked(1), 1, 0, "block;socket() 16 524291 20;unblock;");
	comes_to(asked(15), 15, 0, "");
	fake_fails("sendto()", EMFILE, 1);
	comes_to(asked(1), 1, 0, "block;socket() 16 524291 20;sendto() 7;drop 7;unblock;");
	comes_to(asked(15), 15, 0, "");
	/* In a program without standard input. */
	kind_of_answer = 5 << 10 | 1;
	fake_gives("socket() 16", 0, 1, NULL);
	comes_to(asked(1), 1, 0,
		 "block;socket() 16 524291 20;sendto() 0;recvfrom() 0;drop 0;unblock;");
	comes_to(asked(15), 15, 0, "");
	fake.ms += 2000;
	/* An unexpected kind of answer counts as none, and there is no further query. */
	kind_of_answer = 2;
	comes_to(asked(1), 1, 0, ASK_RDMA);
	kind_of_answer = 3;
	fake.ms += 9000;
	comes_to(asked(100), 100, 0, "");
}

/* ---- epoll ---- */

static const char *info;

static void read_info(void)
{
	memcpy((char *)(intptr_t)fake.args[1], info, strlen(info));
}

static void read_rest(void)
{
	strcpy((char *)(intptr_t)fake.args[1], "nts: 1 data: 9\n");
}

/* An epoll instance as file descriptor 3 with this fdinfo. */
static int watches(const char *text, struct epoll_event *event)
{
	struct shim_watches found;

	info = text;
	fake_gives("openat()", 6, 9, NULL);
	fake_gives("read() 6", (int)strlen(text), 1, read_info);
	fake_socket(3, 0, 0)->is_epoll = true;
	shim_fd_set(FD_EPOLL, 3);
	fake_fails("epoll_ctl 3 2 9", ENOENT, 1);
	fake_fails("epoll_ctl 3 1 5", EEXIST, 1);
	shim_watches_find(&found, 5, 9);
	*event = found.items[0].event;
	return found.n;
}

TEST(watches_are_found)
{
	struct epoll_event event;

	comes_to(watches("pos:\t0\ntfd:   5 events:  19 data:  1a2b3c4d5  pos:0\n", &event), 1, 0,
		 "epoll_ctl 3 2 9 0;epoll_ctl 3 1 5 0;openat();read() 6;epoll_ctl 3 2 5 0;drop 6;");
	assert_int_equal(event.events, 0x19);
	assert_int_equal(event.data.u64, 0x1a2b3c4d5);
	comes_to(watches("tfd: 15 events: 1 data: 2\ntfd: 50 events: 1 data: 2\n", &event), 0, 0,
		 "epoll_ctl 3 2 9 0;epoll_ctl 3 1 5 0;openat();read() 6;read() 6;drop 6;");
	comes_to(watches("tfd: 7 events: 1 data: 9\ntfd: 5 events: f data: 0\n", &event), 1, 0,
		 "epoll_ctl 3 2 9 0;epoll_ctl 3 1 5 0;openat();read() 6;epoll_ctl 3 2 5 0;drop 6;");
	assert_int_equal(event.events, 15);
	comes_to(watches("tfd: 5 events: 1\n", &event), 0, 0,
		 "epoll_ctl 3 2 9 0;epoll_ctl 3 1 5 0;openat();read() 6;read() 6;drop 6;");
	comes_to(watches("tfd: 5 data: 1\n", &event), 0, 0,
		 "epoll_ctl 3 2 9 0;epoll_ctl 3 1 5 0;openat();read() 6;read() 6;drop 6;");
	comes_to(watches("tfd: 5 events: 1 data: 9", &event), 0, 0,
		 "epoll_ctl 3 2 9 0;epoll_ctl 3 1 5 0;openat();read() 6;read() 6;drop 6;");
	/* A line in two pieces. */
	info = "nts: 1 data: 9\n";
	fake_gives("read() 6", (int)strlen(info), 1, read_rest);
	comes_to(
		watches("tfd: 7 events: 2 data: 8\ntfd: 5 eve", &event), 1, 0,
		"epoll_ctl 3 2 9 0;epoll_ctl 3 1 5 0;openat();read() 6;read() 6;epoll_ctl 3 2 5 0;drop 6;");
	assert_int_equal(event.data.u64, 9);
	/* A socket with events is not added for a test. */
	fake.fds[5].revents = POLLHUP;
	comes_to(watches("tfd: 5 events: 1 data: 9\n", &event), 1, 0,
		 "epoll_ctl 3 2 9 0;openat();read() 6;epoll_ctl 3 2 5 0;drop 6;");
}

TEST(epoll_without_a_watch)
{
	struct shim_watches found;

	fake_socket(0, 0, 0)->is_epoll = true;
	shim_fd_set(FD_EPOLL, 0);
	fake_fails("epoll_ctl 0 2 9", EBADF, 1);
	comes_to((shim_watches_find(&found, 5, 9), found.n), 0, 0, "epoll_ctl 0 2 9 0;");
	shim_fd_drop(FD_EPOLL, 0);
	fake_socket(3, 0, 0)->is_epoll = true;
	shim_fd_set(FD_EPOLL, 3);
	fake_fails("epoll_ctl 3 2 9", ENOENT, 1);
	comes_to((shim_watches_find(&found, 5, 9), found.n), 0, 0,
		 "epoll_ctl 3 2 9 0;epoll_ctl 3 1 5 0;epoll_ctl 3 2 5 0;");
	fake_fails("epoll_ctl 3 2 9", EBADF, 1);
	comes_to((shim_watches_find(&found, 5, 9), found.n), 0, 0, "epoll_ctl 3 2 9 0;");
	fake_fails("epoll_ctl 3 1 5", EPERM, 1);
	fake_fails("epoll_ctl 3 2 9", ENOENT, 1);
	comes_to((shim_watches_find(&found, 5, 9), found.n), 0, 0,
		 "epoll_ctl 3 2 9 0;epoll_ctl 3 1 5 0;");
	fake_fails("openat()", EMFILE, 1);
	fake_fails("epoll_ctl 3 1 5", EEXIST, 1);
	fake_fails("epoll_ctl 3 2 9", ENOENT, 1);
	comes_to((shim_watches_find(&found, 5, 9), found.n), 0, 0,
		 "epoll_ctl 3 2 9 0;epoll_ctl 3 1 5 0;openat();");
	found.n = 1;
	found.items[0].epfd = found.items[1].epfd = 3;
	found.items[0].event.events = 5;
	fake_fails("epoll_ctl", EEXIST, 1);
	comes_to((shim_watches_restore(&found), 0), 0, 0, "epoll_ctl 3 1 5 0x5;");
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
