// SPDX-License-Identifier: MIT
/* smc_pnet: which net devices and which RDMA and ISM devices are in the same physical network. */
#include "smc_pnet.h"

#include <string.h>
#include <unistd.h>
#include <getopt.h>

#include "cli/cli.h"
#include "net/netns.h"
#include "sandbox/enclose.h"
#include "smc/abi.h"

enum { OPT_TREE = CLI_LONG_ONLY, OPT_SUGGEST, OPT_APPLY, OPT_ALL_NETNS };

static const struct cli_opt options[] = {
	{ 'a', "add", NULL, "add PNETID for the devices of -I and -D",
	  .excludes = "--show --delete --flush --list --suggest" },
	{ 's', "show", NULL, "show the entries of PNETID, or all of them",
	  .excludes = "--delete --flush --list --suggest" },
	{ 'd', "delete", NULL, "delete all entries of PNETID",
	  .excludes = "--flush --list --suggest" },
	{ 'f', "flush", NULL, "delete all entries", .excludes = "--list --suggest" },
	{ 'I', "interface", "NETDEV", "net device to add" },
	{ 'D', "ibdevice", "IBDEV", "RDMA or ISM device to add, by its name or its PCI address" },
	{ 'P', "ibport", "PORT", "RDMA port of IBDEV, 1 (the default) or 2" },
	{ 'l', "list", NULL, "list all devices with their PNET IDs", .excludes = "--suggest" },
	{ OPT_TREE, "tree", NULL, "list all devices as a tree, with the link groups",
	  .needs = "--list", .excludes = "--json" },
	{ OPT_SUGGEST, "suggest", NULL, "print commands that pair RDMA ports with net devices" },
	{ OPT_APPLY, "apply", NULL, "run the commands that --suggest prints",
	  .needs = "--suggest" },
	{ 'j', "json", NULL, "write one JSON document", .needs = "--show --list --suggest" },
	{ 'N', "netns", "NETNS", "work in a network namespace: a name, a process id or a path" },
	{ OPT_ALL_NETNS, "all-netns", NULL, "show the entries of all network namespaces",
	  .needs = "--show", .excludes = "--netns" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
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
	.summary =
		"Shows and changes the PNET table: net devices and RDMA or ISM devices with the\n"
		"same PNET ID are on the same physical network. Without options it shows all.",
	.opts = options,
	.error_status = 1,
	.given = &given,
};

/** struct pnet_opts - the command line, read; the command is the value of its option, 0 for none */
struct pnet_opts {
	int command;
	const char *id, *eth, *ib, *port, *netns;
	bool is_json, is_tree, is_apply, is_all_netns;
};

/* These abbreviations were unambiguous when there were fewer options: they keep their meaning. */
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

/* Return: -1 to go on, or the exit status. */
static int set_option(struct pnet_opts *opts, int val)
{
	switch (val) {
	case 'I': opts->eth = optarg; break;
	case 'D': opts->ib = optarg; break;
	case 'P': opts->port = optarg; break;
	case 'N': opts->netns = optarg; break;
	case 'j': opts->is_json = true; break;
	case OPT_TREE: opts->is_tree = true; break;
	case OPT_APPLY: opts->is_apply = true; break;
	case OPT_ALL_NETNS: opts->is_all_netns = true; break;
	case 'v': return cli_version(&tool);
	case 'h': return cli_help(&tool);
	case 'a':
	case 's':
	case 'd':
	case 'f':
	case 'l':
	case OPT_SUGGEST: opts->command = val; break;
	default: return tool.error_status;
	}
	return -1;
}

static int check_operands(struct pnet_opts *opts, int argc, char **argv)
{
	int command = opts->command;

	if (argc - optind > 1)
		return cli_no_operand(&tool, argv[optind + 1]);
	opts->id = argc > optind ? argv[optind] : NULL;
	if (opts->id && !command)
		return cli_usage_error(&tool, "no command given for PNET ID '%s'", opts->id);
	if (opts->id && command != 'a' && command != 's' && command != 'd')
		return cli_no_operand(&tool, opts->id);
	if (!opts->id && (command == 'a' || command == 'd'))
		return cli_usage_error(&tool, "option '--%s' needs a PNET ID",
				       cli_long_name(&tool, command));
	if (command == 'a' && !opts->eth && !opts->ib)
		return cli_usage_error(&tool,
				       "no device to add: --interface or --ibdevice is missing");
	return 0;
}

/* Those of 1.8.5 that have no effect are ignored, as ever. */
static void note_ignored(const struct pnet_opts *opts)
{
	const struct {
		int val;
		const char *arg;
	} devices[] = { { 'I', opts->eth }, { 'D', opts->ib }, { 'P', opts->port } };
	for (size_t i = 0; i < 3 && opts->command != 'a'; i++)
		if (devices[i].arg)
			cli_note(&tool, "option '--%s' is ignored without '--add'",
				 cli_long_name(&tool, devices[i].val));
	if (opts->command == 'a' && opts->port && !opts->ib)
		cli_note(&tool, "option '--ibport' is ignored without '--ibdevice'");
}

/* Return: -1 to go on, or the exit status. */
static int parse(struct pnet_opts *opts, int argc, char **argv)
{
	int val, ret;

	expand_old(argc, argv);
	while ((val = cli_getopt(&tool, argc, argv)) != -1) {
		ret = set_option(opts, val);
		if (ret >= 0)
			return ret;
	}
	ret = cli_check(&tool, opts->command ? NULL : opts->is_tree ? "--list" : "--show");
	if (!ret)
		ret = check_operands(opts, argc, argv);
	if (ret)
		return ret;
	if (opts->is_tree)
		opts->command = 'l';
	note_ignored(opts);
	return -1;
}

/* The arguments are checked before anything is sent. */
static int make_entry(struct smc_pnet *entry, const struct pnet_opts *opts, struct smc_err *err)
{
	if (opts->command == 'a')
		return pnet_make(entry, opts->id, opts->eth, opts->ib, opts->port, err);
	return opts->id ? smc_pnet_name(entry->name, opts->id, err) : 0;
}

static int run(struct pnet_tool *pnet, const struct pnet_opts *opts, const struct smc_pnet *entry)
{
	switch (opts->command) {
	case 'a': return pnet_add(pnet, entry);
	case 'd': return pnet_delete(pnet, entry->name);
	case 'f': return pnet_flush(pnet);
	case 'l': return pnet_list(pnet, opts->is_tree, opts->is_json);
	case OPT_SUGGEST: return pnet_suggest(pnet, opts->is_apply, opts->is_json);
	default: return pnet_show(pnet, opts->id ? entry->name : NULL, opts->is_json);
	}
}

/* The tables of all network namespaces. What may not be seen is said. */
static int show_all(const char *name, bool is_json, struct smc_err *err)
{
	struct netns_list list;
	char text[200];
	int ret = netns_list_load(&list, err);

	if (ret)
		return ret;
	ret = pnet_show_all(&list, name, is_json, err);
	netns_list_hidden(&list, text, sizeof(text));
	cli_warn(&tool, ret || !text[0], "%s", text);
	if (!ret)
		ret = netns_list_failure(&list, err);
	netns_list_free(&list);
	return ret;
}

/* Return: 0, -errno with @err. */
static int work(const struct pnet_opts *opts, struct smc_err *err)
{
	struct smc_pnet entry = { 0 };
	char root[SYSFS_ROOT_SIZE];
	struct pnet_tool pnet = { .root = root, .err = err };
	int ret, sysfs = -1;

	ret = make_entry(&entry, opts, err);
	if (!ret && opts->is_all_netns)
		return show_all(opts->id ? entry.name : NULL, opts->is_json, err);
	if (!ret)
		ret = smc_netns_enter(opts->netns, err);
	if (!ret)
		ret = sysfs_here(root, &sysfs, opts->netns, err);
	if (!ret)
		ret = smc_genl_open(&pnet.nl, SMC_ABI_PNET_FAMILY, err);
	if (!ret)
		ret = run(&pnet, opts, &entry);
	smc_genl_close(pnet.nl);
	if (sysfs >= 0)
		close(sysfs);
	return ret;
}

int main(int argc, char **argv)
{
	struct pnet_opts opts = { 0 };
	struct smc_err err = { 0 };
	int status;

	cli_start();
	status = parse(&opts, argc, argv);
	if (status >= 0)
		return status;
	if (enclose_record(&err) || work(&opts, &err))
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool);
}
