// SPDX-License-Identifier: MIT
#include "smc_chk/doctor/device_choice.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/memory.h"
#include "smc/abi.h"

static uint16_t vlan_of(const struct choices *choices, const char *name)
{
	const struct netdev *dev = netdev_find(choices->nets, name);

	return dev && choices->vlans ? choices->vlans[dev - choices->nets->devs] : 0;
}

const char *choice_ueids(char text[CHOICE_UEIDS_SIZE], const struct choices *choices)
{
	size_t len = 0;

	if (!choices->n_ueids)
		return choices->is_eid_known ? "none" : "";
	for (size_t i = 0; i < choices->n_ueids; i++)
		len += (size_t)snprintf(text + len, CHOICE_UEIDS_SIZE - len, "%s%s", i ? ", " : "",
					choices->ueids[i]);
	return text;
}

bool choice_has_eid(const struct choices *choices)
{
	return !choices->is_eid_known || choices->n_ueids ||
	       (choices->seid.has_eid && choices->seid.is_enabled);
}

bool choice_gid_is_v1(const struct rdma_gid *gid)
{
	return !strcmp(gid->type, "IB/RoCE v1");
}

bool choice_gid_is_v2(const struct rdma_gid *gid, struct netaddr *addr)
{
	struct in6_addr bytes;

	*addr = (struct netaddr){ .family = AF_INET, .prefix = 32 };
	if (strcmp(gid->type, "RoCE v2") || inet_pton(AF_INET6, gid->gid, &bytes) != 1 ||
	    !IN6_IS_ADDR_V4MAPPED(&bytes))
		return false;
	memcpy(addr->bytes, &bytes.s6_addr[12], 4);
	return true;
}

/* The kernel removes a GID some time after its address. */
static bool has_address(const struct choices *choices, const struct rdma_gid *gid,
			const struct netaddr *addr)
{
	const struct netaddr_table *addrs = &choices->addrs;

	if (!addrs->is_known || !netdev_find(choices->nets, gid->netdev))
		return true;
	for_each(own, addrs->addrs, addrs->count)
		if (!strcmp(own->netdev, gid->netdev) && own->family == AF_INET &&
		    !memcmp(own->bytes, addr->bytes, 4))
			return true;
	return false;
}

/* True if an address of the net device is in a subnet of the GID's own net device. */
static bool reaches(const struct choices *choices, const struct rdma_gid *gid, const char *netdev)
{
	const struct netaddr_table *addrs = &choices->addrs;

	if (!addrs->is_known || !netdev_find(choices->nets, gid->netdev))
		return true;
	for_each(there, addrs->addrs, addrs->count)
		for_each(here, addrs->addrs, addrs->count)
			if (there->family == AF_INET && !strcmp(there->netdev, gid->netdev) &&
			    !strcmp(here->netdev, netdev) && netaddr_covers(there, here))
				return true;
	return false;
}

enum usability choice_port_usability(const struct choices *choices, const struct pnet_row *row)
{
	const struct rdma_port *port = row->ib_port;
	enum usability gap = UNUSABLE_NO_GID;
	struct netaddr addr;

	if ((row->ib->node_type[0] && strcmp(row->ib->node_type, "CA")) ||
	    (port->link_layer[0] && strcmp(port->link_layer, "Ethernet")))
		return UNUSABLE_NOT_ROCE;
	if (choices->is_rxe_broken && !strcmp(row->ib->driver, "rxe"))
		return UNUSABLE_HANGS;
	if (port->state[0] && strcmp(port->state, "ACTIVE"))
		return UNUSABLE_PORT_DOWN;
	for_each(gid, port->gids, port->n_gids) {
		if (choice_gid_is_v1(gid))
			return USABLE;
		if (choice_gid_is_v2(gid, &addr) && has_address(choices, gid, &addr))
			gap = choices->is_v1_only ? UNUSABLE_V2_ONLY : USABLE;
	}
	return gap;
}

/* Find the GIDs of a port for a net device. Return: the worst obstacle, if any. */
static enum usability find_gids(struct choice *choice, const struct choices *choices)
{
	enum usability gap = choice_port_usability(choices, choice->port);
	const struct rdma_port *port = choice->port->ib_port;
	uint16_t vlan = vlan_of(choices, choice->net->name);

	choice->gid_v1 = choice->gid_v2 = NULL;
	if (gap != USABLE)
		return gap;
	gap = UNUSABLE_NO_VLAN;
	for_each(gid, port->gids, port->n_gids) {
		struct netaddr addr;

		if (vlan_of(choices, gid->netdev) != vlan)
			continue;
		if (choice_gid_is_v1(gid) && !choice->gid_v1)
			choice->gid_v1 = gid;
		if (choices->is_v1_only || !choice_gid_is_v2(gid, &addr) || choice->gid_v2)
			continue;
		if (reaches(choices, gid, choice->net->name))
			choice->gid_v2 = gid;
		else
			gap = UNUSABLE_NO_SUBNET;
	}
	if (choice->gid_v1)
		return USABLE;
	if (!choice->gid_v2)
		return gap;
	return choice_has_eid(choices) ? USABLE : UNUSABLE_NO_EID;
}

static void find_port(struct choice *choice, const struct choices *choices)
{
	choice->smcr = UNUSABLE_NO_DEVICE;
	for (size_t i = 0; i < choices->rows.count; i++) {
		struct choice next = { .net = choice->net, .port = &choices->rows.rows[i] };

		if (!next.port->ib_port ||
		    (*choice->net->pnetid ?
			     strcmp(choice->net->pnetid, next.port->pnetid) :
			     strcmp(choice->net->net->base, next.port->ib_port->netdev)))
			continue;
		next.smcr = find_gids(&next, choices);
		if (next.smcr < choice->smcr)
			*choice = next;
	}
}

bool choice_is_loopback(const struct pnet_row *row)
{
	return row->ism ? row->ism->chid == SMC_ABI_CHID_LOOPBACK :
			  !strcmp(row->name, "loopback-ism");
}

/*
 * A device of version 2 must have no PNET ID, or one that firmware gave to a net device, too; net
 * devices in the PNET table do not count here (seen with 6.12).
 */
static bool is_offered(const struct choices *choices, const struct pnet_row *ism)
{
	for (size_t i = 0; *ism->pnetid && i < choices->nets->count; i++)
		if (!strcmp(choices->nets->devs[i].hw_pnetid, ism->pnetid))
			return true;
	return !*ism->pnetid;
}

const struct pnet_row *choice_ism_v2_next(const struct choices *choices, size_t *at)
{
	while (choices->is_ism_v2 && *at < choices->rows.count) {
		const struct pnet_row *row = &choices->rows.rows[(*at)++];

		if (row->type == PNET_ISM && row->ism && !choice_is_loopback(row) &&
		    is_offered(choices, row))
			return row;
	}
	return NULL;
}

static void find_ism(struct choice *choice, const struct choices *choices)
{
	size_t at = 0;

	choice->ism_v2 = choice_ism_v2_next(choices, &at);
	choice->is_loopback = choices->has_loopback;
	for_each(row, choices->rows.rows, choices->rows.count) {
		if (row->type != PNET_ISM)
			continue;
		if (choice_is_loopback(row))
			choice->is_loopback = choices->has_loopback && is_offered(choices, row);
		else if (!choice->ism_v1 && row->ism && *row->pnetid &&
			 !strcmp(row->pnetid, choice->net->pnetid))
			choice->ism_v1 = row;
	}
	if (choice->ism_v1)
		choice->smcd = USABLE;
	else if (choice->ism_v2 || choice->is_loopback)
		choice->smcd = choice_has_eid(choices) ? USABLE : UNUSABLE_NO_EID;
	else
		choice->smcd = UNUSABLE_NO_DEVICE;
}

void choice_make(struct choice *choice, const struct choices *choices, const struct pnet_row *row)
{
	*choice = (struct choice){ .net = row };
	find_port(choice, choices);
	find_ism(choice, choices);
}

size_t choice_modes(struct choice_mode modes[CHOICE_MAX_MODES], const struct choices *choices,
		    const struct choice *choice, bool with_waiting)
{
	bool is_waiting = !choice_has_eid(choices), is_v2 = !is_waiting || with_waiting;
	bool is_r = choice->smcr == USABLE || (with_waiting && choice->smcr == UNUSABLE_NO_EID);
	size_t count = 0;

	if (choice->ism_v1)
		modes[count++] = (struct choice_mode){ "SMC-D", 1, .device = choice->ism_v1 };
	if (is_v2 && choice->ism_v2)
		modes[count++] = (struct choice_mode){ "SMC-D", 2, choice->ism_v2,
						       .is_waiting = is_waiting };
	if (is_v2 && choice->is_loopback)
		modes[count++] = (struct choice_mode){ "SMC-D", 2, .is_loopback = true,
						       .is_waiting = is_waiting };
	if (is_r && choice->gid_v1)
		modes[count++] =
			(struct choice_mode){ "SMC-R", 1, choice->port, .gid = choice->gid_v1 };
	if (is_r && choice->gid_v2 && is_v2)
		modes[count++] = (struct choice_mode){ "SMC-R", 2, choice->port, choice->gid_v2,
						       .is_waiting = is_waiting };
	return count;
}

bool choice_is_any_usable(const struct choices *choices, const char *netdev)
{
	for_each(choice, choices->all, choices->count)
		if ((!netdev || !strcmp(choice->net->name, netdev)) &&
		    (choice->smcr == USABLE || choice->smcd == USABLE))
			return true;
	return false;
}

const struct choice *choice_of(const struct choices *choices, const char *netdev)
{
	for_each(choice, choices->all, choices->count)
		if (!strcmp(choice->net->name, netdev))
			return choice;
	return NULL;
}

void choices_make(struct choices *choices)
{
	const struct netdev_table *nets = choices->nets;

	choices->all = xcalloc(nets->count, sizeof(*choices->all));
	for_each(net, nets->devs, nets->count) {
		const struct pnet_row *row = pnet_row_of_net(&choices->rows, net->name);

		if (row)
			choice_make(&choices->all[choices->count++], choices, row);
	}
}

void choices_free(struct choices *choices)
{
	pnet_rows_free(&choices->rows);
	netaddr_free(&choices->addrs);
	free(choices->vlans);
	free(choices->all);
	*choices = (struct choices){ 0 };
}
