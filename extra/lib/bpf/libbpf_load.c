// SPDX-License-Identifier: MIT
#include "bpf/libbpf_load.h"

#include <dlfcn.h>

#include "base/dlnote.h"
#include "bpf/rights.h"
#include "host/btf.h"

#define LIBBPF_SONAME "libbpf.so.1"

DLNOTE(LIBBPF_SONAME, "bpf",
       "scopes: smc_bpf; TCP connections with their processes: smc_advise; SMC connections: "
       "smc_events, and their payload: smc_dump",
       "suggested");

int libbpf_find(struct libbpf *lib, struct smc_err *err)
{
	void *handle = dlopen(LIBBPF_SONAME, RTLD_NOW | RTLD_LOCAL);
	size_t missing = !handle;

	if (handle) {
#define LOOK_UP(type, name, arguments) missing += !(*(void **)&lib->name = dlsym(handle, #name));
		LIBBPF_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
	}
	if (missing)
		return smc_err_say(err, ENOSYS,
				   "eBPF needs %s: install libbpf1 (Debian, Ubuntu) "
				   "or libbpf (RPM)",
				   LIBBPF_SONAME);
	/* libbpf's own messages would only repeat the error. */
	lib->libbpf_set_print(NULL);
	return 0;
}

int libbpf_load_error(int ret, struct smc_err *err)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return smc_err_say(err, ENOENT,
				   "cannot load the eBPF programs: no "
				   "/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)");
	/* Without the JIT, loading a program with a loop fails with a plain EINVAL. */
	if (ret == -EINVAL && !btf_kernel_has(BTF_JIT))
		return smc_err_say(err, ENOTSUP,
				   "cannot load the eBPF programs: the kernel lacks "
				   "CONFIG_BPF_JIT");
	return bpf_load_error(ret, "load the eBPF programs", err);
}
