// SPDX-License-Identifier: MIT
/* smcd and smcr: from the command line to the exit status. */
#include "smcdr/cmd.h"

#include "base/array.h"
#include "cli/screen.h"
#include "net/netns.h"
#include "sandbox/enclose.h"

enum { GO_ON = -1 };

/** struct cmd_object - @run: NULL for help; 0, or -errno with cmd->err; @example: for its help */
struct cmd_object {
	const char *name;
	bool only_smcd;
	int (*run)(struct cmd *cmd);
	const char *example;
};

/* Abbreviations are matched in this order. */
static const struct cmd_object objects[] = {
	{ "device", false, cmd_run_device, "-d" },
	{ "linkgroup", false, cmd_run_linkgroup, "-d" },
	{ "info", false, cmd_run_info, "-j" },
	{ "stats", false, cmd_run_stats, "-d" },
	{ "ueid", false, cmd_run_ueid, "add MYCLUSTER" },
	{ "seid", true, cmd_run_seid, "disable" },
	{ "help", false, NULL, NULL },
	{ "hs", false, cmd_run_hs, "enable" },
	{ 0 },
};

static const struct cmd_object *find_object(const char *word)
{
	const struct cmd_object *object;

	for (object = objects; object->name; object++)
		if (cmd_is(word, object->name))
			return object;
	return NULL;
}

static int unknown_object(const struct cli_tool *tool, const char *word)
{
	const char *names[ARRAY_SIZE(objects)];

	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		names[i] = objects[i].name;
	return cli_unknown(tool, "object", "", names, word);
}

static int set_option(struct cmd *cmd, char letter, const char *value)
{
	switch (letter) {
	case 'a': cmd->is_absolute = true; break;
	case 'd': cmd->details = cmd->details ? 2 : 1; break;
	case 'D': cmd->details = 2; break;
	case 'j': cmd->is_json = true; break;
	case 'm': cmd->is_metrics = true; break;
	case 'A': cmd->is_all_netns = true; break;
	case 'N': cmd->netns = value; break;
	case 'h': cmd->wants_help = true; break;
	case 'v': return cli_version(cmd->variant->tool);
	}
	return GO_ON;
}

/*
 * Like smc-tools 1.8.5: long names after one or two dashes, with any abbreviation; the first match
 * wins. -N is new; its value may be in the same word, as in getopt(3).
 */
static char find_option(const struct cli_opt *opts, const char *word, size_t len)
{
	for (; opts->val; opts++)
		if (!strncmp(word, opts->name, len))
			return (char)opts->val;
	if (!strncmp(word, "ddetails", len))
		return 'D';
	return len == 1 && *word == 'N' ? 'N' : '\0';
}

static int parse_cluster(struct cmd *cmd, const char *letters)
{
	int status = GO_ON;

	if (strspn(letters, "adj") != strlen(letters) && strncmp(letters, "ad", 2) &&
	    strncmp(letters, "da", 2))
		return cli_usage_error(cmd->variant->tool, "unknown option '-%s'", letters);
	/* Accept -absdetails and the like: smc-tools 1.8.5 only checks two letters. */
	for (; *letters && status == GO_ON; letters++)
		if (strchr("adj", *letters))
			status = set_option(cmd, *letters, NULL);
	return status;
}

/* Return: GO_ON, or the exit status. @i is the option's word, advanced past its value. */
static int parse_option(struct cmd *cmd, int argc, char **argv, int *i)
{
	const char *word = argv[*i] + 1, *value;
	char letter;

	word += *word == '-';
	value = strchr(word, '=');
	letter = find_option(cmd->variant->tool->opts, word,
			     value ? (size_t)(value - word) : strlen(word));
	if (!letter && *word == 'N') {
		letter = 'N';
		value = word;
	}
	if (!letter)
		return argv[*i][1] == '-' ? cli_usage_error(cmd->variant->tool,
							    "unknown option '%s'", argv[*i]) :
					    parse_cluster(cmd, word);
	if (letter != 'N') {
		if (value)
			return cli_usage_error(cmd->variant->tool,
					       "option '%.*s' takes no argument",
					       (int)(value - argv[*i]), argv[*i]);
		return set_option(cmd, letter, NULL);
	}
	if (value)
		return set_option(cmd, letter, value + 1);
	if (*i + 1 >= argc)
		return cli_usage_error(cmd->variant->tool, "option '%s' needs an argument",
				       argv[*i]);
	return set_option(cmd, letter, argv[++*i]);
}

/* Options may be anywhere; move all other words to the front of argv. Return: number of words. */
static int parse(struct cmd *cmd, int argc, char **argv, int *status)
{
	bool is_ended = false;
	int count = 0;

	*status = GO_ON;
	for (int i = 1; i < argc && *status == GO_ON; i++) {
		if (!is_ended && !strcmp(argv[i], "--"))
			is_ended = true;
		else if (!is_ended && argv[i][0] == '-')
			*status = parse_option(cmd, argc, argv, &i);
		else
			argv[count++] = argv[i];
	}
	return count;
}

int cmd_write(struct cmd *cmd)
{
	if (cmd->json)
		out_json_document(&cmd->text, cmd->json, false);
	cmd->json = NULL;
	return out_print(&cmd->text, cmd->err);
}

static int run(struct cmd *cmd, const struct cmd_object *object)
{
	struct smc_err err = { 0 };
	int ret = enclose_record(&err);

	cmd->err = &err;
	if (!ret)
		ret = smc_netns_enter(cmd->netns, &err);
	if (!ret)
		ret = object->run(cmd);
	if (!ret)
		ret = cmd_write(cmd);
	json_decref(cmd->json);
	smc_genl_close(cmd->nl);
	out_free(&cmd->text);
	if (!ret)
		return cli_close_stdout(cmd->variant->tool);
	if (cmd->is_usage)
		return cli_usage_error(cmd->variant->tool, "%s", err.text);
	return cli_error(cmd->variant->tool, "%s", err.text);
}

/* Options of an object, without those whose help begins with "with" and another object. */
static void object_options(const struct cli_opt *all, struct cli_opt *own, const char *name)
{
	for (; all->val; all++)
		if (strncmp(all->help, "with ", 5) != 0 || strstr(all->help, name))
			*own++ = *all;
	*own = *all;
}

/* Help of one object: its commands in the general help, an example, and its page. */
static int object_help(const struct cli_tool *tool, const struct cmd_object *object)
{
	const char *name = object->name, *commands;
	char title[32], summary[256], examples[128], mark[32];
	struct cli_opt options[16];
	struct cli_tool own = *tool;

	snprintf(mark, sizeof(mark), "\n  %s ", name);
	commands = strstr(tool->more, mark) + strlen(mark);
	commands += strspn(commands, " ");
	snprintf(title, sizeof(title), "%s %s", tool->name, name);
	snprintf(summary, sizeof(summary), "Commands: %.*s", (int)strcspn(commands, "\n"),
		 commands);
	snprintf(examples, sizeof(examples), "  %s\n  %s %s\n", title, title, object->example);
	object_options(tool->opts, options, name);
	own.name = title;
	own.usage = "[OPTIONS] [COMMAND]";
	own.summary = summary;
	own.opts = options;
	own.more = NULL;
	own.examples = examples;
	return cli_help(&own);
}

/* -h, or the word help before or after an object. */
static int help(const struct cmd *cmd, const struct cmd_object *object)
{
	const struct cli_tool *tool = cmd->variant->tool;

	return object && object->run && (!object->only_smcd || cmd->variant->is_smcd) ?
		       object_help(tool, object) :
		       cli_help(tool);
}

int cmd_main(const struct smc_variant *variant, int argc, char **argv)
{
	struct cmd cmd = { .variant = variant, .width = cli_columns() };
	const struct cmd_object *object;
	int status;

	cli_start();
	cmd.argc = parse(&cmd, argc, argv, &status);
	if (status != GO_ON)
		return status;
	object = cmd.argc ? find_object(argv[0]) : NULL;
	if (!cmd.argc || cmd.wants_help)
		return help(&cmd, object);
	if (!object)
		return unknown_object(variant->tool, argv[0]);
	if (object->only_smcd && !variant->is_smcd)
		return cli_usage_error(variant->tool, "'%s' is for SMC-D only: use smcd",
				       object->name);
	if (!object->run || (cmd.argc > 1 && cmd_is(argv[1], "help")))
		return help(&cmd, object);
	if (cmd.is_metrics && object->run != cmd_run_stats && object->run != cmd_run_linkgroup)
		return cli_usage_error(variant->tool, "--metrics is for stats and linkgroup only");
	if (cmd.is_all_netns && (object->run != cmd_run_stats || cmd.netns))
		return cli_usage_error(variant->tool, "--all-netns is for stats only, and without "
						      "--netns");
	cmd.argc--;
	cmd.argv = argv + 1;
	return run(&cmd, object);
}
