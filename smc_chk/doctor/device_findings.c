// SPDX-License-Identifier: MIT
/* Doctor: RDMA and ISM devices, and whether SMC can use them. */

#include "smc/abi.h"
#include "smc_chk/doctor/findings.h"

#define RDMA "rdma"
#define ISM "ism"

static void say_unusable(struct doctor *doc, const struct pnet_row *row)
{
	const char *node = row->ib->node_type;

	if (!strcmp(row->ib->driver, "erdma") && strcmp(node, "CA"))
		doctor_note(doc, RDMA, row->name,
			    "eRDMA as iWARP (%s): only Alibaba's own kernels use it for SMC", node);
	else if (*node && strcmp(node, "CA"))
		doctor_note(doc, RDMA, row->name,
			    "SMC does not use it: node type %s, it must be CA (RoCE)", node);
	else
		doctor_note(doc, RDMA, row->name,
			    "SMC does not use port %u: link layer %s, it must be Ethernet (RoCE)",
			    row->port, row->ib_port->link_layer);
}

/* A switched-off port is not a problem if others work and it has no PNET ID. */
static void say_down(struct doctor *doc, const struct pnet_row *row)
{
	const struct rdma_port *port = row->ib_port;
	const struct netdev *net = netdev_find(&doc->facts->netdevs, port->netdev);
	enum doctor_level level = doctor_unusable_level(doc);

	if (!net) {
		doctor_say(doc, level, RDMA, row->name, NULL, "port %u is %s", row->port,
			   port->state);
	} else if (facts_of_net(doc->facts, net)->is_off) {
		if (level == DOCTOR_WARNING && !row->entry)
			level = DOCTOR_NOTE;
		doctor_say(doc, level, RDMA, row->name,
			   doctor_command(doc, "ip link set dev ", port->netdev, " up"),
			   "port %u is %s: its net device %s is down", row->port, port->state,
			   port->netdev);
	} else {
		doctor_say(doc, level, RDMA, row->name, "check cable and switch",
			   "port %u is %s, though its net device %s is up", row->port, port->state,
			   port->netdev);
	}
}

static void say_no_gid(struct doctor *doc, const struct pnet_row *row)
{
	const char *netdev = row->ib_port->netdev, *remedy = NULL;

	if (*netdev)
		remedy = doctor_command(doc, "ip address add ADDRESS/PREFIX dev ", netdev, "");
	doctor_say(doc, doctor_unusable_level(doc), RDMA, row->name, remedy,
		   "port %u has no GID that SMC can use: neither RoCE v1, nor RoCE v2 with "
		   "an IPv4 address",
		   row->port);
}

static void say_fits(struct doctor *doc, const struct pnet_row *row)
{
	const struct rdma_port *port = row->ib_port;
	bool is_v1 = false, is_v2 = false;
	struct netaddr addr;
	const char *what, *on = *port->netdev ? " on " : "";

	for_each(gid, port->gids, port->n_gids) {
		is_v1 |= choice_gid_is_v1(gid);
		is_v2 |= choice_gid_is_v2(gid, &addr);
	}
	if (is_v1 && is_v2)
		what = "RoCE v1 and v2: SMC-Rv1 within a subnet, SMC-Rv2 beyond";
	else if (is_v1)
		what = "GIDs of RoCE v1 only: SMC-Rv1, with peers in the same subnet";
	else
		what = "GIDs of RoCE v2 only: SMC-Rv2 over IPv4, which needs a common EID";
	doctor_ok(doc, RDMA, row->name, "port %u is active%s%s; %s", row->port,
		  port->is_foreign ? " on a net device of another network namespace" : on,
		  port->netdev, what);
}

static void check_port(struct doctor *doc, const struct pnet_row *row)
{
	if (!row->ib_port)
		return;
	switch (choice_port_usability(&doc->facts->choices, row)) {
	case UNUSABLE_NOT_ROCE: say_unusable(doc, row); break;
	case UNUSABLE_HANGS: break; /* doctor_kernel() has reported this */
	case UNUSABLE_PORT_DOWN: say_down(doc, row); break;
	case UNUSABLE_V2_ONLY:
		doctor_say(doc, doctor_unusable_level(doc), RDMA, row->name,
			   "install kernel 5.16 or later",
			   "port %u has GIDs of RoCE v2 only, which SMC uses from kernel 5.16 on",
			   row->port);
		break;
	case UNUSABLE_NO_GID: say_no_gid(doc, row); break;
	default: say_fits(doc, row); break;
	}
}

void doctor_rdma(struct doctor *doc)
{
	const struct choices *choices = &doc->facts->choices;
	const char *remedy = NULL;

	if (!choices->is_rxe_broken && !choices->is_v1_only && !choice_is_any_usable(choices, NULL))
		remedy = "for a test: modprobe rdma_rxe; rdma link add rxe0 type rxe netdev NETDEV";
	if (!doc->facts->rdma.count)
		doctor_say(doc, DOCTOR_NOTE, RDMA, NULL, remedy, "no RDMA device, so no SMC-R");
	doctor_each(doc, check_port);
	for (size_t i = 0; i < doc->facts->rdma.count && !doc->req->iface; i++) {
		const char *name = doc->facts->rdma.devs[i].name;
		int count = doc->facts->n_ports[i];

		if (count > RDMA_MAX_PORTS)
			doctor_note(doc, RDMA, name, "SMC uses only ports 1 and 2 of the %d",
				    count);
		else if (!count)
			doctor_note(doc, RDMA, name, "has no ports");
	}
}

static void check_ism(struct doctor *doc, const struct pnet_row *row)
{
	if (!row->ism || row->ism->chid == SMC_ABI_CHID_LOOPBACK)
		return;
	if (!doc->facts->isms[row->ism - doc->facts->rdma.isms].has_driver)
		doctor_say(doc, doctor_unusable_level(doc), ISM, row->name, "modprobe ism",
			   "ISM device without a driver");
	else if (*row->pnetid)
		doctor_ok(doc, ISM, row->name, "ISM device, PNET ID %s%s", row->pnetid,
			  doc->facts->info.is_ism_v2 ? ", SMC-Dv1 and SMC-Dv2" : "");
	else if (doc->facts->info.is_ism_v2)
		doctor_ok(doc, ISM, row->name, "ISM device without PNET ID: SMC-Dv2 only");
	else
		doctor_say(doc, doctor_unusable_level(doc), ISM, row->name,
			   "set a PNET ID in the IOCDS, or smc_pnet -a PNETID -D DEVICE",
			   "ISM device without PNET ID: SMC-Dv1 cannot use it");
}

const char *doctor_loopback_remedy(const struct doctor *doc)
{
	const struct distribution *row = doc->facts->kernel.distribution;

	if (!row || strcmp(row->smcd, "dkms"))
		return NULL;
	return "apt install ./smc-loopback-dkms_*.deb linux-source-6.12 "
	       "linux-headers-$(uname -r)";
}

void doctor_ism(struct doctor *doc)
{
	const struct rdma_table *rdma = &doc->facts->rdma;
	const struct host_names *slots = &doc->facts->slots;
	bool has_ism = false;

	for (size_t i = 0; i < rdma->n_isms; i++)
		has_ism |= rdma->isms[i].chid != SMC_ABI_CHID_LOOPBACK;
	doctor_each(doc, check_ism);
	if (doc->facts->choices.has_loopback && doc->facts->is_inner)
		doctor_note(doc, ISM, "loopback",
			    "SMC-D between sockets of this host, if there is an EID and loopback "
			    "has no PNET ID, which only the initial network namespace shows");
	else if (doc->facts->choices.has_loopback)
		doctor_ok(doc, ISM, "loopback",
			  "SMC-D between sockets of this host, if there is an EID");
	else if (!has_ism)
		doctor_say(doc, DOCTOR_NOTE, ISM, NULL, doctor_loopback_remedy(doc),
			   "no ISM device (IBM Z has them) and no loopback, so no SMC-D");
	/* A slot without power hides its device, which may be ISM or anything else. */
	for (size_t i = 0; i < slots->count && !doc->req->iface; i++)
		doctor_say(doc, DOCTOR_NOTE, ISM, slots->names[i],
			   doctor_command(doc, "smc_rnics -e ", slots->names[i], ""),
			   "PCI function without power: it may be an ISM or RoCE device");
}
