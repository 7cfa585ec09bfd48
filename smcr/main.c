// SPDX-License-Identifier: MIT
/* smcr: show the kernel's SMC-R resources. */
#include "smcdr/cmd.h"

static const struct cli_opt options[] = {
	CMD_OPTIONS("show more; twice, or -dd: GIDs of links too"),
};

static const char more[] =
	"Objects and their commands (all can be shortened; show is the default):\n"
	"  info       show\n"
	"  device     show [all] [netdev NAME] [ibdev NAME]\n"
	"  linkgroup  show | link-show [all | LG-ID] [netdev NAME] [ibdev NAME]\n"
	"  stats      show | reset | json\n"
	"  ueid       show | add EID | del EID | flush\n"
	"  hs         show | enable | disable\n";

static const struct cli_tool tool = {
	.name = "smcr",
	.usage = "[OPTIONS] OBJECT [COMMAND]",
	.summary = "Show SMC-R devices, link groups and statistics, and set EIDs.",
	.examples = "  smcr -d linkgroup link-show\n  smcr stats\n",
	.opts = options,
	.more = more,
	.error_status = 1,
};

int main(int argc, char **argv)
{
	const struct smc_variant variant = {
		.tool = &tool,
		.title = "SMC-R",
		.key = "SMCR",
		.tech = SMC_TECH_R,
	};

	return cmd_main(&variant, argc, argv);
}
