// SPDX-License-Identifier: MIT
/* --pnetid: the PNET ID of one net device. */
#include <net/if.h>

#include "host/record.h"
#include "net/netns.h"
#include "net/pairing.h"
#include "smc_chk/smc_chk.h"

/* Find by name, or by an alternative name of ip-link(8). */
static const struct netdev *find(const struct netdev_table *nets, const char *name)
{
	const struct netdev *net = netdev_find(nets, name);
	unsigned int index = net || record_root() ? 0 : if_nametoindex(name);

	for (size_t i = 0; index && i < nets->count; i++)
		if (nets->devs[i].ifindex == index)
			net = &nets->devs[i];
	return net;
}

static int print(const struct chk_request *req, const struct pnet_row *row, bool is_hw)
{
	const char *id = row->pnetid, *source = is_hw ? "hardware" : "table";
	struct out_text text = { 0 };

	if (req->is_json)
		return chk_print_json(json_pack(
			"{s:s, s:o, s:o, s:o*, s:s*}", "schema", "smc-tools/pnetid/1", "net_device",
			out_json_str(row->name), "base_device", out_json_str(row->net->base),
			"pnetid", *id ? out_json_string(id, PNETID_SIZE) : NULL, "source",
			*id ? source : NULL));
	if (*id) {
		/* Other programs can set Latin-1 letters in the kernel. */
		out_escaped(&text, id, PNETID_SIZE);
		out_str(&text, is_hw ? "\n" : "*\n");
	} else if (req->width) {
		cli_note(&chk_tool, "'%s' has no PNET ID", req->iface);
	}
	return chk_print(&text, 0, 0);
}

int chk_pnetid(const struct chk_request *req)
{
	struct pnet_world world AUTO(pnet_world_free) = { .nets = { 0 } };
	struct smc_pnet_table table AUTO(smc_pnet_free) = { 0 };
	struct pnet_rows rows AUTO(pnet_rows_free) = { 0 };
	int sysfs AUTO_CLOSE = -1, ret;
	struct smc_err err = { 0 };
	const struct pnet_row *row;
	const struct netdev *net;
	char sys[SYSFS_ROOT_SIZE];

	if (sysfs_here(sys, &sysfs, req->netns, &err) || pnet_world_load(&world, sys, &err))
		return cli_error(&chk_tool, "%s", err.text);
	net = find(&world.nets, req->iface);
	if (!net)
		return cli_error(&chk_tool, "no net device '%s'", req->iface);
	ret = pnet_table_load(&table, &err);
	pnet_rows_make(&rows, &table, &world);
	row = pnet_row_of_net(&rows, net->name);
	chk_debug(req, "%s: base device %s, %zu entries in the table", net->name, net->base,
		  table.count);
	if (!ret || *row->pnetid)
		return print(req, row, pnet_row_is_hardware(row, &world.nets));
	/* A kernel without SMC has no PNET table: PNET IDs can only be from firmware. */
	cli_error(&chk_tool, "'%s' has no PNET ID from hardware, and %s", req->iface, err.text);
	return ret == -ENOENT ? CHK_UNTESTED : CHK_ERROR;
}
