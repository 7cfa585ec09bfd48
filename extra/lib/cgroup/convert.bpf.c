// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Convert TCP sockets of chosen control groups and processes into SMC sockets. One program serves
 * all scopes: the kernel accepts at most 38 programs per function.
 */
#include <asm/errno.h>
#include <asm/socket.h>

#include "bpf/kernel.bpf.h"
#include "cgroup/scope.h"
#include "process/tcpguard.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

enum {
	AF_SMC = 43,
	SOCK_TYPE_MASK = 0xf, /* the rest are flags */
	SOCK_STREAM = 1,
	PROTO_TCP = 6,
	PROTO_SMC = 256,
	PROTO_MPTCP = 262,
	SMC_CLOSED = 7,
	CGROUP_LEVELS = 32,
	GROUPS_LOG2 = 17, /* a process has at most 65536 groups */
};

typedef kuid_t kgid_t;

/* Sorted, by groups_sort() in the kernel. */
struct group_info {
	int ngroups;
	kgid_t gid[0];
} KERNEL;

struct cred {
	kuid_t euid;
	kgid_t egid;
	struct group_info *group_info;
} KERNEL;

struct mm_struct {
	unsigned long start_code, end_code;
} KERNEL;

struct inet_connection_sock {
	__u8 icsk_syn_retries;
} KERNEL;

/* Marks of threads: the id of their scope. Freed with the thread. */
MAP_BESIDE(tasks, TASK, __u64);

MAP(scopes, HASH, BPF_F_NO_PREALLOC, SCOPE_MAX, __u64, struct smc_scope);

static __u64 mark_of(struct task_struct *task)
{
	__u64 *mark = bpf_task_storage_get(&tasks, task, NULL, 0);

	return mark ? *mark : 0;
}

/* Scope of the innermost control group. */
static struct smc_scope *cgroup_scope(void)
{
	struct smc_scope *found = NULL, *scope;

	for (int level = 0; level < CGROUP_LEVELS; level++) {
		__u64 id = bpf_get_current_ancestor_cgroup_id(level);

		if (!id)
			break;
		scope = bpf_map_lookup_elem(&scopes, &id);
		if (scope)
			found = scope;
	}
	return found;
}

static struct smc_scope *current_scope(struct task_struct *task)
{
	struct smc_scope *scope = NULL;
	__u64 mark = mark_of(task);

	if (mark)
		scope = bpf_map_lookup_elem(&scopes, &mark);
	return scope ? scope : cgroup_scope();
}

/* Name of the process, that is, of its main thread: other threads often have their own names. */
static bool has_excluded_name(struct smc_scope *scope, struct task_struct *task)
{
	__u64 *comm = (__u64 *)task->group_leader->comm;
	__u64 first = comm[0], second = comm[1];

	for (int i = 0; i < SCOPE_COMMS; i++) {
		__u64 *name = (__u64 *)scope->comms[i];

		if (!name[0])
			break;
		if (name[0] == first && name[1] == second)
			return true;
	}
	return false;
}

static bool is_excluded(struct smc_scope *scope, struct task_struct *task, int family)
{
	if (scope->family && scope->family != (__u32)family)
		return true;
	return scope->comms[0][0] && has_excluded_name(scope, task);
}

static bool has_group(struct task_struct *task, __u32 wanted)
{
	struct group_info *info = BPF_CORE_READ(task, cred, group_info);
	const char *gids = (const char *)info + bpf_core_field_offset(struct group_info, gid);
	__u32 low = 0, high = BPF_CORE_READ(info, ngroups), gid = 0;

	if (BPF_CORE_READ(task, cred, egid.val) == wanted)
		return true;
	for (int i = 0; i < GROUPS_LOG2 && low < high; i++) {
		__u32 middle = (low + high) / 2;

		if (bpf_probe_read_kernel(&gid, sizeof(gid), gids + middle * sizeof(gid)))
			return false;
		if (gid == wanted)
			return true;
		if (gid < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Root, or a member of the group that may have itself marked */
static bool is_allowed(const struct smc_scope *scope, struct task_struct *task)
{
	return !BPF_CORE_READ(task, cred, euid.val) ||
	       (scope->has_gid && has_group(task, scope->gid));
}

/* Return: protocol to answer with */
static int ask_for_mark(struct task_struct *task)
{
	__u64 run = SCOPE_RUN_ID, *mark;
	struct smc_scope *scope = bpf_map_lookup_elem(&scopes, &run);

	if (!scope || !is_allowed(scope, task))
		return 0;
	mark = bpf_task_storage_get(&tasks, task, &run, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!mark)
		return 0;
	*mark = run;
	return PROTO_SMC;
}

/*
 * Go's listeners ask for MPTCP although nobody chose it, and Go calls the kernel itself. A program
 * that calls it through a C library was changed or configured to use MPTCP.
 */
static bool takes_mptcp(const struct smc_scope *scope, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	unsigned long ip = PT_REGS_IP(regs);

	return !scope->keeps_mptcp && ip >= task->mm->start_code && ip < task->mm->end_code;
}

/* A nonzero return value replaces the protocol of socket(2). */
SEC("fmod_ret/update_socket_protocol")
int BPF_PROG(smc_socket, int family, int type, int protocol, int ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct smc_scope *scope;

	if (!ret && protocol == SCOPE_ASK && family == AF_INET &&
	    (type & SOCK_TYPE_MASK) == SOCK_STREAM)
		return ask_for_mark(task);
	scope = current_scope(task);
	if (!scope || ret)
		return ret;
	if ((family != AF_INET && family != AF_INET6) || (type & SOCK_TYPE_MASK) != SOCK_STREAM ||
	    (protocol != 0 && protocol != PROTO_TCP &&
	     (protocol != PROTO_MPTCP || !takes_mptcp(scope, task)))) {
		__sync_fetch_and_add(protocol == PROTO_MPTCP ? &scope->mptcp : &scope->other, 1);
		return 0;
	}
	if (is_excluded(scope, task, family)) {
		__sync_fetch_and_add(&scope->excluded, 1);
		return 0;
	}
	__sync_fetch_and_add(&scope->converted, 1);
	return PROTO_SMC;
}

static bool is_smc(const struct sock *sk)
{
	return sk->sk_protocol == PROTO_SMC || sk->__sk_common.skc_family == AF_SMC;
}

/*
 * Refuse the key, because SMC's data would not be signed with it. The file of a socket that fell
 * back leads to its TCP socket.
 */
SEC("fmod_ret/security_socket_setsockopt")
int BPF_PROG(smc_setsockopt, struct socket *sock, int level, int option, int ret)
{
	struct sock *sk = sock->sk;

	if (ret || !tcpguard_is(level, option) || !is_smc(sk))
		return ret;
	return current_scope(bpf_get_current_task_btf()) ? -ENOPROTOOPT : 0;
}

/*
 * ETIMEDOUT once all SYNs were sent, otherwise EHOSTUNREACH. The pointer to the TCP socket follows
 * an inet_sock: using SMC's type, which is in a module, needs CAP_SYS_ADMIN.
 */
static int lost_error(const struct sock *smc)
{
	struct socket *inner = NULL;
	struct sock *tcp;
	__u32 tries;

	bpf_probe_read_kernel(&inner, sizeof(inner),
			      (const char *)smc + bpf_core_type_size(struct inet_sock));
	tcp = BPF_CORE_READ(inner, sk);
	if (BPF_CORE_READ(tcp, sk_protocol) != PROTO_TCP)
		return -EHOSTUNREACH;
	tries = BPF_CORE_READ((struct inet_connection_sock *)tcp, icsk_syn_retries);
	if (!tries)
		tries = BPF_CORE_READ(tcp, __sk_common.skc_net.net, ipv4.sysctl_tcp_syn_retries);
	return BPF_CORE_READ((struct tcp_sock *)tcp, total_retrans) < tries ? -EHOSTUNREACH :
									      -ETIMEDOUT;
}

/*
 * Before Linux 7.2 (9032f7676935) a non-blocking connect(2) that fails late leaves a closed socket
 * and no error; Go then waits for ever. The call itself fails with the error instead. Other ended
 * connections have an error, or a direction that is shut down.
 */
SEC("fmod_ret/security_socket_getsockopt")
int BPF_PROG(smc_getsockopt, struct socket *sock, int level, int option, int ret)
{
	struct sock *sk = sock->sk;

	if (ret || option != SO_ERROR || level != SOL_SOCKET || !is_smc(sk) ||
	    sk->__sk_common.skc_state != SMC_CLOSED || sk->sk_err || sk->sk_shutdown ||
	    !current_scope(bpf_get_current_task_btf()))
		return ret;
	return lost_error(sk);
}

/* Runs before the child does; threads count as children too. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(smc_fork, struct task_struct *parent, struct task_struct *child)
{
	__u64 mark = mark_of(parent);

	if (mark && bpf_map_lookup_elem(&scopes, &mark))
		bpf_task_storage_get(&tasks, child, &mark, BPF_LOCAL_STORAGE_GET_F_CREATE);
	return 0;
}
