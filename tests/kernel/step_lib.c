// SPDX-License-Identifier: MIT
/*
 * Kills the program right before change STEP_KILL, counted from 1: a request of netlink that is no
 * dump and no question for a family, a change by bpf(2), bytes written to a file, a name made or
 * removed. Or runs STEP_RUN then, and goes on. For conf_crash.py.
 */
#include <dlfcn.h>
#include <linux/bpf.h>
#include <linux/genetlink.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "tests/libc.h"

static void step(void)
{
	static long left = -1;
	const char *text = getenv("STEP_KILL");

	if (left < 0)
		left = text ? atol(text) : 0;
	if (!left || --left)
		return;
	text = getenv("STEP_RUN");
	if (!text)
		kill(getpid(), SIGKILL);
	unsetenv("LD_PRELOAD");
	(void)!system(text);
}

static void step_netlink(const void *data, size_t len)
{
	const struct nlmsghdr *nlh = data;

	if (len < sizeof(*nlh) ||
	    (nlh->nlmsg_type != GENL_ID_CTRL && (nlh->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP))
		step();
}

/* A function of libc with its parameters and arguments, after @before. */
#define WRAP(type, name, parameters, arguments, before)                                            \
	type name parameters                                                                       \
	{                                                                                          \
		static type(*real) parameters;                                                     \
                                                                                                   \
		if (!real)                                                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name);                                 \
		before;                                                                            \
		return real arguments;                                                             \
	}

WRAP(ssize_t, sendto,
     (int fd, const void *data, size_t len, int flags, const struct sockaddr *to, socklen_t size),
     (fd, data, len, flags, to, size), step_netlink(data, len))
WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *msg, int flags), (fd, msg, flags),
     step_netlink(msg->msg_iov[0].iov_base, msg->msg_iov[0].iov_len))
WRAP(ssize_t, write, (int fd, const void *data, size_t len), (fd, data, len), step())
WRAP(int, renameat, (int from, const char *old, int to, const char *name), (from, old, to, name),
     step())
WRAP(int, linkat, (int from, const char *old, int to, const char *name, int flags),
     (from, old, to, name, flags), step())
WRAP(int, unlinkat, (int dir, const char *name, int flags), (dir, name, flags), step())
WRAP(int, unlink, (const char *name), (name), step())

/* Programs and maps without a pin are gone with the process. */
static bool is_change(long command)
{
	return command == BPF_OBJ_PIN || command == BPF_MAP_UPDATE_ELEM ||
	       command == BPF_MAP_DELETE_ELEM || command == BPF_PROG_ATTACH ||
	       command == BPF_LINK_CREATE;
}

/* libbpf calls bpf(2) by syscall(), with up to six arguments. */
long syscall(long number, ...)
{
	static long (*real)(long number, ...);
	long args[6];
	va_list list;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	va_start(list, number);
	for (size_t i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_bpf && is_change(args[0]))
		step();
	return real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}
