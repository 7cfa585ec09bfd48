// SPDX-License-Identifier: MIT
/* The facts that decide what SMC can use. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "host/probe.h"
#include "smc/abi.h"
#include "smc_chk/doctor/doctor.h"
#include "smc_chk/doctor/use.h"

static int on_ueid(const struct nlmsghdr *nlh, void *arg)
{
	struct use_facts *facts = arg;

	if (facts->n_ueids == SMC_MAX_UEIDS)
		return 0;
	return smc_ueid_decode(facts->ueids[facts->n_ueids++], nlh);
}

static int on_seid(const struct nlmsghdr *nlh, void *arg)
{
	return smc_seid_decode(arg, nlh);
}

/* Before 5.16 there is no such table, and nothing that needs one. */
static void load_eids(struct use_facts *facts, const struct doctor *doc)
{
	struct smc_err ignored;

	if (!doc->has_genl)
		return;
	facts->is_eid_known =
		!smc_genl_dump(doc->genl, SMC_ABI_DUMP_UEID, on_ueid, facts, &ignored) &&
		!smc_genl_dump(doc->genl, SMC_ABI_DUMP_SEID, on_seid, &facts->seid, &ignored);
}

/* "eth0.7  VID: 7	 REORDER_HDR: 1 ..." is the first line of /proc/net/vlan/eth0.7. */
static uint16_t read_vlan(const char *netdev)
{
	const char *id = NULL;
	char text[128];

	if (host_text(text, sizeof(text), "/proc/net/vlan/%s", netdev))
		id = strstr(text, "VID: ");
	return id ? (uint16_t)strtoul(id + 5, NULL, 10) : 0;
}

static bool has_loopback(const struct doctor *doc)
{
	for (size_t i = 0; i < doc->rdma.n_isms; i++)
		if (doc->rdma.isms[i].chid == SMC_ABI_CHID_LOOPBACK)
			return true;
	/* Up to 6.17 it is in no list: but where there is no ISM device, nothing else has version 2. */
	return doc->info.has & SMC_SYSINFO_HAS_ISM_V2 && doc->info.is_ism_v2 && !doc->rdma.n_isms;
}

static int load_facts(struct use_facts *facts, const struct doctor *doc)
{
	const struct pnet_world world = { doc->netdevs, doc->rdma };
	int ret = pnet_rows_make(&facts->rows, &doc->pnet, &world);

	if (!ret)
		ret = netaddr_load(&facts->addrs, &doc->netdevs);
	if (ret)
		return ret;
	facts->nets = &doc->netdevs;
	facts->vlans = calloc(doc->netdevs.count + 1, sizeof(*facts->vlans));
	if (!facts->vlans)
		return -ENOMEM;
	for (size_t i = 0; i < doc->netdevs.count; i++)
		facts->vlans[i] = read_vlan(doc->netdevs.devs[i].name);
	facts->has_info = doc->has_info;
	facts->is_ism_v2 = doc->info.is_ism_v2;
	facts->has_loopback = has_loopback(doc);
	facts->is_rxe_broken = doctor_is_before(doc, 6, 2);
	load_eids(facts, doc);
	return 0;
}

int uses_load(struct doctor *doc)
{
	struct uses *uses = &doc->uses;
	int ret = load_facts(&uses->facts, doc);

	if (ret)
		return ret;
	uses->uses = calloc(doc->netdevs.count + 1, sizeof(*uses->uses));
	if (!uses->uses)
		return -ENOMEM;
	for (size_t i = 0; i < doc->netdevs.count; i++) {
		const struct pnet_row *row =
			pnet_row_of_net(&uses->facts.rows, doc->netdevs.devs[i].name);

		if (row)
			use_find(&uses->uses[uses->count++], &uses->facts, row);
	}
	return 0;
}

void uses_free(struct uses *uses)
{
	pnet_rows_free(&uses->facts.rows);
	netaddr_free(&uses->facts.addrs);
	free(uses->facts.vlans);
	free(uses->uses);
	*uses = (struct uses){ 0 };
}

bool use_in_scope(const struct doctor *doc, const struct pnet_row *row)
{
	const struct use *use;

	if (!doc->req->iface)
		return true;
	use = use_of(&doc->uses, doc->req->iface);
	if (!use)
		return false;
	if (row->type == PNET_NET)
		return row == use->net || !strcmp(row->name, use->net->net->base);
	return row == use->port || row == use->ism_v1 || row == use->ism_v2 ||
	       (*row->pnetid && !strcmp(row->pnetid, use->net->pnetid)) ||
	       (row->ib_port && !strcmp(row->ib_port->netdev, use->net->net->base));
}

int use_lack(const struct doctor *doc)
{
	return use_is_any(&doc->uses, doc->req->iface) ? DOCTOR_WARNING : DOCTOR_PROBLEM;
}
