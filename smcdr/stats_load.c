// SPDX-License-Identifier: MIT
/* Statistics of a network namespace, from the kernel. */
#include "smcdr/cmd.h"

static int on_stats(const struct nlmsghdr *nlh, void *arg)
{
	return smc_stats_decode(arg, nlh);
}

static int on_fback(const struct nlmsghdr *nlh, void *arg)
{
	return smc_fback_decode(arg, nlh);
}

int stats_load(struct cmd *cmd, struct smc_stats *stats)
{
	int ret = cmd_dump(cmd, SMC_ABI_GET_STATS, on_stats, stats, "the statistics");

	return ret ? ret :
		     cmd_dump(cmd, SMC_ABI_GET_FBACK_STATS, on_fback, stats,
			      "the fallback statistics");
}
