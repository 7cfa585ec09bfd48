// SPDX-License-Identifier: MIT
/* smc_rnics: list RDMA cards and ISM devices, and switch the power of their slots on IBM Z. */
#include "smc_rnics/smc_rnics.h"

#include <getopt.h>
#include <sys/utsname.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "host/record.h"
#include "net/netns.h"
#include "net/pairing.h"
#include "out/list.h"
#include "sandbox/enclose.h"

/** struct rnics_opts - the parsed command line */
static struct rnics_opts {
	bool is_all, is_ib, is_raw, is_wide, is_json;
	bool has_fid, has_power, is_on;
	uint32_t fid;
} asked;

static const struct cli_opt options[] = {
	{ 'a', "all", NULL, "also show slots without power and other PCI functions (IBM Z)",
	  &asked.is_all },
	{ 'I', "IB-dev", NULL, "show RDMA devices and their ports, not net devices", &asked.is_ib },
	{ 'r', "rawids", NULL, "show vendor, device and virtual function as numbers",
	  &asked.is_raw },
	{ 'w', "wide", NULL, "add both device names, state, link layer, MTUs and driver",
	  &asked.is_wide },
	{ 'e', "enable", "FID", "power a slot on (IBM Z)", .excludes = "--disable --json" },
	{ 'd', "disable", "FID", "power a slot off (IBM Z)", .excludes = "--json" },
	{ 'j', "json", NULL, "write one JSON document", &asked.is_json },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_rnics",
	.usage = "[-aIrwj] [FID]\n"
		 "-e FID | -d FID",
	.summary = "List RDMA cards and ISM devices, one line per port. FID is a function ID of\n"
		   "IBM Z, in hexadecimal.",
	.examples = "  smc_rnics -w\n  smc_rnics -e 0x12\n",
	.opts = options,
	.error_status = 1,
};

static int parse_fid(const char *text)
{
	unsigned long fid;
	char *end;

	errno = 0;
	fid = strtoul(text, &end, 16);
	if (errno || end == text || *end || *text == '-' || fid > UINT32_MAX)
		return cli_usage_error(
			&tool, "'%s' is not a function ID: give a hexadecimal number", text);
	asked.fid = (uint32_t)fid;
	asked.has_fid = true;
	return 0;
}

static int take_power(int letter)
{
	asked.has_power = true;
	asked.is_on = letter == 'e';
	return parse_fid(optarg);
}

/* Return: -1 to go on, or the exit status. */
static int parse(int argc, char **argv)
{
	int status = cli_parse(&tool, argc, argv, take_power);

	if (status >= 0)
		return status;
	if (optind == argc)
		return -1;
	if (asked.has_power || argc - optind > 1)
		return cli_no_operand(&tool, argv[argc - 1]);
	return parse_fid(argv[optind]) ? tool.error_status : -1;
}

static bool selects(const struct rnic *rnic)
{
	if (asked.has_fid)
		return rnic->has & RNIC_HAS_FID && rnic->fid == asked.fid;
	return asked.is_all || rnic->is_known;
}

static void choose(struct out_view *view)
{
	out_view_add(view, rnic_columns, "fid,power,pciid,pchid");
	out_view_add(view, rnic_columns, asked.is_raw ? "ids" : "type");
	out_view_add(view, rnic_columns, "pft");
	out_view_add(view, rnic_columns, asked.is_raw ? "vfn" : "vf");
	out_view_add(view, rnic_columns, asked.is_ib ? "iport" : "pport");
	out_view_add(view, rnic_columns, "pnetid");
	out_view_add(view, rnic_columns, asked.is_ib ? "ibdev" : "netdev");
	if (asked.is_wide)
		out_view_add(view, rnic_columns, asked.is_ib ? "netdev" : "ibdev");
	if (asked.is_wide)
		out_view_add(view, rnic_columns, "state,layer,mtu,ibmtu,driver");
}

static void keep_selected(struct rnic_table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++)
		if (selects(&table->rnics[i]))
			table->rnics[kept++] = table->rnics[i];
	table->count = kept;
}

static int print(const struct rnic_table *table, struct smc_err *err)
{
	struct out_text text = { 0 };
	struct out_view view = { 0 };

	if (asked.is_json)
		return out_print_json(json_pack("{s:s, s:o}", "schema", "smc-tools/rnics/1",
						"rnics",
						out_json_list(rnic_columns, table->rnics,
							      table->count, sizeof(*table->rnics))),
				      err);
	choose(&view);
	if (cli_columns())
		return out_print_list(&view, table->rnics, table->count, sizeof(*table->rnics),
				      "smc_rnics: no RDMA card and no ISM device", err);
	out_header(&text, &view);
	out_fill(&text, '-', 100);
	out_char(&text, '\n');
	for (size_t i = 0; i < table->count; i++)
		out_row(&text, &view, &table->rnics[i]);
	return out_finish(&text, err);
}

/* Net devices, PNET table and sysfs all belong to this network namespace. */
static int list(struct smc_err *err)
{
	struct smc_pnet_table pnet AUTO(smc_pnet_free) = { 0 };
	struct rnic_table table AUTO(rnics_free) = { 0 };
	char root[SYSFS_ROOT_SIZE];
	int sysfs AUTO_CLOSE = -1, ret = sysfs_here(root, &sysfs, false, err);

	if (!ret)
		ret = pnet_table_load(&pnet, err);
	/* A kernel without SMC has no table, which is no error. */
	if (ret && ret != -ENOENT && ret != -ENODATA)
		return ret;
	ret = rnics_load(&table, root, &pnet, err);
	if (!ret)
		keep_selected(&table);
	if (!ret && asked.has_fid && !table.count)
		ret = smc_err_say(err, ENOENT, "no FID %x", asked.fid);
	return ret ? ret : print(&table, err);
}

static int power(struct smc_err *err)
{
	struct utsname machine;

	if (record_root())
		return record_refuse(err);
	if (uname(&machine) || strncmp(machine.machine, "s390", 4))
		return smc_err_say(err, EOPNOTSUPP,
				   "slots can be powered on and off only on IBM Z");
	return rnics_power(SYSFS_ROOT, asked.fid, asked.is_on, err);
}

int main(int argc, char **argv)
{
	struct smc_err err = { 0 };
	int status, ret;

	cli_start();
	status = parse(argc, argv);
	if (status >= 0)
		return status;
	ret = enclose_record(&err);
	if (!ret)
		ret = asked.has_power ? power(&err) : list(&err);
	if (ret)
		return cli_error(&tool, "%s", err.text);
	return cli_close_stdout(&tool);
}
