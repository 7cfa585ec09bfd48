// SPDX-License-Identifier: MIT
/* smc_setup: set up SMC on several hosts. */
#include <getopt.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "base/read.h"
#include "cli/screen.h"
#include "sandbox/confine.h"
#include "smc_setup/setup.h"

static struct {
	bool is_json, is_apply, is_undo, is_yes;
} asked;

static const struct cli_opt options[] = {
	{ 'j', "json", NULL, "write one JSON document", &asked.is_json,
	  .excludes = "--apply --undo" },
	{ CLI_LONG_ONLY, "apply", NULL, "make the changes, and test the connections",
	  &asked.is_apply, .excludes = "--undo" },
	{ CLI_LONG_ONLY + 1, "undo", NULL, "take back the changes of --apply", &asked.is_undo },
	{ 'y', "yes", NULL, "do not ask", &asked.is_yes, .needs = "--apply --undo" },
	CLI_COLOR_OPTION,
	{ 0 },
};

static const char *const commands[] = { "plan", NULL };

const struct cli_tool setup_tool = {
	.name = "smc_setup",
	.usage = "plan [OPTION]... HOST|FILE...\n"
		 "--apply [--yes] HOST...\n"
		 "--undo [--yes] HOST...",
	.summary = "Predict how each pair of hosts would connect, and what to do for more SMC.\n"
		   "With --apply, do it on this host and others, and test the connections.\n"
		   "HOST is reached over ssh, FILE is a bundle of 'smc_chk bundle'.",
	.opts = options,
	.examples = "  smc_setup plan db1 db2 web1.tar.gz\n  smc_setup --apply db2\n",
	.exits = "0 all use SMC as predicted, or would, 1 error, 2 some use TCP or\n"
		 "fewer links, 3 some cannot be tested",
	.error_status = SETUP_ERROR,
	.commands = commands,
};

/* In a process that gives up its rights: hosts are not trusted. Return: exit status. */
static int decode(struct setup_host *hosts, size_t count, bool is_printed, int to)
{
	const struct confine nothing = { .n_paths = 0 };
	struct out_text text AUTO(out_free) = { 0 };
	struct smc_err err = { 0 };
	int ret = confine(&nothing, NULL, &err);

	if (!ret) {
		hosts_decode(hosts, count);
		if (is_printed)
			ret = plan_print(hosts, count, asked.is_json, &err);
		if (to >= 0 && ret >= 0)
			plan_write(&text, hosts, count);
	}
	if (ret >= 0 && to >= 0 && out_flush(&text, to))
		ret = smc_err_set(&err, errno, "cannot write");
	return ret < 0 ? cli_error(&setup_tool, "%s", err.text) : ret;
}

/* Read the hosts, and plan the changes. Return: like plan_print(); -errno after a message. */
static int look(struct changes *changes, struct setup_host *hosts, char *const *names, size_t count,
		bool is_printed, struct smc_err *err)
{
	int fd = memfd_create("changes", MFD_CLOEXEC), status, ret;
	char *text AUTO_FREE = NULL;
	size_t len;
	pid_t pid;

	fflush(stdout);
	ret = hosts_read(hosts, names, count, err);
	pid = ret || fd < 0 ? -1 : fork();
	if (!pid) {
		ret = decode(hosts, count, is_printed, fd);
		fflush(stdout);
		_exit(ret);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return ret ? ret : smc_err_set(err, errno, "cannot start a process");
	if (!WIFEXITED(status) || WEXITSTATUS(status) == SETUP_ERROR)
		return smc_err_say(err, EIO, "not all hosts can be read");
	lseek(fd, 0, SEEK_SET);
	text = smc_read_fd(fd, 1 << 20, &len);
	return text ? changes_read(changes, text, count, err) :
		      smc_err_set(err, errno, "cannot read");
}

static void print_changes(const struct changes *changes, const struct setup_host *hosts)
{
	for (size_t i = 0; i < changes->n_hosts; i++)
		if (changes->lines[i])
			printf("\nsmc.conf of %s:\n%s", hosts[i].facts.name, changes->lines[i]);
	fflush(stdout);
}

static bool agree(const char *question)
{
	char answer[16] = "";

	if (asked.is_yes)
		return true;
	printf("\n%s [y/N] ", question);
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) && (*answer == 'y' || *answer == 'Y');
}

static int apply(struct setup_host *hosts, char *const *names, size_t count, struct smc_err *err)
{
	struct changes changes AUTO(changes_free) = { 0 }, after AUTO(changes_free) = { 0 };
	int ret = look(&changes, hosts, names, count, true, err);

	if (ret)
		return ret;
	print_changes(&changes, hosts);
	if (!changes.n_lines)
		printf("\nNothing to change.\n");
	else if (!agree("Make these changes?"))
		return SETUP_ERROR;
	ret = changes_make(&changes, hosts, false, err);
	if (!ret)
		ret = look(&after, hosts, names, count, false, err);
	printf("\n");
	fflush(stdout);
	return ret ? ret : changes_prove(&after, hosts, err);
}

static int undo(struct setup_host *hosts, char *const *names, size_t count, struct smc_err *err)
{
	struct changes changes AUTO(changes_free) = { .n_hosts = count };

	changes.lines = xcalloc(count, sizeof(*changes.lines));
	hosts_name(hosts, names, count);
	if (!agree("Take back what was set up on these hosts?"))
		return SETUP_ERROR;
	return changes_make(&changes, hosts, true, err);
}

/* Return: exit status. */
static int run(char **names, size_t count)
{
	struct setup_host *hosts = xcalloc(count, sizeof(*hosts));
	struct smc_err err = { 0 };
	int ret;

	if (asked.is_apply) {
		ret = apply(hosts, names, count, &err);
	} else if (asked.is_undo) {
		ret = undo(hosts, names, count, &err);
	} else {
		ret = hosts_read(hosts, names, count, &err);
		ret = ret ? ret : decode(hosts, count, true, -1);
	}
	hosts_free(hosts, count);
	return ret < 0 ? cli_error(&setup_tool, "%s", err.text) : ret;
}

static void offer(const char *host)
{
	struct out_text word AUTO(out_free) = { 0 };

	if (out_shell_word(&word, host))
		printf("\nTo change both hosts: smc_setup --apply %.*s\n", (int)word.len,
		       word.data);
}

/* This host comes first, unless a plan has several hosts. */
static int plan(char *const *given)
{
	bool changes = asked.is_apply || asked.is_undo;
	char **names;
	size_t count = 0;
	int ret;

	for (; given[count]; count++)
		if (!*given[count] || *given[count] == '-' ||
		    (changes && host_is_bundle(given[count])))
			return cli_usage_error(&setup_tool, "'%s' is %s", given[count],
					       host_is_bundle(given[count]) ?
						       "no host" :
						       "neither a host nor a bundle");
	if (!count)
		return cli_usage_error(&setup_tool, "a host or bundle is needed");
	if (changes && !asked.is_yes && !isatty(STDIN_FILENO))
		return cli_usage_error(&setup_tool, "without a terminal, '--yes' is needed");
	names = xcalloc(count + 1, sizeof(*names));
	memcpy(names + 1, given, count * sizeof(*names));
	ret = changes || count == 1 ? run(names, count + 1) : run(names + 1, count);
	free(names);
	if (!changes && count == 1 && ret == SETUP_TCP && !asked.is_json && !host_is_bundle(*given))
		offer(*given);
	return ret;
}

int main(int argc, char **argv)
{
	int status, closed;

	cli_start();
	status = cli_parse(&setup_tool, argc, argv, NULL);
	if (status >= 0)
		return status;
	argv += optind;
	if (!(asked.is_apply || asked.is_undo) || (*argv && !strcmp(*argv, "plan"))) {
		if (cli_command(&setup_tool, commands, *argv) < 0)
			return SETUP_ERROR;
		argv++;
	}
	status = plan(argv);
	closed = cli_close_stdout(&setup_tool);
	return closed ? closed : status;
}
