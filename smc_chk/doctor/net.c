// SPDX-License-Identifier: MIT
/* Doctor: net devices used by SMC-R, and settings that affect sockets. */
#include <sys/socket.h>

#include "base/words.h"
#include "smc_chk/doctor/findings.h"

/* Longest RoCE headers and checksum, as the kernel counts them. */
#define ROCE_OVERHEAD 96
#define ROCE_MIN_MTU 256
#define ROCE_MAX_MTU 4096
#define ROCE_USUAL_MTU 1024

static void check_mtu(struct doctor *doc, const struct pnet_row *row, const struct netdev *net)
{
	uint32_t allowed = 0, active = row->ib_port->active_mtu;

	/* 0 if even the smallest RoCE packet does not fit. */
	for (uint32_t size = ROCE_MIN_MTU; size <= ROCE_MAX_MTU; size *= 2)
		if (size + ROCE_OVERHEAD <= net->mtu)
			allowed = size;
	active = active ? active : allowed;
	if (!net->mtu || !active)
		return;
	if (allowed < ROCE_USUAL_MTU)
		doctor_say(doc, DOCTOR_WARNING, "mtu", net->name,
			   doctor_command(doc, "ip link set dev ", net->name, " mtu 1500"),
			   "MTU %u lets RoCE packets of %s port %u carry only %u bytes", net->mtu,
			   row->name, row->port, active);
	else if (active < allowed)
		doctor_note(doc, "mtu", net->name,
			    "RoCE packets of %s port %u carry %u bytes, MTU %u would allow %u",
			    row->name, row->port, active, net->mtu, allowed);
	else
		doctor_ok(doc, "mtu", net->name,
			  "MTU %u: RoCE packets of %s port %u carry %u bytes", net->mtu, row->name,
			  row->port, active);
}

static void check_pause(struct doctor *doc, const struct netdev *net)
{
	const struct smc_pause *pause = &facts_of_net(doc->facts, net)->pause;

	if (!*net->bus || !doc->facts->has_pauses)
		return;
	if (!*pause->netdev)
		doctor_note(doc, "pause", net->name, "driver %s does not report pause frames",
			    *net->driver ? net->driver : "?");
	else if (pause->is_rx && pause->is_tx)
		doctor_ok(doc, "pause", net->name, "sends and obeys pause frames%s",
			  pause->is_autoneg ? ", if the switch agrees" : "");
	else
		doctor_say(doc, DOCTOR_NOTE, "pause", net->name,
			   doctor_command(doc, "ethtool -A ", net->name, " rx on tx on"),
			   "pause frames: rx %s, tx %s; without them, or priority flow control, "
			   "RoCE loses packets under load and gets slow",
			   pause->is_rx ? "on" : "off", pause->is_tx ? "on" : "off");
}

static bool has_link_local(const struct netaddr_table *addrs, const char *netdev)
{
	for_each(addr, addrs->addrs, addrs->count)
		if (addr->family == AF_INET6 && !strcmp(addr->netdev, netdev) &&
		    IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)addr->bytes))
			return true;
	return false;
}

/* RoCE v1 GIDs are IPv6 link-local addresses; soft-RoCE has no v1 GIDs. */
static void check_link_local(struct doctor *doc, const struct pnet_row *row,
			     const struct netdev *net)
{
	const struct netaddr_table *addrs = &doc->facts->choices.addrs;
	const struct netdev_facts *more = facts_of_net(doc->facts, net);
	const char *remedy = NULL;

	if (!addrs->is_known || !strcmp(row->ib->driver, "rxe") || has_link_local(addrs, net->name))
		return;
	if (more->disable_ipv6)
		/* sysctl(8) would misinterpret '*' and '=' in the name. */
		remedy = doctor_command(doc, "echo 0 >/proc/sys/net/ipv6/conf/", net->name,
					"/disable_ipv6");
	else if (more->addr_gen_mode)
		remedy = doctor_command(doc, "ip link set dev ", net->name, " addrgenmode eui64");
	doctor_say(doc, DOCTOR_NOTE, "link-local", net->name, remedy,
		   "no IPv6 link-local address: GIDs of RoCE v1, and links of SMC-Rv1, are made "
		   "from it");
}

static void check_port(struct doctor *doc, const struct pnet_row *row)
{
	const struct netdev *net;

	if (!row->ib_port || choice_port_usability(&doc->facts->choices, row) == UNUSABLE_NOT_ROCE)
		return;
	net = netdev_find(&doc->facts->netdevs, row->ib_port->netdev);
	if (!net)
		return;
	check_mtu(doc, row, net);
	check_pause(doc, net);
	check_link_local(doc, row, net);
}

static void check_upper(struct doctor *doc, const struct netdev *net)
{
	uint16_t vlan = doc->facts->choices.vlans[net - doc->facts->netdevs.devs];
	const char *slaves = facts_of_net(doc->facts, net)->bond_slaves;
	const struct choice *choice = choice_of(&doc->facts->choices, net->name);

	if (vlan)
		doctor_note(doc, "vlan", net->name,
			    "VLAN %u on %s: SMC-R uses only GIDs of this VLAN", vlan, net->base);
	if (*slaves)
		doctor_note(doc, "bond", net->name,
			    "bond of %s: SMC uses only the PNET ID and RDMA device of %s", slaves,
			    net->base);
	/* A port on a device that is off has been reported already. */
	if (doc->req->iface && (!choice || choice->smcr != UNUSABLE_PORT_DOWN) &&
	    facts_of_net(doc->facts, net)->is_off)
		doctor_say(doc, DOCTOR_PROBLEM, "netdev", net->name,
			   doctor_command(doc, "ip link set dev ", net->name, " up"), "is down");
}

static void check_bindv6only(struct doctor *doc)
{
	long long value;

	if (!knob_number(&value, doc->facts, "net.ipv6.bindv6only"))
		return;
	if (value)
		doctor_ok(doc, "bindv6only", NULL,
			  "servers have one socket for IPv4 and one for IPv6");
	else if (facts_is_before(doc->facts, 6, 13) && doc->facts->serves_both)
		doctor_note(doc, "bindv6only", NULL,
			    "is 0: an IPv6 socket, such as Java's, also serves IPv4 clients, but "
			    "without SMC-Rv2 before Linux 6.13; IBM recommends 1, but then servers "
			    "need another socket for IPv4 clients");
}

/* No device is broken, there is just none. */
static void check_any(struct doctor *doc)
{
	static const char checks[] = "soft-roce rdma ism pnetid address vlan eid netdev";
	const char *iface = doc->req->iface, *remedy = iface ? NULL : doctor_loopback_remedy(doc);
	const struct rdma_table *rdma = &doc->facts->rdma;

	if (!doc->facts->has_smc || choice_is_any_usable(&doc->facts->choices, iface))
		return;
	/* If a problem was found before, that is the reason why nothing works. */
	for_each(finding, doc->findings, doc->n_findings)
		if (finding->level == DOCTOR_PROBLEM && words_have(checks, finding->check))
			return;
	if (rdma->count)
		remedy = "smc_pnet --list";
	else if (!remedy)
		remedy = "install an RDMA (RoCE) network card";
	for_each(dev, rdma->devs, rdma->count)
		if (dev->n_ports && dev->ports[0].is_foreign)
			remedy = "smc_pnet -a NAME -I NETDEV, and in the initial network "
				 "namespace: smc_pnet -a NAME -D RDMADEV";
	doctor_say(doc, DOCTOR_PROBLEM, "device", iface, remedy,
		   "SMC has neither an RDMA port nor an ISM device that it can use%s: everything "
		   "stays on TCP",
		   iface ? " for it" : "");
}

void doctor_net(struct doctor *doc)
{
	if (doc->facts->is_foreign_sysfs)
		doctor_say(doc, DOCTOR_NOTE, "sysfs", NULL, "run smc_chk as root",
			   "/sys shows the net devices of another network namespace, and only root "
			   "sees those of this one: findings about devices may be wrong");
	doctor_each(doc, check_port);
	for_each(net, doc->facts->netdevs.devs, doc->facts->netdevs.count) {
		if (!doc->req->iface || !strcmp(doc->req->iface, net->name))
			check_upper(doc, net);
	}
	check_bindv6only(doc);
	check_any(doc);
}
