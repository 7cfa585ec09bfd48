// SPDX-License-Identifier: MIT
/* smc_bpf: turn TCP sockets of control groups and processes into SMC sockets, with eBPF. */
#include "smc_bpf/smc_bpf.h"

#include <dirent.h>
#include <getopt.h>
#include <grp.h>
#include <sys/socket.h>

#include "process/confined.h"
#include "process/proc.h"

enum {
	OPT_RUN = CLI_LONG_ONLY,
	OPT_ALL,
	OPT_CGROUP_OF,
	OPT_ONLY,
	OPT_EXCLUDE_COMM,
	OPT_KEEP_MPTCP,
	OPT_ALLOW_GROUP,
	OPT_METRICS,
	OPT_FORCE,
};

enum command { ATTACH, DETACH, STATUS, CHECK, HOOK };

/** struct bpf_opts - the parsed command line */
static struct bpf_opts {
	enum command command;
	int how;	  /* option that names the target, 0 for none */
	const char *text; /* its argument */
	bool is_all, is_json, is_metrics, is_forced;
	struct smc_scope rules;
	size_t comms;
} asked;

/* Options that name a target, at most one of them; the hook gets its target from the runtime. */
#define ALONE .needs = "attach detach status check"

static const struct cli_opt options[] = {
	{ 'c', "cgroup", "PATH", "act on a control group and all below it", ALONE,
	  .excludes = "--cgroup-of --unit --container --run" },
	{ OPT_CGROUP_OF, "cgroup-of", "PID", "act on the control group of a process", ALONE,
	  .excludes = "--unit --container --run" },
	{ 'u', "unit", "UNIT", "act on the control group of a systemd unit or slice", ALONE,
	  .excludes = "--container --run" },
	{ 'C', "container", "ID", "act on the control group of a container, by (part of) its id",
	  ALONE, .excludes = "--run" },
	{ OPT_RUN, "run", NULL, "act on the programs of smc_run --bpf", ALONE },
	{ OPT_ALL, "all", NULL, "detach everything", &asked.is_all, .needs = "detach",
	  .excludes = "--cgroup --cgroup-of --unit --container --run" },
	{ OPT_ONLY, "only", "FAMILY", "convert sockets of ipv4 or of ipv6 only, or none",
	  .needs = "attach" },
	{ OPT_EXCLUDE_COMM, "exclude-comm", "NAME",
	  "leave processes with this command name alone; up to 8 times", .needs = "attach" },
	{ OPT_KEEP_MPTCP, "keep-mptcp", NULL, "leave MPTCP sockets alone", .needs = "attach" },
	{ OPT_ALLOW_GROUP, "allow-group", "GROUP", "with --run: let members use smc_run --bpf",
	  .needs = "attach" },
	{ OPT_FORCE, "force", NULL, "attach although AppArmor or SELinux denies SMC sockets",
	  &asked.is_forced, .needs = "attach" },
	{ 'j', "json", NULL, "write one JSON document", &asked.is_json, .needs = "status" },
	{ OPT_METRICS, "metrics", NULL, "write counters in Prometheus' text form",
	  &asked.is_metrics, .needs = "status", .excludes = "--json" },
	{ 0 },
};

static uint64_t given;

static const char *const words[] = { "attach", "detach", "status", "check", "oci-hook", NULL };

static const struct cli_tool tool = {
	.name = "smc_bpf",
	.usage = "attach TARGET [RULE]...\n"
		 "detach TARGET | --all\n"
		 "status [TARGET] [-j | --metrics]\n"
		 "check [TARGET]\n"
		 "oci-hook",
	.summary = "Turn the TCP sockets of programs into SMC sockets, by an eBPF program in the\n"
		   "kernel, even if they are static, built by Go, or set-uid. TARGET is one of\n"
		   "--cgroup, --cgroup-of, --unit, --container and --run; RULE is --only,\n"
		   "--exclude-comm or --keep-mptcp. oci-hook is for runtimes of containers.",
	.examples = "  smc_bpf attach --unit nginx\n  smc_bpf status\n",
	.opts = options,
	.error_status = 1,
	.given = &given,
	.commands = words,
};

static int set_family(const char *text)
{
	static const char *const names[] = { "ipv4", "ipv6", "none", NULL };
	static const int families[] = { AF_INET, AF_INET6, SCOPE_NO_FAMILY };
	int word = cli_word(&tool, OPT_ONLY, names, text);

	if (word < 0)
		return tool.error_status;
	asked.rules.family = (__u32)families[word];
	return 0;
}

/* Truncate to 15 bytes, as the kernel does with command names. */
static int add_comm(const char *text)
{
	if (asked.comms == SCOPE_COMMS)
		return cli_usage_error(&tool, "more than %d names to exclude", SCOPE_COMMS);
	if (!*text)
		return cli_usage_error(&tool, "--exclude-comm: the name is empty");
	strncpy(asked.rules.comms[asked.comms++], text, SCOPE_COMM_SIZE - 1);
	return 0;
}

static int set_group(const char *text)
{
	const struct group *group = getgrnam(text);

	if (!group)
		return cli_error(&tool, "no group '%s'", text);
	asked.rules.has_gid = 1;
	asked.rules.gid = group->gr_gid;
	return 0;
}

/* Return: 0, or an exit status after a message. */
static int take_option(int opt)
{
	switch (opt) {
	case 'c':
	case 'u':
	case 'C':
	case OPT_CGROUP_OF:
	case OPT_RUN:
		asked.how = opt;
		asked.text = optarg;
		return 0;
	case OPT_ONLY: return set_family(optarg);
	case OPT_EXCLUDE_COMM: return add_comm(optarg);
	case OPT_KEEP_MPTCP: asked.rules.keeps_mptcp = 1; return 0;
	default: return set_group(optarg);
	}
}

static int set_command(const char *word)
{
	int command = cli_command(&tool, words, word);

	asked.command = (enum command)command;
	return command < 0 ? tool.error_status : 0;
}

/*
 * The command is the first word, or follows its options. A first word is removed before getopt,
 * which with POSIXLY_CORRECT would not find later options. Return: -1 to go on, or the exit status.
 */
static int parse(int argc, char **argv)
{
	bool is_first = argc > 1 && *argv[1] != '-';
	int ret;

	if (is_first && set_command(argv[1]))
		return tool.error_status;
	argc -= is_first;
	argv += is_first;
	ret = cli_parse(&tool, argc, argv, take_option);
	if (ret >= 0)
		return ret;
	ret = is_first ? 0 : set_command(argv[optind++]);
	if (!ret)
		ret = cli_no_operand(&tool, argv[optind]);
	if (!ret)
		ret = cli_check(&tool, words[asked.command]);
	if (!ret && !asked.how && !asked.is_all && asked.command < STATUS)
		ret = cli_usage_error(&tool, "no target: give --cgroup, --cgroup-of, --unit, "
					     "--container or --run");
	if (!ret && asked.rules.has_gid && asked.how != OPT_RUN)
		ret = cli_usage_error(&tool, "option '--allow-group' is only for '--run'");
	return ret ? ret : -1;
}

static int find_target(struct scope_target *target, struct smc_err *err)
{
	switch (asked.how) {
	case 0: return 0;
	case OPT_RUN: scope_target_run(target); return 0;
	default:
		return scope_target_cgroup(target, asked.how == OPT_CGROUP_OF ? 'o' : asked.how,
					   asked.text, err);
	}
}

static int status(struct scope_target *target, struct smc_err *err)
{
	struct scope_list list AUTO(scope_list_free) = { 0 };
	int ret = scope_list_load(&list, asked.how ? target : NULL, err);

	if (ret)
		return ret;
	return asked.is_metrics ? status_metrics(&list, hook_failures(), err) :
				  status_print(&tool, &list, asked.is_json, err);
}

/*
 * A service gets a new control group at each start, a slice keeps its own. Scripts and drop-ins,
 * which attach at each start, get no note.
 */
static void note_end(void)
{
	const char *type = asked.how == 'u' ? strrchr(asked.text, '.') : ".slice";

	if (isatty(STDERR_FILENO) && (!type || strcmp(type, ".slice")))
		cli_note(&tool,
			 "this ends when %s is restarted: 'smc_unit enable --bpf' attaches "
			 "at each start",
			 asked.text);
}

/*
 * Refuse a target if a process in it may not use the sockets that eBPF makes. In a drop-in this
 * process is in the unit's group.
 */
static int check_confined(const struct scope_target *target, struct smc_err *err)
{
	DIR *proc AUTO_CLOSEDIR = opendir("/proc");
	char why[HOST_PROBE_SIZE];
	pid_t pid;

	while (proc && (pid = proc_next(proc)))
		if (pid != getpid() && scope_target_has(target, pid) &&
		    confined_process(pid, true, why))
			return smc_err_say(err, EACCES,
					   "process %d: %.300s: " CONFINED_SEE
					   "; --force attaches anyway",
					   (int)pid, why);
	return 0;
}

/* In the target's network namespaces, except for ours. */
static void set_buffers(const struct scope_target *target)
{
	DIR *proc AUTO_CLOSEDIR = opendir("/proc");
	struct smc_err err = { 0 };
	int ret = 0;
	pid_t pid;

	while (proc && ret >= 0 && (pid = proc_next(proc)))
		if (pid != getpid() && scope_target_has(target, pid))
			ret |= buffers_set(pid, 0, &err);
	if (ret < 0)
		cli_note(&tool, "%s", err.text);
	else if (ret && isatty(STDERR_FILENO))
		cli_note(&tool, "sockets have the kernel's buffers of 64 KiB, which are slow for "
				"bulk data: raise net.smc.rmem and net.smc.wmem");
}

static int run(struct smc_err *err)
{
	struct scope_target target = { 0 };
	int ret = find_target(&target, err);

	/* A removed control group can no longer be named, but its scope can be deleted. */
	if (ret && asked.command == DETACH)
		scope_remove_gone();
	if (ret)
		return ret;
	switch (asked.command) {
	case ATTACH:
		if (!asked.is_forced && asked.rules.family != SCOPE_NO_FAMILY)
			ret = check_confined(&target, err);
		if (!ret)
			ret = scope_attach(&target, &asked.rules, err);
		if (!ret)
			note_end();
		if (!ret && asked.rules.family != SCOPE_NO_FAMILY)
			set_buffers(&target);
		return ret;
	case DETACH: return asked.is_all ? scope_detach_all(err) : scope_detach(&target, err);
	case CHECK:
		ret = pins_check(err);
		if (!ret)
			puts("eBPF can be used here");
		return ret;
	default: return status(&target, err);
	}
}

int main(int argc, char **argv)
{
	struct smc_err err = { 0 };
	int ret;

	cli_start();
	ret = parse(argc, argv);
	if (ret >= 0)
		return ret;
	if (asked.command == HOOK)
		return hook_run(&tool);
	if (run(&err))
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool);
}
