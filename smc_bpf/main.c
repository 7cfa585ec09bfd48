// SPDX-License-Identifier: MIT
/* smc_bpf: turn the TCP sockets of control groups and processes into SMC sockets, by eBPF. */
#include "smc_bpf/smc_bpf.h"

#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "sys/bpfmap.h"

enum {
	OPT_RUN = CLI_LONG_ONLY,
	OPT_ALL,
	OPT_CGROUP_OF,
	OPT_ONLY,
	OPT_USER,
	OPT_EXCLUDE_COMM,
	OPT_ALLOW_GROUP,
};

static const struct cli_opt options[] = {
	{ 'c', "cgroup", "PATH", "a control group, and all below it" },
	{ OPT_CGROUP_OF, "cgroup-of", "PID", "the control group that a process is in" },
	{ 'u', "unit", "UNIT", "the control group of a systemd unit or slice" },
	{ 'C', "container", "ID", "the control group of a container, by (part of) its id" },
	{ 'p', "pid", "PID", "a process, its threads and children, and all that they start" },
	{ OPT_RUN, "run", NULL, "what smc_run --bpf starts" },
	{ OPT_ALL, "all", NULL, "detach everything" },
	{ OPT_ONLY, "only", "FAMILY", "convert sockets of ipv4 or of ipv6 only" },
	{ OPT_USER, "user", "USER", "convert sockets of this user only" },
	{ OPT_EXCLUDE_COMM, "exclude-comm", "NAME", "leave processes with this command name alone;\n"
						    "up to 8 times" },
	{ OPT_ALLOW_GROUP, "allow-group", "GROUP", "with --run: members may use smc_run --bpf" },
	{ 'j', "json", NULL, "write one JSON document" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_bpf",
	.usage = "attach TARGET [RULE]...\n"
		 "detach TARGET | --all\n"
		 "status [TARGET] [-j]\n"
		 "check [TARGET]",
	.summary = "Turns the TCP sockets of programs into SMC sockets, by an eBPF program in the kernel:\n"
		   "also of programs that are static, made by Go, or set-uid. TARGET is one of --cgroup,\n"
		   "--cgroup-of, --unit, --container, --pid and --run; RULE is --only, --user or\n"
		   "--exclude-comm.",
	.opts = options,
	.error_status = 1,
};

enum command { COMMAND_NONE, ATTACH, DETACH, STATUS, CHECK };

struct request {
	enum command command;
	int how;		/* option that names the target, 0 for none */
	const char *text;	/* its argument */
	bool is_all, is_json, has_rules, has_gid;
	gid_t gid;
	struct smc_scope rules;
	size_t comms;
};

static int set_user(struct request *req, const char *text)
{
	const struct passwd *user = getpwnam(text);
	char *end;
	unsigned long uid;

	if (!user) {
		errno = 0;
		uid = strtoul(text, &end, 10);
		if (errno || end == text || *end || *text == '-' || uid >= UINT32_MAX)
			return cli_error(&tool, "there is no user '%s'", text);
	} else {
		uid = user->pw_uid;
	}
	req->rules.has_uid = 1;
	req->rules.uid = (uint32_t)uid;
	return 0;
}

static int set_family(struct request *req, const char *text)
{
	if (!strcmp(text, "ipv4"))
		req->rules.family = AF_INET;
	else if (!strcmp(text, "ipv6"))
		req->rules.family = AF_INET6;
	else
		return cli_usage_error(&tool, "--only: '%s' is neither ipv4 nor ipv6", text);
	return 0;
}

/* The kernel cuts names after 15 bytes, and so do we. */
static int add_comm(struct request *req, const char *text)
{
	if (req->comms == SCOPE_COMMS)
		return cli_usage_error(&tool, "more than %d names to exclude", SCOPE_COMMS);
	if (!*text)
		return cli_usage_error(&tool, "--exclude-comm: the name is empty");
	strncpy(req->rules.comms[req->comms++], text, SCOPE_COMM_SIZE - 1);
	return 0;
}

static int set_group(struct request *req, const char *text)
{
	const struct group *group = getgrnam(text);

	if (!group)
		return cli_error(&tool, "there is no group '%s'", text);
	req->gid = group->gr_gid;
	req->has_gid = true;
	return 0;
}

static int set_target(struct request *req, int how)
{
	if (req->how)
		return cli_usage_error(&tool, "more than one target");
	req->how = how;
	req->text = optarg;
	return 0;
}

/* Return: 0, or an exit status after a message. */
static int set_option(struct request *req, int opt)
{
	switch (opt) {
	case 'c': case 'u': case 'C': case 'p': case OPT_CGROUP_OF: case OPT_RUN:
		return set_target(req, opt);
	case 'j': req->is_json = true; return 0;
	case OPT_ALL: req->is_all = true; return 0;
	case OPT_ONLY: req->has_rules = true; return set_family(req, optarg);
	case OPT_USER: req->has_rules = true; return set_user(req, optarg);
	case OPT_EXCLUDE_COMM: req->has_rules = true; return add_comm(req, optarg);
	case OPT_ALLOW_GROUP: return set_group(req, optarg);
	default: return tool.error_status;
	}
}

static int set_command(struct request *req, const char *word)
{
	if (!word)
		return cli_usage_error(&tool, "which command: attach, detach, status or check?");
	if (!strcmp(word, "attach"))
		req->command = ATTACH;
	else if (!strcmp(word, "detach"))
		req->command = DETACH;
	else if (!strcmp(word, "status"))
		req->command = STATUS;
	else if (!strcmp(word, "check"))
		req->command = CHECK;
	else
		return cli_usage_error(&tool, "unknown command '%s'", word);
	return 0;
}

static int check_together(const struct request *req)
{
	if (req->is_all && (req->command != DETACH || req->how))
		return cli_usage_error(&tool, "option '--all' goes with 'detach' alone");
	if (!req->how && !req->is_all && req->command < STATUS)
		return cli_usage_error(&tool, "whose sockets? --cgroup, --cgroup-of, --unit, "
				       "--container, --pid or --run");
	if (req->has_rules && req->command != ATTACH)
		return cli_usage_error(&tool, "rules go with 'attach' only");
	if (req->has_gid && (req->command != ATTACH || req->how != OPT_RUN))
		return cli_usage_error(&tool, "option '--allow-group' goes with 'attach --run' only");
	if (req->is_json && req->command != STATUS)
		return cli_usage_error(&tool, "option '--json' goes with 'status' only");
	return 0;
}

/* Return: -1 to go on, or the exit status. */
static int parse(struct request *req, int argc, char **argv)
{
	int opt, ret;

	while ((opt = cli_getopt(&tool, argc, argv)) != -1) {
		if (opt == 'h')
			return cli_help(&tool);
		if (opt == 'v')
			return cli_version(&tool);
		ret = set_option(req, opt);
		if (ret)
			return ret;
	}
	ret = set_command(req, argv[optind]);
	if (!ret && argc - optind > 1)
		ret = cli_usage_error(&tool, "surplus argument '%s'", argv[optind + 1]);
	if (!ret)
		ret = check_together(req);
	return ret ? ret : -1;
}

static int find_target(const struct request *req, struct target *target, struct smc_err *err)
{
	switch (req->how) {
	case 0:
		return 0;
	case 'p':
		return target_process(target, req->text, err);
	case OPT_RUN:
		target_run(target);
		return 0;
	default:
		return target_cgroup(target, req->how == OPT_CGROUP_OF ? 'o' : req->how, req->text,
				     err);
	}
}

/* An id that was never given to any process before: the clock does not stop or go back. */
static uint64_t new_id(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return SCOPE_NOT_CGROUP | ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

/* Scopes without anything left in them; and the programs, when no scope is left at all. */
static int clean(struct pins *pins, struct smc_err *err)
{
	struct scope_list list;
	size_t left = 0;
	int ret = scopes_load(&list, pins, err);

	for (size_t i = 0; !ret && i < list.count; i++) {
		if (list.entries[i].state == STATE_GONE)
			bpfmap_delete(pins->scopes, &list.entries[i].id);
		else
			left++;
	}
	if (ret)
		return ret;
	scopes_free(&list);
	return left ? 0 : pins_remove(err);
}

static int put_scope(struct pins *pins, const struct request *req, struct target *target,
		     struct smc_err *err)
{
	struct smc_scope scope = req->rules, before;
	bool was_there;
	int ret;

	scope.kind = target->kind;
	memcpy(scope.name, target->name, sizeof(scope.name));
	if (target->kind == SCOPE_PROCESS)
		target->id = new_id();
	was_there = !bpfmap_lookup(pins->scopes, &target->id, &before);
	ret = bpfmap_update(pins->scopes, &target->id, &scope);
	if (ret == -E2BIG)
		return smc_err_say(err, E2BIG, "there are %d scopes, more cannot be", SCOPE_MAX);
	if (ret)
		return smc_err_set(err, -ret, "cannot attach to %s", target->name);
	if (target->kind == SCOPE_PROCESS)
		ret = scopes_mark_tree(pins, target->pid, target->id, err);
	if (!ret && req->has_gid)
		ret = pins_allow(req->gid, err);
	if (ret && was_there)
		bpfmap_update(pins->scopes, &target->id, &before);
	else if (ret)
		bpfmap_delete(pins->scopes, &target->id);
	return ret;
}

static int attach(const struct request *req, struct target *target, struct smc_err *err)
{
	struct pins pins = PINS_CLOSED;
	struct smc_err ignored;
	int ret = pins_change(&pins, true, err);

	if (!ret) {
		ret = put_scope(&pins, req, target, err);
		clean(&pins, &ignored);
	}
	pins_close(&pins);
	return ret;
}

/* The scope that a process is in by its mark. */
static int find_mark(const struct pins *pins, struct target *target, struct smc_err *err)
{
	int ret = 0;

	if (target->kind == SCOPE_PROCESS)
		ret = bpfmap_marked(pins->tasks, target->pid, &target->id);
	if (!ret && target->kind == SCOPE_PROCESS && target->id == SCOPE_RUN_ID)
		return smc_err_say(err, EINVAL, "process %s was started by smc_run: see --run",
				   target->name);
	return ret ? smc_err_say(err, -ret, "nothing is attached to %s", target->name) : 0;
}

static int detach(const struct request *req, struct target *target, struct smc_err *err)
{
	struct pins pins = PINS_CLOSED;
	int ret = pins_change(&pins, false, err);

	/* All is removed whatever it is: nothing, half of it, or another version's. */
	if (req->is_all && (pins.dir >= 0 || ret == -ENOENT)) {
		ret = pins_remove(err);
	} else if (!ret) {
		ret = find_mark(&pins, target, err);
		if (!ret && bpfmap_delete(pins.scopes, &target->id))
			ret = smc_err_say(err, ENOENT, "nothing is attached to %s", target->name);
		if (!ret)
			ret = clean(&pins, err);
	}
	pins_close(&pins);
	return ret;
}

/* A control group that was removed cannot be named any more, but its scope can go. */
static void sweep(void)
{
	struct pins pins = PINS_CLOSED;
	struct smc_err ignored;

	if (!pins_change(&pins, false, &ignored))
		clean(&pins, &ignored);
	pins_close(&pins);
}

/* Leave the one scope in the list that was asked for. */
static int select_one(struct scope_list *list, const struct target *target, struct smc_err *err)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->entries[i].id != target->id)
			continue;
		list->entries[0] = list->entries[i];
		list->count = 1;
		return 0;
	}
	return smc_err_say(err, ENOENT, "nothing is attached to %s", target->name);
}

static int status(const struct request *req, struct target *target, struct smc_err *err)
{
	struct pins pins = PINS_CLOSED;
	struct scope_list list = { 0 };
	int ret = pins_read(&pins, err);

	if (!ret)
		ret = scopes_load(&list, &pins, err);
	else if (ret == -ENOENT && !req->how)
		ret = 0;
	if (!ret && req->how)
		ret = find_mark(&pins, target, err);
	if (!ret && req->how)
		ret = select_one(&list, target, err);
	if (!ret)
		ret = status_print(&tool, &list, req->is_json, err);
	scopes_free(&list);
	pins_close(&pins);
	return ret;
}

int main(int argc, char **argv)
{
	struct request req = { .command = COMMAND_NONE };
	struct target target = { 0 };
	struct smc_err err = { 0 };
	int ret;

	cli_start();
	ret = parse(&req, argc, argv);
	if (ret >= 0)
		return ret;
	ret = find_target(&req, &target, &err);
	if (ret && req.command == DETACH)
		sweep();
	if (!ret && req.command == ATTACH)
		ret = attach(&req, &target, &err);
	else if (!ret && req.command == DETACH)
		ret = detach(&req, &target, &err);
	else if (!ret && req.command == CHECK)
		ret = pins_check(&err);
	else if (!ret)
		ret = status(&req, &target, &err);
	if (ret)
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool);
}
