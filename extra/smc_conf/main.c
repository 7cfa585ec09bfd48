// SPDX-License-Identifier: MIT
/* smc_conf: configure SMC on this host from one file. */
#include "smc_conf/smc_conf.h"

#include <fcntl.h>
#include <getopt.h>

#include "base/array.h"
#include "base/read.h"
#include "base/write.h"
#include "host/record.h"
#include "sandbox/enclose.h"
#include "smc_conf/drain.h"

enum { OPT_DEVICE = CLI_LONG_ONLY, OPT_METRICS, OPT_KILL };

/* Exit status of diff if there are differences. */
#define DIFFERENT 2
#define FILE_MAX 65536 /* of add and remove */

enum command { EXPORT, DIFF, APPLY, CHECK, WATCH, DRAIN, UNDRAIN, ADD, REMOVE, KEEP, RESET, SHOW };

/** struct sc_opts - the parsed command line; @file is NULL for the default; for drain, what */
static struct sc_opts {
	enum command command;
	const char *file, *device, *netns;
	bool is_json, is_metrics, is_kill;
	double seconds;
} asked;

static const struct cli_opt options[] = {
	{ OPT_DEVICE, "device", "NAME", "with apply: only recreate the PNET IDs of this device",
	  .text = &asked.device, .needs = "apply" },
	{ 'N', "netns", "NETNS",
	  "with apply, diff: only this network namespace (name, PID or path)", .text = &asked.netns,
	  .needs = "apply diff", .excludes = "--device" },
	{ 'j', "json", NULL, "write one JSON document", &asked.is_json,
	  .needs = "export diff show" },
	{ OPT_METRICS, "metrics", NULL, "with show: write counters of policies for Prometheus",
	  &asked.is_metrics, .needs = "show", .excludes = "--json" },
	{ 't', "timeout", "SECONDS", "with drain: wait at most this long",
	  .seconds = &asked.seconds, .needs = "drain" },
	{ OPT_KILL, "kill", NULL, "with drain: end the connections that remain", &asked.is_kill,
	  .needs = "drain" },
	{ 0 },
};

static uint64_t given;

static const char *const words[] = { "export", "diff",	  "apply", "check",  "watch",
				     "drain",  "undrain", "add",   "remove", "keep",
				     "reset",  "show",	  NULL };

static const struct cli_tool tool = {
	.name = "smc_conf",
	.usage = "export [FILE] [-j]\n"
		 "diff [FILE] [-N NETNS] [-j]\n"
		 "apply [FILE] [-N NETNS | --device NAME]\n"
		 "check FILE\n"
		 "watch [FILE]\n"
		 "drain [DEVICE|NETWORK|all] [-t SECONDS] [--kill]\n"
		 "undrain [DEVICE|NETWORK|all]\n"
		 "add FILE\n"
		 "remove [FILE]\n"
		 "keep\n"
		 "reset\n"
		 "show [-j | --metrics]",
	.summary = "Apply a file of SMC settings to this host, all of it or nothing: EIDs,\n"
		   "PNET IDs, handshake limitation, net.smc, eBPF scopes, and who uses SMC.\n"
		   "FILE is " CONF_FILE " with those of " CONF_DIR "\n"
		   "unless another is given, - is standard input. export writes the present\n"
		   "settings to a new FILE; keep saves them there, for each boot; reset removes\n"
		   "all that such a file can set.\n"
		   "drain leaves new connections to TCP, and waits until others have ended.",
	.examples = "  smc_conf diff new.conf\n  smc_conf drain --timeout 60\n",
	.opts = options,
	.exits = "0 done, 1 error, 2 differences (diff), connections left (drain)",
	.error_status = 1,
	.given = &given,
	.commands = words,
};

/* ---- the command line ---- */

static bool is_stdin(void)
{
	return asked.file && !strcmp(asked.file, "-");
}

/* The command is the first word, or follows the options. Return: exit status; -1 to go on. */
static int parse(int argc, char **argv)
{
	int command, ret = cli_parse(&tool, argc, argv, NULL);

	if (ret >= 0)
		return ret;
	command = cli_command(&tool, words, argv[optind]);
	if (command < 0)
		return tool.error_status;
	asked.command = (enum command)command;
	asked.file = argv[optind + 1];
	if (asked.file && argv[optind + 2])
		return cli_no_operand(&tool, argv[optind + 2]);
	if (command == EXPORT && asked.is_json && asked.file && !is_stdin())
		return cli_usage_error(&tool, "--json is for standard output");
	if (command >= KEEP && asked.file)
		return cli_no_operand(&tool, asked.file);
	if ((command == CHECK || command == ADD) && !asked.file)
		return cli_usage_error(&tool, "no file given");
	ret = cli_check(&tool, words[command]);
	return ret ? ret : -1;
}

/* ---- commands ---- */

static void note(const struct smc_err *err)
{
	cli_note(&tool, "%s", err->text);
}

/* Settings of this host, except the kernel's defaults. @file: what it names must be readable */
static int read_all(struct settings *host, const struct conf *file, struct smc_err *err)
{
	size_t kept = 0;
	int ret;

	host->file = file;
	ret = settings_read(host, NULL, note, err);
	for_each(item, host->now.items, host->now.count) {
		if (!settings_is_normal(item))
			host->now.items[kept++] = *item;
	}
	host->now.count = kept;
	return ret;
}

/* A file that exists may be the only copy of what the user wrote. */
static int write_new(const struct conf *conf, struct smc_err *err)
{
	struct out_text text AUTO(out_free) = { 0 };
	int fd AUTO_CLOSE = open(asked.file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0 && errno == EEXIST)
		return smc_err_say(err, EEXIST, "%s exists: move it away first", asked.file);
	sc_export(&text, conf);
	if (fd >= 0 && smc_write_all(fd, text.data, text.len) && !fsync(fd))
		return 0;
	smc_err_set(err, errno, "cannot write %s", asked.file);
	if (fd >= 0)
		unlink(asked.file);
	return -err->code;
}

/* - is a file on standard input, whose settings are printed in the same form. */
static int run_export(struct settings *host, const struct conf *file, struct smc_err *err)
{
	if (is_stdin())
		return sc_print_export(file, asked.is_json, err);
	if (asked.file)
		return read_all(host, NULL, err) ?: write_new(&host->now, err);
	return read_all(host, NULL, err) ?: sc_print_export(&host->now, asked.is_json, err);
}

static int run_keep(struct settings *host, const struct conf *file, struct smc_err *err)
{
	int ret = read_all(host, file, err);

	return ret ? ret : sc_keep(&host->now, &tool, err);
}

static int run_show(struct settings *host, const struct conf *file, struct smc_err *err)
{
	int ret;

	host->file = file;
	ret = settings_read(host, NULL, note, err);
	if (!ret)
		ret = settings_want(host, err);
	if (!ret)
		ret = asked.is_metrics ? sc_print_metrics(host, err) :
					 sc_print_state(host, asked.is_json, err);
	return ret;
}

static int run_diff(struct settings *host, const struct conf *file, struct smc_err *err)
{
	int ret = settings_plan(host, file, asked.netns, err);

	if (!ret)
		ret = sc_print_changes(host, asked.is_json, err);
	return ret || !host->n_changes ? ret : DIFFERENT;
}

static void note_waiting(const struct settings *host)
{
	struct out_text text AUTO(out_free) = { 0 };
	char *next, *line;

	settings_waits(&text, host);
	out_char(&text, '\0');
	for (next = text.data; (line = strsep(&next, "\n")) && *line;)
		cli_note(&tool, "%s", line);
}

/* The file was written for this host. */
static int run_check(struct settings *host, const struct conf *file, struct smc_err *err)
{
	int ret = settings_plan(host, file, NULL, err);

	if (ret == -ENOENT) {
		cli_note(&tool, "only the file was checked: %s", err->text);
		return 0;
	}
	if (!ret)
		ret = settings_check(host, err);
	if (!ret)
		note_waiting(host);
	return ret;
}

static int run_apply(struct settings *host, const struct conf *file, struct smc_err *err)
{
	int ret;

	host->device = asked.device;
	ret = settings_plan(host, file, asked.netns, err);
	if (!ret)
		ret = settings_apply(host, err);
	if (!ret && !asked.device)
		note_waiting(host);
	return ret;
}

static int run_watch(struct settings *host, const struct conf *file, struct smc_err *err)
{
	return sc_watch(host, file, &tool, err);
}

/* @host has the lock, which the wait does not need. */
static int run_drain(struct settings *host, const struct conf *file, struct smc_err *err)
{
	const char *what = asked.file ? asked.file : "all";
	bool is_on = asked.command == DRAIN;
	int ret = record_root() ? record_refuse(err) : drain_change(what, is_on, err);

	(void)file;
	settings_free(host);
	*host = (struct settings){ .lock = 0 };
	return ret || !is_on ? ret : drain_wait(what, asked.seconds, asked.is_kill, err);
}

static int run_add(struct settings *host, const struct conf *file, struct smc_err *err)
{
	char *lines AUTO_FREE = NULL;
	size_t len;
	int fd;

	(void)host;
	(void)file;
	if (record_root())
		return record_refuse(err);
	fd = asked.file ? smc_open_input(asked.file, err) : -1;
	if (asked.file && fd < 0)
		return fd;
	lines = smc_read_fd(fd, FILE_MAX, &len);
	if (asked.file && !lines)
		return smc_err_set(err, errno, "cannot read %s", asked.file);
	return settings_add(lines, asked.command == REMOVE, err);
}

/** struct action - @changes: it changes this host; @is_applied: it applies the file */
static const struct action {
	int (*run)(struct settings *host, const struct conf *file, struct smc_err *err);
	bool changes, is_applied;
} actions[] = {
	[EXPORT] = { run_export },
	[DIFF] = { run_diff },
	[APPLY] = { run_apply, .changes = true, .is_applied = true },
	[CHECK] = { run_check },
	[WATCH] = { run_watch, .is_applied = true },
	[DRAIN] = { run_drain, .changes = true },
	[UNDRAIN] = { run_drain, .changes = true },
	[ADD] = { run_add },
	[REMOVE] = { run_add },
	[KEEP] = { run_keep, .changes = true },
	[RESET] = { run_apply, .changes = true },
	[SHOW] = { run_show },
};

/* Where a file could come from, if there is none. */
static int explain_missing(int ret, struct smc_err *err)
{
	struct smc_err why = *err;

	return ret != -ENOENT ? ret :
				smc_err_say(err, ENOENT,
					    "%.150s; 'smc_conf keep' writes " CONF_FILE
					    ", smc.conf(5) has examples",
					    why.text);
}

static int read_file(struct conf *conf, struct smc_err *err)
{
	bool is_applied = actions[asked.command].is_applied;
	bool is_needed = asked.command != SHOW && !asked.device;
	char nothing[] = "netns *\nexclusive\n"; /* names all namespaces, without settings */

	if ((asked.command >= DRAIN && asked.command <= REMOVE) ||
	    (asked.command == EXPORT && !is_stdin()))
		return 0;
	if (asked.file)
		return explain_missing(conf_read(conf, asked.file, is_applied, err), err);
	if (asked.command == RESET || asked.command == KEEP)
		return conf_read_text(conf, nothing, strlen(nothing), tool.name, err);
	/* udev calls this for each device: no file is fine, as for a drained host. */
	return explain_missing(
		conf_read_default(conf, is_needed && access(DRAIN_FILE, F_OK), is_applied, err),
		err);
}

int main(int argc, char **argv)
{
	struct conf file AUTO(conf_free) = { 0 };
	struct settings host AUTO(settings_free) = { 0 };
	struct smc_err err = { 0 };
	int ret;

	cli_start();
	ret = parse(argc, argv);
	if (ret >= 0)
		return ret;
	ret = 0;
	if ((asked.command == APPLY || asked.command == SHOW) && !asked.file && !asked.device &&
	    !record_root())
		ret = drain_again(&tool, asked.command == APPLY, &err);
	if (!ret)
		ret = read_file(&file, &err);
	if (!ret && asked.command != WATCH)
		ret = enclose_record(&err);
	if (!ret && actions[asked.command].changes)
		settings_lock(&host);
	if (!ret)
		ret = actions[asked.command].run(&host, &file, &err);
	if (ret < 0)
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool) ? tool.error_status : ret;
}
