// SPDX-License-Identifier: MIT
/* lib/host/smc: kernels that open SMC sockets, and kernels that refuse them for various reasons. */
#include "child.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "host/smc.h"

/* Offset of the lower half of a 64-bit argument in BPF. */
#define LOW_WORD (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)

/* A query, the argument of socket() to filter, and the errno; 0 lets it pass. */
struct answer {
	int (*ask)(void);
	unsigned int arg;
	uint32_t value;
	int error;
};

static int answers(const void *arg)
{
	const struct answer *answer = arg;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args) + 8 * answer->arg + LOW_WORD),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, answer->value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)answer->error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return CHILD_CANNOT;
	return answer->ask() == -answer->error ? CHILD_RIGHT : CHILD_WRONG;
}

static void check(struct answer answer)
{
	static const int errors[] = { 0, EAFNOSUPPORT, EPROTONOSUPPORT, EPERM, EMFILE };

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		answer.error = errors[i];
		in_child(answers, &answer);
	}
}

TEST(af_smc)
{
	check((struct answer){ kernel_af_smc, 0, AF_SMC, 0 });
	check((struct answer){ host_af_smc, 0, AF_SMC, 0 });
}

TEST(ipproto_smc)
{
	check((struct answer){ kernel_ipproto_smc, 2, IPPROTO_SMC, 0 });
	check((struct answer){ host_ipproto_smc, 2, IPPROTO_SMC, 0 });
}
