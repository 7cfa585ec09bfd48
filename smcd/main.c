// SPDX-License-Identifier: MIT
/* smcd: show the kernel's SMC-D resources. */
#include "smcdr/cmd.h"

static const struct cli_opt options[] = { CMD_OPTIONS("show more") };

static const char more[] =
	"Objects and their commands (all can be shortened; show is the default):\n"
	"  info       show\n"
	"  device     show [all]\n"
	"  linkgroup  show [all | LG-ID]\n"
	"  stats      show | reset | json\n"
	"  ueid       show | add EID | del EID | flush\n"
	"  seid       show | enable | disable\n"
	"  hs         show | enable | disable\n";

static const struct cli_tool tool = {
	.name = "smcd",
	.usage = "[OPTIONS] OBJECT [COMMAND]",
	.summary = "Show SMC-D devices, link groups and statistics, and set EIDs.",
	.examples = "  smcd linkgroup\n  smcd stats\n",
	.opts = options,
	.more = more,
	.error_status = 1,
};

int main(int argc, char **argv)
{
	const struct smc_variant variant = {
		.tool = &tool,
		.title = "SMC-D",
		.key = "SMCD",
		.is_smcd = true,
		.tech = SMC_TECH_D,
	};

	return cmd_main(&variant, argc, argv);
}
