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
#include <sys/wait.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/block_signals.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/log.h"

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

/* PID of the process that starts the keeper, or that started it and then forked this process. */
static atomic_int starter;

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

/*
 * smc_keep is not dumpable, to protect its sockets from ptrace(2). So only root can read the links
 * in its /proc/PID/ns. The other files of /proc/PID are readable by all.
 */
#define START 128

/* Bytes, or -1. */
static int read_start(int dir, const char *path, char *text)
{
	int fd = (int)syscall(SYS_openat, dir, path, O_RDONLY | O_CLOEXEC), len;

	if (fd < 0)
		return -1;
	len = (int)syscall(SYS_read, fd, text, START);
	shim_close(fd);
	return len;
}

/*
 * True if a file in /proc of another process begins with the same bytes as the same file of this
 * thread. @own: path of this thread's file
 */
static bool is_alike(int dir, const char *own)
{
	char mine[START], other[START];
	int len = read_start(AT_FDCWD, own, mine);

	return len > 0 && read_start(dir, own + sizeof(KEEP_SELF) - 1, other) == len &&
	       !memcmp(mine, other, (size_t)len);
}

/*
 * True if the process is in the same user namespace. Only root can read the link; others compare
 * the user map, which several namespaces can share.
 */
static bool has_users(int dir, const struct keep_home *home)
{
	struct stat st;

	return is_alike(dir, KEEP_SELF "uid_map") &&
	       (shim_stat(dir, "ns/user", &st) || (unsigned long)st.st_ino == home->spaces[1]);
}

/* True if the process is in the same network namespace. The inode of net/dev is unique to each. */
static bool has_network(int dir)
{
	struct stat mine;

	return !shim_stat(AT_FDCWD, KEEP_SELF "net/dev", &mine) &&
	       shim_is_file(dir, "net/dev", &mine);
}

/* True if the process is in the same PID namespace as this /proc: NSpid has its number alone. */
static bool has_number(int dir, const char *status, int number)
{
	struct log_line line = { 0 };

	log_format(&line, "\nNSpid:\t%d\n", number);
	return shim_file_has(dir, status, line.text) > 0;
}

/* True if the process has this user id in all four places, as smc_keep sets it. */
static bool has_user(int dir, unsigned int uid)
{
	char text[64] = "\nUid:", *end = text + strlen(text);

	for (int i = 0; i < 4; i++) {
		*end++ = '\t';
		end = keep_put(end, uid);
	}
	*end = '\n';
	return shim_file_has(dir, "status", text) > 0;
}

/*
 * Return: false if they are unknown: without /proc, or with that of another PID namespace, and for
 * a user without a mapping in the user namespace.
 */
static bool find_home(struct keep_home *home)
{
	char map[START];
	struct stat st;
	int len;

	home->uid = geteuid();
	for (int i = 0; i < KEEP_SPACES; i++) {
		if (shim_stat(AT_FDCWD, keep_space(i), &st))
			return false;
		home->spaces[i] = (unsigned long)st.st_ino;
	}
	len = read_start(AT_FDCWD, KEEP_SELF "uid_map", map);
	return len > 0 && keep_is_known(home->uid, map, (size_t)len) &&
	       has_number(AT_FDCWD, KEEP_SELF "status", (int)syscall(SYS_gettid));
}

/*
 * True if a process is smc_keep, in this home. If its number was reused, then not by another
 * smc_keep of this home, which would have the name. Mount IDs are unique: the first one is that of
 * the root directory.
 */
static bool is_home_of(int pid, const struct keep_home *home)
{
	struct log_line path = { 0 };
	bool has;
	int dir;

	log_format(&path, "/proc/%d", pid);
	dir = (int)syscall(SYS_openat, AT_FDCWD, path.text, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return false;
	has = shim_file_has(dir, "status", "Name:\tsmc_keep\n") > 0 && has_user(dir, home->uid) &&
	      has_number(dir, "status", pid) && is_alike(dir, KEEP_SELF "mountinfo") &&
	      has_users(dir, home) && has_network(dir);
	shim_close(dir);
	return has;
}

static int new_socket(void)
{
	return (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* The peer credentials are of the process that listened first; another may have the socket now. */
static bool is_keeper(int fd, const struct keep_home *home)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !next_getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	       peer.uid == home->uid && peer.pid > 0 && is_home_of(peer.pid, home);
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
	int fd = new_socket(), err;

	if (fd < 0)
		return errno;
	err = syscall(SYS_bind, fd, &search->addr, search->addr_len) ? errno : 0;
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
	} control = { .space = { 0 } };
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

/* Start a process like vfork(2), but without a signal to the parent when it ends. */
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
	for (int i = 0; i < start->n_paths; i++)
		if (!syscall(SYS_faccessat, AT_FDCWD, start->paths[i], X_OK))
			return true;
	return false;
}

/*
 * True if this process may start the keeper: at most once a second, and not if it is a subreaper,
 * such as the first process of a container, which would have to reap the keeper.
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
	struct start *start = mmap(NULL, sizeof(*start), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status, pid;

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

	/* Usually takes a few milliseconds. Without a keeper the kernel would wait just as long. */
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

	if (!find_home(&search.home) || !find_keeper(&search, &to))
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
