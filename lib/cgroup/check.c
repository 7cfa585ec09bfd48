// SPDX-License-Identifier: MIT
#include "cgroup/pins.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "base/array.h"
#include "bpf/rights.h"
#include "cgroup/scope.h"
#include "host/probe.h"
#include "host/smc.h"

/*
 * Kernel features, in the order in which to report that they are missing. A feature exists if the
 * kernel has its function. The second one stands for MPTCP, without which BPF cannot use the hook;
 * the third one for trampolines, which come with the JIT compiler.
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
static int probe_parts(void *arg __attribute__((unused)),
		       char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	size_t len;
	char *btf AUTO_FREE = btf_read(&len);
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
	has = host_probe("bpfway", probe_parts, NULL, NULL);
	if (has < 0)
		return "BTF (CONFIG_DEBUG_INFO_BTF)";
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!(has & 1 << i))
			return parts[i].words;
	return NULL;
}

static int check_bpffs(struct smc_err *err)
{
	struct statfs fs;

	if (statfs(SCOPE_BPFFS, &fs) || (unsigned int)fs.f_type != BPF_FS_MAGIC)
		return smc_err_say(err, ENODEV, "no BPF file system at %s: mount -t bpf bpf %s",
				   SCOPE_BPFFS, SCOPE_BPFFS);
	return 0;
}

static int check_hook(struct smc_err *err)
{
	const char *missing;

	switch (btf_kernel_has(SCOPE_FUNCTION)) {
	case -1:
		return smc_err_say(err, ENOTSUP,
				   "the kernel has no type information for eBPF: no "
				   "/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)");
	case 0:
		return smc_err_say(err, ENOTSUP,
				   "the kernel has no " SCOPE_FUNCTION "(): that is Linux 6.6 or "
				   "later with CONFIG_MPTCP, and SMC needs 6.11");
	default:
		/* Without the JIT compiler (Debian's s390x) loading fails with ENOMEM only. */
		missing = bpf_convert_missing();
		return missing ? smc_err_say(err, ENOTSUP, "the kernel lacks %s", missing) : 0;
	}
}

static int check_smc(struct smc_err *err)
{
	int ret = kernel_ipproto_smc();

	if (ret && kernel_af_smc() == -EAFNOSUPPORT)
		return smc_err_say(err, EAFNOSUPPORT, "%s", smc_missing());
	return ret ? smc_err_set(err, -ret,
				 "sockets with IPPROTO_SMC (Linux 6.11 or later, with "
				 "SMC) cannot be opened, so TCP sockets would fail, too") :
		     0;
}

/*
 * The kernel does not require CAP_NET_ADMIN; this tool does, because attaching changes the network
 * of other users' programs.
 */
int check_host(struct smc_err *err)
{
	int ret = bpf_rights(true, err);

	if (!ret)
		ret = check_bpffs(err);
	/* An attached program proves that the hook exists. */
	if (!ret && access(SCOPE_DIR "/" SCOPE_HOOK, F_OK))
		ret = check_hook(err);
	if (!ret)
		ret = check_smc(err);
	return ret;
}
