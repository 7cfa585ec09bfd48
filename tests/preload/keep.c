// SPDX-License-Identifier: MIT
/*
 * keep CASE: handling of unsent data; a line each. The peer is a thread that does not read until it
 * is allowed to. Needs its own network namespace, and a library whose SMC sockets are TCP sockets
 * (mimic_lib.c), which show whether they are held: an orphan has no inode.
 */
#include <grp.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "smc/keep.h"
#include "tests/calls.h"
#include "tests/cases.h"
#include "tests/libc.h"

static struct sockaddr_in server;
static int listener;
static volatile sig_atomic_t children;

static void count_child(int number)
{
	children += number == SIGCHLD;
}

static void start_server(void)
{
	int few = 4096;

	listener = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
	if (setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &few, sizeof(few)) ||
	    listen_here(listener, &server, 4096))
		exit(77);
}

/* Send more than the peer's buffer takes, however long its acknowledgements take. */
static size_t fill(int fd)
{
	static char data[65536];

	if (send(fd, data, sizeof(data), MSG_DONTWAIT) != sizeof(data))
		exit(77);
	return sizeof(data);
}

static int connected(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), much = 131072;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &much, sizeof(much)) ||
	    connect(fd, (struct sockaddr *)&server, sizeof(server)))
		exit(77);
	return fd;
}

/* A connection with unsent data; read the other end with drain(). */
static int unsent(int *peer, size_t *sent)
{
	int fd = connected();

	*peer = (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC);
	*sent = fill(fd);
	return fd;
}

/* Read to the end of file; -1 on error. */
static ssize_t drain(int peer)
{
	static char data[65536];
	ssize_t n, total = 0;

	while ((n = read(peer, data, sizeof(data))) > 0)
		total += n;
	syscall(SYS_close, peer);
	return n ? -1 : total;
}

/* true if a process holds the other end: connections without an inode are the kernel's */
static bool is_held(int peer)
{
	struct sockaddr_in addr = { 0 };
	socklen_t len = sizeof(addr);
	unsigned int from, to, inode;
	char line[256];
	bool held = false;
	FILE *file;

	if (getpeername(peer, (struct sockaddr *)&addr, &len))
		return false;
	file = fopen("/proc/net/tcp", "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, " %*d: %*x:%x %*x:%x %*x %*x:%*x %*x:%*x %*x %*d %*d %u", &from,
			   &to, &inode) == 3 &&
		    from == ntohs(addr.sin_port) && to == ntohs(server.sin_port))
			held = inode;
	}
	if (file)
		fclose(file);
	return held;
}

static bool has_keeper(void)
{
	char line[256];
	bool found = false;
	FILE *file = fopen("/proc/net/unix", "re");

	while (file && fgets(line, sizeof(line), file))
		found |= strstr(line, "@smc-tools/keep/") != NULL;
	if (file)
		fclose(file);
	return found;
}

/* Wait until it exits; the caller has a time limit. */
static bool keeper_ends(void)
{
	while (has_keeper())
		usleep(100000);
	return true;
}

static int count_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static bool has_child(void)
{
	return waitpid(-1, NULL, __WALL | WNOHANG) != -1 || errno != ECHILD;
}

/* Print what the peer gets, and whether the keeper exits afterwards. */
static void say_end(int peer, size_t sent)
{
	printf("complete=%d ", drain(peer) == (ssize_t)sent);
	printf("gone=%d\n", keeper_ends());
}

/* Common part of all ways to close, except for the peer's end. */
static int say_close(int (*close_it)(int fd), size_t *sent)
{
	int before, peer, fd, ret, held, left;

	fd = unsent(&peer, sent);
	before = count_fds();
	ret = close_it(fd);
	left = count_fds() - before;
	held = is_held(peer);
	printf("ret=%d fds=%d child=%d signals=%d held=%d ", ret, left, has_child(), children,
	       held);
	return peer;
}

static void try_close(int (*close_it)(int fd))
{
	size_t sent;
	int peer = say_close(close_it, &sent);

	say_end(peer, sent);
}

static int by_dup2(int fd)
{
	return dup2(STDERR_FILENO, fd) == fd ? 0 : -1;
}

static int by_dup3(int fd)
{
	return dup3(STDERR_FILENO, fd, O_CLOEXEC) == fd ? 0 : -1;
}

static int by_close_range(int fd)
{
	return (int)close_range((unsigned int)fd, (unsigned int)fd, 0);
}

static int by_closefrom(int fd)
{
	int top = fcntl(fd, F_DUPFD_CLOEXEC, 900);

	close(fd);
	closefrom(top);
	return 0;
}

static int by_fclose(int fd)
{
	return fclose(fdopen(fd, "w"));
}

/* On a socket with O_ASYNC the kernel would go on sending signals. */
static int by_async(int fd)
{
	signal(SIGIO, _exit);
	if (fcntl(fd, F_SETOWN, getpid()) || fcntl(fd, F_SETFL, O_ASYNC))
		return 1;
	return close(fd);
}

/* The child shares the parent's memory. */
static int by_vfork(int fd)
{
	pid_t pid = vfork();

	if (!pid) {
		close_range((unsigned int)fd, (unsigned int)fd, 0);
		_exit(0);
	}
	if (waitpid(pid, NULL, 0) != pid || children != 1)
		return 1;
	children = 0;
	return close(fd);
}

/* A child of fork(2) that owns the socket alone. */
static int by_fork(int fd)
{
	int status, ends[2];
	pid_t pid;
	char byte;

	if (pipe(ends))
		return 1;
	pid = fork();
	if (!pid)
		_exit(read(ends[0], &byte, 1) != 1 || close(fd));
	syscall(SYS_close, fd);
	if (write(ends[1], "x", 1) != 1 || waitpid(pid, &status, 0) != pid)
		return 1;
	close(ends[0]);
	close(ends[1]);
	children = 0;
	return status;
}

static int by_passing(int fd)
{
	int ends[2], passed = fd;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
	    pass_fds(ends[0], true, 0, &passed, 1) != 1 ||
	    pass_fds(ends[1], false, 0, &passed, 1) != 1)
		return 1;
	syscall(SYS_close, fd);
	close(ends[0]);
	close(ends[1]);
	return close(passed);
}

static int by_dup(int fd)
{
	int copy = dup(fd);

	/* A duplicate stays open after the first close: nothing has to be kept. */
	return copy < 0 || close(fd) || has_keeper() || close(copy);
}

/* A subreaper starts no keeper, but other programs of this user do. */
static int by_reaper(int fd)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) || close(fd);
}

static int by_reset(int fd)
{
	struct linger linger = { .l_onoff = 1 };

	return setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) || close(fd);
}

/* Unsent data of a process that exits or execs. Return: its status. */
static int unsent_of_child(void (*end)(void), int *peer, size_t *sent)
{
	int sizes[2], status;
	pid_t pid;

	if (pipe(sizes))
		exit(77);
	pid = fork();
	if (!pid) {
		*sent = fill(connected());
		if (write(sizes[1], sent, sizeof(*sent)) != sizeof(*sent))
			abort();
		end();
	}
	*peer = (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC);
	if (read(sizes[0], sent, sizeof(*sent)) != sizeof(*sent) || waitpid(pid, &status, 0) != pid)
		exit(77);
	close(sizes[0]);
	close(sizes[1]);
	return status;
}

static void try_end(void (*end)(void))
{
	size_t sent;
	int peer, status = unsent_of_child(end, &peer, &sent), held = is_held(peer);

	printf("status=%d held=%d ", status, held);
	say_end(peer, sent);
}

static void end_exit(void)
{
	exit(0);
}

static void end_quick(void)
{
	_exit(0);
}

static void end_exec(void)
{
	execlp("/proc/self/exe", "keep", "nothing", (char *)NULL);
}

/* With SO_LINGER close() leaves unsent data to the kernel; the keeper holds the socket already. */
static bool leave_to_keeper(int fd)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 5 };

	return !shutdown(fd, SHUT_WR) &&
	       !setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

/* Number of events that an epoll instance of the process has for a closed socket. */
static void try_epoll(bool after_shutdown)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP };
	int epfd = epoll_create1(EPOLL_CLOEXEC), peer, fd, events;
	size_t sent;

	fd = unsent(&peer, &sent);
	if (epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) ||
	    (after_shutdown && !leave_to_keeper(fd)) || close(fd) ||
	    send(peer, "x", 1, MSG_NOSIGNAL) != 1)
		exit(77);
	events = epoll_wait(epfd, &event, 1, 0);
	printf("held=%d events=%d\n", is_held(peer), events);
}

/* A child closes its copy: the parent still gets events, and its options stay. */
static void try_child(bool after_shutdown)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epfd = epoll_create1(EPOLL_CLOEXEC), peer, fd, status;
	size_t sent;
	pid_t pid;

	fd = unsent(&peer, &sent);
	if (epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) || fcntl(fd, F_SETFL, O_ASYNC) ||
	    (after_shutdown && !leave_to_keeper(fd)))
		exit(77);
	pid = fork();
	if (!pid)
		_exit(close(fd));
	waitpid(pid, &status, 0);
	printf("status=%d keeper=%d epoll=%d async=%d\n", status, has_keeper(),
	       epoll_ctl(epfd, EPOLL_CTL_MOD, fd, &event), (fcntl(fd, F_GETFL) & O_ASYNC) != 0);
}

/* The peer's end of file follows the data, while the program still has the socket. */
static void try_shutdown(int how)
{
	int peer, fd, ret;
	size_t sent;
	char byte;

	fd = unsent(&peer, &sent);
	ret = shutdown(fd, how);
	if (how == SHUT_RDWR)
		printf("read=%zd ", recv(fd, &byte, 1, MSG_DONTWAIT));
	printf("ret=%d keeper=%d ", ret, has_keeper());
	say_end(peer, sent);
	close(fd);
}

/* The peer never reads: programs that wait for the end of the socket get it. */
CASE(stuck)
{
	int peer, fd;
	size_t sent;
	struct pollfd poll_fd;

	fd = unsent(&peer, &sent);
	poll_fd = (struct pollfd){ .fd = fd };
	printf("ret=%d ", shutdown(fd, SHUT_RDWR));
	printf("events=%d ", poll(&poll_fd, 1, -1));
	printf("hangup=%d\n", !!(poll_fd.revents & POLLHUP));
}

CASE(many)
{
	enum { MANY = 100 };
	static int peers[MANY], fds[MANY];
	static size_t sent[MANY];
	int complete = 0, before = count_fds(), left;

	for (int i = 0; i < MANY; i++)
		fds[i] = unsent(&peers[i], &sent[i]);
	for (int i = 0; i < MANY; i++)
		close(fds[i]);
	left = count_fds() - before - MANY;
	for (int i = 0; i < MANY; i++)
		complete += is_held(peers[i]) && drain(peers[i]) == (ssize_t)sent[i];
	printf("fds=%d child=%d signals=%d complete=%d ", left, has_child(), children, complete);
	printf("gone=%d\n", keeper_ends());
}

static pthread_barrier_t barrier;

static void *close_in_thread(void *fd)
{
	pthread_barrier_wait(&barrier);
	close(*(int *)fd);
	return NULL;
}

/* All threads need the first keeper. */
CASE(threads)
{
	enum { THREADS = 16 };
	int peers[THREADS], fds[THREADS], complete = 0, kept = 0;
	size_t sent[THREADS];
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		fds[i] = unsent(&peers[i], &sent[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, close_in_thread, &fds[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		kept += is_held(peers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		complete += drain(peers[i]) == (ssize_t)sent[i];
	printf("held=%d complete=%d gone=%d\n", kept, complete, keeper_ends());
}

/* Opened, and closed between two marker calls. */
static void close_things(void)
{
	int fds[7];

	fds[0] = open("/dev/null", O_RDONLY);
	if (pipe(fds + 1) || socketpair(AF_UNIX, SOCK_STREAM, 0, fds + 3))
		exit(77);
	fds[5] = socket(AF_UNIX, SOCK_STREAM, 0);
	fds[6] = socket(AF_INET, SOCK_STREAM, 0);
	syscall(SYS_getppid);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close(fds[i]);
	syscall(SYS_getppid);
	syscall(SYS_exit_group, 0);
}

/* System calls of seven close(). */
CASE(calls)
{
	struct __ptrace_syscall_info info = { 0 };
	int status, marks = 0, calls = 0;
	pid_t pid = fork();

	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			syscall(SYS_exit_group, 77);
		raise(SIGSTOP);
		close_things();
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD))
		exit(77);
	while (next_call(pid, &info)) {
		marks += info.entry.nr == SYS_getppid;
		calls += marks == 1 && info.entry.nr != SYS_getppid;
	}
	printf("marks=%d calls=%d\n", marks, calls);
}

static void tell_signals(const char *name, int ret)
{
	static int calm, exposed;
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("%s=%d calm=%d exposed=%d blocked=%d ", name, ret, count_below("mimic_calm") - calm,
	       count_below("mimic_exposed") - exposed, sigismember(&now, SIGALRM));
	calm = count_below("mimic_calm");
	exposed = count_below("mimic_exposed");
}

/* All data is sent, or SO_LINGER sets the time to wait for the rest. */
CASE(signals)
{
	struct linger linger = { 1, 1 };
	int fd, lingering, copy, peer;
	size_t sent;

	fd = connected();
	copy = dup(fd);
	tell_signals("shutdown", shutdown(fd, SHUT_WR));
	tell_signals("close", close(fd));
	tell_signals("fclose", by_fclose(copy));
	lingering = unsent(&peer, &sent);
	if (setsockopt(lingering, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		exit(77);
	copy = dup(lingering);
	tell_signals("linger", close(copy));
	/* The socket without unsent data is closed alone, the other by the kernel. */
	if (fcntl(connected(), F_DUPFD, 700) != 700 || fcntl(lingering, F_DUPFD, 701) != 701)
		exit(77);
	tell_signals("range", close_range(700, 701, 0));
	printf("open=%d\n", fcntl(700, F_GETFD) + fcntl(701, F_GETFD) + 2);
}

/* A socket with the keeper's name; the first sleep of the library closes it. */
static int name_fd = -1;

long syscall(long number, ...)
{
	const long dup_args[6] = { STDERR_FILENO, name_fd, O_CLOEXEC };
	long args[6];
	va_list ap;

	va_start(ap, number);
	get_args(args, ap);
	va_end(ap);
	if (number == SYS_ppoll && !args[0] && name_fd >= 0) {
		libc_call(SYS_dup3, dup_args);
		name_fd = -1;
	}
	return libc_call(number, args);
}

static socklen_t address(struct sockaddr_un *addr)
{
	struct keep_home home = { .uid = geteuid() };
	struct stat st;

	for (int i = 0; i < KEEP_SPACES; i++) {
		if (stat(keep_space(i), &st))
			exit(77);
		home.spaces[i] = (unsigned long)st.st_ino;
	}
	return keep_address(addr, &home);
}

/* The name is taken, but nobody listens: a keeper that starts, or ends. */
CASE(taken)
{
	struct sockaddr_un addr;
	socklen_t len = address(&addr);

	name_fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (bind(name_fd, (struct sockaddr *)&addr, len))
		exit(77);
	try_close(close);
}

/* The keeper's process; 0 if there is no listener. */
static pid_t keeper(void)
{
	int fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr;
	struct ucred peer = { 0 };
	socklen_t len = sizeof(peer);

	if (!syscall(SYS_connect, fd, &addr, address(&addr)))
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len);
	syscall(SYS_close, fd);
	return peer.pid;
}

/* Data needs a keeper at the moment that the last one stops listening. */
CASE(leaving)
{
	int first, second, fd;
	size_t sent;

	close(unsent(&first, &sent));
	fd = unsent(&second, &sent);
	drain(first);
	/* A process starts at most one per second. */
	usleep(1100000);
	kill(keeper(), SIGTERM);
	while (keeper())
		usleep(1000);
	close(fd);
	printf("held=%d ", is_held(second));
	say_end(second, sent);
}

/* Commands to start a program here, in another namespace, or (as root) as another user. */
static const char *const elsewhere[] = {
	"",
	"unshare --pid --fork",
	"unshare --mount",
	"unshare --user --map-root-user",
	"unshare --pid --mount --fork setpriv --bounding-set=-all",
	"setpriv --reuid 65534 --clear-groups",
};

static int places = sizeof(elsewhere) / sizeof(elsewhere[0]);

/* Run this program there, with the name of this keeper; the shell may use another libc. */
static void command(char *text, size_t size, int place, const char *what)
{
	struct sockaddr_un addr;
	socklen_t len = address(&addr) - (socklen_t)offsetof(struct sockaddr_un, sun_path) - 1;
	char path[256] = "";

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		exit(77);
	snprintf(text, size, "exec %s %s %s %.*s", elsewhere[place], path, what, (int)len,
		 addr.sun_path + 1);
}

static int named(const char *name, int (*call)(int, const struct sockaddr *, socklen_t))
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	strcpy(addr.sun_path + 1, name);
	if (call(fd, (struct sockaddr *)&addr,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))))
		exit(77);
	return fd;
}

/* Poses as a keeper, and takes the sockets. */
static void steal(const char *name)
{
	int fd = named(name, bind), client;
	char byte;

	if (prctl(PR_SET_NAME, "smc_keep") || listen(fd, 16))
		exit(77);
	puts("ready");
	fflush(stdout);
	for (;;) {
		client = accept(fd, NULL, NULL);
		if (recv(client, &byte, 1, MSG_PEEK) == 1)
			pause();
		close(client);
	}
}

CASE(thieves)
{
	char text[512] = "";
	size_t sent;
	FILE *thief;
	int fd, peer;

	unsetenv("LD_PRELOAD");
	for (int i = 0; i < places; i++) {
		command(text, sizeof(text), i, "steal");
		fd = unsent(&peer, &sent);
		thief = popen(text, "re");
		if (!thief || !fgets(text, sizeof(text), thief) || close(fd))
			exit(77);
		printf("%sheld=%d", i ? " " : "", is_held(peer));
		syscall(SYS_close, peer);
		kill(keeper(), SIGKILL);
		pclose(thief);
	}
	puts("");
}

/* Hand over a socket with unsent data, as the library does. */
static void give(const char *name)
{
	int fds[KEEP_FDS], peer, to = named(name, connect);
	struct pollfd poll_fd = { .fd = to };
	size_t sent;

	fds[0] = unsent(&peer, &sent);
	for (int i = 0; i < KEEP_SPACES; i++)
		fds[1 + i] = open(keep_space(i), O_RDONLY);
	pass_fds(to, true, KEEP_CLOSE, fds, KEEP_FDS);
	close(fds[0]);
	poll(&poll_fd, 1, -1);
	/* An unread message is freed after the keeper's exit: unix_release_sock(). */
	for (int i = 0; i < 100 && is_held(peer); i++)
		usleep(10000);
	printf("held=%d ", is_held(peer));
}

/* The keeper only accepts sockets from its own namespaces and user. */
CASE(givers)
{
	char text[512];
	size_t sent;
	int peer;

	unsetenv("LD_PRELOAD");
	close(unsent(&peer, &sent));
	for (int i = 0; i < places; i++) {
		command(text, sizeof(text), i, "give");
		fflush(stdout);
		if (system(text))
			exit(77);
	}
	say_end(peer, sent);
}

/* If the kernel refuses the socket, see below, exit() waits: not with a slow clock. */
static void end_with_few(void)
{
	struct rlimit few = { 40, 40 };

	unsetenv("MIMIC_SLOW");
	if (setrlimit(RLIMIT_NOFILE, &few))
		abort();
	exit(0);
}

/* The keeper may have as many descriptors as the first program that needed it. */
CASE(limit)
{
	enum { MANY = 100 };
	static int peers[MANY];
	static size_t sent[MANY];
	int held = 0, complete = 0, status = unsent_of_child(end_with_few, &peers[0], &sent[0]);

	for (int i = 1; i < MANY; i++)
		status |= close(unsent(&peers[i], &sent[i]));
	/* The first may be refused: other programs of this user count for the limit, unix(7). */
	for (int i = 1; i < MANY; i++)
		held += is_held(peers[i]);
	for (int i = 0; i < MANY; i++)
		complete += drain(peers[i]) == (ssize_t)sent[i];
	printf("status=%d held=%d complete=%d ", status, held, complete);
	printf("gone=%d\n", keeper_ends());
}

/* Like a server started as root: only root can inspect such a process. */
CASE(dropped)
{
	if (setgid(65534) || setuid(65534))
		exit(77);
	try_close(close);
}

CASE_OF(close, try_close(close))
CASE_OF(dup2, try_close(by_dup2))
CASE_OF(dup3, try_close(by_dup3))
CASE_OF(close_range, try_close(by_close_range))
CASE_OF(closefrom, try_close(by_closefrom))
CASE_OF(fclose, try_close(by_fclose))
CASE_OF(async, try_close(by_async))
CASE_OF(vfork, try_close(by_vfork))
CASE_OF(fork, try_close(by_fork))
CASE_OF(passing, try_close(by_passing))
CASE_OF(dup, try_close(by_dup))
CASE_OF(reaper, try_close(by_reaper))
CASE_OF(reset, try_close(by_reset))
CASE_OF(exit, try_end(end_exit))
CASE_OF(_exit, try_end(end_quick))
CASE_OF(exec, try_end(end_exec))
CASE_OF(epoll, try_epoll(false))
CASE_OF(epoll_shut, try_epoll(true))
CASE_OF(shut_wr, try_shutdown(SHUT_WR))
CASE_OF(shut_rdwr, try_shutdown(SHUT_RDWR))
CASE_OF(child, try_child(false))
CASE_OF(child_shut, try_child(true))

int main(int argc, char **argv)
{
	const struct test_case *one;

	if (argc == 2 && !strcmp(argv[1], "nothing"))
		return 0;
	if (argc == 3 && !strcmp(argv[1], "steal"))
		steal(argv[2]);
	/* A user namespace has no other users. */
	places -= setgroups(0, NULL) != 0;
	signal(SIGCHLD, count_child);
	start_server();
	if (argc == 3 && !strcmp(argv[1], "give"))
		return give(argv[2]), 0;
	one = argc == 2 ? case_named(argv[1]) : NULL;
	if (!one)
		return 2;
	one->run();
	return fflush(stdout) != 0;
}
