// SPDX-License-Identifier: MIT
/* smc_keep: another process that holds a socket until SMC has sent what was written to it. */
#include "ld_pre_smc/keeper.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/signals.h"
#include "ld_pre_smc/sock.h"

#ifndef SMC_KEEP
#define SMC_KEEP "/usr/libexec/smc-tools/smc_keep"
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

/* Of each of the two processes that start the keeper. */
#define STACK 16384

/* The keeper beside this library (a build tree, a container), and the installed one. */
static const char *library;

static atomic_int tried;

/* The process one of whose threads starts the keeper, or did when this one was forked from it. */
static atomic_int starter;

/* An object's segments begin at its address, of which libc counts. */
static bool has_address(const struct dl_phdr_info *info, uintptr_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD &&
		    address - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
			return true;
	}
	return false;
}

/* The name lives as long as the object. Ends the search with anything but 0. */
static int look_at(struct dl_phdr_info *info, size_t size __attribute__((unused)),
		   void *arg __attribute__((unused)))
{
	if (!has_address(info, (uintptr_t)shim_keeper_find))
		return 0;
	library = info->dlpi_name;
	return 1;
}

/* Not by dladdr(3), which was not in glibc's libc before 2.34. */
void shim_keeper_find(void)
{
	dl_iterate_phdr(look_at, NULL);
}

/* errno of the last step, 0 on success. */
static int connect_to(const struct sockaddr_un *addr, socklen_t addr_len, int *fd)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t len = sizeof(peer);
	int err;

	*fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0)
		return errno;
	if (!syscall(SYS_connect, *fd, addr, addr_len) &&
	    !next_getsockopt(*fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) && peer.uid == geteuid())
		return 0;
	err = peer.uid == (uid_t)-1 ? errno : EACCES;
	shim_close(*fd);
	return err;
}

static bool send_to(int to, int fd, enum keep_how how)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char byte = (char)how;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.space),
	};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(int));
	return syscall(SYS_sendmsg, to, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

/* What the two processes get from their parent, in whose memory they run. */
struct start {
	char beside[PATH_MAX];
	const char *paths[2];
	char stacks[2][STACK] __attribute__((aligned(64)));
	struct sockaddr_un addr;
	socklen_t addr_len;
	bool is_taken;
};

static void build_paths(struct start *start)
{
	const char *slash = library ? strrchr(library, '/') : NULL;
	size_t len = slash ? (size_t)(slash + 1 - library) : 0;

	if (len && len + sizeof("smc_keep") <= sizeof(start->beside)) {
		memcpy(start->beside, library, len);
		memcpy(start->beside + len, "smc_keep", sizeof("smc_keep"));
	}
	/* An empty one is not there. */
	start->paths[0] = start->beside;
	start->paths[1] = SMC_KEEP;
}

/*
 * The keeper to be. Its listening socket is there before anyone learns of the keeper, and whoever
 * binds the name first is the only one. It never holds the program's files: the new table is empty.
 */
static int become_keeper(void *arg)
{
	char name[] = "smc_keep", *const argv[] = { name, NULL }, *const envp[] = { NULL };
	struct start *start = arg;

	if (syscall(SYS_close_range, 0, ~0U, CLOSE_RANGE_UNSHARE) ||
	    syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0) != 0)
		syscall(SYS_exit_group, 1);
	start->is_taken = syscall(SYS_bind, 0, &start->addr, start->addr_len);
	if (start->is_taken || syscall(SYS_listen, 0, SOMAXCONN))
		syscall(SYS_exit_group, 1);
	for (int i = 0; i < 2; i++)
		syscall(SYS_execve, start->paths[i], argv, envp);
	syscall(SYS_exit_group, 1);
	return 1;
}

static void nap(void)
{
	const long millisecond[] = { 0, 1000000 };

	syscall(SYS_nanosleep, millisecond, NULL);
}

/* As vfork(2), without a signal for the parent at the end. */
static int start_process(int (*run)(void *), struct start *start, int stack)
{
	return clone(run, start->stacks[stack] + STACK, CLONE_VM | CLONE_VFORK | CLONE_FILES,
		     start);
}

/* The parent of the keeper, which goes at once: init gets the keeper. */
static int start_keeper(void *arg)
{
	syscall(SYS_exit_group, start_process(become_keeper, arg, 1) < 0);
	return 1;
}

static bool can_execute(const struct start *start)
{
	for (int i = 0; i < 2; i++) {
		if (!syscall(SYS_faccessat, AT_FDCWD, start->paths[i], X_OK))
			return true;
	}
	return false;
}

/*
 * Not twice a second, and not where the end of the keeper would be the program's business: in the
 * first process of a container, and in others that get the orphans of their descendants.
 */
static bool may_start(void)
{
	struct timespec now = { 0 };
	int reaper = 0, last = tried;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if ((last && last == (int)now.tv_sec + 1) ||
	    !atomic_compare_exchange_strong(&tried, &last, (int)now.tv_sec + 1))
		return false;
	return !getauxval(AT_SECURE) && syscall(SYS_getpid) != 1 &&
	       !next_prctl(PR_GET_CHILD_SUBREAPER, (unsigned long)&reaper, 0, 0, 0) && !reaper;
}

static void start_it(const struct sockaddr_un *addr, socklen_t addr_len)
{
	struct start *start;
	int status, pid;

	start = mmap(NULL, sizeof(*start), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (start == MAP_FAILED)
		return;
	start->addr = *addr;
	start->addr_len = addr_len;
	build_paths(start);
	if (can_execute(start)) {
		pid = start_process(start_keeper, start, 0);
		if (pid > 0)
			syscall(SYS_wait4, pid, &status, __WCLONE, NULL);
	}
	/* By a keeper that does not listen yet, or no more: in a moment it does, or has gone. */
	if (start->is_taken) {
		tried = 0;
		nap();
	}
	munmap(start, sizeof(*start));
}

/* Return: false if it is no use to try again. */
static bool start_once(const struct sockaddr_un *addr, socklen_t addr_len, long long end)
{
	int pid = (int)syscall(SYS_getpid), other = starter;
	bool may;

	while (other == pid && shim_milliseconds() < end) {
		nap();
		other = starter;
		if (other != pid)
			return true;
	}
	if (!atomic_compare_exchange_strong(&starter, &other, pid))
		return true;
	may = may_start();
	if (may)
		start_it(addr, addr_len);
	starter = 0;
	return may;
}

/* errno of the last step, 0 on success. */
static int find_keeper(int *fd)
{
	/* It takes a few, but on a busy machine. Without a keeper the kernel waits as long. */
	long long end = shim_milliseconds() + KEEP_KERNEL_MS;
	struct sockaddr_un addr;
	socklen_t len = keep_address(&addr, geteuid());
	bool late = false;
	int err;

	while ((err = connect_to(&addr, len, fd)) == ECONNREFUSED && !late)
		late = !start_once(&addr, len, end) || shim_milliseconds() >= end;
	return err;
}

/* With all signals blocked: a handler would find the memory and the descriptors of a half-way. */
static bool give(int fd, enum keep_how how)
{
	int to;
	bool sent;

	if (find_keeper(&to))
		return false;
	sent = send_to(to, fd, how);
	shim_close(to);
	return sent;
}

bool shim_keeper_give(int fd, enum keep_how how)
{
	struct shim_signals old;
	int saved = errno;
	bool given = false;

	if (shim_signals_block(&old)) {
		given = give(fd, how);
		shim_signals_restore(&old);
	}
	errno = saved;
	return given;
}
