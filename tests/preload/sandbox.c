// SPDX-License-Identifier: MIT
/*
 * A sandbox like sshd's: the kernel kills the process for all system calls except a few. With
 * "libseccomp" it is set up by that library.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>

#include "tests/libc.h"

#define KILL_AT(number)                                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

#define LOW_HALF (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)

/* System calls of the library that a sandboxed program does not need. */
#define NARROW 5 /* no AF_SMC */
static struct sock_filter code[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + LOW_HALF),
	KILL_AT(43),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	KILL_AT(SYS_getsockopt),
	KILL_AT(SYS_setsockopt),
	KILL_AT(SYS_ioctl),
	KILL_AT(SYS_ppoll),
	KILL_AT(SYS_prctl),
	KILL_AT(SYS_getpeername),
	KILL_AT(SYS_rt_sigprocmask),
#ifdef SYS_poll
	KILL_AT(SYS_poll),
#endif
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* The library reads the time without a system call, and finds that it has advanced. */
static time_t second = 1000;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	*now = (struct timespec){ .tv_sec = second };
	return 0;
}

struct ends {
	int server, client;
};

static struct ends open_ends(void)
{
	return (struct ends){ .server = socket(AF_INET, SOCK_STREAM, 0),
			      .client = socket(AF_INET, SOCK_STREAM, 0) };
}

/* Calls of a sandboxed server; not all of them set options. */
static int serve(struct ends ends, bool with_options)
{
	struct sockaddr_in addr;
	int accepted, on = 1;

	if (listen_here(ends.server, &addr, 1) ||
	    connect(ends.client, (struct sockaddr *)&addr, sizeof(addr)))
		return 1;
	accepted = accept(ends.server, NULL, NULL);
	return accepted < 0 ||
	       (with_options &&
		setsockopt(ends.client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on))) ||
	       send(ends.client, "x", 1, 0) != 1 || recv(accepted, &on, 1, 0) != 1 ||
	       close(accepted) || close(ends.client) || close(ends.server);
}

static int lock_by_prctl(struct sock_fprog *filter)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter);
}

/* From <seccomp.h>, which is not needed for building. */
struct argument {
	unsigned int number;
	int compare;
	uint64_t value, other;
};
#define EQUAL 4
#define KILL 0U
#define ALLOW 0x7fff0000U

/* Allow only the calls of serve() and main(). */
static int lock_by_libseccomp(void)
{
	static const struct {
		const char *name;
		unsigned int n;
		struct argument argument;
	} rules[] = {
		{ "socket", 1, { 0, EQUAL, AF_INET, 0 } },
		{ "setsockopt", 1, { 1, EQUAL, IPPROTO_TCP, 0 } },
		{ .name = "bind" },
		{ .name = "listen" },
		{ .name = "getsockname" },
		{ .name = "connect" },
		{ .name = "accept" },
		{ .name = "accept4" },
		{ .name = "sendto" },
		{ .name = "recvfrom" },
		{ .name = "send" },
		{ .name = "recv" },
		{ .name = "close" },
		{ .name = "exit_group" },
	};
	void *library = dlopen("libseccomp.so.2", RTLD_NOW), *filter;
	void *(*start)(uint32_t);
	int (*add)(void *, uint32_t, int, unsigned int, const struct argument *);
	int (*number)(const char *), (*load)(void *);

	if (!library)
		return -1;
	start = (void *(*)(uint32_t))dlsym(library, "seccomp_init");
	add = (int (*)(void *, uint32_t, int, unsigned int, const struct argument *))dlsym(
		library, "seccomp_rule_add_array");
	number = (int (*)(const char *))dlsym(library, "seccomp_syscall_resolve_name");
	load = (int (*)(void *))dlsym(library, "seccomp_load");
	filter = start(KILL);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		add(filter, ALLOW, number(rules[i].name), rules[i].n, &rules[i].argument);
	return load(filter);
}

static int fail(void)
{
	perror("sandbox");
	return 77;
}

/* Sockets from before and after; no second attempt after an earlier refusal. */
static int run_libseccomp(void)
{
	struct ends before = open_ends();

	if (lock_by_libseccomp())
		return fail();
	second += 11;
	return serve(before, true) || serve(open_ends(), true);
}

int main(int argc, char **argv)
{
	struct sock_fprog filter = { .len = sizeof(code) / sizeof(code[0]), .filter = code };
	int fd;

	if (argc == 2 && !strcmp(argv[1], "libseccomp"))
		return run_libseccomp();
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (argc == 2 && !strcmp(argv[1], "inside"))
		return close(fd) || close(open("/dev/null", O_RDONLY));
	if (argc == 2) {
		filter.filter += NARROW;
		filter.len -= NARROW;
	}
	if (lock_by_prctl(&filter))
		return fail();
	if (argc == 2 && !strcmp(argv[1], "exec"))
		execl(argv[0], argv[0], "inside", (char *)NULL);
	return close(fd) || serve(open_ends(), false);
}
