// SPDX-License-Identifier: MIT
/*
 * ld_pre_smc/state/fd_table: compare the byte of a descriptor with a model: random sequences of
 * socket, dup, fork, exec, pass and close, some by raw system calls. SHIM_TABLE_SEED=N in the
 * environment repeats one; SHIM_TABLE_STEPS, default 1 000 000.
 */
#include "fake_below.h"

#include <time.h>

#include "ld_pre_smc/calls/data.h"
#include "ld_pre_smc/state/choice.h"

/* Some libcs do not declare it. */
int pidfd_getfd(int pidfd, int target, unsigned int flags);

#define NUMBERS 40

enum what { NOTHING, REGULAR, SMC, TCP, EPOLL };

/*
 * The open file of a number. @seen: the library saw its origin; @own: from its socket(), without a
 * fork since; @alone: never duplicated; @stale: a raw system call closed something, so the byte may
 * belong to an earlier file; @looked: it has been queried.
 */
static struct number {
	enum what what;
	bool seen, own, alone, stale, looked;
} numbers[NUMBERS];

static unsigned int asked;
static bool tcp_is_first;

/* ---- the kernel ---- */

static int lowest_free(int from)
{
	while (from < NUMBERS && numbers[from].what)
		from++;
	return from < NUMBERS ? from : fake_refuse(EMFILE);
}

static int kernel_socket(int domain, int type, int protocol)
{
	int fd = lowest_free(0);

	if (fd >= 0)
		numbers[fd].what = domain == AF_SMC || protocol == 256 ? SMC : TCP;
	return fd;
}

static int kernel_dup_to(int from, int to)
{
	if (from < 0 || from >= NUMBERS || !numbers[from].what)
		return fake_refuse(EBADF);
	if (to >= 0)
		numbers[to].what = numbers[from].what;
	return to;
}

static int kernel_dup(int from)
{
	return kernel_dup_to(from, lowest_free(0));
}

static int kernel_dup2(int from, int to)
{
	return kernel_dup_to(from, to);
}

static int kernel_dup3(int from, int to, int flags)
{
	return kernel_dup_to(from, to);
}

static int kernel_fcntl(int fd, int command, void *arg)
{
	if (fd < 0 || fd >= NUMBERS || !numbers[fd].what)
		return fake_refuse(EBADF);
	return command == F_DUPFD ? kernel_dup_to(fd, lowest_free((int)(intptr_t)arg)) : 0;
}

static int kernel_close(int fd)
{
	if (fd < 0 || fd >= NUMBERS || !numbers[fd].what)
		return fake_refuse(EBADF);
	numbers[fd].what = NOTHING;
	return 0;
}

static int kernel_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	enum what what = fd >= 0 && fd < NUMBERS ? numbers[fd].what : NOTHING;

	asked++;
	if (what != SMC && what != TCP)
		return fake_refuse(what ? ENOTSOCK : EBADF);
	if (level != SOL_SOCKET || (name != SO_PROTOCOL && name != SO_DOMAIN))
		return fake_refuse(ENOPROTOOPT);
	if (name == SO_DOMAIN)
		return fake_give_int(what == SMC ? AF_SMC : AF_INET, value, len);
	return fake_give_int(what == SMC ? 0 : IPPROTO_TCP, value, len);
}

static int kernel_ioctl(int fd, unsigned long request, void *arg)
{
	asked++;
	if (!numbers[fd].what)
		return fake_refuse(EBADF);
	*(int *)arg = 0;
	return 0;
}

static int kernel_epoll_create1(int flags)
{
	int fd = lowest_free(0);

	if (fd >= 0)
		numbers[fd].what = EPOLL;
	return fd;
}

static int passed = -1;

static ssize_t kernel_recvmsg(int fd, struct msghdr *message, int flags)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);

	*header = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
				    .cmsg_level = SOL_SOCKET,
				    .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(header), &passed, sizeof(passed));
	return 1;
}

static int kernel_pidfd_getfd(int pidfd, int target, unsigned int flags)
{
	return passed;
}

static pid_t kernel_fork(void)
{
	return 4711;
}

/* ---- actions of programs ---- */

static int any(int n)
{
	return rand() % n;
}

static int any_open(void)
{
	int fd = any(NUMBERS), i;

	for (i = 0; i < NUMBERS && !numbers[fd].what; i++)
		fd = (fd + 1) % NUMBERS;
	return numbers[fd].what ? fd : -1;
}

static enum what any_file(void)
{
	return (enum what[]){ REGULAR, SMC, TCP, EPOLL }[any(4)];
}

static void do_socket(void)
{
	int fd;

	tcp_is_first = any(8) ? tcp_is_first : !tcp_is_first;
	shim_open_tcp_first(tcp_is_first);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd >= 0)
		numbers[fd] = (struct number){
			.what = numbers[fd].what, .seen = true, .own = true, .alone = true
		};
}

static void do_epoll(void)
{
	int fd = epoll_create1(0);

	if (fd >= 0)
		numbers[fd] = (struct number){ .what = EPOLL, .seen = true, .stale = true };
}

static void copied(int from, int to)
{
	if (to < 0 || from == to)
		return;
	numbers[from].alone = false;
	numbers[from].looked = true;
	/* The mark of the old file may be left: it costs one query. */
	numbers[to] = numbers[from];
	numbers[to].looked = false;
}

static void do_dup(void)
{
	int from = any_open();

	if (from < 0)
		return;
	switch (any(4)) {
	case 0: copied(from, dup(from)); break;
	case 1: copied(from, fcntl(from, F_DUPFD, any(NUMBERS))); break;
	case 2: copied(from, dup2(from, any(NUMBERS))); break;
	default: copied(from, dup3(from, any(NUMBERS), 0)); break;
	}
}

static void do_pass(void)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .space = { 0 } };
	struct msghdr message = { .msg_control = &control,
				  .msg_controllen = sizeof(control.space) };

	passed = lowest_free(0);
	if (passed < 0)
		return;
	numbers[passed] = (struct number){ .what = any_file(), .seen = true };
	if (any(2))
		recvmsg(0, &message, 0);
	else
		pidfd_getfd(0, 0, 0);
}

static void do_close(void)
{
	int fd = any_open();

	if (fd < 0)
		return;
	if (any(8)) {
		close(fd);
		numbers[fd] = (struct number){ .stale = numbers[fd].stale };
	} else { /* by a raw system call */
		numbers[fd] = (struct number){ .stale = true };
	}
}

static void do_open(void)
{
	int fd = lowest_free(any(NUMBERS));

	if (fd >= 0)
		numbers[fd] = (struct number){ .what = any_file(), .stale = true };
}

static void do_fork(void)
{
	fork();
	for (int i = 0; i < NUMBERS; i++)
		numbers[i].own = false;
}

/* The new program inherits files without FD_CLOEXEC, and no marks. */
static void do_exec(void)
{
	memset(shim_fd_bytes, 0, NUMBERS);
	shim_fd_end = 0;
	for (int i = 0; i < NUMBERS; i++) {
		if (!numbers[i].what || any(3)) {
			numbers[i] = (struct number){ 0 };
			continue;
		}
		numbers[i] = (struct number){ .what = numbers[i].what, .seen = true };
		shim_fd_unknown(i);
	}
}

/* ---- expected bytes ---- */

static const char *wrong(int fd)
{
	const struct number *number = &numbers[fd];

	if (number->seen && number->what == SMC && !shim_fd_is_marked(fd))
		return "an SMC socket has no mark";
	if (number->seen && number->what == EPOLL && !shim_fd_is_set(FD_EPOLL, fd))
		return "an epoll instance has no mark";
	if (shim_fd_is_marked(fd) && shim_fd_next(FD_SMC, fd) != fd)
		return "a walk over the marks misses one";
	if (number->stale || !number->what)
		return NULL;
	if (shim_fd_is_set(FD_SOCKET, fd) && number->what != SMC && number->what != TCP)
		return "what is no socket surely is one";
	if (shim_fd_is_set(FD_PLAIN, fd) && (number->what != SMC || !number->own || !number->alone))
		return "what is not as socket() gave it is plain";
	if (shim_fd_is_own(fd) && !number->own)
		return "what others may have set options of is its own";
	if (shim_fd_is_tcp(fd) && (number->what != TCP || !number->own || !number->alone))
		return "what cannot become an SMC socket may";
	if (number->looked && number->what == REGULAR && shim_fd_is_marked(fd))
		return "a file that was asked about may be an SMC socket";
	return NULL;
}

static void check(int fd, unsigned int seed, long step)
{
	const char *said = wrong(fd);

	if (said)
		fail_msg("seed %u, step %ld: descriptor %d, byte %#x: %s", seed, step, fd,
			 shim_fd_byte(fd), said);
}

static long from_environment(const char *name, long otherwise)
{
	const char *value = getenv(name);

	return value ? atol(value) : otherwise;
}

static void use_kernel(void)
{
	static const struct {
		enum shim_fn fn;
		void (*call)(void);
	} calls[] = {
		FAKE(SHIM_SOCKET, kernel_socket),   FAKE(SHIM_DUP, kernel_dup),
		FAKE(SHIM_DUP2, kernel_dup2),	    FAKE(SHIM_DUP3, kernel_dup3),
		FAKE(SHIM_FCNTL, kernel_fcntl),	    FAKE(SHIM_FCNTL64, kernel_fcntl),
		FAKE(SHIM_CLOSE, kernel_close),	    FAKE(SHIM_GETSOCKOPT, kernel_getsockopt),
		FAKE(SHIM_IOCTL, kernel_ioctl),	    FAKE(SHIM_EPOLL_CREATE1, kernel_epoll_create1),
		FAKE(SHIM_RECVMSG, kernel_recvmsg), FAKE(SHIM_PIDFD_GETFD, kernel_pidfd_getfd),
		FAKE(SHIM_FORK, kernel_fork),
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		atomic_store(&shim_next_fn[calls[i].fn], (shim_any_fn)calls[i].call);
}

TEST(takes_no_more_than_the_kernel)
{
	const struct iovec parts[] = { { NULL, 5 }, { NULL, 0x7fffffff }, { NULL, 0x7fffffff } };

	assert_int_equal(shim_size(parts, 0), 0);
	assert_int_equal(shim_size(parts, 1), 5);
	assert_int_equal(shim_size(parts, 3), 0x7ffff000);
}

TEST(the_byte_agrees_with_a_model)
{
	static void (*const deeds[])(void) = { do_socket, do_socket, do_dup,   do_dup,	do_pass,
					       do_close,  do_close,  do_close, do_open, do_epoll };
	unsigned int seed = (unsigned int)from_environment("SHIM_TABLE_SEED", (long)time(NULL));
	long steps = from_environment("SHIM_TABLE_STEPS", 1000000);

	print_message("# seed %u\n", seed);
	srand(seed);
	fake.config.kinds[0] = KIND_AF_SMC;
	fake.config.nkinds = 1;
	fake_gives("socket() 16", -1, INT_MAX, NULL);
	use_kernel();
	for (long step = 0; step < steps; step++) {
		int rare = any(1000);

		if (rare < 2)
			do_exec();
		else if (rare < 10)
			do_fork();
		else
			deeds[any(ARRAY_SIZE(deeds))]();
		for (int fd = 0; fd < NUMBERS; fd++)
			check(fd, seed, step);
	}
}

/* An inherited file costs one query, whatever is done with it. */
TEST(inherited_descriptors_are_queried_once)
{
	use_kernel();
	memset(numbers, 0, sizeof(numbers));
	numbers[0].what = numbers[1].what = REGULAR;
	numbers[2].what = SMC;
	for (int i = 0; i < 3; i++)
		shim_fd_unknown(i);
	asked = 0;
	for (int i = 0; i < 100; i++) {
		close(dup(0));
		close(fcntl(1, F_DUPFD, 0));
	}
	assert_int_equal(asked, 2);
	dup(2);
	asked = 0;
	assert_int_equal(dup(2), 4);
	assert_int_equal(asked, 0);
	assert_true(shim_fd_is_marked(4));
	/* In a sandbox any system call may be fatal, so nothing is queried. */
	shim_in_sandbox = true;
	shim_fd_unknown(0);
	asked = 0;
	close(dup(0));
	assert_int_equal(asked, 0);
}

static struct fixture fixture = { .setup = fake_setup, .teardown = fake_teardown };
