// SPDX-License-Identifier: MIT
/* What the kernel must have for eBPF to make SMC sockets of a program's TCP sockets. */
#include "sys/bpf_convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "host/probe.h"
#include "host/smc.h"

#define BTF_MAX (32U * 1024 * 1024)

/*
 * Each is known by a function, in the order in which to name what is missing. Only MPTCP, in the
 * file of the second, lets BPF use the hook; a program on it needs the JIT compiler's trampolines.
 */
static const struct {
	const char *function, *words;
} parts[] = {
	{ "update_socket_protocol", "the function update_socket_protocol (kernel 6.6)" },
	{ "bpf_mptcp_sock_from_subflow", "CONFIG_MPTCP" },
	{ "bpf_jit_charge_modmem", "CONFIG_BPF_JIT" },
};

#define N_PARTS (sizeof(parts) / sizeof(parts[0]))

/* BTF has the names of all functions, each with a NUL before and behind. */
static bool has_name(const char *btf, size_t len, const char *name)
{
	char word[64] = "";
	size_t size = strlen(name) + 2;

	memcpy(word + 1, name, size - 2);
	return memmem(btf, len, word, size);
}

/* Return: a bit for each part that there is, -ENOENT without BTF. */
static int probe_parts(void *arg __attribute__((unused)),
		       char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	size_t len;
	char *btf = host_whole(&len, BTF_MAX, "/sys/kernel/btf/vmlinux");
	int ret = 0;

	if (!btf)
		return -ENOENT;
	for (size_t i = 0; i < N_PARTS; i++)
		ret |= has_name(btf, len, parts[i].function) << i;
	free(btf);
	return ret;
}

const char *bpf_convert_missing(void)
{
	int has;

	if (host_ipproto_smc())
		return "IPPROTO_SMC (kernel 6.11)";
	has = host_probe("bpfway", probe_parts, NULL, NULL);
	if (has < 0)
		return "BTF (CONFIG_DEBUG_INFO_BTF)";
	for (size_t i = 0; i < N_PARTS; i++)
		if (!(has & 1 << i))
			return parts[i].words;
	return NULL;
}
