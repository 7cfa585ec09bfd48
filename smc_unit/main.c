// SPDX-License-Identifier: MIT
/* smc_unit: let services of systemd use SMC. */
#include <getopt.h>

#include "smc_unit/unit.h"

enum { OPT_ALL = LAUNCH_LAST, OPT_USER };

static struct request asked;

static const struct cli_opt enable_options[] = {
	LAUNCH_OPTIONS,
	{ OPT_USER, "user", NULL, "use the systemd instance of the user", &asked.user,
	  .group = "Other" },
	LAUNCH_LEARN_OPTION,
	{ 0 },
};

static const struct cli_opt disable_options[] = {
	{ OPT_ALL, "all", NULL, "instead of UNIT: every enabled service", &asked.all },
	{ OPT_USER, "user", NULL, "use the systemd instance of the user", &asked.user },
	{ LAUNCH_QUIET, "quiet", NULL, "print no warnings", &asked.launch.quiet },
	{ 0 },
};

static const struct cli_opt status_options[] = {
	{ 'j', "json", NULL, "write one JSON document", &asked.json },
	{ OPT_USER, "user", NULL, "use the systemd instance of the user", &asked.user },
	{ 0 },
};

static const struct cli_opt peers_options[] = {
	{ LAUNCH_QUIET, "quiet", NULL, "print no warnings", &asked.launch.quiet },
	{ 0 },
};

static const char *const commands[] = { "enable", "disable", "status", "peers", NULL };
enum { ENABLE, DISABLE, STATUS, PEERS };

#define UNIT .page = "smc_unit", .error_status = 1

/* Name, usage, summary, options, text after them, examples. */
static const struct cli_tool tools[] = {
	[ENABLE] = { "smc_unit enable", "[OPTION]... UNIT...",
		     "Let services use SMC from their next start on.", enable_options, NULL,
		     "  smc_unit enable redis-server\n  smc_unit enable --strict mariadb\n", UNIT },
	[DISABLE] = { "smc_unit disable", "[OPTION]... UNIT...\n--all [OPTION]...",
		      "Undo 'smc_unit enable' and 'smc_unit peers'.", disable_options, NULL,
		      "  smc_unit disable redis-server\n  smc_unit disable --all\n", UNIT },
	[STATUS] = { "smc_unit status", "[OPTION]... [UNIT]",
		     "Show whether a service, or each enabled one, uses SMC.", status_options, NULL,
		     "  smc_unit status\n  smc_unit status redis-server\n", UNIT },
	[PEERS] = { "smc_unit peers", "[OPTION]... UNIT NETS",
		    "Use SMC only with these networks, on the ports where an enabled service\n"
		    "listens. NETS is NET[:PORTS], separated by commas, or a filter such as\n"
		    "'dst 10.0.0.0/8 and sport = 6379'; or all, which ends the limit.",
		    peers_options, NULL,
		    "  smc_unit peers redis-server 10.0.0.0/8\n  smc_unit peers nginx all\n",
		    UNIT },
};

static const struct cli_tool tool = {
	.name = "smc_unit",
	.usage = "enable [OPTION]... UNIT...\n"
		 "disable [OPTION]... UNIT... | --all\n"
		 "status [OPTION]... [UNIT]\n"
		 "peers [OPTION]... UNIT NETS",
	.summary = "Let services of systemd use SMC.",
	.more = "Commands, each with its own --help:\n"
		"  enable   let services use SMC from their next start on\n"
		"  disable  undo that\n"
		"  status   show whether services use SMC\n"
		"  peers    use SMC only with some networks\n",
	.examples = "  smc_unit enable redis-server\n  smc_unit status\n",
	.error_status = 1,
	.stop_at_first = true,
};

static int take_option(int opt)
{
	return launch_option(&asked.launch, opt);
}

static int check_words(int command, const struct request *req, char *const *words, int count)
{
	static const int most[] = { INT_MAX, INT_MAX, 1, 2 };
	const struct cli_tool *of = &tools[command];

	if (req->all && count)
		return cli_usage_error(of, "--all and unit '%s' exclude each other", words[0]);
	if (count > most[command])
		return cli_no_operand(of, words[most[command]]);
	if (!count && command != STATUS && !req->all)
		return cli_usage_error(of, "no unit given");
	return command == PEERS && count < 2 ? cli_usage_error(of, "no networks given") : 0;
}

/* Process every unit even if one fails. */
static int do_units(struct request *req, int (*fn)(const struct request *req), char *const *words)
{
	char name[UNIT_NAME_SIZE];
	int status = 0;

	for (; *words; words++) {
		unit_find(req, *words, name);
		status |= fn(req);
	}
	return status;
}

static int run(int command, struct request *req, char *const *words)
{
	char name[UNIT_NAME_SIZE];

	if (words[0] && command >= STATUS)
		unit_find(req, words[0], name);
	switch (command) {
	case ENABLE: return do_units(req, unit_enable, words);
	case DISABLE: return req->all ? unit_disable_all(req) : do_units(req, unit_disable, words);
	case STATUS: return unit_status(req);
	default: return unit_peers(req, words[1]);
	}
}

static int run_command(int command, int argc, char **argv)
{
	const struct cli_tool *of = &tools[command];
	int status;

	asked.launch.tool = of;
	optind = 0; /* restart, see getopt(3) */
	status = cli_parse(of, argc, argv, take_option);
	if (status >= 0)
		return status;
	status = check_words(command, &asked, argv + optind, argc - optind);
	if (!status)
		status = run(command, &asked, argv + optind);
	return status ? status : cli_close_stdout(of);
}

int main(int argc, char **argv)
{
	int status, command;

	cli_start();
	status = cli_parse(&tool, argc, argv, NULL);
	if (status >= 0)
		return status;
	command = cli_command(&tool, commands, argv[optind]);
	return command < 0 ? tool.error_status : run_command(command, argc - optind, argv + optind);
}
