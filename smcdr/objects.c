// SPDX-License-Identifier: MIT
/* The objects of smcd and smcr, in the order in which shortened names find them. */
#include "smcdr/run.h"

const struct cmd_object cmd_objects[] = {
	{ "device", false, cmd_run_device },
	{ "linkgroup", false, cmd_run_linkgroup },
	{ "info", false, cmd_run_info },
	{ "stats", false, cmd_run_stats },
	{ "ueid", false, cmd_run_ueid },
	{ "seid", true, cmd_run_seid },
	{ "help", false, NULL },
	{ "hs", false, cmd_run_hs },
	{ 0 },
};
