// SPDX-License-Identifier: MIT
/* smc_run: run a command with its TCP sockets turned into SMC sockets. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "ld_pre_smc/rules.h"
#include "smc_run/command.h"
#include "smc_run/unit.h"

/* As env(1), nice(1) and other programs that start programs do. */
#define EXIT_SELF 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

enum {
	OPT_INCLUDE = CLI_LONG_ONLY,
	OPT_EXCLUDE,
	OPT_STRICT,
	OPT_RAW,
	OPT_RAISE,
	OPT_QUIET,
	OPT_ENABLE,
	OPT_DISABLE,
	OPT_STATUS,
	OPT_USER,
	OPT_BPF,
	OPT_PRELOAD,
};

static const struct cli_opt options[] = {
	{ 'd', "debug", NULL, "say on standard error what happens to each TCP socket" },
	{ 'r', "rcvbuf", "SIZE", "receive buffer of SMC sockets: bytes, or with K or M" },
	{ 't', "sndbuf", "SIZE", "transmit buffer of SMC sockets: bytes, or with K or M" },
	{ 'f', "family", "FAMILY", "kind of SMC sockets: smc (AF_SMC), inet (IPPROTO_SMC),\n"
				   "auto (what works best); default smc" },
	{ OPT_INCLUDE, "include", "RULES", "use SMC only for these: PORT, ADDR[/BITS][:PORT],\n"
					   "listen[:PORT]; separated by commas" },
	{ OPT_EXCLUDE, "exclude", "RULES", "leave these to TCP" },
	{ OPT_BPF, "bpf", NULL, "use eBPF in the kernel, which reaches every program" },
	{ OPT_PRELOAD, "preload", NULL, "use the preload library only; with neither option,\n"
					"whichever reaches the program" },
	{ OPT_STRICT, "strict", NULL, "run the command only if SMC sockets are possible;\n"
				      "no TCP in their place" },
	{ OPT_RAW, "raw", NULL, "for programs that know SMC: do not hide where SMC sockets\n"
				"differ from TCP sockets" },
	{ OPT_RAISE, "raise-limits", NULL, "raise net.core.rmem_max and net.core.wmem_max to what\n"
					   "-r and -t need" },
	{ OPT_QUIET, "quiet", NULL, "no warnings" },
	{ OPT_ENABLE, "enable", "UNIT", "let a systemd service use SMC from its next start on, with\n"
					"the options given" },
	{ OPT_DISABLE, "disable", "UNIT", "undo that" },
	{ OPT_STATUS, "status", NULL, "show whether a service is enabled and uses SMC; without\n"
				      "UNIT every enabled service" },
	{ OPT_USER, "user", NULL, "for these three: units of the user's own systemd" },
	{ 'j', "json", NULL, "--status in JSON" },
	{ 'h', "help", NULL, "print this text" },
	{ 'v', "version", NULL, "print the version" },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_run",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]...\n"
		 "[OPTION]... --enable UNIT\n"
		 "[--user] --disable UNIT\n"
		 "[--user] [-j] --status [UNIT]",
	.summary = "Run a command with its TCP sockets turned into SMC sockets.",
	.opts = options,
	.more = "Exit status: that of COMMAND; 125 if smc_run fails, 126 if COMMAND cannot be\n"
		"executed, 127 if it is not found.\n",
	.error_status = EXIT_SELF,
	.stop_at_first = true,
};

struct run_request {
	int action;		/* OPT_ENABLE, OPT_DISABLE, OPT_STATUS; 0: run a command */
	struct unit_request unit;
	struct command_options command;
	struct rules rules;	/* of both lists, to see that they are valid */
	char sizes[2][16];	/* of both buffers, as the library reads them */
};

/* @setting gets the bytes as text. */
static int take_size(const char *option, int *bytes, char text[16], const char **setting)
{
	switch (smc_parse_size(optarg, bytes)) {
	case 0:
		snprintf(text, 16, "%d", *bytes);
		*setting = text;
		return 0;
	case -ERANGE:
		return cli_usage_error(&tool, "--%s: size '%s' is more than 2147483647 bytes",
				       option, optarg);
	default:
		return cli_usage_error(&tool, "--%s: '%s' is not a size such as 65536, 64K or 1M",
				       option, optarg);
	}
}

/* Given again, the option adds to the list. */
static int take_rules(struct run_request *req, const char *option, bool is_exclude)
{
	const char **list = &req->command.settings[is_exclude ? VAR_EXCLUDE : VAR_INCLUDE];
	const char *bad;
	char *longer;

	switch (rules_parse(&req->rules, is_exclude, optarg, &bad)) {
	case 0:
		break;
	case -E2BIG:
		return cli_usage_error(&tool, "--%s: more than %d rules", option, RULES_MAX);
	default:
		return cli_usage_error(&tool, "--%s: '%.*s' is not a rule such as 6379, listen:80-90, "
				       "10.0.0.0/8:6379 or [fd00::1]:80", option,
				       (int)strcspn(bad, ", \t\n"), bad);
	}
	if (!*list)
		*list = optarg;
	else if (asprintf(&longer, "%s,%s", *list, optarg) < 0)
		return cli_error(&tool, "out of memory");
	else
		*list = longer;
	return 0;
}

static int take_family(struct command_options *command)
{
	command->settings[VAR_FAMILY] = optarg;
	if (smc_is_family(optarg))
		return 0;
	return cli_usage_error(&tool, "--family: '%s' is not smc, inet or auto", optarg);
}

static int take_action(struct run_request *req, int opt)
{
	if (req->action == opt)
		return cli_usage_error(&tool, "option '--%s' was given twice",
				       cli_long_name(&tool, opt));
	if (req->action)
		return cli_exclude(&tool, req->action, opt);
	req->action = opt;
	req->unit.name = optarg;
	return 0;
}

static int take_way(struct run_request *req, enum unit_way way)
{
	if (req->command.way != UNIT_WAY_NONE && req->command.way != way)
		return cli_exclude(&tool, OPT_BPF, OPT_PRELOAD);
	req->command.way = way;
	return 0;
}

/* An option without an argument. Return: whether it is one. */
static bool take_flag(struct run_request *req, int opt)
{
	switch (opt) {
	case 'd':
		req->command.settings[VAR_DEBUG] = "1";
		return true;
	case OPT_STRICT:
		req->command.settings[VAR_STRICT] = "1";
		return true;
	case OPT_RAW:
		req->command.settings[VAR_RAW] = "1";
		return true;
	case OPT_RAISE:
		req->command.raise_limits = true;
		return true;
	case OPT_QUIET:
		req->command.quiet = true;
		return true;
	case OPT_USER:
		req->unit.user = true;
		return true;
	case 'j':
		req->unit.json = true;
		return true;
	default:
		return false;
	}
}

/* Return: 0, or an exit status after a message. */
static int take_option(struct run_request *req, int opt)
{
	struct command_options *command = &req->command;

	switch (opt) {
	case 'r':
		return take_size("rcvbuf", &command->rcvbuf, req->sizes[0],
				 &command->settings[VAR_RCVBUF]);
	case 't':
		return take_size("sndbuf", &command->sndbuf, req->sizes[1],
				 &command->settings[VAR_SNDBUF]);
	case 'f':
		return take_family(command);
	case OPT_INCLUDE:
		return take_rules(req, "include", false);
	case OPT_EXCLUDE:
		return take_rules(req, "exclude", true);
	case OPT_ENABLE:
	case OPT_DISABLE:
	case OPT_STATUS:
		return take_action(req, opt);
	case OPT_BPF:
		return take_way(req, UNIT_WAY_BPF);
	case OPT_PRELOAD:
		return take_way(req, UNIT_WAY_PRELOAD);
	default:
		return take_flag(req, opt) ? 0 : EXIT_SELF;
	}
}

static int do_action(struct run_request *req, char *const *operands)
{
	req->unit.tool = &tool;
	req->unit.quiet = req->command.quiet;
	req->unit.way = req->command.way;
	req->unit.settings = req->command.settings;
	if (*operands)
		return cli_usage_error(&tool, "unexpected argument '%s'", *operands);
	if (req->command.raise_limits)
		return cli_usage_error(&tool, "--raise-limits is only for commands: for services use "
				       "sysctl.d(5)");
	if (req->unit.json && req->action != OPT_STATUS)
		return cli_usage_error(&tool, "--json is only for --status");
	switch (req->action) {
	case OPT_ENABLE:
		return unit_enable(&req->unit);
	case OPT_DISABLE:
		return unit_disable(&req->unit);
	default:
		return unit_status(&req->unit);
	}
}

static int run_command(struct run_request *req, char **argv)
{
	struct command_options *command = &req->command;
	int status;

	command->tool = &tool;
	command->is_strict = command->settings[VAR_STRICT] ||
			     smc_is_on(getenv(smc_variables[VAR_STRICT]));
	if (req->unit.user || req->unit.json)
		return cli_usage_error(&tool, "--user and --json are only for services");
	if (!*argv)
		return cli_usage_error(&tool, "no command given");
	status = command_prepare(command, *argv);
	if (status)
		return status;
	execvp(*argv, argv);
	status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	cli_error(&tool, "cannot run '%s': %s", *argv, strerror(errno));
	return status;
}

/* Options may follow the unit of --status, too. */
static int next_option(struct run_request *req, int argc, char **argv)
{
	int opt = cli_getopt(&tool, argc, argv);

	if (opt != -1 || req->action != OPT_STATUS || req->unit.name || optind >= argc)
		return opt;
	req->unit.name = argv[optind++];
	return cli_getopt(&tool, argc, argv);
}

int main(int argc, char **argv)
{
	struct run_request req = { .command = { .rcvbuf = -1, .sndbuf = -1 } };
	int opt, status;

	while ((opt = next_option(&req, argc, argv)) != -1) {
		if (opt == 'h')
			return cli_help(&tool);
		if (opt == 'v')
			return cli_version(&tool);
		status = take_option(&req, opt);
		if (status)
			return status;
	}
	argv += optind;
	return req.action ? do_action(&req, argv) : run_command(&req, argv);
}
