// SPDX-License-Identifier: MIT
/* process/sockcall: the filter, step by step, with calls of every architecture. */
#include "test.h"

#include "process/sockcall.c"

#if defined(SYSARCH) && defined(SYS_socket) && !defined(__s390x__)

/* Run the filter. Return: a SECCOMP_RET */
static uint32_t run(const struct seccomp_data *data)
{
	uint32_t a = 0, x = 0, word;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		const struct sock_filter *step = &steps[i];

		switch (step->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&word, (const char *)data + step->k, sizeof(word));
			a = word;
			break;
		case BPF_ALU | BPF_AND | BPF_K: a &= step->k; break;
		case BPF_ALU | BPF_LSH | BPF_K: a <<= step->k; break;
		case BPF_ALU | BPF_OR | BPF_X: a |= x; break;
		case BPF_MISC | BPF_TAX: x = a; break;
		case BPF_JMP | BPF_JEQ | BPF_K: i += a == step->k ? step->jt : step->jf; break;
		case BPF_RET | BPF_K: return step->k;
		default: fail_msg("step %zu", i);
		}
	}
	fail_msg("no answer");
	return 0;
}

static bool asks(uint32_t arch, int nr, uint64_t first, uint64_t second, uint64_t third)
{
	const struct seccomp_data data = { .arch = arch,
					   .nr = nr,
					   .args = { first, second, third } };
	uint32_t answer = run(&data);

	assert_true(answer == SECCOMP_RET_USER_NOTIF || answer == SECCOMP_RET_ALLOW);
	return answer == SECCOMP_RET_USER_NOTIF;
}

/* The same calls with the numbers of another architecture, or of x32 */
static void check_calls(uint32_t arch, int socket_nr, int option_nr)
{
	const struct seccomp_data one = { .arch = arch, .nr = socket_nr };
	const struct seccomp_data two = { .arch = arch, .nr = option_nr };

	assert_false(is_setsockopt(&one));
	assert_true(is_setsockopt(&two));
	assert_true(asks(arch, socket_nr, AF_INET, SOCK_STREAM, 0));
	assert_true(asks(arch, socket_nr, AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP));
	assert_false(asks(arch, socket_nr, AF_INET, SOCK_DGRAM, 0));
	assert_false(asks(arch, socket_nr, AF_UNIX, SOCK_STREAM, 0));
	assert_false(asks(arch, socket_nr, AF_INET, SOCK_STREAM, IPPROTO_SCTP));
	for (uint64_t level = 0; level < 300; level++)
		for (uint64_t option = 0; option < 300; option++) {
			bool is_guard = false;

#define FIND(l, o) is_guard |= level == (l) && option == (o);
			TCPGUARDS(FIND)
			assert_int_equal(asks(arch, option_nr, 3, level, option), is_guard);
		}
}

TEST(socket_and_setsockopt)
{
	check_calls(SYSARCH, SYS_socket, SYS_setsockopt);
	check_calls(SYSARCH, NR_ALSO, NR_ALSO_OPTION);
	check_calls(ARCH_ALSO, ARCH_ALSO_NR, ARCH_ALSO_OPTION);
}

/* Arguments are int: the kernel ignores the upper half. */
TEST(upper_halves)
{
	const uint64_t high = 0xabcdefULL << 32;

	assert_true(asks(SYSARCH, SYS_socket, high | AF_INET, high | SOCK_STREAM, high));
	assert_true(asks(SYSARCH, SYS_setsockopt, 3, high | IPPROTO_IP, high | 21));
}

TEST(other_calls)
{
	assert_false(asks(SYSARCH, SYS_getsockopt, 3, IPPROTO_IP, 21));
	assert_false(asks(SYSARCH, SYS_read, AF_INET, SOCK_STREAM, 0));
	assert_false(asks(AUDIT_ARCH_MIPS, SYS_socket, AF_INET, SOCK_STREAM, 0));
	assert_false(asks(AUDIT_ARCH_MIPS, SYS_setsockopt, 3, IPPROTO_IP, 21));
	if (ARCH_ALSO != SYSARCH) {
		assert_false(asks(ARCH_ALSO, SYS_socket, AF_INET, SOCK_STREAM, 0));
		assert_false(asks(ARCH_ALSO, SYS_setsockopt, 3, IPPROTO_IP, 21));
	}
}
#endif

TEST(misses)
{
	struct target target = { .known = true, .elf.bits = 64 };

	assert_null(sockcall_misses(&target));
	target.elf.bits = 32;
	assert_non_null(strstr(sockcall_misses(&target), "socketcall(2)"));
	target.secure = true;
	assert_non_null(strstr(sockcall_misses(&target), "set-uid"));
}
