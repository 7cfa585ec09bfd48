// SPDX-License-Identifier: MIT
#include "process/sockcall.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/array.h"
#include "host/probe.h"
#include "process/helper.h"
#include "process/seccomp_abi.h"
#include "process/sysarch.h"
#include "process/tcpguard.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

/* A newer kernel may send a longer request; none has so far. */
union question {
	struct seccomp_notif notif;
	char space[512];
};

/* On s390x the C library and Go use socketcall(2), whose arguments a filter cannot see. */
#if defined(SYSARCH) && defined(SYS_socket) && !defined(__s390x__)

/* Exclude x32, the second set of numbers of x86-64, and 32-bit programs of a 64-bit kernel. */
#if defined(__x86_64__)
#define NR_ALSO (0x40000000 | SYS_socket)
#define NR_ALSO_OPTION (0x40000000 | 541)
#define ARCH_ALSO AUDIT_ARCH_I386
#define ARCH_ALSO_NR 359
#define ARCH_ALSO_OPTION 366
#elif defined(__aarch64__)
#define NR_ALSO SYS_socket
#define NR_ALSO_OPTION SYS_setsockopt
#define ARCH_ALSO AUDIT_ARCH_ARM
#define ARCH_ALSO_NR 281
#define ARCH_ALSO_OPTION 294
#else
#define NR_ALSO SYS_socket
#define NR_ALSO_OPTION SYS_setsockopt
#define ARCH_ALSO SYSARCH
#define ARCH_ALSO_NR SYS_socket
#define ARCH_ALSO_OPTION SYS_setsockopt
#endif

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define NOTIFY_OPTION(level, option)                                                               \
	IF(TCPGUARD(level, option), 0, 1), ANSWER(SECCOMP_RET_USER_NOTIF),

/* IF() takes the number of steps to skip. All other calls are allowed. */
static const struct sock_filter steps[] = {
	LOAD(offsetof(struct seccomp_data, arch)),
	IF(SYSARCH, 0, 6),
	LOAD(offsetof(struct seccomp_data, nr)),
	IF(SYS_socket, 9, 0),
	IF(NR_ALSO, 8, 0),
	IF(SYS_setsockopt, 19, 0),
	IF(NR_ALSO_OPTION, 18, 0),
	ANSWER(SECCOMP_RET_ALLOW),
	IF(ARCH_ALSO, 0, 3),
	LOAD(offsetof(struct seccomp_data, nr)),
	IF(ARCH_ALSO_NR, 2, 0),
	IF(ARCH_ALSO_OPTION, 13, 0),
	ANSWER(SECCOMP_RET_ALLOW),
	/* socket(2) */
	LOAD(SYSARCH_ARG(0)),
	IF(AF_INET, 1, 0),
	IF(AF_INET6, 0, 8),
	LOAD(SYSARCH_ARG(1)),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (unsigned int)~(SOCK_NONBLOCK | SOCK_CLOEXEC)),
	IF(SOCK_STREAM, 0, 5),
	LOAD(SYSARCH_ARG(2)),
	IF(0, 2, 0),
	IF(IPPROTO_TCP, 1, 0),
	IF(IPPROTO_MPTCP, 0, 1),
	ANSWER(SECCOMP_RET_USER_NOTIF),
	ANSWER(SECCOMP_RET_ALLOW),
	/* setsockopt(2) */
	LOAD(SYSARCH_ARG(1)),
	BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 16),
	BPF_STMT(BPF_MISC | BPF_TAX, 0),
	LOAD(SYSARCH_ARG(2)),
	BPF_STMT(BPF_ALU | BPF_OR | BPF_X, 0),
	TCPGUARDS(NOTIFY_OPTION) ANSWER(SECCOMP_RET_ALLOW),
};

static bool is_setsockopt(const struct seccomp_data *data)
{
	return data->arch == SYSARCH ? data->nr == SYS_setsockopt || data->nr == NR_ALSO_OPTION :
				       data->nr == ARCH_ALSO_OPTION;
}

/*
 * The kernel maps libraries at the end of the address space, randomized within its last eighth,
 * like the loader here. Only tracers can see another thread's mappings.
 */
static bool is_own(const struct seccomp_data *data)
{
	return data->arch == SYSARCH && data->instruction_pointer < getauxval(AT_BASE) / 8 * 7;
}

static int set_filter(unsigned long flags)
{
	struct sock_filter copy[ARRAY_SIZE(steps)];
	struct sock_fprog filter = { ARRAY_SIZE(steps), copy };
	long fd;

	memcpy(copy, steps, sizeof(steps));
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);

	return fd < 0 ? -errno : (int)fd;
}

int sockcall_listen(void)
{
	/* This is not a sandbox; without SPEC_ALLOW, the whole program gets slower before 5.16. */
	unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW |
			      SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	int fd = set_filter(flags);

	if (fd == -EINVAL) {
		flags &= ~SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
		fd = set_filter(flags);
	}
	if (fd == -EACCES && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		fd = set_filter(flags);
	return fd;
}
#else
int sockcall_listen(void)
{
	return -ENOSYS;
}

#define is_setsockopt(data) ((void)(data), false)
#define is_own(data) ((void)(data), false)
#endif

/* Test for SECCOMP_ADDFD_FLAG_SEND: a kernel with it finds that this request does not exist. */
static int try_answer(int listener)
{
	struct seccomp_notif_addfd answer = { .flags = SECCOMP_ADDFD_FLAG_SEND };
	__u16 sizes[3]; /* sizes[0] is that of struct seccomp_notif */

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, sizes) ||
	    *sizes > sizeof(union question))
		return EINVAL;
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &answer) && errno == ENOENT ? 0 : EINVAL;
}

static int probe(void)
{
	pid_t pid = helper_fork();
	int status, listener;

	if (!pid) {
		listener = sockcall_listen();
		syscall(SYS_exit_group, listener < 0 ? -listener : try_answer(listener));
	}
	if (pid < 0)
		return (int)pid;
	while (waitpid(pid, &status, __WCLONE) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

const char *sockcall_missing(void)
{
#ifdef __s390x__
	return "programs that call socket(2) itself, not socketcall(2) as on s390x";
#endif
	switch (host_probe_number("seccomp-notify", probe)) {
	case 0: return NULL;
	case -EBUSY: return "a process without a seccomp supervisor of its own";
	default: return "seccomp user notification (kernel 5.14)";
	}
}

const char *sockcall_misses(const struct target *target)
{
	if (target->secure)
		return "set-uid, set-gid or file capabilities would have no effect";
	if (target->known && target->elf.bits == 32)
		return "32-bit programs open sockets by socketcall(2)";
	return NULL;
}

int sockcall_receive(int listener, struct sockcall *call)
{
	union question question = { .space = { 0 } };
	const struct seccomp_data *data = &question.notif.data;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question))
		return -errno;
	*call = (struct sockcall){
		.id = question.notif.id,
		.pid = (pid_t)question.notif.pid,
		.is_option = is_setsockopt(data),
		.is_v6 = (int)data->args[0] == AF_INET6,
		.is_mptcp = (int)data->args[2] == IPPROTO_MPTCP,
		.is_own = is_own(data),
		.flags = (int)data->args[1] & (SOCK_NONBLOCK | SOCK_CLOEXEC),
	};
	return 0;
}

int sockcall_give(int listener, const struct sockcall *call, int fd)
{
	struct seccomp_notif_addfd answer = {
		.id = call->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (__u32)fd,
		.newfd_flags = call->flags & SOCK_CLOEXEC ? O_CLOEXEC : 0,
	};

	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &answer) < 0 ? -errno : 0;
}

void sockcall_fail(int listener, const struct sockcall *call, int code)
{
	struct seccomp_notif_resp answer = {
		.id = call->id,
		.error = -code,
		.flags = code ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE,
	};

	/* The request may be gone. */
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
