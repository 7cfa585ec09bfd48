/* SPDX-License-Identifier: MIT */
/* Files of smc_conf: smc.conf(5). */
#pragma once

#define CONF_FILE "/etc/smc-tools/smc.conf"
/* Read after smc.conf, even if that is missing: lines added by programs, such as smc_unit peers. */
#define CONF_DIR "/etc/smc-tools/smc.conf.d"
