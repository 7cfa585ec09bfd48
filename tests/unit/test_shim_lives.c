// SPDX-License-Identifier: MIT
/* ld_pre_smc/state/lives.c: which lives the library learns from. */
#include "child.h"
#include "fake_below.h"
#include "scratch.h"

#include <sys/resource.h>

#include "launch/learned.h"
#include "ld_pre_smc/state/lives.h"

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
	AGAIN,	   /* the program asks again in the end */
	EXIT,	   /* of the process */
};

static int slow_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	fake.ms += 10;
	return fake_connect(fd, addr, len);
}

static int connect_to(int port)
{
	const struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	return connect(5, (const struct sockaddr *)&in, sizeof(in));
}

static void begin(int port, enum how how)
{
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
	assert_int_equal(connect_to(port), is_late || how == REFUSED ? -1 : 0);
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
	if (how == AGAIN) {
		fake_fails("connect 5", EISCONN, 1);
		connect_to(port);
	}
	if (how == EXIT)
		ends_by(_exit);
	else
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

#define TABLE sizeof(struct learned_table)
#define NET 4711, "4711"
#define FLAGS (O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

enum setting { LEARN, NO_LEARN, RAW, STRICT, INCLUDE, EXCLUDE, SANDBOX };

/*
 * A file as the library finds it. @cookie: of the network namespace, 0: the kernel has none; @net:
 * in the file's name; @limit: for the size of files
 */
struct found {
	uint64_t cookie;
	const char *net;
	mode_t mode;
	size_t size, limit;
	bool has_two_names, is_used;
	enum setting setting;
};

static bool make_file(const char *dir, const struct found *found)
{
	const struct rlimit limit = { found->limit, found->limit };
	char path[64], other[64];

	snprintf(path, sizeof(path), "%s/table", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	return scratch_put(dir, "/table", "", 0) &&
	       syscall(SYS_dup3, syscall(SYS_openat, AT_FDCWD, path, O_RDWR), FAKE_FILE, 0) >= 0 &&
	       !ftruncate(FAKE_FILE, (off_t)found->size) && !fchmod(FAKE_FILE, found->mode) &&
	       (!found->has_two_names || !link(path, other)) &&
	       (!found->limit || !setrlimit(RLIMIT_FSIZE, &limit));
}

static uint64_t cookie;

static int give_cookie(int fd, int level, int name, void *value, socklen_t *len)
{
	if (level != SOL_SOCKET || name != SO_NETNS_COOKIE || !cookie)
		return fake_getsockopt(fd, level, name, value, len);
	assert_int_equal(*len, sizeof(cookie));
	memcpy(value, &cookie, sizeof(cookie));
	return 0;
}

static void set(enum setting setting)
{
	const char *bad;

	fake.config.learn = setting != NO_LEARN;
	fake.config.raw = setting == RAW;
	fake.config.strict = setting == STRICT;
	fake.config.has_rules = setting == INCLUDE || setting == EXCLUDE;
	if (fake.config.has_rules)
		rules_parse(&fake.rules, setting == EXCLUDE, setting == EXCLUDE ? "2" : "1", &bad);
	shim_in_sandbox = setting == SANDBOX;
}

/* Does the file have the life of a connection to port 1? */
static bool has_life(void)
{
	const struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(1) };
	static struct learned_table now;
	struct learned_program program;
	struct learned_key key;

	learned_program(&program, program_invocation_short_name);
	return pread(FAKE_FILE, &now, TABLE, 0) == TABLE &&
	       learned_key(&key, (const struct sockaddr *)&in, &program) &&
	       learned_find(&now, &key).entry;
}

/* Does the library use a file that it should use, or none? */
static int use_file(const void *arg)
{
	char dir[] = "/tmp/shim-lives-XXXXXX", name[LEARNED_PATH];
	const struct found *found = arg;
	bool right;

	fake.on = false;
	right = scratch_make(dir) && make_file(dir, found);
	fake.on = true;
	snprintf(name, sizeof(name), "%s/%s%u.%s", LEARNED_DIR, LEARNED_NAME, geteuid(),
		 found->net);
	fake.files[0].path = name;
	fake.files[0].text = "";
	fake.parent_ino = *found->net == '7' ? 7 : 0;
	cookie = found->cookie;
	atomic_store(&shim_next_fn[SHIM_GETSOCKOPT], (shim_any_fn)give_cookie);
	set(found->setting);
	live(1, 20, USUAL);
	right &= !fake.n_files &&
		 (!found->is_used || (fake.open_flags == FLAGS && fake.open_mode == 0600));
	fake.n_files = 0;
	fake_teardown(NULL);
	right &= has_life() == found->is_used;
	scratch_remove(dir);
	return right ? CHILD_RIGHT : CHILD_WRONG;
}

/* Before the other tests: a process chooses once. */
TEST(lives_are_shared_by_a_file_of_this_user_alone)
{
	static const struct found cases[] = {
		{ NET, 0600, 0, 0, false, true, LEARN },
		{ NET, 0600, TABLE, 0, false, true, LEARN },
		{ NET, 0600, 0, TABLE, false, true, LEARN },
		{ NET, 0600, TABLE, 0, false, true, EXCLUDE },
		{ 0, "7", 0600, TABLE, 0, false, true, LEARN },
		{ 0, "", 0600, TABLE, 0, false, false, LEARN },
		{ NET, 0600, 1, 0, false, false, LEARN },
		{ NET, 0600, TABLE + 1, 0, false, false, LEARN },
		{ NET, 0620, TABLE, 0, false, false, LEARN },
		{ NET, 0602, TABLE, 0, false, false, LEARN },
		{ NET, 0600, TABLE, 0, true, false, LEARN },
		{ NET, 0600, 0, TABLE - 1, false, false, LEARN },
		{ NET, 0600, TABLE, 0, false, false, NO_LEARN },
		{ NET, 0600, TABLE, 0, false, false, RAW },
		{ NET, 0600, TABLE, 0, false, false, STRICT },
		{ NET, 0600, TABLE, 0, false, false, INCLUDE },
		{ NET, 0600, TABLE, 0, false, false, SANDBOX },
	};

	atomic_store(&shim_next_fn[SHIM_FORK], NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		in_child(use_file, &cases[i]);
}

TEST(all_lives_end_with_the_process)
{
	shim_fd_set(FD_TIMED, 0);
	shim_lives_leave();
	assert_false(shim_fd_byte(0) & FD_TIMED);
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

TEST(broken_handshakes_go_to_tcp_for_an_hour)
{
	const struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(12) };

	for (int i = 0; i < 2; i++) {
		assert_true(live(12, 2000, USUAL));
		shim_lives_broke(5, (const struct sockaddr *)&in);
		fake.ms += 1000 * (LEARNED_BROKEN - 3);
		assert_false(live(12, 2000, USUAL));
		fake.ms += 3000;
	}
}

TEST(only_connections_count)
{
	assert_in_range(until_tcp(5, 20, UNCHECKED), 8, 16);
	assert_in_range(until_tcp(13, 20, EXIT), 8, 16);
	assert_int_equal(until_tcp(14, 2000, AGAIN), 99);
	assert_int_equal(until_tcp(6, 20, PENDING), 99);
	assert_int_equal(until_tcp(7, 20, REFUSED), 99);
	assert_int_equal(until_tcp(8, 20, REPORTED), 99);
	assert_int_equal(until_tcp(11, 20, FORKED), 99);
	assert_int_equal(until_tcp(10, 2000, VFORK), 99);
	shim_in_sandbox = true;
	assert_int_equal(until_tcp(9, 20, UNCHECKED), 99);
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
