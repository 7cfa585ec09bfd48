// SPDX-License-Identifier: MIT
#include "bpf/rights.h"

#include <linux/capability.h>
#include <sys/syscall.h>

#include "base/array.h"

static const struct right {
	int cap;
	const char *name;
	bool by_admin;
} rights[] = {
	{ CAP_BPF, "CAP_BPF", true },
	{ CAP_PERFMON, "CAP_PERFMON", true },
	{ CAP_NET_ADMIN, "CAP_NET_ADMIN", false },
};

static int check(const struct right *right, const struct right *end, struct smc_err *err)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	char missing[64] = "";
	bool is_admin;

	if (syscall(SYS_capget, &header, data))
		return smc_err_set(err, errno, "cannot read the capabilities of this process");
	is_admin = data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN);
	for (; right < end; right++) {
		size_t len = strlen(missing);

		if (!(data[CAP_TO_INDEX(right->cap)].effective & CAP_TO_MASK(right->cap)) &&
		    !(right->by_admin && is_admin))
			snprintf(missing + len, sizeof(missing) - len, "%s%s", len ? ", " : "",
				 right->name);
	}
	return *missing ? smc_err_say(err, EPERM, "missing capabilities: %s", missing) : 0;
}

int bpf_rights(bool with_net_admin, struct smc_err *err)
{
	return check(rights, rights + ARRAY_SIZE(rights) - !with_net_admin, err);
}

int bpf_net_right(struct smc_err *err)
{
	return check(rights + ARRAY_SIZE(rights) - 1, rights + ARRAY_SIZE(rights), err);
}

int bpf_load_error(int ret, const char *what, struct smc_err *err)
{
	if (ret == -EPERM || ret == -EACCES)
		return smc_err_say(err, -ret,
				   "cannot %s: CAP_SYS_ADMIN is missing, or kernel "
				   "lockdown, a security module or a container forbids it",
				   what);
	return smc_err_set(err, -ret, "cannot %s", what);
}
