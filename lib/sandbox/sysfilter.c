// SPDX-License-Identifier: MIT
/* System call filter: lists of forbidden calls, translated into BPF. */
#include "sandbox/sysfilter.h"

#include <sched.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/array.h"
#include "process/sysarch.h"

/* Numbers from 403 on are the same on every architecture; installed headers may be older. */
/* clang-format off */
enum {
	NR_UTIMENSAT_TIME64 = 412, /* on 32-bit architectures */
	NR_IO_URING_SETUP = 425, NR_IO_URING_ENTER, NR_IO_URING_REGISTER, NR_OPEN_TREE,
	NR_MOVE_MOUNT, NR_FSOPEN, NR_FSCONFIG, NR_FSMOUNT, NR_FSPICK, NR_CLONE3 = 435,
	NR_OPENAT2 = 437, NR_PIDFD_GETFD, NR_MOUNT_SETATTR = 442, NR_FCHMODAT2 = 452,
	NR_SETXATTRAT = 463, NR_REMOVEXATTRAT = 466, NR_OPEN_TREE_ATTR, NR_FILE_SETATTR = 469,
	NR_LAST = 470, /* listns(), 6.19 */
};
/* clang-format on */

#define NEW_NAMESPACE                                                                              \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | \
	 CLONE_NEWCGROUP)

/* s390 swaps the first two arguments of clone(). */
#ifdef __s390x__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif

#ifdef SYSARCH
/* clang-format off */
static const int always[] = {
	SYS_acct, SYS_add_key, SYS_bpf, SYS_chroot, SYS_delete_module, SYS_fanotify_init,
	SYS_finit_module, SYS_init_module, SYS_kcmp, SYS_kexec_load, SYS_keyctl, SYS_mount,
	SYS_open_by_handle_at, SYS_perf_event_open, SYS_pivot_root, SYS_process_vm_readv,
	SYS_process_vm_writev, SYS_ptrace, SYS_quotactl, SYS_reboot, SYS_request_key, SYS_setns,
	SYS_swapoff, SYS_swapon, SYS_umount2, SYS_unshare, SYS_userfaultfd,
	/* io_uring opens files past any filter. */
	NR_IO_URING_SETUP, NR_IO_URING_ENTER, NR_IO_URING_REGISTER,
	NR_OPEN_TREE, NR_MOVE_MOUNT, NR_FSOPEN, NR_FSCONFIG, NR_FSMOUNT, NR_FSPICK,
	NR_PIDFD_GETFD, NR_MOUNT_SETATTR, NR_OPEN_TREE_ATTR,
};

static const int files[] = {
	SYS_openat, NR_OPENAT2, SYS_mkdirat, SYS_mknodat, SYS_linkat, SYS_symlinkat, SYS_unlinkat,
	SYS_renameat2, SYS_truncate, SYS_fchmodat, NR_FCHMODAT2, SYS_fchownat, SYS_utimensat,
	SYS_setxattr, SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr, NR_SETXATTRAT,
	NR_REMOVEXATTRAT, NR_FILE_SETATTR, SYS_inotify_add_watch,
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_open
	SYS_open, SYS_creat, SYS_mkdir, SYS_mknod, SYS_link, SYS_symlink, SYS_unlink, SYS_rmdir,
	SYS_rename, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
#ifdef SYS_chown32
	SYS_chown32, SYS_lchown32, SYS_truncate64, NR_UTIMENSAT_TIME64,
#endif
};
/* clang-format on */

static const int execute[] = { SYS_execve, SYS_execveat };

struct program {
	struct sock_filter code[300];
	unsigned short len;
};

static void add(struct program *program, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	program->code[program->len++] = (struct sock_filter){ code, jt, jf, k };
}

static void load(struct program *program, size_t offset)
{
	add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void fail(struct program *program, int code)
{
	add(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)code, 0, 0);
}

static void allow(struct program *program)
{
	add(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

static void fail_if(struct program *program, uint16_t test, uint32_t value, int code)
{
	add(program, BPF_JMP | test | BPF_K, value, 0, 1);
	fail(program, code);
}

static void fail_list(struct program *program, const int *list, size_t count, int code)
{
	for (size_t i = 0; i < count; i++)
		fail_if(program, BPF_JEQ, (uint32_t)list[i], code);
}

/* System call @nr fails if @test holds for one of its arguments. */
static void fail_call(struct program *program, int nr, unsigned int arg, uint16_t test,
		      uint32_t value, int code)
{
	add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 4);
	load(program, SYSARCH_ARG(arg));
	fail_if(program, test, value, code);
	allow(program);
}

#define FAIL_LIST(program, list, code) fail_list(program, list, ARRAY_SIZE(list), code)

static void build(struct program *program, bool is_without_files)
{
	load(program, offsetof(struct seccomp_data, arch));
	add(program, BPF_JMP | BPF_JEQ | BPF_K, SYSARCH, 1, 0);
	fail(program, ENOSYS);
	load(program, offsetof(struct seccomp_data, nr));
	/* Also rejects the numbers of x32. */
	fail_if(program, BPF_JGT, NR_LAST, ENOSYS);
	/* The C library falls back to clone(), whose flags are visible. */
	fail_if(program, BPF_JEQ, NR_CLONE3, ENOSYS);
	FAIL_LIST(program, always, EPERM);
	FAIL_LIST(program, execute, EACCES);
	if (is_without_files) {
		FAIL_LIST(program, files, EACCES);
		/* A Unix socket is a file, or can receive one. */
		fail_call(program, SYS_socket, 0, BPF_JEQ, AF_UNIX, EACCES);
	}
	fail_call(program, SYS_clone, CLONE_FLAGS, BPF_JSET, (uint32_t)NEW_NAMESPACE, EPERM);
	allow(program);
}

int sysfilter_install(bool is_without_files)
{
	struct program program = { .len = 0 };
	struct sock_fprog filter = { .filter = program.code };

	build(&program, is_without_files);
	filter.len = program.len;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) ? -errno : 0;
}
#else
int sysfilter_install(bool is_without_files)
{
	(void)is_without_files;
	return -ENOSYS;
}
#endif
