// SPDX-License-Identifier: MIT
#include "cgroup/pins.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "bpf/rights.h"
#include "cgroup/scope.h"
#include "host/btf.h"
#include "host/smc.h"

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
