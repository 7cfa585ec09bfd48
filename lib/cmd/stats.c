// SPDX-License-Identifier: MIT
/* stats: a stub until the next file. */
#include "cmd/run.h"

int cmd_run_stats(struct cmd *cmd)
{
	return cmd_usage(cmd, "stats: not yet");
}
