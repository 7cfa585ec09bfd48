// SPDX-License-Identifier: MIT
/* Run a command over TCP and over SMC, alternately. */
#include "smc_ab/ab.h"

#include <fcntl.h>
#include <signal.h>
#include <wordexp.h>

#include "base/memory.h"
#include "cli/screen.h"
#include "host/smc.h"
#include "out/list.h"
#include "smc_ab/child.h"
#include "smc_ab/evidence.h"

#define LISTEN_STEPS 3000
#define LISTEN_MS 20 /* interval of checks; a server has a minute to listen */

/**
 * struct comparison - state of a comparison
 * @smc: options to start the runs over SMC; warns only once
 * @server: its command line, split into words
 */
struct comparison {
	const struct ab_options *options;
	char *const *argv;
	struct launch smc;
	struct nursery nursery;
	wordexp_t server;
	bool has_server, has_regex;
	regex_t regex;
	struct ab_pair *pairs;
};

/* ---- one run ---- */

/* Open the destination of the command's output. Return: 0, -errno. */
static int open_output(const struct comparison *self, int ends[2])
{
	ends[0] = ends[1] = -1;
	if (self->options->metric)
		return pipe2(ends, O_CLOEXEC) || fcntl(ends[0], F_SETFL, O_NONBLOCK) ? -errno : 0;
	if (self->options->is_shown)
		ends[1] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	return 0;
}

static int interrupted(struct smc_err *err)
{
	return smc_err_say(err, EINTR, "interrupted");
}

static int server_ended(const struct child *server, const char *when, struct smc_err *err)
{
	char text[64];

	return smc_err_say(err, ECHILD, "the server ended %s: %s", when,
			   child_how_it_ended(server->status, text));
}

static int start_server(struct comparison *self, struct child *server, const struct launch *launch,
			struct smc_err *err)
{
	const struct child_how how = {
		.launch = launch,
		.argv = self->server.we_wordv,
		.out = self->options->is_shown ? STDERR_FILENO : -1,
	};
	int ret = child_start(&self->nursery, server, &how, err);

	for (int i = 0; !ret && i < LISTEN_STEPS; i++) {
		ret = witness_listens(server->pid, err);
		if (ret)
			return ret < 0 ? ret : 0;
		child_wait(&self->nursery, NULL, NULL, LISTEN_MS);
		if (self->nursery.caught)
			return interrupted(err);
		if (!server->pid)
			return server_ended(server, "before it listened", err);
	}
	return ret ? ret :
		     smc_err_say(err, ETIMEDOUT, "the server did not listen within %d s",
				 LISTEN_STEPS * LISTEN_MS / 1000);
}

/* Wait until the command ends. A server for a single client may end earlier. */
static int wait_for_end(struct comparison *self, struct child *command, struct child *server,
			int *out, struct out_text *output, struct smc_err *err)
{
	char text[64];

	while (command->pid) {
		child_wait(&self->nursery, out, output, -1);
		if (self->nursery.caught)
			return interrupted(err);
		if (self->has_server && !server->pid && server->status)
			return server_ended(server, "before the command did", err);
	}
	if (*out >= 0)
		output_read(output, *out);
	if (command->status)
		return smc_err_say(err, ECHILD, "the command failed: %s",
				   child_how_it_ended(command->status, text));
	return 0;
}

static int run_command(struct comparison *self, struct child *command, struct child *server,
		       const struct launch *launch, struct out_text *output, struct smc_err *err)
{
	struct child_how how = { .launch = launch, .argv = self->argv };
	int ends[2], ret = open_output(self, ends);

	if (ret) {
		smc_err_set(err, -ret, "cannot make a pipe");
	} else {
		how.out = ends[1];
		ret = child_start(&self->nursery, command, &how, err);
	}
	if (ends[1] >= 0)
		close(ends[1]);
	if (!ret)
		ret = wait_for_end(self, command, server, &ends[0], output, err);
	if (ends[0] >= 0)
		close(ends[0]);
	return ret;
}

static int find_metric(struct comparison *self, struct ab_run *run, const struct out_text *output,
		       struct smc_err *err)
{
	if (self->options->is_shown && output->len)
		(void)!write(STDERR_FILENO, output->data, output->len);
	return self->options->metric ? metric_find(&self->regex, output, &run->metric, err) : 0;
}

/* @launch: NULL for TCP. No process is left in any case. */
static int run_once(struct comparison *self, struct ab_run *run, const struct launch *launch,
		    struct smc_err *err)
{
	struct child command = { 0 }, server = { 0 };
	struct witness *witness = NULL;
	struct out_text output = { 0 };
	int ret = 0;

	self->nursery.used = (struct usage){ 0 };
	if (self->has_server)
		ret = start_server(self, &server, launch, err);
	if (!ret) {
		witness = witness_start();
		ret = run_command(self, &command, &server, launch, &output, err);
	}
	if (witness)
		witness_end(witness, &run->seen);
	if (!ret)
		ret = find_metric(self, run, &output, err);
	child_end(&self->nursery, &command);
	child_end(&self->nursery, &server);
	if (!nursery_clear(&self->nursery) && !ret)
		ret = smc_err_say(err, EPERM,
				  "cannot end what a run started: it runs as another user");
	out_free(&output);
	run->seconds = (double)(command.end_ns - command.start_ns) / 1e9;
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

static void show_progress(const struct comparison *self, int pair)
{
	if (self->options->is_shown || self->options->launch.quiet)
		return;
	if (pair)
		cli_progress("pair %d of %d", pair, self->options->pairs);
	else
		cli_progress("warming up");
}

/* Before each pair: report on a terminal that there may be no verdict. */
static void expect_verdict(const struct comparison *self, int pair)
{
	const struct cli_tool *tool = self->smc.tool;
	bool is_quiet = self->options->launch.quiet || !isatty(STDERR_FILENO);

	if (!pair && self->options->pairs < NUMBERS_PAIRS)
		cli_warn(tool, is_quiet, "there will be no verdict: it takes at least %d pairs",
			 NUMBERS_PAIRS);
	else if (pair == 1 && !result_used_smc(&self->pairs[0].smc.seen, true))
		cli_warn(tool, is_quiet,
			 "SMC was not used while warming up: there is no verdict unless it is");
}

/* The first pair warms up the caches and does not count. */
static int run_all(struct comparison *self, struct smc_err *err)
{
	int ret = 0;

	for (int pair = 0; !ret && pair <= self->options->pairs; pair++) {
		expect_verdict(self, pair);
		show_progress(self, pair);
		ret = run_pair(self, &self->pairs[pair], pair % 2, err);
	}
	cli_progress_end();
	return ret;
}

static json_t *make_document(const struct ab_result *result, const struct record *record)
{
	json_t *doc = result_json(result);

	json_object_set_new(doc, "host", record_host());
	if (record)
		json_object_set_new(doc, "recorded", record_json(record, result));
	return doc;
}

static int print(const struct comparison *self)
{
	struct ab_result result = { .options = self->options,
				    .argv = self->argv,
				    .pairs = self->pairs + 1,
				    .count = (size_t)self->options->pairs,
				    .width = cli_columns() };
	const struct record *record = self->options->record;
	struct out_text text = { 0 };
	struct smc_err err = { 0 };

	result_judge(&result);
	if (self->options->is_json) {
		out_json_document(&text, make_document(&result, record), false);
	} else {
		result_text(&text, &result);
		if (record)
			record_text(&text, record, &result);
		out_wrap_from(&text, 0, result.width, 0);
	}
	if (out_finish(&text, &err))
		return cli_error(self->smc.tool, "%s", err.text);
	if (result.verdict == AB_SMC_NOT_USED)
		return AB_NOT_USED;
	return record && !record_agrees(record, &result) ? AB_DIFFERS : 0;
}

/* ---- the command line ---- */

static int read_server(struct comparison *self)
{
	const struct cli_tool *tool = self->smc.tool;
	int code;

	if (!self->options->server)
		return 0;
	code = wordexp(self->options->server, &self->server, WRDE_NOCMD);
	self->has_server = !code;
	if (code == WRDE_NOSPACE)
		memory_end();
	if (code || !self->server.we_wordc)
		return cli_usage_error(tool,
				       "--server: '%s' is not a program with arguments; a "
				       "script may do more",
				       self->options->server);
	return 0;
}

static int prepare(struct comparison *self)
{
	const struct cli_tool *tool = self->smc.tool;
	struct smc_err err;
	int smc, ret = read_server(self);

	if (ret)
		return ret;
	if (self->options->metric && metric_compile(&self->regex, self->options->metric, &err))
		return cli_usage_error(tool, "--metric: %s", err.text);
	self->has_regex = self->options->metric;
	smc = kernel_has_smc();
	if (smc) {
		kernel_why_not(smc, &err);
		cli_error(tool, "nothing to compare: %s", err.text);
		return AB_NOT_USED;
	}
	if (access("/proc/thread-self/children", R_OK))
		return cli_error(tool,
				 "this kernel does not list the children of a process: it was "
				 "built without CONFIG_PROC_CHILDREN");
	self->pairs = xcalloc((size_t)self->options->pairs + 1, sizeof(*self->pairs));
	if (nursery_open(&self->nursery))
		return cli_error(tool, "cannot start: %s", strerror(errno));
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
	/* Without a text, launch_prepare() has printed the message. */
	if (err.text[0])
		cli_error(self->smc.tool, "%s", err.text);
	return AB_FAILED;
}

int ab_run(const struct ab_options *options, char *const *argv)
{
	struct comparison self = { .options = options, .argv = argv, .smc = options->launch };
	int ret = prepare(&self);

	if (!ret)
		ret = compare(&self);
	if (self.has_regex)
		regfree(&self.regex);
	if (self.has_server)
		wordfree(&self.server);
	free(self.pairs);
	return ret;
}
