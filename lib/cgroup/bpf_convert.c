// SPDX-License-Identifier: MIT
/* What the kernel must have for eBPF to make SMC sockets of a program's TCP sockets. */
#include "cgroup/bpf_convert.h"

#include <errno.h>
#include <stdlib.h>

#include "bpf/btf.h"
#include "host/probe.h"
#include "host/smc.h"

/*
 * Each is known by a function, in the order in which to name what is missing. Only MPTCP, in the
 * file of the second, lets BPF use the hook; a program on it needs the JIT compiler's trampolines.
 */
static const struct {
	const char *function, *words;
} parts[] = {
	{ "update_socket_protocol", "the function update_socket_protocol (kernel 6.6)" },
	{ "bpf_mptcp_sock_from_subflow", "CONFIG_MPTCP" },
	{ BTF_JIT, "CONFIG_BPF_JIT" },
};

#define N_PARTS (sizeof(parts) / sizeof(parts[0]))

/* Return: a bit for each part that there is, -ENOENT without BTF. */
static int probe_parts(void *arg __attribute__((unused)),
		       char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	size_t len;
	char *btf = btf_read(&len);
	int ret = 0;

	if (!btf)
		return -ENOENT;
	for (size_t i = 0; i < N_PARTS; i++)
		ret |= btf_has_name(btf, len, parts[i].function) << i;
	free(btf);
	return ret;
}

const char *bpf_convert_missing(void)
{
	int has;

	if (host_ipproto_smc())
		return host_af_smc() == -EAFNOSUPPORT ? "SMC" : "IPPROTO_SMC (kernel 6.11)";
	has = host_probe("bpfway", probe_parts, NULL, NULL);
	if (has < 0)
		return "BTF (CONFIG_DEBUG_INFO_BTF)";
	for (size_t i = 0; i < N_PARTS; i++)
		if (!(has & 1 << i))
			return parts[i].words;
	return NULL;
}
