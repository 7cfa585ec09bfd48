// SPDX-License-Identifier: MIT
/* smc_ab: compare a command over TCP and over SMC. */
#include <fcntl.h>
#include <getopt.h>
#include <wordexp.h>

#include "base/memory.h"
#include "cli/screen.h"
#include "host/smc.h"
#include "launch/supervise.h"
#include "out/list.h"
#include "smc_ab/child.h"
#include "smc_ab/evidence.h"

/* Exit statuses. The last one is also used by smc_run and other programs that start programs. */
#define AB_FAILED 1   /* a run failed, or there was nothing to measure */
#define AB_NOT_USED 2 /* SMC was not used in every run that should have used it */
#define AB_DIFFERS 3  /* --verify: the recorded run has another verdict */
#define EXIT_SELF 125 /* smc_ab itself failed */

#define LISTEN_STEPS 3000
#define LISTEN_MS 20 /* interval of checks; a server has a minute to listen */

const int memory_status = EXIT_SELF;

enum { OPT_METRIC = LAUNCH_LAST, OPT_LOWER, OPT_SERVER, OPT_OUTPUT, OPT_VERIFY };

static const struct cli_tool tool;

/* Learning is off: all runs over SMC must use SMC. */
static struct ab_options asked = {
	.launch = { .tool = &tool, .settings[VAR_LEARN] = "0", .supervise = supervise }, .pairs = 10
};

/* File of --verify, and its result. Bits of the options that were given. */
static const char *verify;
static struct record recorded;
static uint64_t given;

static const struct cli_opt options[] = {
	{ 'n', "pairs", "NUMBER", "run NUMBER pairs (default 10; a verdict needs 8)" },
	{ OPT_METRIC, "metric", "REGEX",
	  "compare the number that REGEX finds in the output,\n"
	  "not the time; higher is better",
	  .text = &asked.metric },
	{ OPT_LOWER, "lower", NULL, "treat lower numbers as better", &asked.is_lower_better,
	  .needs = "--metric" },
	{ OPT_SERVER, "server", "CMD", "start this server for each run, over TCP or SMC",
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
	.examples = "  smc_ab curl -s -o /dev/null http://10.0.0.1/\n"
		    "  smc_ab --server 'iperf3 -s -1' iperf3 -c 127.0.0.1 -n 1G\n",
	.exits = "0 measured, 1 a run failed, 2 SMC was not used, 3 the verdict of\n"
		 "--verify differs, 125 smc_ab failed",
	.error_status = EXIT_SELF,
	.stop_at_first = true,
	.given = &given,
};

/**
 * struct comparison - state of a comparison
 * @smc: options to start the runs over SMC; warns only once
 * @words: command line of the server
 * @command, @server, @output: of the current run
 */
struct comparison {
	char *const *argv;
	struct launch smc;
	struct nursery nursery;
	wordexp_t words;
	regex_t regex;
	struct ab_pair *pairs;
	struct child command, server;
	struct out_text output;
};

/* ---- one run ---- */

/* Open the destination of the command's output. Return: 0, -errno. */
static int open_output(int ends[2])
{
	ends[0] = ends[1] = -1;
	if (asked.metric)
		return pipe2(ends, O_CLOEXEC) || fcntl(ends[0], F_SETFL, O_NONBLOCK) ? -errno : 0;
	if (asked.is_shown)
		ends[1] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	return 0;
}

static int interrupted(struct smc_err *err)
{
	return smc_err_say(err, EINTR, "interrupted");
}

static int server_ended(const struct comparison *self, const char *when, struct smc_err *err)
{
	char text[64];

	return smc_err_say(err, ECHILD, "the server ended %s: %s", when,
			   child_how_it_ended(self->server.status, text));
}

static int start_server(struct comparison *self, const struct launch *launch, struct smc_err *err)
{
	const struct child_how how = { launch, self->words.we_wordv,
				       asked.is_shown ? STDERR_FILENO : -1 };
	int ret = child_start(&self->nursery, &self->server, &how, err);

	for (int i = 0; !ret && i < LISTEN_STEPS; i++) {
		ret = witness_listens(self->server.pid, err);
		if (ret)
			return ret < 0 ? ret : 0;
		child_wait(&self->nursery, NULL, NULL, LISTEN_MS);
		if (self->nursery.caught)
			return interrupted(err);
		if (!self->server.pid)
			return server_ended(self, "before it listened", err);
	}
	return ret ? ret :
		     smc_err_say(err, ETIMEDOUT, "the server did not listen within %d s",
				 LISTEN_STEPS * LISTEN_MS / 1000);
}

/* Wait until the command ends. A server for a single client may end earlier. */
static int wait_for_end(struct comparison *self, int *out, struct smc_err *err)
{
	char text[64];

	while (self->command.pid) {
		child_wait(&self->nursery, out, &self->output, -1);
		if (self->nursery.caught)
			return interrupted(err);
		if (!self->server.pid && self->server.status)
			return server_ended(self, "before the command did", err);
	}
	if (*out >= 0)
		output_read(&self->output, *out);
	if (self->command.status)
		return smc_err_say(err, ECHILD, "the command failed: %s",
				   child_how_it_ended(self->command.status, text));
	return 0;
}

static int run_command(struct comparison *self, const struct launch *launch, struct smc_err *err)
{
	struct child_how how = { .launch = launch, .argv = self->argv };
	int ends[2], ret = open_output(ends);

	if (ret) {
		smc_err_set(err, -ret, "cannot make a pipe");
	} else {
		how.out = ends[1];
		ret = child_start(&self->nursery, &self->command, &how, err);
	}
	if (ends[1] >= 0)
		close(ends[1]);
	if (!ret)
		ret = wait_for_end(self, &ends[0], err);
	if (ends[0] >= 0)
		close(ends[0]);
	return ret;
}

static int find_metric(struct comparison *self, struct ab_run *run, struct smc_err *err)
{
	if (!asked.metric)
		return 0;
	if (asked.is_shown && self->output.len)
		(void)!write(STDERR_FILENO, self->output.data, self->output.len);
	return metric_find(&self->regex, &self->output, &run->metric, err);
}

/* @launch: NULL for TCP. No process is left in any case. */
static int run_once(struct comparison *self, struct ab_run *run, const struct launch *launch,
		    struct smc_err *err)
{
	struct witness *witness;
	int ret = 0;

	self->command = self->server = (struct child){ 0 };
	self->nursery.used = (struct usage){ 0 };
	if (asked.server)
		ret = start_server(self, launch, err);
	if (!ret) {
		witness = witness_start();
		ret = run_command(self, launch, err);
		witness_end(witness, &run->seen);
	}
	if (!ret)
		ret = find_metric(self, run, err);
	child_end(&self->nursery, &self->command);
	child_end(&self->nursery, &self->server);
	if (!nursery_clear(&self->nursery) && !ret)
		ret = smc_err_say(err, EPERM,
				  "cannot end what a run started: it runs as another user");
	out_free(&self->output);
	run->seconds = (double)(self->command.end_ns - self->command.start_ns) / 1e9;
	run->cpu_seconds = (double)self->nursery.used.cpu_ns / 1e9;
	run->switches = (double)self->nursery.used.switches;
	return !ret && self->nursery.caught ? interrupted(err) : ret;
}

/* ---- all runs ---- */

static int run_tcp(struct comparison *self, struct ab_run *run, struct smc_err *err)
{
	int ret = run_once(self, run, NULL, err);

	if (!ret && (run->seen.sockets.smcd || run->seen.sockets.smcr))
		return smc_err_say(
			err, EINVAL,
			"the run over TCP used SMC: the command opens SMC sockets itself, or inherited smc_run or smc_bpf");
	return ret;
}

static int run_smc(struct comparison *self, struct ab_run *run, struct smc_err *err)
{
	int ret = run_once(self, run, &self->smc, err);

	self->smc.quiet = true;
	self->smc.settings[VAR_DEBUG] = NULL;
	return ret;
}

/* The order alternates from pair to pair, so that neither side profits from the other. */
static int run_pair(struct comparison *self, struct ab_pair *pair, bool is_smc_first,
		    struct smc_err *err)
{
	int ret = is_smc_first ? 0 : run_tcp(self, &pair->tcp, err);

	pair->is_smc_first = is_smc_first;
	if (!ret)
		ret = run_smc(self, &pair->smc, err);
	return ret || !is_smc_first ? ret : run_tcp(self, &pair->tcp, err);
}

static void show_progress(int pair)
{
	if (asked.is_shown || asked.launch.quiet)
		return;
	if (pair)
		cli_progress("pair %d of %d", pair, asked.pairs);
	else
		cli_progress("warming up");
}

/* Before each pair: report on a terminal that there may be no verdict. */
static void expect_verdict(const struct comparison *self, int pair)
{
	bool is_quiet = asked.launch.quiet || !isatty(STDERR_FILENO);

	if (!pair && asked.pairs < NUMBERS_PAIRS)
		cli_warn(&tool, is_quiet, "there will be no verdict: it takes at least %d pairs",
			 NUMBERS_PAIRS);
	else if (pair == 1 && !result_used_smc(&self->pairs[0].smc.seen, true))
		cli_warn(&tool, is_quiet,
			 "SMC was not used while warming up: without it, there is no verdict");
}

/* The first pair warms up the caches and does not count. */
static int run_all(struct comparison *self, struct smc_err *err)
{
	int ret = 0;

	for (int pair = 0; !ret && pair <= asked.pairs; pair++) {
		expect_verdict(self, pair);
		show_progress(pair);
		ret = run_pair(self, &self->pairs[pair], pair % 2, err);
	}
	cli_progress_end();
	return ret;
}

static int print(const struct comparison *self)
{
	struct ab_result result = { .options = &asked,
				    .argv = self->argv,
				    .pairs = self->pairs + 1,
				    .count = (size_t)asked.pairs,
				    .width = cli_columns() };
	const struct record *record = verify ? &recorded : NULL;
	struct out_text text = { 0 };
	struct smc_err err = { 0 };
	json_t *doc;

	result_judge(&result);
	if (asked.is_json) {
		doc = result_json(&result);
		json_object_set_new(doc, "host", record_host());
		if (record)
			json_object_set_new(doc, "recorded", record_json(record, &result));
		out_json_document(&text, doc, false);
	} else {
		result_text(&text, &result);
		if (record)
			record_text(&text, record, &result);
		out_wrap_from(&text, 0, result.width, 0);
	}
	if (out_finish(&text, &err))
		return cli_error(&tool, "%s", err.text);
	if (result.verdict == AB_SMC_NOT_USED)
		return AB_NOT_USED;
	return record && record->verdict != result.verdict ? AB_DIFFERS : 0;
}

/* ---- the command line ---- */

static int read_server(struct comparison *self)
{
	int code;

	if (!asked.server)
		return 0;
	code = wordexp(asked.server, &self->words, WRDE_NOCMD);
	if (code == WRDE_NOSPACE)
		memory_end();
	if (code || !self->words.we_wordc)
		return cli_usage_error(&tool,
				       "--server: '%s' is not a simple command: use a script",
				       asked.server);
	return 0;
}

static int prepare(struct comparison *self)
{
	struct smc_err err;
	int smc, ret = read_server(self);

	if (ret)
		return ret;
	if (asked.metric && metric_compile(&self->regex, asked.metric, &err))
		return cli_usage_error(&tool, "--metric: %s", err.text);
	smc = kernel_has_smc();
	if (smc) {
		kernel_why_not(smc, &err);
		cli_error(&tool, "nothing to compare: %s", err.text);
		return AB_NOT_USED;
	}
	if (access("/proc/thread-self/children", R_OK))
		return cli_error(&tool,
				 "this kernel does not list the children of a process: it was "
				 "built without CONFIG_PROC_CHILDREN");
	self->pairs = xcalloc((size_t)asked.pairs + 1, sizeof(*self->pairs));
	if (nursery_open(&self->nursery))
		return cli_error(&tool, "cannot start: %s", strerror(errno));
	return 0;
}

static int compare(struct comparison *self)
{
	struct smc_err err = { 0 };
	int ret = run_all(self, &err);

	if (!ret)
		return print(self);
	/* End by the signal that was caught, so that the caller sees it: by its default action. */
	if (self->nursery.caught) {
		signal(self->nursery.caught, SIG_DFL);
		sigprocmask(SIG_SETMASK, &self->nursery.before, NULL);
		raise(self->nursery.caught);
	}
	/* If there is no text, launch_prepare() has printed the message. */
	if (err.text[0])
		cli_error(&tool, "%s", err.text);
	return AB_FAILED;
}

/* @argv: of smc_ab. Return: 0, or after a message AB_FAILED, AB_NOT_USED, ... */
static int run(char **argv)
{
	/* Static, because the words and the expression are used until the end. */
	static struct comparison self;
	int ret;

	self.argv = argv + optind;
	self.smc = asked.launch;
	if (!*self.argv)
		return cli_usage_error(&tool, "no command given");
	asked.words = argv + 1;
	ret = prepare(&self) ?: compare(&self);
	free(self.pairs);
	return ret;
}

/* ---- the options ---- */

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
static void announce(void)
{
	struct out_text text AUTO(out_free) = { 0 };

	for (int i = 0; i < recorded.argc; i++) {
		out_char(&text, ' ');
		if (!out_shell_word(&text, recorded.argv[i]))
			out_char(&text, '?');
	}
	cli_note(&tool, "%s repeats:%.*s", verify, (int)text.len, text.data);
}

static int run_again(void)
{
	const struct ab_options own = asked;
	int status = record_load(&recorded, &tool, verify);

	if (status)
		return status;
	announce();
	optind = 0;
	status = parse(recorded.argc, recorded.argv);
	if (status < 0) {
		asked.is_json = own.is_json;
		asked.is_shown = own.is_shown;
		status = run(recorded.argv);
	} else if (!status) {
		status = tool.error_status; /* --help is no comparison */
	}
	record_free(&recorded);
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
