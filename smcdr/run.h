/* SPDX-License-Identifier: MIT */
/* The commands of each object. All return 0, or -errno with the sentence in cmd->err. */
#ifndef SMC_CMD_RUN_H
#define SMC_CMD_RUN_H

#include "smcdr/cmd.h"

int cmd_run_device(struct cmd *cmd);
int cmd_run_linkgroup(struct cmd *cmd);
int cmd_run_info(struct cmd *cmd);
int cmd_run_stats(struct cmd *cmd);
int cmd_run_ueid(struct cmd *cmd);
int cmd_run_seid(struct cmd *cmd);
int cmd_run_hs(struct cmd *cmd);

#endif
