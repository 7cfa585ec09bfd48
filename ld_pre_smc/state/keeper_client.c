// SPDX-License-Identifier: MIT
/* Client of smc_keep, the process that holds a socket until SMC has sent its data. */
#include "ld_pre_smc/state/keeper_client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/home.h"

#ifndef SMC_KEEP
#define SMC_KEEP "/usr/libexec/smc-tools/smc_keep"
#define SMC_HOME "/usr/lib"
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

#define CALM_SECONDS 10

/* Stack of each of the two processes that start the keeper. */
#define STACK 16384

static const char *library = "";

static atomic_int tried;

/* Clock second until which no keeper is started or waited for. */
static atomic_int calm;

/* PID of the process that is starting the keeper, or was when this one was forked from it. */
static atomic_int starter;

/* First byte of this library; defined by the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* The name lives as long as the object. A nonzero result ends the search. */
static int look_at(struct dl_phdr_info *info, size_t size __attribute__((unused)),
		   void *arg __attribute__((unused)))
{
	if (info->dlpi_addr != (ElfW(Addr))__ehdr_start)
		return 0;
	library = info->dlpi_name;
	return 1;
}

/* Not by dladdr(3), which was not in glibc's libc before 2.34. */
void shim_keeper_find(void)
{
	dl_iterate_phdr(look_at, NULL);
}

static int new_socket(void)
{
	return (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/*
 * The peer credentials are of the process that listened first; another one may have the socket by
 * now.
 */
static bool is_keeper(int fd, const struct keep_home *home)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !next_getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	       peer.uid == home->uid && peer.pid > 0 && shim_home_has(home, peer.pid);
}

/* State of a search for a keeper. */
struct search {
	struct keep_home home;
	struct sockaddr_un addr;
	socklen_t addr_len;
	long long end;
};

/* Return: errno of the last step, 0 on success. */
static int connect_to(const struct search *search, int *fd)
{
	int err;

	*fd = new_socket();
	if (*fd < 0)
		return errno;
	if (syscall(SYS_connect, *fd, &search->addr, search->addr_len))
		err = errno;
	else
		err = is_keeper(*fd, &search->home) ? 0 : EACCES;
	if (err)
		shim_close(*fd);
	return err;
}

/* Bind the name and release it. Return: errno, 0 if it was free. */
static int try_name(const struct search *search)
{
	int fd = new_socket(), err = 0;

	if (fd < 0)
		return errno;
	if (syscall(SYS_bind, fd, &search->addr, search->addr_len))
		err = errno;
	shim_close(fd);
	return err;
}

/* Return: number of descriptors, KEEP_FDS if all could be opened. */
static int open_spaces(int *fds)
{
	int n = 1;

	/* O_PATH: they identify this thread's namespaces without granting any access. */
	while (n < KEEP_FDS && (fds[n] = (int)syscall(SYS_openat, AT_FDCWD, keep_space(n - 1),
						      O_PATH | O_CLOEXEC)) >= 0)
		n++;
	return n;
}

static bool send_to(int to, int fd, enum keep_how how)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(KEEP_FDS * sizeof(int))];
	} control = { 0 };
	char byte = (char)how;
	int fds[KEEP_FDS] = { fd }, n = open_spaces(fds);
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.space),
	};
	bool sent;

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(&control.header), fds, sizeof(fds));
	sent = n == KEEP_FDS &&
	       syscall(SYS_sendmsg, to, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
	while (n > 1)
		shim_close(fds[--n]);
	return sent;
}

/* Arguments of the two processes, which run in their parent's memory. */
struct start {
	char paths[3][PATH_MAX];
	int n_paths;
	char stacks[2][STACK] __attribute__((aligned(64)));
	const struct search *search;
};

/* Add a path: the first @len characters of the library's path, then @end. */
static void add_path(struct start *start, size_t len, const char *end)
{
	char *path = start->paths[start->n_paths];
	size_t end_size = strlen(end) + 1;

	if (len + end_size > sizeof(start->paths[0]))
		return;
	memcpy(path, library, len);
	memcpy(path + len, end, end_size);
	start->n_paths++;
}

/* Next to the library (a build tree, a container), in its staged install, or installed. */
static void build_paths(struct start *start)
{
	static const char home[] = SMC_HOME, installed[] = SMC_KEEP;
	const char *slash = strrchr(library, '/');
	size_t len = slash ? (size_t)(slash - library) : 0, root = len - strlen(home);

	start->n_paths = 0;
	if (slash)
		add_path(start, len + 1, "smc_keep");
	if (len > strlen(home) && !memcmp(library + root, home, strlen(home)))
		add_path(start, root, installed);
	add_path(start, 0, installed);
}

/*
 * The future keeper. The first one to bind the name wins. It listens only after exec, when /proc
 * shows the new program. It never has the program's files: its descriptor table is new.
 */
static int become_keeper(void *arg)
{
	char name[] = "smc_keep", *const argv[] = { name, NULL }, *const envp[] = { NULL };
	struct start *start = arg;

	if (syscall(SYS_close_range, 0, ~0U, CLOSE_RANGE_UNSHARE) ||
	    syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0) != 0 ||
	    syscall(SYS_bind, 0, &start->search->addr, start->search->addr_len))
		syscall(SYS_exit_group, 1);
	for (int i = 0; i < start->n_paths; i++)
		syscall(SYS_execve, start->paths[i], argv, envp);
	syscall(SYS_exit_group, 1);
	return 1;
}

/* Start a process as vfork(2) does, but without a signal to the parent when it ends. */
static int start_process(int (*run)(void *), struct start *start, int stack)
{
	return clone(run, start->stacks[stack] + STACK, CLONE_VM | CLONE_VFORK | CLONE_FILES,
		     start);
}

/* Parent of the keeper; exits at once, so that init adopts the keeper. */
static int start_keeper(void *arg)
{
	syscall(SYS_exit_group, start_process(become_keeper, arg, 1) < 0);
	return 1;
}

static bool can_execute(const struct start *start)
{
	for (int i = 0; i < start->n_paths; i++) {
		if (!syscall(SYS_faccessat, AT_FDCWD, start->paths[i], X_OK))
			return true;
	}
	return false;
}

/*
 * True if this process may start the keeper: once a second at most, and not if the process would
 * have to reap the keeper, as the first process of a container, and other subreapers.
 */
static bool may_start(void)
{
	int reaper = 0, last = tried, now = (int)shim_seconds() + 1;

	if (last == now || !atomic_compare_exchange_strong(&tried, &last, now))
		return false;
	return !getauxval(AT_SECURE) && syscall(SYS_getpid) != 1 &&
	       !next_prctl(PR_GET_CHILD_SUBREAPER, (unsigned long)&reaper, 0, 0, 0) && !reaper;
}

static void start_it(const struct search *search)
{
	struct start *start;
	int status, pid;

	start = mmap(NULL, sizeof(*start), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (start == MAP_FAILED)
		return;
	start->search = search;
	build_paths(start);
	if (can_execute(start)) {
		pid = start_process(start_keeper, start, 0);
		if (pid > 0)
			syscall(SYS_wait4, pid, &status, __WCLONE, NULL);
	}
	munmap(start, sizeof(*start));
}

/* Return: false if another attempt is useless. */
static bool start_once(const struct search *search)
{
	int pid = (int)syscall(SYS_getpid), other = starter;
	bool may;

	while (other == pid && shim_milliseconds() < search->end) {
		shim_nap();
		other = starter;
		if (other != pid)
			return true;
	}
	if (!atomic_compare_exchange_strong(&starter, &other, pid))
		return true;
	may = may_start();
	if (may)
		start_it(search);
	starter = 0;
	return may;
}

/* Return: true to continue. A keeper that never listens is not waited for each time. */
static bool has_time(const struct search *search)
{
	int now = (int)shim_seconds();

	if (now < calm)
		return false;
	if (shim_milliseconds() < search->end)
		return true;
	calm = now + CALM_SECONDS;
	return false;
}

/*
 * A keeper that is starting or ending has the name but does not listen. Return: true if there is a
 * keeper, connected to @fd.
 */
static bool find_keeper(struct search *search, int *fd)
{
	int err, name;

	/* Usually takes a few milliseconds. Without a keeper the kernel would wait as long. */
	search->end = shim_milliseconds() + KEEP_KERNEL_MS;
	search->addr_len = keep_address(&search->addr, &search->home);
	while ((err = connect_to(search, fd)) == ECONNREFUSED && has_time(search)) {
		name = try_name(search);
		if (name == EADDRINUSE)
			shim_nap();
		else if (name || !start_once(search))
			break;
	}
	return !err;
}

/* All signals are blocked: a handler would find memory and descriptors in an intermediate state. */
static bool give(int fd, enum keep_how how)
{
	struct search search;
	int to;
	bool sent;

	if (!shim_home_find(&search.home) || !find_keeper(&search, &to))
		return false;
	sent = send_to(to, fd, how);
	shim_close(to);
	return sent;
}

bool shim_keeper_give(int fd, enum keep_how how)
{
	struct shim_signals old;
	AUTO_ERRNO();
	bool given = shim_signals_block(&old) && give(fd, how);

	shim_signals_restore(&old);
	return given;
}
