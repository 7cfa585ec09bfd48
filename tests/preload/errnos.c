// SPDX-License-Identifier: MIT
/*
 * errno after every interposed function, on every kind of file; a line each:
 *	FUNCTION KIND VARIANT: RESULT ERRNO
 * The result is 0 for success; errno is "kept" if unchanged. The library must not change any line.
 */
#include <link.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "tests/libc.h"

/* An errno that no call returns. */
#define SENTINEL 4095
/* Unused descriptor numbers. */
#define CLOSED 777
#define OTHER 778

/* ---- files ---- */

static struct sockaddr_in listens, nobody = { .sin_family = AF_INET };
#define ADDRESS(in) ((struct sockaddr *)&(in)), sizeof(in)

static int must(int result)
{
	if (result < 0) {
		perror("errnos");
		exit(3);
	}
	return result;
}

static int open_stream(void)
{
	return must(socket(AF_INET, SOCK_STREAM, 0));
}

static int open_stream6(void)
{
	return must(socket(AF_INET6, SOCK_STREAM, 0));
}

/* A listener with a client in its queue that has sent data. */
static int open_listener(void)
{
	int fd = open_stream(), client = open_stream();
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	must(listen_here(fd, &listens, 8));
	must(connect(client, ADDRESS(listens)));
	must((int)write(client, "x", 1));
	must(poll(&ready, 1, -1));
	return fd;
}

static int open_connected(void)
{
	int fd = must(accept(open_listener(), NULL, NULL));
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	must(poll(&ready, 1, -1));
	return fd;
}

/* Opened before the library can know, by a raw system call. */
static int open_tcp(void)
{
	return must((int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
}

static int open_udp(void)
{
	return must(socket(AF_INET, SOCK_DGRAM, 0));
}

static int open_unix(void)
{
	int pair[2];

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	must((int)write(pair[1], "x", 1));
	return pair[0];
}

static int open_pipe(void)
{
	int ends[2];

	must(pipe(ends));
	return ends[1];
}

static int open_file(void)
{
	int fd = must(fileno(tmpfile()));

	must((int)write(fd, "text", 4));
	must((int)lseek(fd, 0, SEEK_SET));
	return fd;
}

static int open_epoll(void)
{
	return must(epoll_create1(0));
}

static int open_closed(void)
{
	return CLOSED;
}

static int open_none(void)
{
	return -1;
}

static const struct {
	const char *name;
	int (*open)(void);
} kinds[] = {
	{ "stream", open_stream },	 { "stream6", open_stream6 }, { "listener", open_listener },
	{ "connected", open_connected }, { "tcp", open_tcp },	      { "udp", open_udp },
	{ "unix", open_unix },		 { "pipe", open_pipe },	      { "file", open_file },
	{ "epoll", open_epoll },	 { "closed", open_closed },   { "-1", open_none },
};

/* ---- helpers of the calls ---- */

/* For names that the headers redirect, and functions missing in some libcs: system calls then. */
static void *find(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	errno = SENTINEL;
	return found;
}

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#define BY_NAME(name, number, ...)                                                                 \
	(find(name) ? ((int (*)(int, ...))find(name))(__VA_ARGS__) :                               \
		      (int)syscall(number, __VA_ARGS__))
#define CLOSE_RANGE(...)                                                                           \
	(find("close_range") ?                                                                     \
		 ((int (*)(unsigned int, unsigned int, int))find("close_range"))(__VA_ARGS__) :    \
		 (int)syscall(SYS_close_range, __VA_ARGS__))
#define EXECVEAT(...)                                                                              \
	(find("execveat") ? ((int (*)(int, const char *, char *const *, char *const *, int))find(  \
				    "execveat"))(__VA_ARGS__) :                                    \
			    (int)syscall(SYS_execveat, __VA_ARGS__))
#define SENDFILE(name, ...)                                                                        \
	(find(name) ? ((ssize_t(*)(int, int, void *, size_t))find(name))(__VA_ARGS__) :            \
		      syscall(SYS_sendfile, __VA_ARGS__))

/* A function that only some libcs have: @type is a pointer to it. */
#define IF_FOUND(name, type, ...)                                                                  \
	(find(name) ? ((type)find(name))(__VA_ARGS__) : (errno = ENOSYS, -1))
typedef ssize_t (*read_fn)(int, void *, size_t);
typedef ssize_t (*write_fn)(int, const void *, size_t);
typedef ssize_t (*send_fn)(int, const void *, size_t, int);
typedef ssize_t (*read_chk_fn)(int, void *, size_t, size_t);
typedef ssize_t (*recv_chk_fn)(int, void *, size_t, size_t, int);
typedef ssize_t (*recvfrom_chk_fn)(int, void *, size_t, size_t, int, struct sockaddr *,
				   socklen_t *);
typedef ssize_t (*vector_fn)(int, const struct iovec *, int, long, int);

static void close_from(int low)
{
	void (*call)(int) = (void (*)(int))find("closefrom");

	if (call)
		call(low);
	else
		syscall(SYS_close_range, low, ~0U, 0);
}

/* Avoid waiting, which is not under test. */
static int quick(int fd)
{
	int flags = (int)syscall(SYS_fcntl, fd, F_GETFL);

	syscall(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
	errno = SENTINEL;
	return fd;
}

static int another(int (*open)(void))
{
	int fd = open();

	errno = SENTINEL;
	return fd;
}

static int pidfd(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	errno = SENTINEL;
	return fd;
}

/* Run in a child; its status. */
#define CHILD(call)                                                                                \
	({                                                                                         \
		pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);                        \
		int left = 0;                                                                      \
		if (!pid) {                                                                        \
			errno = SENTINEL;                                                          \
			call;                                                                      \
			syscall(SYS_exit_group, errno == SENTINEL ? 0 : 1);                        \
		}                                                                                  \
		waitpid(pid, &left, 0);                                                            \
		errno = SENTINEL;                                                                  \
		left ? -2 : 0;                                                                     \
	})

/* The exit status of the child shows whether errno was kept there. */
static int forked(void)
{
	pid_t pid = fork();
	int kept = errno, left = 0;

	if (!pid)
		syscall(SYS_exit_group, errno == SENTINEL ? 0 : 1);
	waitpid(pid, &left, 0);
	errno = kept;
	return left ? -2 : 0;
}

/* @fd may be closed without the knowledge of its stream; @text stays buffered. */
static FILE *stream(int fd, const char *text)
{
	int is_bad = fd < 0 || fd == CLOSED, used = is_bad ? open("/dev/null", O_RDWR) : fd;
	FILE *file = fdopen(used, fd == CLOSED ? "w" : "r+");

	if (!file)
		file = fdopen(used, "w");
	if (text)
		fputs(text, file);
	if (is_bad)
		syscall(SYS_close, used);
	errno = SENTINEL;
	return file;
}

static char memory[64];
/* Unknown to the compiler, which would refuse it. */
static void *volatile wrong = (void *)1;

static FILE *ready(FILE *file)
{
	fputs("x", file);
	errno = SENTINEL;
	return file;
}

static FILE *grown(void)
{
	static char *text;
	static size_t size;

	return open_memstream(&text, &size);
}

static FILE *cookie(void)
{
	static const cookie_io_functions_t none;

	return fopencookie(NULL, "w", none);
}

/* File offset after a stream has read from it, negative; 0 for other files. */
static long offset_after(int fd)
{
	FILE *file = NULL;

	if (lseek(fd, 0, SEEK_CUR) >= 0)
		file = fdopen(BY_NAME("pidfd_getfd", SYS_pidfd_getfd, pidfd(), fd, 0), "r");
	if (file) {
		fgetc(file);
		fclose(file);
	}
	errno = SENTINEL;
	return file ? -lseek(fd, 0, SEEK_CUR) : 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	return *(int *)arg;
}

static int set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

static int get(int fd, int level, int name)
{
	char value[64];
	socklen_t len = name == SO_RCVTIMEO ? sizeof(struct timeval) : sizeof(int);

	return getsockopt(fd, level, name, value, &len);
}

static int peer_of(int fd)
{
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);

	return getpeername(fd, (void *)&name, &len);
}

static int ask(int fd, unsigned long request)
{
	char name[256] = "lo";

	return ioctl(fd, request, name);
}

static struct iovec part = { memory, 1 };
static struct mmsghdr message = { .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } };
static int minus = -1;
static char *args[] = { (char *)"x", NULL };
static const struct linger lingering = { 1, 5 };

/* FUNCTION, VARIANT, CALL with the file @fd. Calls that exit or fork run in children. */
#define CALLS(X)                                                                                   \
	X(accept, , accept(quick(fd), NULL, NULL))                                                 \
	X(accept4, , accept4(quick(fd), NULL, NULL, SOCK_CLOEXEC))                                 \
	X(accept4, flags, accept4(quick(fd), NULL, NULL, 1 << 30))                                 \
	X(bind, , bind(fd, ADDRESS(nobody)))                                                       \
	X(bind, used, bind(another(open_listener) ? fd : fd, ADDRESS(listens)))                    \
	X(bind, none, bind(fd, NULL, 0))                                                           \
	X(close, , close(fd))                                                                      \
	X(close_range, , CLOSE_RANGE((unsigned int)fd, (unsigned int)fd, 0))                       \
	X(close_range, wrong, CLOSE_RANGE((unsigned int)fd, 0, 0))                                 \
	X(closefrom, , CHILD(close_from(fd)))                                                      \
	X(connect, , connect(fd, ADDRESS(listens)))                                                \
	X(connect, well, connect(another(open_listener) ? fd : fd, ADDRESS(listens)))              \
	X(connect, nobody, connect(fd, ADDRESS(nobody)))                                           \
	X(connect, none, connect(fd, NULL, 0))                                                     \
	X(dl_iterate_phdr, , dl_iterate_phdr(visit, &fd))                                          \
	X(dup, , dup(fd))                                                                          \
	X(dup2, , dup2(fd, OTHER))                                                                 \
	X(dup2, over, dup2(0, fd))                                                                 \
	X(dup3, , dup3(fd, OTHER, O_CLOEXEC))                                                      \
	X(dup3, over, dup3(0, fd, 0))                                                              \
	X(dup3, same, dup3(fd, fd, 0))                                                             \
	X(epoll_create, , epoll_create(fd))                                                        \
	X(epoll_create1, , epoll_create1(fd < 0 ? fd : 0))                                         \
	X(execl, , execl("/no/such", "x", (char *)NULL))                                           \
	X(execle, , execle("/no/such", "x", (char *)NULL, args + 1))                               \
	X(execlp, , execlp("no-such-program", "x", (char *)NULL))                                  \
	X(execv, , execv("/", args))                                                               \
	X(execve, , execve("/", args, args + 1))                                                   \
	X(execveat, , EXECVEAT(fd, "no-such", args, args + 1, 0))                                  \
	X(execvp, , execvp("no-such-program", args))                                               \
	X(execvpe, , execvpe("no-such-program", args, args + 1))                                   \
	X(_Exit, , CHILD(_Exit(0)))                                                                \
	X(_exit, , CHILD(_exit(0)))                                                                \
	X(fclose, , fclose(stream(fd, NULL)))                                                      \
	X(fclose, text, fclose(stream(fd, "text")))                                                \
	X(fclose, memory, fclose(ready(fmemopen(memory, 64, "w"))))                                \
	X(fclose, grown, fclose(ready(grown())))                                                   \
	X(fclose, cookie, fclose(ready(cookie())))                                                 \
	X(fclose, full, fclose(ready(fopen("/dev/full", "w"))))                                    \
	X(fclose, offset, offset_after(fd))                                                        \
	X(fcntl, , BY_NAME("fcntl", SYS_fcntl, fd, F_GETFL))                                       \
	X(fcntl, dup, BY_NAME("fcntl", SYS_fcntl, fd, F_DUPFD, 9))                                 \
	X(fcntl, wrong, BY_NAME("fcntl", SYS_fcntl, fd, 9999))                                     \
	X(fcntl64, , BY_NAME("fcntl64", SYS_fcntl, fd, F_GETFL))                                   \
	X(fcntl64, dup, BY_NAME("fcntl64", SYS_fcntl, fd, F_DUPFD_CLOEXEC, 9))                     \
	X(fcntl64, wrong, BY_NAME("fcntl64", SYS_fcntl, fd, 9999))                                 \
	X(fexecve, , fexecve(fd, args, args + 1))                                                  \
	X(fork, , forked())                                                                        \
	X(getpeername, , peer_of(fd))                                                              \
	X(getsockopt, error, get(fd, SOL_SOCKET, SO_ERROR))                                        \
	X(getsockopt, domain, get(fd, SOL_SOCKET, SO_DOMAIN))                                      \
	X(getsockopt, protocol, get(fd, SOL_SOCKET, SO_PROTOCOL))                                  \
	X(getsockopt, time, get(fd, SOL_SOCKET, SO_RCVTIMEO))                                      \
	X(getsockopt, wrong, get(fd, SOL_SOCKET, 9999))                                            \
	X(ioctl, , ask(fd, FIONREAD))                                                              \
	X(ioctl, address, ask(fd, 0x8915))                                                         \
	X(ioctl, stamp, ask(fd, 0x8906))                                                           \
	X(ioctl, wrong, ask(fd, 0x89ef))                                                           \
	X(listen, , listen(fd, 1))                                                                 \
	X(pidfd_getfd, , BY_NAME("pidfd_getfd", SYS_pidfd_getfd, pidfd(), fd, 0))                  \
	X(prctl, , prctl(PR_GET_DUMPABLE, 0, 0, 0, 0))                                             \
	X(prctl, wrong, prctl(-1, 0, 0, 0, 0))                                                     \
	X(prctl, locked, CHILD((void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)))                      \
	X(preadv2, , IF_FOUND("preadv2", vector_fn, quick(fd), &part, 1, -1, 0))                   \
	X(preadv64v2, , IF_FOUND("preadv64v2", vector_fn, quick(fd), &part, 1, -1, 0))             \
	X(pwritev2, , IF_FOUND("pwritev2", vector_fn, quick(fd), &part, 1, -1, 0))                 \
	X(pwritev64v2, , IF_FOUND("pwritev64v2", vector_fn, quick(fd), &part, 1, -1, 0))           \
	X(quick_exit, , CHILD(quick_exit(0)))                                                      \
	X(__read, , IF_FOUND("__read", read_fn, quick(fd), memory, 4))                             \
	X(__read_chk, , IF_FOUND("__read_chk", read_chk_fn, quick(fd), memory, 4, 4))              \
	X(__recv_chk, , IF_FOUND("__recv_chk", recv_chk_fn, quick(fd), memory, 4, 4, 0))           \
	X(__recvfrom_chk, ,                                                                        \
	  IF_FOUND("__recvfrom_chk", recvfrom_chk_fn, quick(fd), memory, 4, 4, 0, NULL, NULL))     \
	X(__send, , IF_FOUND("__send", send_fn, quick(fd), "text", 4, 0))                          \
	X(__write, , IF_FOUND("__write", write_fn, quick(fd), "text", 4))                          \
	X(read, , read(quick(fd), memory, 4))                                                      \
	X(read, none, read(quick(fd), NULL, 0))                                                    \
	X(read, wrong, read(quick(fd), wrong, 4))                                                  \
	X(readv, , readv(quick(fd), &part, 1))                                                     \
	X(readv, wrong, readv(quick(fd), wrong, 1))                                                \
	X(recv, , recv(quick(fd), memory, 4, 0))                                                   \
	X(recv, errors, recv(quick(fd), memory, 4, MSG_ERRQUEUE))                                  \
	X(recvfrom, , recvfrom(quick(fd), memory, 4, 0, NULL, NULL))                               \
	X(recvmmsg, , recvmmsg(fd, &message, 1, MSG_DONTWAIT, NULL))                               \
	X(recvmsg, , recvmsg(fd, &message.msg_hdr, MSG_DONTWAIT))                                  \
	X(recvmsg, wrong, recvmsg(quick(fd), wrong, 0))                                            \
	X(send, , send(quick(fd), "text", 4, 0))                                                   \
	X(send, more, send(quick(fd), "text", 4, MSG_MORE))                                        \
	X(send, wrong, send(quick(fd), wrong, 4, 0))                                               \
	X(sendmmsg, , sendmmsg(fd, &message, 1, MSG_DONTWAIT))                                     \
	X(sendmmsg, none, sendmmsg(fd, &message, 0, MSG_DONTWAIT))                                 \
	X(sendmmsg, wrong, sendmmsg(fd, wrong, 1, MSG_DONTWAIT))                                   \
	X(sendmsg, , sendmsg(fd, &message.msg_hdr, MSG_DONTWAIT))                                  \
	X(sendmsg, wrong, sendmsg(fd, wrong, MSG_DONTWAIT))                                        \
	X(sendto, , sendto(quick(fd), "text", 4, 0, NULL, 0))                                      \
	X(sendfile, , SENDFILE("sendfile", quick(fd), another(open_file), NULL, 4))                \
	X(sendfile, short, SENDFILE("sendfile", quick(fd), another(open_file), NULL, 9))           \
	X(sendfile64, , SENDFILE("sendfile64", quick(fd), another(open_file), NULL, 4))            \
	X(setsockopt, , set(fd, SOL_SOCKET, SO_KEEPALIVE, 1))                                      \
	X(setsockopt, reuseport, set(fd, SOL_SOCKET, SO_REUSEPORT, 1))                             \
	X(setsockopt, zerocopy, set(fd, SOL_SOCKET, SO_ZEROCOPY, 1))                               \
	X(setsockopt, lowat, set(fd, SOL_SOCKET, SO_RCVLOWAT, 2))                                  \
	X(setsockopt, linger,                                                                      \
	  setsockopt(fd, SOL_SOCKET, SO_LINGER, &lingering, sizeof(lingering)))                    \
	X(setsockopt, nodelay, set(fd, IPPROTO_TCP, TCP_NODELAY, 1))                               \
	X(setsockopt, fastopen, set(fd, IPPROTO_TCP, TCP_FASTOPEN, 1))                             \
	X(setsockopt, short, setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &minus, 1))                  \
	X(setsockopt, wrong, set(fd, SOL_SOCKET, 9999, 1))                                         \
	X(shutdown, read, shutdown(fd, SHUT_RD))                                                   \
	X(shutdown, write, shutdown(fd, SHUT_WR))                                                  \
	X(shutdown, both, shutdown(fd, SHUT_RDWR))                                                 \
	X(shutdown, wrong, shutdown(fd, 99))                                                       \
	X(socket, , socket(AF_INET, SOCK_STREAM, 0))                                               \
	X(socket, 6, socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP))                                   \
	X(socket, wrong, socket(AF_INET, SOCK_STREAM, 9999))                                       \
	X(splice, out, splice(quick(fd), NULL, another(open_pipe), NULL, 4, SPLICE_F_NONBLOCK))    \
	X(splice, same, splice(quick(fd), NULL, fd, NULL, 4, SPLICE_F_NONBLOCK))                   \
	X(write, , write(quick(fd), "text", 4))                                                    \
	X(write, none, write(quick(fd), NULL, 0))                                                  \
	X(write, wrong, write(quick(fd), wrong, 4))                                                \
	X(writev, , writev(quick(fd), &part, 1))                                                   \
	X(writev, wrong, writev(quick(fd), wrong, 1))                                              \
	X(writev, many, writev(quick(fd), &part, minus))

#define DEFINE(name, variant, call)                                                                \
	static long do_##name##_##variant(int fd)                                                  \
	{                                                                                          \
		(void)fd;                                                                          \
		return (long)(call);                                                               \
	}
CALLS(DEFINE)

#define ROW(name, variant, call) { #name, #variant, do_##name##_##variant },
static const struct {
	const char *name, *variant;
	long (*call)(int fd);
} calls[] = { CALLS(ROW) };

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			int fd = kinds[k].open();
			long ret;

			errno = SENTINEL;
			ret = calls[i].call(fd);
			printf("%s %s %s: %ld %s\n", calls[i].name, kinds[k].name, calls[i].variant,
			       ret < 0 ? ret : 0, errno == SENTINEL ? "kept" : strerror(errno));
			for (fd = 3; fd < 32; fd++)
				close(fd);
			close(OTHER);
			close(CLOSED);
		}
	}
	return 0;
}
