// SPDX-License-Identifier: MIT
/* What SMC can use for the connections of each net device: the kernel's rules, without I/O. */
#include "smc_chk/doctor/use.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "smc/abi.h"

static uint16_t vlan_of(const struct use_facts *facts, const char *name)
{
	const struct netdev *dev = netdev_find(facts->nets, name);

	return dev && facts->vlans ? facts->vlans[dev - facts->nets->devs] : 0;
}

bool use_has_eid(const struct use_facts *facts)
{
	return !facts->is_eid_known || facts->n_ueids ||
	       (facts->seid.has_eid && facts->seid.is_enabled);
}

/* ---- GIDs ---- */

bool use_gid_v1(const struct rdma_gid *gid)
{
	return !strcmp(gid->type, "IB/RoCE v1");
}

bool use_gid_v2(const struct rdma_gid *gid, struct netaddr *addr)
{
	struct in6_addr bytes;

	*addr = (struct netaddr){ .family = AF_INET, .prefix = 32 };
	if (strcmp(gid->type, "RoCE v2") || inet_pton(AF_INET6, gid->gid, &bytes) != 1 ||
	    !IN6_IS_ADDR_V4MAPPED(&bytes))
		return false;
	memcpy(addr->bytes, &bytes.s6_addr[12], 4);
	return true;
}

/* The kernel takes a GID away some time after the address that made it. */
static bool has_address(const struct use_facts *facts, const struct rdma_gid *gid,
			const struct netaddr *addr)
{
	const struct netaddr_table *addrs = &facts->addrs;

	if (!addrs->is_known || !netdev_find(facts->nets, gid->netdev))
		return true;
	for (size_t i = 0; i < addrs->count; i++)
		if (!strcmp(addrs->addrs[i].netdev, gid->netdev) &&
		    addrs->addrs[i].family == AF_INET &&
		    !memcmp(addrs->addrs[i].bytes, addr->bytes, 4))
			return true;
	return false;
}

/* Is an address of the net device in a subnet of the GID's own net device? */
static bool reaches(const struct use_facts *facts, const struct rdma_gid *gid, const char *netdev)
{
	const struct netaddr_table *addrs = &facts->addrs;

	if (!addrs->is_known || !netdev_find(facts->nets, gid->netdev))
		return true;
	for (size_t i = 0; i < addrs->count; i++) {
		if (strcmp(addrs->addrs[i].netdev, gid->netdev))
			continue;
		for (size_t k = 0; k < addrs->count; k++)
			if (addrs->addrs[i].family == AF_INET &&
			    !strcmp(addrs->addrs[k].netdev, netdev) &&
			    netaddr_covers(&addrs->addrs[i], &addrs->addrs[k]))
				return true;
	}
	return false;
}

enum use_gap use_port_gap(const struct use_facts *facts, const struct pnet_row *row)
{
	const struct rdma_port *port = row->ib_port;
	struct netaddr addr;

	if ((row->ib->node_type[0] && strcmp(row->ib->node_type, "CA")) ||
	    (port->link_layer[0] && strcmp(port->link_layer, "Ethernet")))
		return USE_NOT_ROCE;
	if (facts->is_rxe_broken && !strcmp(row->ib->driver, "rxe"))
		return USE_HANGS;
	if (port->state[0] && strcmp(port->state, "ACTIVE"))
		return USE_PORT_DOWN;
	for (size_t i = 0; i < port->n_gids; i++)
		if (use_gid_v1(&port->gids[i]) ||
		    (use_gid_v2(&port->gids[i], &addr) &&
		     has_address(facts, &port->gids[i], &addr)))
			return USE_FITS;
	return USE_NO_GID;
}

/* ---- SMC-R ---- */

/* Find the GIDs of a port for a net device. Return: what the port lacks. */
static enum use_gap find_gids(struct use *use, const struct use_facts *facts)
{
	enum use_gap gap = use_port_gap(facts, use->port);
	const struct rdma_port *port = use->port->ib_port;
	uint16_t vlan = vlan_of(facts, use->net->name);

	use->v1 = use->v2 = NULL;
	if (gap != USE_FITS)
		return gap;
	gap = USE_NO_VLAN;
	for (size_t i = 0; i < port->n_gids; i++) {
		const struct rdma_gid *gid = &port->gids[i];
		struct netaddr addr;

		if (vlan_of(facts, gid->netdev) != vlan)
			continue;
		if (use_gid_v1(gid) && !use->v1)
			use->v1 = gid;
		if (!use_gid_v2(gid, &addr) || use->v2)
			continue;
		if (reaches(facts, gid, use->net->name))
			use->v2 = gid;
		else
			gap = USE_NO_SUBNET;
	}
	if (use->v1)
		return USE_FITS;
	return !use->v2 ? gap : use_has_eid(facts) ? USE_FITS : USE_NO_EID;
}

static bool is_partner(const struct pnet_row *net, const struct pnet_row *port)
{
	if (!port->ib_port)
		return false;
	if (*net->pnetid)
		return !strcmp(net->pnetid, port->pnetid);
	return !strcmp(net->net->base, port->ib_port->netdev);
}

static void find_port(struct use *use, const struct use_facts *facts)
{
	use->r_gap = USE_NO_DEVICE;
	for (size_t i = 0; i < facts->rows.count; i++) {
		struct use next = { .net = use->net, .port = &facts->rows.rows[i] };

		if (!is_partner(use->net, next.port))
			continue;
		next.r_gap = find_gids(&next, facts);
		if (next.r_gap < use->r_gap)
			*use = next;
	}
}

/* ---- SMC-D ---- */

bool use_is_loopback(const struct pnet_row *row)
{
	return row->ism ? row->ism->chid == SMC_ABI_CHID_LOOPBACK : !strcmp(row->name, "loopback-ism");
}

/*
 * A device of version 2 must have no PNET ID, or one that firmware gave to a net device as well; what the
 * table says of net devices does not count here (seen with 6.12).
 */
static bool is_offered(const struct use_facts *facts, const struct pnet_row *ism)
{
	for (size_t i = 0; *ism->pnetid && i < facts->nets->count; i++)
		if (!strcmp(facts->nets->devs[i].hw_pnetid, ism->pnetid))
			return true;
	return !*ism->pnetid;
}

static void find_ism(struct use *use, const struct use_facts *facts)
{
	use->is_loopback = facts->has_loopback;
	for (size_t i = 0; i < facts->rows.count; i++) {
		const struct pnet_row *row = &facts->rows.rows[i];

		if (row->type != PNET_ISM)
			continue;
		if (use_is_loopback(row)) {
			use->is_loopback = facts->has_loopback && is_offered(facts, row);
			continue;
		}
		if (!row->ism)
			continue;
		if (!use->ism_v1 && *row->pnetid && !strcmp(row->pnetid, use->net->pnetid))
			use->ism_v1 = row;
		if (!use->ism_v2 && facts->is_ism_v2 && is_offered(facts, row))
			use->ism_v2 = row;
	}
	if (use->ism_v1)
		use->d_gap = USE_FITS;
	else if (use->ism_v2 || use->is_loopback)
		use->d_gap = use_has_eid(facts) ? USE_FITS : USE_NO_EID;
	else
		use->d_gap = USE_NO_DEVICE;
}

void use_find(struct use *use, const struct use_facts *facts, const struct pnet_row *row)
{
	*use = (struct use){ .net = row };
	find_port(use, facts);
	find_ism(use, facts);
}

/* ---- all of them ---- */

bool use_is_any(const struct uses *uses, const char *netdev)
{
	for (size_t i = 0; i < uses->count; i++) {
		const struct use *use = &uses->uses[i];

		if ((!netdev || !strcmp(use->net->name, netdev)) &&
		    (use->r_gap == USE_FITS || use->d_gap == USE_FITS))
			return true;
	}
	return false;
}

const struct use *use_of(const struct uses *uses, const char *netdev)
{
	for (size_t i = 0; i < uses->count; i++)
		if (!strcmp(uses->uses[i].net->name, netdev))
			return &uses->uses[i];
	return NULL;
}
