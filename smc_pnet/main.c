// SPDX-License-Identifier: MIT
/* smc_pnet: define which net, RDMA and ISM devices are in the same physical network. */
#include "smc_pnet/smc_pnet.h"

#include <getopt.h>

#include "cli/cli.h"
#include "net/netns.h"
#include "sandbox/enclose.h"
#include "smc/genl_abi.h"

enum { OPT_TREE = CLI_LONG_ONLY, OPT_SUGGEST, OPT_APPLY, OPT_ALL_NETNS };

/** struct pnet_opts - the parsed command line; a command is the value of its option, 0 for none */
static struct pnet_opts {
	int command;
	const char *id, *eth, *ib, *port, *netns;
	bool is_json, is_tree, is_apply, is_all_netns;
} asked;

static const struct cli_opt options[] = {
	{ 'a', "add", NULL, "add PNETID for the devices of -I and -D",
	  .excludes = "--show --delete --flush --list --suggest", .group = "Changes" },
	{ 'I', "interface", "NETDEV", "net device to add", .text = &asked.eth },
	{ 'D', "ibdevice", "IBDEV", "RDMA or ISM device to add, by its name or its PCI address",
	  .text = &asked.ib },
	{ 'P', "ibport", "PORT", "RDMA port of IBDEV, 1 (the default) or 2", .text = &asked.port },
	{ 'd', "delete", NULL, "delete all entries of PNETID",
	  .excludes = "--flush --list --suggest" },
	{ 'f', "flush", NULL, "delete all entries", .excludes = "--list --suggest" },
	{ OPT_SUGGEST, "suggest", NULL, "print commands that pair RDMA ports with net devices" },
	{ OPT_APPLY, "apply", NULL, "run the commands that --suggest prints", &asked.is_apply,
	  .needs = "--suggest" },
	{ 's', "show", NULL, "show the entries of PNETID, or all of them",
	  .excludes = "--delete --flush --list --suggest", .group = "Lists" },
	{ 'l', "list", NULL, "list all devices with their PNET IDs", .excludes = "--suggest" },
	{ OPT_TREE, "tree", NULL, "list all devices as a tree, with the link groups",
	  &asked.is_tree, .needs = "--list", .excludes = "--json" },
	{ OPT_ALL_NETNS, "all-netns", NULL, "show the entries of all network namespaces",
	  &asked.is_all_netns, .needs = "--show", .excludes = "--netns" },
	{ 'j', "json", NULL, "write one JSON document", &asked.is_json,
	  .needs = "--show --list --suggest" },
	{ 'N', "netns", "NETNS", "work in a network namespace: name, PID or path",
	  .text = &asked.netns, .group = "Other" },
	{ 0 },
};

static uint64_t given;

static const struct cli_tool tool = {
	.name = "smc_pnet",
	.usage = "[-s [PNETID]] [-j] [-N NETNS | --all-netns]\n"
		 "-a PNETID [-I NETDEV] [-D IBDEV [-P PORT]] [-N NETNS]\n"
		 "-d PNETID | -f [-N NETNS]\n"
		 "-l [--tree | -j] [-N NETNS]\n"
		 "--suggest [--apply] [-j] [-N NETNS]",
	.summary = "Show and change the PNET table: net devices and RDMA or ISM devices with the\n"
		   "same PNET ID are on the same physical network. Without options it shows all.",
	.examples = "  smc_pnet -a NET1 -I eth0 -D mlx5_0\n  smc_pnet -l --tree\n",
	.opts = options,
	.error_status = 1,
	.given = &given,
};

/* Abbreviations that were unambiguous among the options of 1.8.5 keep their meaning. */
static void expand_old(int argc, char **argv)
{
	static char add[] = "--add", show[] = "--show", delete[] = "--delete";

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--a"))
			argv[i] = add;
		else if (!strcmp(argv[i], "--s"))
			argv[i] = show;
		else if (!strcmp(argv[i], "--d"))
			argv[i] = delete;
	}
}

static int take_command(int val)
{
	asked.command = val;
	return 0;
}

static int check_operands(int argc, char **argv)
{
	int command = asked.command;

	if (argc - optind > 1)
		return cli_no_operand(&tool, argv[optind + 1]);
	asked.id = argc > optind ? argv[optind] : NULL;
	if (asked.id && !command)
		return cli_usage_error(&tool, "no command given for PNET ID '%s'", asked.id);
	if (asked.id && command != 'a' && command != 's' && command != 'd')
		return cli_no_operand(&tool, asked.id);
	if (!asked.id && (command == 'a' || command == 'd'))
		return cli_usage_error(&tool, "option '--%s' needs a PNET ID",
				       cli_long_name(&tool, command));
	if (command == 'a' && !asked.eth && !asked.ib)
		return cli_usage_error(&tool,
				       "no device to add: --interface or --ibdevice is missing");
	return 0;
}

/* Options of 1.8.5 without effect are ignored, as in 1.8.5. */
static void note_ignored(void)
{
	const struct {
		int val;
		const char *arg;
	} devices[] = { { 'I', asked.eth }, { 'D', asked.ib }, { 'P', asked.port } };
	for (size_t i = 0; i < 3 && asked.command != 'a'; i++)
		if (devices[i].arg)
			cli_note(&tool, "option '--%s' is ignored without '--add'",
				 cli_long_name(&tool, devices[i].val));
	if (asked.command == 'a' && asked.port && !asked.ib)
		cli_note(&tool, "option '--ibport' is ignored without '--ibdevice'");
}

/* Return: -1 to go on, or the exit status. */
static int parse(int argc, char **argv)
{
	const char *command = NULL;
	int ret;

	expand_old(argc, argv);
	ret = cli_parse(&tool, argc, argv, take_command);
	if (ret >= 0)
		return ret;
	if (!asked.command)
		command = asked.is_tree ? "--list" : "--show";
	ret = cli_check(&tool, command) ?: check_operands(argc, argv);
	if (ret)
		return ret;
	if (asked.is_tree)
		asked.command = 'l';
	note_ignored();
	return -1;
}

/* Check all arguments before changing anything. */
static int make_entry(struct smc_pnet *entry, struct smc_err *err)
{
	if (asked.command == 'a')
		return pnet_make(entry, asked.id, asked.eth, asked.ib, asked.port, err);
	return asked.id ? smc_pnet_name(entry->name, asked.id, err) : 0;
}

static int run(struct pnet_tool *pnet, const struct smc_pnet *entry)
{
	switch (asked.command) {
	case 'a': return pnet_add(pnet, entry);
	case 'd': return pnet_delete(pnet, entry->name);
	case 'f': return pnet_flush(pnet);
	case 'l': return pnet_list(pnet, asked.is_tree, asked.is_json);
	case OPT_SUGGEST: return pnet_suggest(pnet, asked.is_apply, asked.is_json);
	default: return pnet_show(pnet, asked.id ? entry->name : NULL, asked.is_json);
	}
}

/* Tables of all network namespaces, with a message for those that cannot be read. */
static int show_all(const char *name, bool is_json, struct smc_err *err)
{
	struct netns_list list AUTO(netns_list_free) = { .count = 0 };
	char text[200];
	int ret = netns_list_load(&list, err);

	if (ret)
		return ret;
	ret = pnet_show_all(&list, name, is_json, err);
	netns_list_hidden(&list, text, sizeof(text));
	cli_warn(&tool, ret || !text[0], "%s", text);
	return ret ? ret : netns_list_failure(&list, err);
}

static int work(struct smc_err *err)
{
	struct smc_pnet entry = { 0 };
	char root[SYSFS_ROOT_SIZE];
	struct pnet_tool pnet = { .root = root, .err = err };
	int sysfs AUTO_CLOSE = -1, ret;

	ret = make_entry(&entry, err);
	if (!ret && asked.is_all_netns)
		return show_all(asked.id ? entry.name : NULL, asked.is_json, err);
	if (!ret)
		ret = smc_netns_enter(asked.netns, err);
	if (!ret)
		ret = sysfs_here(root, &sysfs, asked.netns, err);
	if (!ret)
		ret = smc_genl_open(&pnet.nl, SMCR_GENL_FAMILY_NAME, err);
	if (!ret)
		ret = run(&pnet, &entry);
	smc_genl_close(pnet.nl);
	return ret;
}

int main(int argc, char **argv)
{
	struct smc_err err = { 0 };
	int status;

	cli_start();
	status = parse(argc, argv);
	if (status >= 0)
		return status;
	if (enclose_record(&err) || work(&err))
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool);
}
