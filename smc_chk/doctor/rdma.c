// SPDX-License-Identifier: MIT
/* Doctor: RDMA devices: which of them and of their ports and GIDs SMC-R can use. */
#include <stdio.h>
#include <string.h>
#include <net/if.h>

#include "host/file.h"
#include "smc_chk/doctor/doctor.h"

#define CHECK "rdma"
#define REMEDY_SIZE (DOCTOR_WORD_SIZE + 64)

static bool is_admin_up(const struct doctor *doc, const char *netdev)
{
	unsigned long flags;

	return !host_number(&flags, "%s/class/net/%s/flags", doc->sys, netdev) || flags & IFF_UP;
}

static void say_unusable(struct doctor *doc, const struct pnet_row *row)
{
	const char *node = row->ib->node_type;

	if (!strcmp(row->ib->driver, "erdma") && strcmp(node, "CA"))
		doctor_say(doc, DOCTOR_NOTE, CHECK, row->name, NULL,
			   "eRDMA as iWARP (%s): only Alibaba's own kernels use it for SMC", node);
	else if (*node && strcmp(node, "CA"))
		doctor_say(doc, DOCTOR_NOTE, CHECK, row->name, NULL,
			   "SMC does not use it: node type %s, it must be CA (RoCE)", node);
	else
		doctor_say(doc, DOCTOR_NOTE, CHECK, row->name, NULL,
			   "SMC does not use port %u: link layer %s, it must be Ethernet (RoCE)",
			   row->port, row->ib_port->link_layer);
}

/* A port that was switched off beside others that work is nobody's trouble, unless it has an entry. */
static void say_down(struct doctor *doc, const struct pnet_row *row)
{
	const struct rdma_port *port = row->ib_port;
	char remedy[REMEDY_SIZE], word[DOCTOR_WORD_SIZE];
	int level = use_lack(doc);

	if (!*port->netdev || !netdev_find(&doc->netdevs, port->netdev)) {
		doctor_say(doc, level, CHECK, row->name, NULL, "port %u is %s", row->port,
			   port->state);
	} else if (!is_admin_up(doc, port->netdev)) {
		snprintf(remedy, sizeof(remedy), "ip link set %s up",
			 doctor_word(word, port->netdev));
		if (level == DOCTOR_WARNING && !row->entry)
			level = DOCTOR_NOTE;
		doctor_say(doc, level, CHECK, row->name, remedy,
			   "port %u is %s: its net device %s is switched off", row->port,
			   port->state, port->netdev);
	} else {
		doctor_say(doc, level, CHECK, row->name, "check cable and switch",
			   "port %u is %s, though its net device %s is switched on", row->port,
			   port->state, port->netdev);
	}
}

static void say_no_gid(struct doctor *doc, const struct pnet_row *row)
{
	const struct rdma_port *port = row->ib_port;
	char remedy[REMEDY_SIZE] = "", word[DOCTOR_WORD_SIZE];

	if (*port->netdev)
		snprintf(remedy, sizeof(remedy), "ip address add ADDRESS/PREFIX dev %s",
			 doctor_word(word, port->netdev));
	doctor_say(doc, use_lack(doc), CHECK, row->name, remedy,
		   "port %u has no GID that SMC uses: RoCE v2 needs one of an IPv4 address, and "
		   "there is none of RoCE v1", row->port);
}

static void say_fits(struct doctor *doc, const struct pnet_row *row)
{
	const struct rdma_port *port = row->ib_port;
	bool is_v1 = false, is_v2 = false;
	struct netaddr addr;
	const char *what;

	for (size_t i = 0; i < port->n_gids; i++) {
		is_v1 |= use_gid_v1(&port->gids[i]);
		is_v2 |= use_gid_v2(&port->gids[i], &addr);
	}
	if (is_v1 && is_v2)
		what = "RoCE v1 and v2: SMC-Rv1 within a subnet, SMC-Rv2 beyond";
	else if (is_v1)
		what = "GIDs of RoCE v1 only: SMC-Rv1, partners must be in the same subnet";
	else
		what = "GIDs of RoCE v2 only: SMC-Rv2, which needs an EID in common, over IPv4";
	doctor_say(doc, DOCTOR_OK, CHECK, row->name, NULL, "port %u is active%s%s; %s", row->port,
		   port->is_foreign ? " upon a net device of another network namespace" :
		   *port->netdev ? " upon " : "", port->netdev, what);
}

static void check_port(struct doctor *doc, const struct pnet_row *row)
{
	switch (use_port_gap(&doc->uses.facts, row)) {
	case USE_NOT_ROCE: say_unusable(doc, row); break;
	case USE_HANGS: break; /* doctor_kernel() has said so */
	case USE_PORT_DOWN: say_down(doc, row); break;
	case USE_NO_GID: say_no_gid(doc, row); break;
	default: say_fits(doc, row); break;
	}
}

static void check_ports_beyond(struct doctor *doc, const struct rdma_dev *dev)
{
	struct host_names names;

	if (host_list(&names, "%s/class/infiniband/%s/ports", doc->sys, dev->name))
		return;
	if (names.count > RDMA_MAX_PORTS)
		doctor_say(doc, DOCTOR_NOTE, CHECK, dev->name, NULL,
			   "SMC uses ports 1 and 2 only of the %zu", names.count);
	else if (!names.count)
		doctor_say(doc, DOCTOR_NOTE, CHECK, dev->name, NULL, "has no ports");
	host_names_free(&names);
}

void doctor_rdma(struct doctor *doc)
{
	const struct pnet_rows *rows = &doc->uses.facts.rows;

	if (!doc->rdma.count)
		doctor_say(doc, DOCTOR_NOTE, CHECK, NULL,
			   doc->uses.facts.is_rxe_broken || use_is_any(&doc->uses, NULL) ? NULL :
			   "for a test: modprobe rdma_rxe; rdma link add rxe0 type rxe netdev NETDEV",
			   "no RDMA device, so no SMC-R");
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].ib_port && use_in_scope(doc, &rows->rows[i]))
			check_port(doc, &rows->rows[i]);
	for (size_t i = 0; i < doc->rdma.count && !doc->req->iface; i++)
		check_ports_beyond(doc, &doc->rdma.devs[i]);
}
