// SPDX-License-Identifier: MIT
/* Open sockets in all the ways that programs do: sock COMMAND [ARGUMENT]... */
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "tests/libc.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ERRNO_BEFORE 77

typedef void (*fake_last_fn)(int call[3]);

static fake_last_fn fake_last;
static void (*fake_later)(int seconds);

static const char *result(int fd)
{
	static char text[64];

	if (fd < 0)
		snprintf(text, sizeof(text), "error %d", errno);
	else
		snprintf(text, sizeof(text), "ok errno %s",
			 errno == ERRNO_BEFORE ? "kept" : "LOST");
	return text;
}

/* call DOMAIN TYPE PROTOCOL...: any number of calls, one line each */
static int cmd_call(int argc, char **argv)
{
	for (; argc >= 3; argc -= 3, argv += 3) {
		int fd;

		errno = ERRNO_BEFORE;
		fd = socket(atoi(argv[0]), atoi(argv[1]), atoi(argv[2]));
		puts(result(fd));
	}
	return 0;
}

/* Expected call below, computed differently from the library. */
static void expect(const int in[3], int inet, int out[3])
{
	int plain_type = in[1] & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);

	memcpy(out, in, 3 * sizeof(int));
	if (plain_type != 1 || (in[2] != 0 && in[2] != 6))
		return;
	if (in[0] == 2) {
		out[0] = inet ? 2 : 43;
		out[2] = inet ? 256 : 0;
	} else if (in[0] == 10) {
		out[0] = inet ? 10 : 43;
		out[2] = inet ? 256 : 1;
	}
}

static int check_row(const int in[3], int inet)
{
	int want[3], got[3] = { 0 }, fd = socket(in[0], in[1], in[2]);

	fake_last(got);
	expect(in, inet, want);
	if (fd >= 0 && (!(in[1] & SOCK_NONBLOCK) != !(fcntl(fd, F_GETFL) & O_NONBLOCK) ||
			!(in[1] & SOCK_CLOEXEC) != !(fcntl(fd, F_GETFD) & FD_CLOEXEC)))
		fd = -1;
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !memcmp(got, want, sizeof(got)))
		return 0;
	printf("socket(%d, %d, %d) became (%d, %d, %d)\n", in[0], in[1], in[2], got[0], got[1],
	       got[2]);
	return 1;
}

/* table [inet]: every domain with every type, flag and protocol, twice (first call, fast path) */
static int cmd_table(int argc, char **argv)
{
	static const int domains[] = { 0, 1, 2, 3, 10, 11, 16, 17, 38, 40, 43, 44, 99, -1, 258 };
	static const int types[] = { 0, 1, 2, 3, 4, 5, 10 };
	static const int flags[] = { 0, SOCK_NONBLOCK, SOCK_CLOEXEC, SOCK_NONBLOCK | SOCK_CLOEXEC };
	static const int protocols[] = { 0, 1, 2, 6, 7, 17, 132, 255, 256, 262, -1 };
	size_t d, t, f, p;
	int rows = 0, wrong = 0, inet = argc > 0 && !strcmp(argv[0], "inet");

	for (int round = 0; round < 2; round++)
		for (d = 0; d < COUNT(domains); d++)
			for (t = 0; t < COUNT(types); t++)
				for (f = 0; f < COUNT(flags); f++)
					for (p = 0; p < COUNT(protocols); p++, rows++)
						wrong += check_row((int[]){ domains[d],
									    types[t] | flags[f],
									    protocols[p] },
								   inet);
	printf("%d rows, %d wrong\n", rows, wrong);
	return wrong != 0;
}

static atomic_int opened;
static pthread_barrier_t barrier;

static void *open_many(void *count)
{
	int i, fd;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < *(int *)count; i++) {
		fd = socket(i & 1 ? AF_INET6 : AF_INET, SOCK_STREAM, i & 2 ? 6 : 0);
		if (fd >= 0) {
			opened++;
			close(fd);
		}
	}
	return NULL;
}

/* threads N CALLS */
static int cmd_threads(int argc, char **argv)
{
	int i, n = argc > 0 ? atoi(argv[0]) : 8, calls = argc > 1 ? atoi(argv[1]) : 100;
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));

	pthread_barrier_init(&barrier, NULL, (unsigned int)n);
	for (i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, open_many, &calls);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	printf("%d opened\n", opened);
	return 0;
}

static atomic_int in_handler;

static void on_alarm(int number)
{
	int saved = errno, fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd >= 0) {
		in_handler++;
		close(fd);
	}
	errno = saved;
}

/* signal: a handler that opens sockets while the program allocates, opens sockets and uses dlsym */
static int cmd_signal(int argc, char **argv)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	int fd;

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (in_handler < 200) {
		free(malloc(100));
		dlsym(RTLD_DEFAULT, "malloc");
		fd = socket(AF_INET6, SOCK_STREAM, 0);
		if (fd >= 0)
			close(fd);
	}
	puts("200 in handlers");
	return 0;
}

static int wait_for(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* fork: sockets of a fork()ed and a vfork()ed child, and of this program run again */
static int cmd_fork(int argc, char **argv)
{
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(socket(AF_INET, SOCK_STREAM, 0) < 0);
	printf("fork %d\n", wait_for(pid));
	pid = vfork();
	if (!pid)
		_exit(socket(AF_INET6, SOCK_STREAM, 0) < 0);
	printf("vfork %d\n", wait_for(pid));
	pid = vfork();
	if (!pid) {
		execl("/proc/self/exe", "sock", "quiet", (char *)NULL);
		_exit(98);
	}
	printf("exec %d\n", wait_for(pid));
	return 0;
}

static int cmd_quiet(int argc, char **argv)
{
	return socket(AF_INET, SOCK_STREAM, 0) < 0;
}

/* fd2 FILE: fd 2 becomes a data file of the program */
static int cmd_fd2(int argc, char **argv)
{
	close(STDERR_FILENO);
	if (argc < 1 || open(argv[0], O_WRONLY | O_CREAT, 0666) != STDERR_FILENO)
		return 1;
	return socket(AF_INET, SOCK_STREAM, 0) < 0;
}

/* open2 FILE: started with fd 2 closed, gets it as a data file */
static int cmd_open2(int argc, char **argv)
{
	if (argc < 1 || open(argv[0], O_WRONLY | O_CREAT, 0666) != STDERR_FILENO)
		return 1;
	return socket(AF_INET, SOCK_STREAM, 0) < 0;
}

/* pipe2: nobody reads fd 2; must not die of SIGPIPE, and one that is pending must stay so */
static int cmd_pipe2(int argc, char **argv)
{
	sigset_t pipe_only, pending;
	int fd;

	fd = socket(AF_INET, SOCK_STREAM, 0);
	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe_only, NULL);
	sigpending(&pending);
	printf("fd %s, SIGPIPE %s", fd < 0 ? "none" : "ok",
	       sigismember(&pending, SIGPIPE) ? "pending" : "none");
	raise(SIGPIPE);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	sigpending(&pending);
	printf(", raised %s\n", sigismember(&pending, SIGPIPE) ? "pending" : "LOST");
	return 0;
}

static void set_errno_env(const char *name, int err)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", err);
	setenv(name, text, 1);
}

/* late ERRNO: SMC works, then has no descriptor left, then is refused */
static int cmd_late(int argc, char **argv)
{
	char *call[] = { (char *)"2", (char *)"1", (char *)"6" };

	cmd_call(3, call);
	set_errno_env("FAKE_SMC", EMFILE);
	cmd_call(3, call);
	set_errno_env("FAKE_SMC", argc > 0 ? atoi(argv[0]) : EPERM);
	set_errno_env("FAKE_INET", argc > 0 ? atoi(argv[0]) : EPERM);
	cmd_call(3, call);
	unsetenv("FAKE_SMC");
	unsetenv("FAKE_INET");
	return cmd_call(3, call);
}

/* retry SECONDS: SMC becomes available after a refusal; a socket before and after some time */
static int cmd_retry(int argc, char **argv)
{
	char *call[] = { (char *)"2", (char *)"1", (char *)"0" };

	cmd_call(3, call);
	unsetenv("FAKE_SMC");
	unsetenv("FAKE_INET");
	cmd_call(3, call);
	fake_later(argc > 0 ? atoi(argv[0]) : 12);
	return cmd_call(3, call);
}

/* list FUNCTION: exec with a list of arguments, in a process whose environment has GIVEN=before */
static int cmd_list(int argc, char **argv)
{
	static char given[] = "GIVEN=execle";
	static char *const env[] = { given, NULL };
	static const char script[] = "echo \"$# $1 $2 $GIVEN\"";

	if (argc < 1)
		return 2;
	setenv("GIVEN", "before", 1);
	if (!strcmp(argv[0], "execl"))
		execl("/bin/sh", "sh", "-c", script, "sh", "one", "two", (char *)NULL);
	if (!strcmp(argv[0], "execlp"))
		execlp("sh", "sh", "-c", script, "sh", "one", "two", (char *)NULL);
	if (!strcmp(argv[0], "execle"))
		execle("/bin/sh", "sh", "-c", script, "sh", "one", "two", (char *)NULL, env);
	perror(argv[0]);
	return 1;
}

static void tell(const char *what, long first, long second)
{
	printf("%s: %ld %ld\n", what, first, second);
}

/* A connection over loopback, made with all functions for that. */
static int connected(int *client, int *server)
{
	struct sockaddr_in addr;
	int listener = socket(AF_INET, SOCK_STREAM, 0), other;

	*client = socket(AF_INET, SOCK_STREAM, 0);
	other = socket(AF_INET, SOCK_STREAM, 0);
	if (listen_here(listener, &addr, 2) ||
	    connect(other, (struct sockaddr *)&addr, sizeof(addr)) ||
	    connect(*client, (struct sockaddr *)&addr, sizeof(addr)))
		return -1;
	other = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	tell("accept4", other, fcntl(other, F_GETFD));
	*server = accept(listener, NULL, NULL);
	return close(listener) || *server < 0 ? -1 : 0;
}

#ifdef __GLIBC__
ssize_t __read_chk(int fd, void *data, size_t len, size_t size);
#endif

static void use_data(int client, int server)
{
	char bytes[16] = "";
	struct iovec part = { bytes, sizeof(bytes) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	int exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), ready = -1, pipes[2];
	off_t at = 1;
	long ret = sendfile(client, exe, &at, 3);

	tell("sendfile", ret, at);
	ret = recvmsg(server, &message, MSG_PEEK);
	tell("recvmsg", ret, bytes[0]);
	ret = ioctl(server, FIONREAD, &ready);
	tell("ioctl", ret, ready);
	if (pipe(pipes))
		return;
	ret = splice(server, NULL, pipes[1], NULL, 1, SPLICE_F_MOVE);
	tell("splice", ret, 0);
#ifdef __GLIBC__
	tell("fortified", __read_chk(server, bytes, 1, 1), 0);
#else
	tell("read", read(server, bytes, 1), 0);
#endif
	tell("shutdown", shutdown(client, SHUT_WR), 0);
	ret = read(server, bytes, sizeof(bytes));
	tell("the rest", ret, read(server, bytes, sizeof(bytes)));
	ret = close_range((unsigned int)pipes[0], (unsigned int)pipes[1], 0);
	tell("close_range", ret, fcntl(pipes[1], F_GETFD));
	closefrom(exe);
	tell("closefrom", fcntl(exe, F_GETFD), errno);
}

/* every: functions of libc, whatever is below the library */
static int cmd_every(int argc, char **argv)
{
	int client, server, on = 0, copy, epoll = epoll_create1(EPOLL_CLOEXEC);
	char name[] = "echo", *const args[] = { name, argv[-1], NULL }, *const none[] = { NULL };
	socklen_t len = sizeof(on);

	if (connected(&client, &server))
		return 1;
	tell("epoll_create1", epoll, fcntl(epoll, F_GETFD));
	copy = dup(server);
	tell("dup", copy, fcntl(copy, F_GETFD));
	copy = dup3(server, copy, O_CLOEXEC);
	tell("dup3", copy, fcntl(copy, F_GETFD));
	copy = fcntl(server, F_DUPFD, 40);
	tell("fcntl", copy, fcntl(copy, F_GETFD));
	tell("setsockopt", setsockopt(server, SOL_SOCKET, SO_KEEPALIVE, &len, sizeof(len)), 0);
	tell("getsockopt", getsockopt(server, SOL_SOCKET, SO_KEEPALIVE, &on, &len), 0);
	tell("its value", on, (long)len);
	prctl(PR_SET_DUMPABLE, 0);
	tell("prctl", prctl(PR_GET_DUMPABLE), 0);
	use_data(client, server);
	fflush(stdout);
	execve("/bin/echo", args, none);
	return 1;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "call", cmd_call },	  { "table", cmd_table }, { "threads", cmd_threads },
	{ "signal", cmd_signal }, { "fork", cmd_fork },	  { "quiet", cmd_quiet },
	{ "fd2", cmd_fd2 },	  { "open2", cmd_open2 }, { "pipe2", cmd_pipe2 },
	{ "late", cmd_late },	  { "retry", cmd_retry }, { "list", cmd_list },
	{ "every", cmd_every },
};

int main(int argc, char **argv)
{
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	fake_last = (fake_last_fn)dlsym(RTLD_DEFAULT, "fake_last");
	*(void **)&fake_later = dlsym(RTLD_DEFAULT, "fake_later");
	for (i = 0; argc > 1 && i < COUNT(commands); i++) {
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 2, argv + 2);
	}
	return 2;
}
