// SPDX-License-Identifier: MIT
#include "host/btf.h"

#include "base/array.h"
#include "host/file.h"
#include "host/probe.h"
#include "host/smc.h"

#define BTF_MAX (32U * 1024 * 1024)

static char *read_btf(size_t *len)
{
	return host_whole(len, BTF_MAX, "/sys/kernel/btf/vmlinux");
}

/* Each name has a NUL before and after it. */
bool btf_has_name(const char *btf, size_t len, const char *name)
{
	char word[64] = "";
	size_t size = strlen(name) + 2;

	memcpy(word + 1, name, size - 2);
	return memmem(btf, len, word, size);
}

int btf_kernel_has(const char *name)
{
	size_t len;
	char *btf AUTO_FREE = read_btf(&len);

	return btf ? btf_has_name(btf, len, name) : -1;
}

/*
 * Kernel features, in the order in which missing ones are reported. A feature exists if the kernel
 * has its function. The second function shows MPTCP, without which BPF cannot use the hook; the
 * third one shows trampolines, which come with the JIT compiler.
 */
static const struct {
	const char *function, *words;
} parts[] = {
	{ "update_socket_protocol", "the function update_socket_protocol (kernel 6.6)" },
	{ "bpf_mptcp_sock_from_subflow", "CONFIG_MPTCP" },
	{ BTF_JIT, "CONFIG_BPF_JIT" },
	{ SCOPE_OPTIONS_FUNCTION, "CONFIG_SECURITY_NETWORK" },
};

/* Return: a bit for each feature found, -ENOENT without BTF. */
static int probe_parts(void)
{
	size_t len;
	char *btf AUTO_FREE = read_btf(&len);
	int ret = 0;

	if (!btf)
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		ret |= btf_has_name(btf, len, parts[i].function) << i;
	return ret;
}

const char *bpf_convert_missing(void)
{
	int has;

	if (host_ipproto_smc())
		return host_af_smc() == -EAFNOSUPPORT ? "SMC" : "IPPROTO_SMC (kernel 6.11)";
	has = host_probe_number("bpfway", probe_parts);
	if (has < 0)
		return "BTF (CONFIG_DEBUG_INFO_BTF)";
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!(has & 1 << i))
			return parts[i].words;
	return NULL;
}
