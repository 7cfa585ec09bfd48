// SPDX-License-Identifier: MIT
/* smc_bpf: turn the TCP sockets of control groups and processes into SMC sockets, by eBPF. */
#include "smc_bpf/smc_bpf.h"

#include <getopt.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cgroup/pins.h"

enum {
	OPT_RUN = CLI_LONG_ONLY,
	OPT_ALL,
	OPT_CGROUP_OF,
	OPT_ONLY,
	OPT_USER,
	OPT_EXCLUDE_COMM,
	OPT_ALLOW_GROUP,
	OPT_METRICS,
};

/* Options that name a target: there is one, and the runtime names that of the hook. */
#define ALONE .needs = "attach detach status check"

static const struct cli_opt options[] = {
	{ 'c', "cgroup", "PATH", "a control group, and all below it", ALONE,
	  .excludes = "--cgroup-of --unit --container --pid --run" },
	{ OPT_CGROUP_OF, "cgroup-of", "PID", "the control group that a process is in", ALONE,
	  .excludes = "--unit --container --pid --run" },
	{ 'u', "unit", "UNIT", "the control group of a systemd unit or slice", ALONE,
	  .excludes = "--container --pid --run" },
	{ 'C', "container", "ID", "the control group of a container, by (part of) its id", ALONE,
	  .excludes = "--pid --run" },
	{ 'p', "pid", "PID", "a process, its threads and children, and all that they start", ALONE,
	  .excludes = "--run" },
	{ OPT_RUN, "run", NULL, "what smc_run --bpf starts", ALONE },
	{ OPT_ALL, "all", NULL, "detach everything", .needs = "detach",
	  .excludes = "--cgroup --cgroup-of --unit --container --pid --run" },
	{ OPT_ONLY, "only", "FAMILY", "convert sockets of ipv4 or of ipv6 only, or none",
	  .needs = "attach" },
	{ OPT_USER, "user", "USER", "convert sockets of this user only", .needs = "attach" },
	{ OPT_EXCLUDE_COMM, "exclude-comm", "NAME",
	  "leave processes with this command name alone;\n"
	  "up to 8 times",
	  .needs = "attach" },
	{ OPT_ALLOW_GROUP, "allow-group", "GROUP", "with --run: members may use smc_run --bpf",
	  .needs = "--run" },
	{ 'j', "json", NULL, "write one JSON document", .needs = "status" },
	{ OPT_METRICS, "metrics", NULL, "write counters in Prometheus' text form",
	  .needs = "status", .excludes = "--json" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

static uint64_t given;

static const struct cli_tool tool = {
	.name = "smc_bpf",
	.usage = "attach TARGET [RULE]...\n"
		 "detach TARGET | --all\n"
		 "status [TARGET] [-j | --metrics]\n"
		 "check [TARGET]\n"
		 "oci-hook",
	.summary =
		"Turns the TCP sockets of programs into SMC sockets, by an eBPF program in the kernel:\n"
		"also of programs that are static, built by Go, or set-uid. TARGET is one of --cgroup,\n"
		"--cgroup-of, --unit, --container, --pid and --run; RULE is --only, --user or\n"
		"--exclude-comm. oci-hook is for runtimes of containers.",
	.opts = options,
	.error_status = 1,
	.given = &given,
};

enum command { ATTACH, DETACH, STATUS, CHECK, HOOK };
static const char *const words[] = { "attach", "detach", "status", "check", "oci-hook", NULL };

/** struct bpf_opts - the command line, read */
struct bpf_opts {
	enum command command;
	int how;	  /* option that names the target, 0 for none */
	const char *text; /* its argument */
	bool is_all, is_json, is_metrics;
	struct smc_scope rules;
	size_t comms;
};

static int set_user(struct bpf_opts *opts, const char *text)
{
	int64_t uid = scope_user(text);

	if (uid < 0)
		return cli_error(&tool, "no user '%s'", text);
	opts->rules.has_uid = 1;
	opts->rules.uid = (uint32_t)uid;
	return 0;
}

static int set_family(struct bpf_opts *opts, const char *text)
{
	static const char *const names[] = { "ipv4", "ipv6", "none", NULL };
	static const int families[] = { AF_INET, AF_INET6, SCOPE_NO_FAMILY };
	int word = cli_word(&tool, OPT_ONLY, names, text);

	if (word < 0)
		return tool.error_status;
	opts->rules.family = (__u32)families[word];
	return 0;
}

/* Cut after 15 bytes, as the kernel cuts command names. */
static int add_comm(struct bpf_opts *opts, const char *text)
{
	if (opts->comms == SCOPE_COMMS)
		return cli_usage_error(&tool, "more than %d names to exclude", SCOPE_COMMS);
	if (!*text)
		return cli_usage_error(&tool, "--exclude-comm: the name is empty");
	strncpy(opts->rules.comms[opts->comms++], text, SCOPE_COMM_SIZE - 1);
	return 0;
}

static int set_group(struct bpf_opts *opts, const char *text)
{
	const struct group *group = getgrnam(text);

	if (!group)
		return cli_error(&tool, "no group '%s'", text);
	opts->rules.has_gid = 1;
	opts->rules.gid = group->gr_gid;
	return 0;
}

/* Return: 0, or an exit status after a message. */
static int set_option(struct bpf_opts *opts, int opt)
{
	switch (opt) {
	case 'c':
	case 'u':
	case 'C':
	case 'p':
	case OPT_CGROUP_OF:
	case OPT_RUN:
		opts->how = opt;
		opts->text = optarg;
		return 0;
	case 'j': opts->is_json = true; return 0;
	case OPT_METRICS: opts->is_metrics = true; return 0;
	case OPT_ALL: opts->is_all = true; return 0;
	case OPT_ONLY: return set_family(opts, optarg);
	case OPT_USER: return set_user(opts, optarg);
	case OPT_EXCLUDE_COMM: return add_comm(opts, optarg);
	case OPT_ALLOW_GROUP: return set_group(opts, optarg);
	default: return tool.error_status;
	}
}

static int set_command(struct bpf_opts *opts, const char *word)
{
	int command = cli_command(&tool, words, word);

	opts->command = (enum command)command;
	return command < 0 ? tool.error_status : 0;
}

/*
 * The command comes first, or after its options. First it is taken before getopt sees it, which
 * with POSIXLY_CORRECT would find no option after it. Return: -1 to go on, or the exit status.
 */
static int parse(struct bpf_opts *opts, int argc, char **argv)
{
	bool is_first = argc > 1 && *argv[1] != '-';
	int opt, ret;

	if (is_first && set_command(opts, argv[1]))
		return tool.error_status;
	argc -= is_first;
	argv += is_first;
	while ((opt = cli_getopt(&tool, argc, argv)) != -1) {
		if (opt == 'h')
			return cli_help(&tool);
		if (opt == 'v')
			return cli_version(&tool);
		ret = set_option(opts, opt);
		if (ret)
			return ret;
	}
	ret = is_first ? 0 : set_command(opts, argv[optind++]);
	if (!ret)
		ret = cli_no_operand(&tool, argv[optind]);
	if (!ret)
		ret = cli_check(&tool, words[opts->command]);
	if (!ret && !opts->how && !opts->is_all && opts->command < STATUS)
		ret = cli_usage_error(&tool, "no target: give --cgroup, --cgroup-of, --unit, "
					     "--container, --pid or --run");
	if (!ret && opts->rules.has_gid && opts->command != ATTACH)
		ret = cli_usage_error(&tool, "option '--allow-group' is only for 'attach'");
	return ret ? ret : -1;
}

static int find_target(const struct bpf_opts *opts, struct scope_target *target,
		       struct smc_err *err)
{
	switch (opts->how) {
	case 0: return 0;
	case 'p': return scope_target_process(target, opts->text, err);
	case OPT_RUN: scope_target_run(target); return 0;
	default:
		return scope_target_cgroup(target, opts->how == OPT_CGROUP_OF ? 'o' : opts->how,
					   opts->text, err);
	}
}

static int status(const struct bpf_opts *opts, struct scope_target *target, struct smc_err *err)
{
	struct scope_list list;
	int ret = scope_list_load(&list, opts->how ? target : NULL, err);

	if (!ret)
		ret = opts->is_metrics ? status_metrics(&list, hook_failures(), err) :
					 status_print(&tool, &list, opts->is_json, err);
	scope_list_free(&list);
	return ret;
}

/*
 * A service gets a new control group at each start; a slice keeps its own. Scripts, and drop-ins
 * that attach at each start, need not be told.
 */
static void note_end(const struct bpf_opts *opts)
{
	const char *type = opts->how == 'u' ? strrchr(opts->text, '.') : ".slice";

	if (isatty(STDERR_FILENO) && (!type || strcmp(type, ".slice")))
		cli_note(&tool,
			 "this ends when %s is restarted: 'smc_unit enable --bpf' attaches "
			 "at each start",
			 opts->text);
}

static int run(const struct bpf_opts *opts, struct smc_err *err)
{
	struct scope_target target = { 0 };
	int ret = find_target(opts, &target, err);

	/* A control group that was removed cannot be named any more, but its scope can go. */
	if (ret && opts->command == DETACH)
		scope_remove_gone();
	if (ret)
		return ret;
	switch (opts->command) {
	case ATTACH:
		ret = scope_attach(&target, &opts->rules, err);
		if (!ret)
			note_end(opts);
		return ret;
	case DETACH: return opts->is_all ? scope_detach_all(err) : scope_detach(&target, err);
	case CHECK:
		ret = pins_check(err);
		if (!ret)
			puts("eBPF can be used here");
		return ret;
	default: return status(opts, &target, err);
	}
}

int main(int argc, char **argv)
{
	struct bpf_opts opts = { 0 };
	struct smc_err err = { 0 };
	int ret;

	cli_start();
	ret = parse(&opts, argc, argv);
	if (ret >= 0)
		return ret;
	if (opts.command == HOOK)
		return hook_run(&tool);
	if (run(&opts, &err))
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool);
}
