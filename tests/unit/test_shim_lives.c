// SPDX-License-Identifier: MIT
/* ld_pre_smc/state/lives.c: which lives the library learns from. */
#include "child.h"
#include "fake_below.h"

#include <sys/shm.h>

#include "launch/learned.h"
#include "ld_pre_smc/state/lives.h"

/* How a connection begins, or ends. */
enum how {
	USUAL,
	SHARED,	   /* a duplicate ends it, at an unknown time */
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

/* A connection of this many milliseconds, after a handshake of 10. Return: true with SMC. */
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

enum setting { LEARN, NO_LEARN, RAW, STRICT, INCLUDE, EXCLUDE, SANDBOX };

/* The segment of a key: its owner, or why there is none. */
enum kind {
	OTHERS, /* not to be used by this user */
	SMALL,	/* other sizes */
	SIZE,
	READABLE, /* by everybody */
	CREATOR,  /* of another user */
	OWNER,
	GONE,	 /* removed before it is attached */
	UNKNOWN, /* its owner cannot be read */
	DENIED,	 /* a new one is refused */
	FULL,	 /* no memory for a new one */
	OWN,
};

/*
 * Shared memory as the library finds it, by key. @used: number of the key, or -1; @has_inode: the
 * network namespace has no cookie; @has_no_net: neither
 */
struct found {
	enum kind keys[3];
	int used;
	enum setting setting;
	bool has_inode, has_no_net;
	const char *status;
};

static const struct found *found;
static struct learned_table memory;
static int n_attached, attached;

int shmget(key_t key, size_t size, int flags)
{
	static const int errors[] = {
		[OTHERS] = EACCES, [DENIED] = EACCES, [SMALL] = EINVAL, [FULL] = ENOSPC, [OWN] = 0,
	};
	enum kind kind;
	int n = 0;

	while (n < 2 && key != learned_ipc_key(geteuid(), (uint32_t)n))
		n++;
	assert_int_equal(key, learned_ipc_key(geteuid(), (uint32_t)n));
	kind = found->keys[n];
	if (!size && !flags)
		return kind == OTHERS || kind == SMALL ? n : fake_refuse(ENOENT);
	assert_int_equal(size, LEARNED_SIZE);
	assert_int_equal(flags, IPC_CREAT | 0600);
	return errors[kind] ? fake_refuse(errors[kind]) : n;
}

void *shmat(int segment, const void *addr, int flags)
{
	assert_null(addr);
	assert_int_equal(flags, 0);
	if (found->keys[segment] == GONE)
		return (void *)(intptr_t)fake_refuse(EINVAL);
	n_attached++;
	attached = segment;
	return &memory;
}

int shmdt(const void *addr)
{
	n_attached--;
	return 0;
}

int shmctl(int segment, int command, struct shmid_ds *state)
{
	enum kind kind = found->keys[segment];

	assert_int_equal(command, IPC_STAT);
	assert_int_equal(n_attached, 1);
	*state = (struct shmid_ds){ .shm_segsz = LEARNED_SIZE - (kind == SIZE) };
	state->shm_perm.uid = geteuid() + (kind == OWNER);
	state->shm_perm.cuid = geteuid() + (kind == CREATOR);
	state->shm_perm.mode = kind == READABLE ? 0604 : 0600;
	return kind == UNKNOWN ? fake_refuse(EACCES) : 0;
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

/* True if the life of a connection to port 1 is shared. */
static bool has_life(void)
{
	const struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(1) };
	struct learned_program program;
	struct learned_key key;

	learned_program(&program, program_invocation_short_name);
	learned_enter(&program, found->has_inode ? 7 : 4711);
	return learned_key(&key, (const struct sockaddr *)&in, &program) &&
	       learned_find(&memory, &key).entry;
}

/* Right if the library uses the segment that it should use, or none. */
static int use_segment(const void *arg)
{
	bool is_shared, is_right;

	found = arg;
	is_shared = found->used >= 0;
	fake.files[0].path = "/proc/thread-self/status";
	fake.files[0].text = found->status ? found->status : "Name:\tx\nSeccomp:\t0\n";
	cookie = found->has_inode || found->has_no_net ? 0 : 4711;
	fake.parent_ino = found->has_inode ? 7 : 0;
	atomic_store(&shim_next_fn[SHIM_GETSOCKOPT], (shim_any_fn)give_cookie);
	set(found->setting);
	live(1, 20, USUAL);
	is_right = !fake.n_files && n_attached == is_shared &&
		   (!is_shared || attached == found->used) && has_life() == is_shared;
	fake.n_files = 0;
	fake_teardown(NULL);
	return is_right ? CHILD_RIGHT : CHILD_WRONG;
}

/* Before the other tests: a process chooses once. */
TEST(lives_are_shared_by_memory_of_this_user_alone)
{
	static const struct found cases[] = {
		{ { OWN }, 0, LEARN },
		{ { OWN }, 0, EXCLUDE },
		{ { OWN }, 0, .has_inode = true },
		{ { OTHERS, OWN }, 1 },
		{ { SMALL, OWN }, 1 },
		{ { SIZE, OWN }, 1 },
		{ { READABLE, OWN }, 1 },
		{ { CREATOR, OWN }, 1 },
		{ { OWNER, OWN }, 1 },
		{ { GONE, OWN }, 1 },
		{ { OTHERS, SMALL, OWN }, 2 },
		{ { UNKNOWN, OWN }, -1 },
		{ { DENIED, OWN }, -1 },
		{ { FULL, OWN }, -1 },
		{ { OWN }, -1, .has_no_net = true },
		{ { OWN }, -1, .status = "Name:\tx\nSeccomp:\t2\n" },
		{ { OWN }, -1, .status = "" },
		{ { OWN }, -1, NO_LEARN },
		{ { OWN }, -1, RAW },
		{ { OWN }, -1, STRICT },
		{ { OWN }, -1, INCLUDE },
		{ { OWN }, -1, SANDBOX },
	};

	atomic_store(&shim_next_fn[SHIM_FORK], NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		in_child(use_segment, &cases[i]);
}

TEST(short_lives_go_to_tcp)
{
	assert_int_in_range(until_tcp(1, 20, USUAL), 8, 16);
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

/* Other connections do not count, whatever their length. */
TEST(only_connections_count)
{
	static const struct {
		int ms;
		enum how how;
		int least, most;
	} rows[] = {
		{ 20, UNCHECKED, 8, 16 }, { 20, EXIT, 8, 16 },	   { 2000, AGAIN, 99, 99 },
		{ 20, PENDING, 99, 99 },  { 20, REFUSED, 99, 99 }, { 20, REPORTED, 99, 99 },
		{ 20, FORKED, 99, 99 },	  { 2000, VFORK, 99, 99 },
	};

	for (size_t i = 0; next_row(i, rows); i++)
		assert_int_in_range(until_tcp(20 + (int)i, rows[i].ms, rows[i].how), rows[i].least,
				    rows[i].most);
	shim_in_sandbox = true;
	assert_int_equal(until_tcp(19, 20, UNCHECKED), 99);
}

static struct fixture fixture = { .setup = setup, .teardown = fake_teardown };
