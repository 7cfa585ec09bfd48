// SPDX-License-Identifier: MIT
/* smc_run: run a command with its TCP sockets turned into SMC sockets. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "ld_pre_smc/rules.h"
#include "smc_run/ab/ab.h"
#include "smc_run/command.h"
#include "smc_run/peers.h"
#include "smc_run/unit.h"
#include "sys/target.h"

/* As env(1), nice(1) and other programs that start programs do. */
#define EXIT_SELF 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

const int memory_status = EXIT_SELF;

enum {
	OPT_INCLUDE = CLI_LONG_ONLY,
	OPT_EXCLUDE,
	OPT_STRICT,
	OPT_RAW,
	OPT_RAISE,
	OPT_QUIET,
	OPT_ENABLE,
	OPT_PEERS,
	OPT_DISABLE,
	OPT_STATUS,
	OPT_ALL,
	OPT_USER,
	OPT_BPF,
	OPT_PRELOAD,
	OPT_SECCOMP,
	OPT_AB,
	OPT_METRIC,
	OPT_LOWER,
	OPT_SERVER,
	OPT_OUTPUT,
};

/* Options that name an action on services. */
#define ACTIONS "--enable --disable --status"
/* Options whose values --enable writes down. */
#define SETTINGS                                                                                   \
	"--debug --rcvbuf --sndbuf --family --include --exclude --bpf --preload --strict --raw"

static const struct cli_opt options[] = {
	{ 'd', "debug", NULL, "say on standard error what happens to each TCP socket" },
	{ 'r', "rcvbuf", "SIZE", "receive buffer of SMC sockets: bytes, or with K or M" },
	{ 't', "sndbuf", "SIZE", "transmit buffer of SMC sockets: bytes, or with K or M" },
	{ 'f', "family", "FAMILY",
	  "kind of SMC sockets: smc (AF_SMC), inet (IPPROTO_SMC),\n"
	  "auto (what works best); default smc" },
	{ OPT_INCLUDE, "include", "RULES",
	  "use SMC only for these: PORT, ADDR[/BITS][:PORT],\n"
	  "listen[:PORT]; separated by commas" },
	{ OPT_EXCLUDE, "exclude", "RULES", "leave these to TCP" },
	{ OPT_BPF, "bpf", NULL, "use eBPF in the kernel, which reaches every program",
	  .excludes = "--preload --seccomp" },
	{ OPT_PRELOAD, "preload", NULL, "use the preload library only", .excludes = "--seccomp" },
	{ OPT_SECCOMP, "seccomp", NULL,
	  "let a second process open the sockets: it reaches static\n"
	  "and Go programs without privileges; with none of the\n"
	  "three options, whichever reaches the program",
	  .excludes = ACTIONS },
	{ OPT_STRICT, "strict", NULL,
	  "run the command only if SMC sockets are possible;\n"
	  "no TCP in their place" },
	{ OPT_RAW, "raw", NULL,
	  "for programs that know SMC: do not hide where SMC sockets\n"
	  "differ from TCP sockets" },
	{ OPT_RAISE, "raise-limits", NULL,
	  "raise net.core.rmem_max and net.core.wmem_max to what\n"
	  "-r and -t need",
	  .excludes = ACTIONS },
	{ OPT_QUIET, "quiet", NULL, "no warnings" },
	{ OPT_AB, "ab", "PAIRS",
	  "run the command in turns over TCP and over SMC, so many times\n"
	  "each, and print how both compare",
	  .excludes = ACTIONS },
	{ OPT_METRIC, "metric", "REGEX",
	  "with --ab: compare the number that this finds in what the\n"
	  "command prints, not the time; more is better",
	  .needs = "--ab" },
	{ OPT_LOWER, "lower", NULL, "with --metric: less is better", .needs = "--metric" },
	{ OPT_SERVER, "server", "CMD",
	  "with --ab: start this server for each run, over TCP or SMC\nlike the run",
	  .needs = "--ab" },
	{ OPT_OUTPUT, "show-output", NULL, "with --ab: show the output, on standard error",
	  .needs = "--ab" },
	{ OPT_ENABLE, "enable", "UNIT",
	  "let a systemd service use SMC from its next start on, with\nthe options given",
	  .excludes = "--disable --status" },
	{ OPT_PEERS, "peers", "NETS",
	  "with --enable: on the ports where the service listens, use SMC\nonly with these "
	  "networks: NET[:PORTS], separated by commas",
	  .needs = "--enable", .excludes = "--user" },
	{ OPT_DISABLE, "disable", "UNIT", "undo that", .excludes = "--status " SETTINGS },
	{ OPT_ALL, "all", NULL, "in place of UNIT: --disable every enabled service",
	  .needs = "--disable" },
	{ OPT_STATUS, "status", NULL,
	  "show whether a service is enabled and uses SMC; without\n"
	  "UNIT every enabled service",
	  .excludes = SETTINGS },
	{ OPT_USER, "user", NULL, "for these three: units of the user's own systemd",
	  .needs = ACTIONS },
	{ 'j', "json", NULL, "--status and --ab in JSON", .needs = "--status --ab" },
	{ 'h', "help", NULL, "print this help" },
	{ 'v', "version", NULL, "print the version" },
	{ 0 },
};

static uint64_t given;

static const struct cli_tool tool = {
	.name = "smc_run",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]...\n"
		 "[OPTION]... --ab PAIRS [--] COMMAND [ARGUMENT]...\n"
		 "[OPTION]... [--peers NETS] --enable UNIT...\n"
		 "[--user] --disable UNIT... | --all\n"
		 "[--user] [-j] --status [UNIT]",
	.summary = "Run a command with its TCP sockets turned into SMC sockets.",
	.opts = options,
	.more = "Exit status: that of COMMAND; 125 if smc_run fails, 126 if COMMAND cannot be\n"
		"executed, 127 if it is not found. Of --ab: 0 if it was measured, 1 if a run\n"
		"failed, 2 if SMC was not used, 125 if smc_run fails.\n",
	.error_status = EXIT_SELF,
	.stop_at_first = true,
	.given = &given,
};

/* A request, and what it is made of. */
struct run {
	int action;	    /* OPT_ENABLE, OPT_DISABLE, OPT_STATUS; 0: run a command */
	const char **units; /* what that is for */
	size_t n_units;
	bool is_all;
	struct request req;
	struct ab_options ab;
	struct rules rules;	   /* of both lists, to see that they are valid */
	char sizes[VARIABLES][16]; /* buffers in bytes, as the library reads them */
};

static int take_size(struct run *run, const char *option, enum smc_variable variable)
{
	int bytes;

	switch (smc_parse_size(optarg, &bytes)) {
	case 0:
		snprintf(run->sizes[variable], sizeof(run->sizes[variable]), "%d", bytes);
		run->req.settings[variable] = run->sizes[variable];
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
static int take_rules(struct run *run, const char *option, bool is_exclude)
{
	const char **list = &run->req.settings[is_exclude ? VAR_EXCLUDE : VAR_INCLUDE];
	const char *bad;

	switch (rules_parse(&run->rules, is_exclude, optarg, &bad)) {
	case 0: break;
	case -E2BIG: return cli_usage_error(&tool, "--%s: more than %d rules", option, RULES_MAX);
	default:
		return cli_usage_error(&tool,
				       "--%s: '%.*s' is not a rule such as 6379, "
				       "listen:80-90, 10.0.0.0/8:6379 or [fd00::1]:80",
				       option, (int)strcspn(bad, ", \t\n"), bad);
	}
	if (!*list)
		*list = optarg;
	else
		*list = xprintf("%s,%s", *list, optarg);
	return 0;
}

/* Given again, the option adds to the list. */
static int take_peers(struct run *run)
{
	char bad[POLICY_LINE_SIZE];
	struct smc_err err = { 0 };

	if (!peers_parse(&run->req.peers, optarg, bad, &err))
		return 0;
	return cli_usage_error(&tool, "--peers: '%s': %s", bad, err.text);
}

static int take_family(struct request *req)
{
	req->settings[VAR_FAMILY] = optarg;
	if (smc_is_family(optarg))
		return 0;
	return cli_usage_error(&tool, "--family: '%s' is not smc, inet or auto", optarg);
}

static int take_action(struct run *run, int opt)
{
	if (run->action == opt)
		return cli_usage_error(&tool, "option '--%s' was given twice",
				       cli_long_name(&tool, opt));
	run->action = opt;
	if (opt == OPT_DISABLE && !strcmp(optarg, "--all"))
		run->is_all = true;
	else if (optarg)
		run->units[run->n_units++] = optarg;
	return 0;
}

static int take_pairs(struct run *run)
{
	char *end;
	long pairs = strtol(optarg, &end, 10);

	if (*end || pairs < 1 || pairs > AB_PAIRS)
		return cli_usage_error(&tool, "--ab: '%s' is not a number of pairs from 1 to %d",
				       optarg, AB_PAIRS);
	run->ab.pairs = (int)pairs;
	return 0;
}

/* An option without an argument. Return: whether it is one. */
static bool take_flag(struct run *run, int opt)
{
	switch (opt) {
	case OPT_LOWER: run->ab.is_lower_better = true; return true;
	case OPT_OUTPUT: run->ab.is_shown = true; return true;
	case 'd': run->req.settings[VAR_DEBUG] = "1"; return true;
	case OPT_STRICT: run->req.settings[VAR_STRICT] = "1"; return true;
	case OPT_RAW: run->req.settings[VAR_RAW] = "1"; return true;
	case OPT_RAISE: run->req.raise_limits = true; return true;
	case OPT_QUIET: run->req.quiet = true; return true;
	case OPT_ALL: run->is_all = true; return true;
	case OPT_USER: run->req.user = true; return true;
	case 'j': run->req.json = true; return true;
	default: return false;
	}
}

/* Return: 0, or an exit status after a message. */
static int take_option(struct run *run, int opt)
{
	switch (opt) {
	case 'r': return take_size(run, "rcvbuf", VAR_RCVBUF);
	case 't': return take_size(run, "sndbuf", VAR_SNDBUF);
	case 'f': return take_family(&run->req);
	case OPT_INCLUDE: return take_rules(run, "include", false);
	case OPT_EXCLUDE: return take_rules(run, "exclude", true);
	case OPT_ENABLE:
	case OPT_DISABLE:
	case OPT_STATUS: return take_action(run, opt);
	case OPT_PEERS: return take_peers(run);
	case OPT_AB: return take_pairs(run);
	case OPT_METRIC: run->ab.metric = optarg; return 0;
	case OPT_SERVER: run->ab.server = optarg; return 0;
	case OPT_BPF: run->req.way = WAY_BPF; return 0;
	case OPT_PRELOAD: run->req.way = WAY_PRELOAD; return 0;
	case OPT_SECCOMP: run->req.way = WAY_SECCOMP; return 0;
	default: return take_flag(run, opt) ? 0 : EXIT_SELF;
	}
}

/* Each for itself: the others are done if one fails. */
static int do_units(struct run *run, int (*fn)(const struct request *req))
{
	int status = 0, one;

	for (size_t i = 0; i < run->n_units; i++) {
		run->req.unit = run->units[i];
		one = fn(&run->req);
		status = one ? one : status;
	}
	return status;
}

static int check_action(const struct run *run)
{
	if (run->is_all && run->n_units)
		return cli_usage_error(&tool, "--all and unit '%s' exclude each other",
				       run->units[0]);
	if (run->action == OPT_STATUS && run->n_units > 1)
		return cli_usage_error(&tool, "unexpected argument '%s'", run->units[1]);
	return 0;
}

static int do_action(struct run *run)
{
	int status = check_action(run);

	if (status)
		return status;
	switch (run->action) {
	case OPT_ENABLE: status = do_units(run, unit_enable); break;
	case OPT_DISABLE:
		status = run->is_all ? unit_disable_all(&run->req) : do_units(run, unit_disable);
		break;
	default: run->req.unit = run->n_units ? run->units[0] : NULL; return unit_status(&run->req);
	}
	return status ? status : cli_close_stdout(&tool);
}

static int run_command(struct run *run, char **argv)
{
	struct request *req = &run->req;
	int status;

	if (!*argv)
		return cli_usage_error(&tool, "no command given");
	req->is_strict = req->settings[VAR_STRICT] || smc_is_on(getenv(smc_variables[VAR_STRICT]));
	if (run->ab.pairs)
		return ab_run(req, &run->ab, argv);
	status = command_prepare(req, argv);
	if (status)
		return status;
	target_exec(argv);
	status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	cli_error(&tool, "cannot run '%s': %s", *argv, strerror(errno));
	return status;
}

/* Units and options for them may stand in any order. */
static int next_option(struct run *run, int argc, char **argv)
{
	int opt;

	while ((opt = cli_getopt(&tool, argc, argv)) == -1 && run->action && optind < argc)
		run->units[run->n_units++] = argv[optind++];
	return opt;
}

static int run_request(struct run *run, int argc, char **argv)
{
	int opt, status;

	while ((opt = next_option(run, argc, argv)) != -1) {
		if (opt == 'h')
			return cli_help(&tool);
		if (opt == 'v')
			return cli_version(&tool);
		status = take_option(run, opt);
		if (status)
			return status;
	}
	status = cli_check(&tool, NULL);
	if (status)
		return status;
	return run->action ? do_action(run) : run_command(run, argv + optind);
}

int main(int argc, char **argv)
{
	struct run run = { .req = { .tool = &tool }, .ab = { .all = argv } };
	int status;

	run.units = xcalloc((size_t)argc + 1, sizeof(*run.units));
	status = run_request(&run, argc, argv);
	free(run.units);
	policy_free(&run.req.peers);
	return status;
}
