// SPDX-License-Identifier: MIT
/* smc_ab: compare a command over TCP and over SMC. */
#include <getopt.h>

#include "base/memory.h"
#include "launch/supervise.h"
#include "out/text.h"
#include "smc_ab/ab.h"
#include "smc_ab/evidence.h"

/* Same as smc_run, and other programs that start programs. */
#define EXIT_SELF 125

const int memory_status = EXIT_SELF;

enum { OPT_METRIC = LAUNCH_LAST, OPT_LOWER, OPT_SERVER, OPT_OUTPUT, OPT_VERIFY };

static const struct cli_tool tool;

/* Learning is off: all runs over SMC must use SMC. */
static struct ab_options asked = {
	.launch = { .tool = &tool, .settings[VAR_LEARN] = "0", .supervise = supervise }, .pairs = 10
};

/* File of --verify. Bits of the options that were given. */
static const char *verify;
static uint64_t given;

static const struct cli_opt options[] = {
	{ 'n', "pairs", "NUMBER", "run NUMBER pairs (default 10; a verdict needs 8)" },
	{ OPT_METRIC, "metric", "REGEX",
	  "compare the number that REGEX finds in the output,\n"
	  "not the time; higher is better",
	  .text = &asked.metric },
	{ OPT_LOWER, "lower", NULL, "treat lower numbers as better", &asked.is_lower_better,
	  .needs = "--metric" },
	{ OPT_SERVER, "server", "CMD", "start this server for each run, like COMMAND",
	  .text = &asked.server },
	{ OPT_OUTPUT, "show-output", NULL, "show the output, on standard error", &asked.is_shown },
	{ OPT_VERIFY, "verify", "FILE", "repeat the comparison that --json wrote to FILE",
	  .text = &verify },
	{ 'j', "json", NULL, "write one JSON document", &asked.is_json },
	LAUNCH_OPTIONS,
	LAUNCH_COMMAND_OPTIONS,
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_ab",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]...\n"
		 "[-j] [--show-output] --verify FILE",
	.summary = "Run a command alternately over TCP and over SMC, and compare the results.",
	.opts = options,
	.more = "Example: smc_ab --server 'iperf3 -s -1' iperf3 -c 127.0.0.1 -n 1G\n"
		"\n"
		"Exit status: 0 measured, 1 a run failed, 2 SMC was not used, 3 the verdict of\n"
		"--verify differs, 125 smc_ab failed.\n",
	.error_status = EXIT_SELF,
	.stop_at_first = true,
	.given = &given,
};

static int take_option(int opt)
{
	uint64_t pairs = 10;
	int status;

	if (opt != 'n')
		return launch_option(&asked.launch, opt);
	status = cli_number(&tool, 'n', optarg, 1, AB_PAIRS, &pairs);
	asked.pairs = (int)pairs;
	return status;
}

static int parse(int argc, char **argv)
{
	int status = cli_parse(&tool, argc, argv, take_option);

	return status < 0 && cli_check(&tool, NULL) ? tool.error_status : status;
}

static int run(char **argv)
{
	if (!argv[optind])
		return cli_usage_error(&tool, "no command given");
	asked.words = argv + 1;
	return ab_run(&asked, argv + optind);
}

/* The other options come from the file. */
static int check_alone(const char *operand)
{
	for (size_t i = 0; options[i].val; i++)
		if (given & UINT64_C(1) << i && options[i].val != OPT_VERIFY &&
		    options[i].val != OPT_OUTPUT && options[i].val != 'j')
			return cli_usage_error(&tool,
					       "options '--%s' and '--verify' exclude each other",
					       options[i].name);
	return cli_no_operand(&tool, operand);
}

/* The file may come from others: show the command before it runs. */
static void announce(const struct record *record)
{
	struct out_text text AUTO(out_free) = { 0 };

	for (int i = 0; i < record->argc; i++) {
		out_char(&text, ' ');
		if (!out_shell_word(&text, record->argv[i]))
			out_char(&text, '?');
	}
	cli_note(&tool, "%s repeats:%.*s", verify, (int)text.len, text.data);
}

static int run_again(void)
{
	const struct ab_options own = asked;
	struct record record;
	int status = record_load(&record, &tool, verify);

	if (status)
		return status;
	announce(&record);
	optind = 0;
	status = parse(record.argc, record.argv);
	if (status < 0) {
		asked.is_json = own.is_json;
		asked.is_shown = own.is_shown;
		asked.record = &record;
		status = run(record.argv);
	} else if (!status) {
		status = tool.error_status; /* --help is no comparison */
	}
	record_free(&record);
	return status;
}

int main(int argc, char **argv)
{
	int status;

	cli_start();
	status = parse(argc, argv);
	if (status >= 0)
		return status;
	if (!verify)
		return run(argv);
	status = check_alone(argv[optind]);
	return status ? status : run_again();
}
