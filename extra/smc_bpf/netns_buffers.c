// SPDX-License-Identifier: MIT
/* Buffers of SMC sockets in containers: sysctls of their network namespaces, as eBPF sets none. */
#include "smc_bpf/smc_bpf.h"

#include "base/array.h"
#include "host/file.h"
#include "launch/bufsize.h"
#include "net/netns.h"
#include "process/proc.h"
#include "smc/buffer_sizes.h"

#define KNOB "/proc/sys/net/smc/%s"

/** struct wish - @bytes: 0 for the default of smc_run, unless somebody has set another size */
struct wish {
	int bytes;
	struct smc_err *err;
};

static bool is_kernels(const char *knob)
{
	unsigned long bytes;

	return host_number(&bytes, KNOB, knob) && bytes == SMC_KERNEL_BUFFER;
}

static int set_here(void *arg)
{
	static const char *const knobs[] = { "rmem", "wmem" };
	const struct wish *wish = arg;
	char text[24];
	int ret;

	snprintf(text, sizeof(text), "%d",
		 wish->bytes ? wish->bytes : smc_good_buffer(buffers_memory()));
	for (size_t i = 0; i < ARRAY_SIZE(knobs); i++) {
		ret = wish->bytes || is_kernels(knobs[i]) ? host_write(text, KNOB, knobs[i]) : 0;
		if (ret)
			return smc_err_set(wish->err, -ret, "cannot set net.smc.%s to %s", knobs[i],
					   text);
	}
	return 0;
}

int buffers_set(pid_t pid, int bytes, struct smc_err *err)
{
	struct wish wish = { bytes, err };
	char netns[64];
	int ret = proc_shares(pid, "net");

	if (ret > 0)
		return is_kernels("rmem");
	/* The process has ended. */
	if (ret == -ENOENT)
		return 0;
	snprintf(netns, sizeof(netns), "/proc/%d/ns/net", (int)pid);
	return ret ? smc_err_set(err, -ret, "%s", netns) :
		     smc_netns_run(netns, set_here, &wish, err);
}
