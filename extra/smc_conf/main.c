// SPDX-License-Identifier: MIT
/* smc_conf: configure SMC on this host from one file. */
#include "smc_conf/smc_conf.h"

#include <getopt.h>
#include <sys/stat.h>

#include "base/err.h"
#include "cgroup/pins.h"
#include "host/record.h"
#include "sandbox/enclose.h"
#include "settings/nft.h"

enum { OPT_DEVICE = CLI_LONG_ONLY, OPT_METRICS };

/* Exit status of diff if there are differences. */
#define DIFFERENT 2

enum command { EXPORT, DIFF, APPLY, CHECK, WATCH, KEEP, RESET, SHOW };

/** struct sc_opts - the parsed command line; @file is NULL for the default */
static struct sc_opts {
	enum command command;
	const char *file, *device, *netns;
	bool is_json, is_metrics;
} asked;

static const struct cli_opt options[] = {
	{ OPT_DEVICE, "device", "NAME", "with apply: only recreate the PNET IDs of this device",
	  .text = &asked.device, .needs = "apply" },
	{ 'N', "netns", "NETNS",
	  "with apply, diff: only this network namespace: a name, PID or path",
	  .text = &asked.netns, .needs = "apply diff", .excludes = "--device" },
	{ 'j', "json", NULL, "write one JSON document", &asked.is_json,
	  .needs = "export diff show" },
	{ OPT_METRICS, "metrics", NULL, "with show: write counters of policies for Prometheus",
	  &asked.is_metrics, .needs = "show", .excludes = "--json" },
	{ 0 },
};

static uint64_t given;

static const char *const words[] = { "export", "diff",	"apply", "check", "watch",
				     "keep",   "reset", "show",	 NULL };

static const struct cli_tool tool = {
	.name = "smc_conf",
	.usage = "export [FILE] [-j]\n"
		 "diff [FILE] [-N NETNS] [-j]\n"
		 "apply [FILE] [-N NETNS | --device NAME]\n"
		 "check FILE\n"
		 "watch [FILE]\n"
		 "keep\n"
		 "reset\n"
		 "show [-j | --metrics]",
	.summary = "Apply a file of SMC settings to this host, all of it or nothing: EIDs,\n"
		   "PNET IDs, handshake limitation, net.smc, eBPF scopes, and who uses SMC.\n"
		   "FILE is " CONF_FILE " with those of " CONF_DIR "\n"
		   "unless another is given, - is standard input. keep saves the present settings\n"
		   "there, for each boot; reset removes all that such a file can set.\n\n"
		   "Example: smc_conf diff new.conf",
	.opts = options,
	.more = "Exit status of diff: 0 no difference, 1 error, 2 differences.\n",
	.error_status = 1,
	.given = &given,
	.commands = words,
};

/* ---- the command line ---- */

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
	if (command >= KEEP && asked.file)
		return cli_no_operand(&tool, asked.file);
	if (command == CHECK && !asked.file)
		return cli_usage_error(&tool, "no file given");
	ret = cli_check(&tool, words[command]);
	return ret ? ret : -1;
}

/* ---- the file ---- */

/* A dangling link counts as present: reading it fails. */
static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static int read_file(struct conf *conf, struct smc_err *err)
{
	bool is_applied = asked.command == APPLY || asked.command == WATCH;
	char nothing[] = "netns *\nexclusive\n"; /* names all namespaces, without settings */
	bool has_conf, has_dir;
	int ret = 0;

	*conf = (struct conf){ 0 };
	if (asked.file)
		return conf_read(conf, asked.file, is_applied, err);
	if (asked.command == KEEP || asked.command == RESET)
		return conf_read_text(conf, nothing, strlen(nothing), tool.name, err);
	has_conf = is_there(CONF_FILE);
	has_dir = is_there(CONF_DIR);
	/* udev calls this for each device: no file is fine. */
	if (has_conf || (!has_dir && asked.command != SHOW && !asked.device))
		ret = conf_read(conf, CONF_FILE, is_applied, err);
	if (!ret && has_dir)
		ret = conf_read_directory(conf, CONF_DIR, is_applied, err);
	return ret;
}

/* ---- commands ---- */

static void note_waiting(const struct settings *host)
{
	for (size_t i = 0; i < host->waiting.count; i++) {
		const struct conf_item *item = &host->waiting.items[i];
		const char *netns = host->waiting.sections[item->section].netns;
		const char *object = item->kind == CONF_SCOPE ? "its control group" : "its device";
		char place[CONF_PLACE_SIZE];
		struct out_text text = { 0 };

		conf_append_line(&text, item);
		cli_note(&tool, "%s: waits for %s%s: %.*s", conf_place_text(place, &item->place),
			 *netns ? "network namespace " : object, netns, (int)text.len, text.data);
		out_free(&text);
	}
}

static int check_eids(const struct settings *host, struct smc_err *err)
{
	bool is_exclusive = host->netns[0].exclusive & 1U << CONF_EID;
	size_t count = 0;

	for (size_t i = 0; i < host->wanted.count; i++)
		count += host->wanted.items[i].kind == CONF_EID;
	for (size_t i = 0; !is_exclusive && i < host->now.count; i++)
		count += host->now.items[i].kind == CONF_EID &&
			 !conf_find(&host->wanted, 0, &host->now.items[i]);
	if (count <= SMC_MAX_UEIDS)
		return 0;
	return smc_err_say(err, ERANGE, "there would be %zu EIDs, but the kernel takes only %d",
			   count, SMC_MAX_UEIDS);
}

/* Check what only root can find out. */
static int check_rest(const struct settings *host, struct smc_err *err)
{
	bool has_scope = false;
	int ret = 0;

	for (size_t i = 0; !ret && !geteuid() && !record_root() && i < host->n_changes; i++) {
		const struct conf_item *item = host->changes[i].new;

		if (item && item->kind == CONF_POLICY &&
		    !policy_is_empty(settings_policy_wanted(&host->netns[item->section])))
			ret = policy_nft_check(err);
		has_scope |= item && item->kind == CONF_SCOPE;
	}
	return !ret && has_scope ? pins_check(err) : ret;
}

/* Return: exit status, -errno with @err. */
static int run_with(struct settings *host, const struct conf *file, struct smc_err *err)
{
	int ret = settings_want(host, file, err);

	if (ret)
		return ret;
	if (asked.is_metrics)
		return sc_print_metrics(host, err);
	if (asked.command == SHOW)
		return sc_print_state(host, file, asked.is_json, err);
	if (asked.device)
		return settings_apply_device(host, asked.device, err);
	ret = settings_compare(host, err);
	if (!ret && asked.command == DIFF) {
		ret = sc_print_changes(host, asked.is_json, err);
		return ret || !host->n_changes ? ret : DIFFERENT;
	}
	if (!ret && asked.command == CHECK)
		ret = check_eids(host, err);
	if (!ret)
		ret = asked.command == CHECK ? check_rest(host, err) : settings_apply(host, err);
	if (!ret)
		note_waiting(host);
	return ret;
}

/* Skip the kernel's defaults. */
static void forget_normals(struct conf *now)
{
	size_t kept = 0;

	for (size_t i = 0; i < now->count; i++)
		if (!settings_is_normal(&now->items[i]))
			now->items[kept++] = now->items[i];
	now->count = kept;
}

static void note_unreadable(const struct smc_err *err)
{
	cli_note(&tool, "%s", err->text);
}

/* Check here: the file was written for this host. */
static int run_here(const struct conf *file, struct smc_err *err)
{
	bool is_export = asked.command == EXPORT || asked.command == KEEP;
	bool changes = asked.command == APPLY || asked.command == KEEP || asked.command == RESET;
	struct settings host AUTO(settings_free) = { 0 };
	int ret = enclose_record(err);

	if (changes)
		settings_lock(&host);
	if (!ret && asked.netns)
		ret = settings_read_netns(&host, file, asked.netns, err);
	else if (!ret)
		ret = settings_read(&host, asked.device ? NULL : file,
				    is_export || asked.command == SHOW, note_unreadable, err);
	if (ret == -ENOENT && asked.command == CHECK) {
		cli_note(&tool, "only the file was checked: %s", err->text);
		ret = 0;
	} else if (!ret && is_export) {
		forget_normals(&host.now);
		ret = asked.command == KEEP ? sc_keep(&host.now, &tool, err) :
					      sc_print_export(&host.now, asked.is_json, err);
	} else if (!ret) {
		ret = run_with(&host, file, err);
	}
	return ret;
}

static int run(struct smc_err *err)
{
	struct conf file AUTO(conf_free) = { 0 };
	bool is_export = asked.command == EXPORT;
	int ret = is_export && !asked.file ? 0 : read_file(&file, err);

	if (!ret && is_export && asked.file)
		ret = sc_print_export(&file, asked.is_json, err);
	else if (!ret && asked.command == WATCH)
		ret = sc_watch(&file, &tool, err);
	else if (!ret)
		ret = run_here(&file, err);
	return ret;
}

int main(int argc, char **argv)
{
	struct smc_err err = { 0 };
	int ret;

	cli_start();
	ret = parse(argc, argv);
	if (ret >= 0)
		return ret;
	ret = run(&err);
	if (ret < 0)
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool) ? tool.error_status : ret;
}
