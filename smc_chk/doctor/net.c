// SPDX-License-Identifier: MIT
/* Doctor: net devices below SMC-R, and what the sockets of programs meet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <sys/socket.h>

#include "host/file.h"
#include "host/probe.h"
#include "host/record.h"
#include "smc/pause.h"
#include "smc_chk/doctor/doctor.h"
#include "sys/sysfs.h"
#include "sys/verbs.h"

#define REMEDY_SIZE (DOCTOR_WORD_SIZE + 64)
/* Headers and check sum of a RoCE packet at their longest, as the kernel counts them. */
#define ROCE_OVERHEAD 96
#define ROCE_MIN_MTU 256
#define ROCE_MAX_MTU 4096
#define ROCE_USUAL_MTU 1024

/* ---- MTU ---- */

struct mtu_probe {
	struct doctor *doc;
	const struct rdma_port *port;
	bool *is_filled;
};

static int probe_mtu(void *arg, char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	const struct mtu_probe *probe = arg;

	if (!*probe->is_filled)
		verbs_fill(&probe->doc->rdma);
	*probe->is_filled = true;
	return (int)probe->port->active_mtu;
}

/* What a net device's MTU allows; 0 when not even the smallest RoCE packet fits. */
static uint32_t roce_mtu(uint32_t mtu)
{
	uint32_t best = 0;

	for (uint32_t size = ROCE_MIN_MTU; size <= ROCE_MAX_MTU; size *= 2)
		if (size + ROCE_OVERHEAD <= mtu)
			best = size;
	return best;
}

static void check_mtu(struct doctor *doc, const struct pnet_row *row, const struct netdev *net,
		      bool *is_filled)
{
	struct mtu_probe probe = { doc, row->ib_port, is_filled };
	char name[RDMA_NAME_SIZE + 32], remedy[REMEDY_SIZE], text[HOST_PROBE_SIZE];
	char word[DOCTOR_WORD_SIZE];
	uint32_t allowed = roce_mtu(net->mtu), active;
	int ret;

	snprintf(name, sizeof(name), "roce-mtu-%s-%u", row->name, row->port);
	ret = host_probe(name, probe_mtu, &probe, text);
	active = ret > 0 ? (uint32_t)ret : allowed;
	if (!net->mtu || !active)
		return;
	snprintf(remedy, sizeof(remedy), "ip link set %s mtu 1500", doctor_word(word, net->name));
	if (allowed < ROCE_USUAL_MTU)
		doctor_say(doc, DOCTOR_WARNING, "mtu", net->name, remedy,
			   "MTU %u lets RoCE packets of %s port %u carry %u bytes only", net->mtu,
			   row->name, row->port, active);
	else if (active < allowed)
		doctor_say(doc, DOCTOR_NOTE, "mtu", net->name, NULL,
			   "RoCE packets of %s port %u carry %u bytes, MTU %u would allow %u",
			   row->name, row->port, active, net->mtu, allowed);
	else
		doctor_say(doc, DOCTOR_OK, "mtu", net->name, NULL,
			   "MTU %u: RoCE packets of %s port %u carry %u bytes", net->mtu, row->name,
			   row->port, active);
}

/* ---- pause frames ---- */

struct pauses {
	struct smc_pause *all;
	size_t count;
	bool is_known;
};

static int on_pause(const struct nlmsghdr *nlh, void *arg)
{
	struct pauses *pauses = arg;
	struct smc_pause pause, *grown;

	if (smc_pause_decode(&pause, nlh))
		return 0;
	grown = reallocarray(pauses->all, pauses->count + 1, sizeof(*grown));
	if (!grown)
		return -1;
	pauses->all = grown;
	pauses->all[pauses->count++] = pause;
	return 0;
}

static void load_pauses(struct pauses *pauses)
{
	struct smc_err ignored;
	struct smc_genl *nl;

	*pauses = (struct pauses){ 0 };
	if (smc_genl_open(&nl, SMC_ETHTOOL_FAMILY, &ignored))
		return;
	pauses->is_known = !smc_genl_dump(nl, SMC_ETHTOOL_PAUSE_GET, on_pause, pauses, &ignored);
	smc_genl_close(nl);
}

static void check_pause(struct doctor *doc, const struct netdev *net, const struct pauses *pauses)
{
	char remedy[REMEDY_SIZE], word[DOCTOR_WORD_SIZE];

	if (!*net->bus || !pauses->is_known)
		return;
	for (size_t i = 0; i < pauses->count; i++) {
		const struct smc_pause *pause = &pauses->all[i];

		if (strcmp(pause->netdev, net->name))
			continue;
		snprintf(remedy, sizeof(remedy), "ethtool -A %s rx on tx on",
			 doctor_word(word, net->name));
		if (pause->is_rx && pause->is_tx)
			doctor_say(doc, DOCTOR_OK, "pause", net->name, NULL,
				   "sends and obeys pause frames%s",
				   pause->is_autoneg ? ", if the switch agrees" : "");
		else
			doctor_say(doc, DOCTOR_NOTE, "pause", net->name, remedy,
				   "pause frames: rx %s, tx %s; without them, or priority flow "
				   "control, RoCE loses packets under load and gets slow",
				   pause->is_rx ? "on" : "off", pause->is_tx ? "on" : "off");
		return;
	}
	doctor_say(doc, DOCTOR_NOTE, "pause", net->name, NULL,
		   "driver %s does not tell about pause frames", *net->driver ? net->driver : "?");
}

/* ---- addresses ---- */

static bool has_link_local(const struct netaddr_table *addrs, const char *netdev)
{
	for (size_t i = 0; i < addrs->count; i++)
		if (addrs->addrs[i].family == AF_INET6 && addrs->addrs[i].bytes[0] == 0xfe &&
		    (addrs->addrs[i].bytes[1] & 0xc0) == 0x80 &&
		    !strcmp(addrs->addrs[i].netdev, netdev))
			return true;
	return false;
}

static bool read_conf(unsigned long *value, const char *netdev, const char *name)
{
	return host_number(value, "/proc/sys/net/ipv6/conf/%s/%s", netdev, name);
}

/* RoCE v1 GIDs are IPv6 link-local addresses; soft-RoCE has none of version 1. */
static void check_link_local(struct doctor *doc, const struct pnet_row *row,
			     const struct netdev *net)
{
	const struct netaddr_table *addrs = &doc->uses.facts.addrs;
	unsigned long off = 0, mode = 0;
	char remedy[REMEDY_SIZE] = "", word[DOCTOR_WORD_SIZE];

	if (!addrs->is_known || !strcmp(row->ib->driver, "rxe") ||
	    has_link_local(addrs, net->name))
		return;
	if (read_conf(&off, net->name, "disable_ipv6") && off)
		snprintf(remedy, sizeof(remedy), "sysctl -w net/ipv6/conf/%s/disable_ipv6=0",
			 doctor_word(word, net->name));
	else if (read_conf(&mode, net->name, "addr_gen_mode") && mode)
		snprintf(remedy, sizeof(remedy), "ip link set %s addrgenmode eui64",
			 doctor_word(word, net->name));
	doctor_say(doc, DOCTOR_NOTE, "link-local", net->name, remedy,
		   "no IPv6 link-local address: RoCE v1 makes its GIDs, and SMC-Rv1 its links, of "
		   "such");
}

static void check_same_subnet(struct doctor *doc, const struct netdev *net)
{
	const struct netaddr_table *addrs = &doc->uses.facts.addrs;
	char text[NETADDR_TEXT_SIZE];
	size_t count = 0;

	for (size_t i = 0; i < addrs->count; i++) {
		const struct netaddr *first = &addrs->addrs[i];

		if (first->family != AF_INET || strcmp(first->netdev, net->name))
			continue;
		for (size_t k = i + 1; k < addrs->count; k++)
			count += !strcmp(addrs->addrs[k].netdev, net->name) &&
				 netaddr_covers(first, &addrs->addrs[k]);
		if (!count)
			continue;
		netaddr_text(text, first, true);
		doctor_say(doc, DOCTOR_NOTE, "address", net->name, NULL,
			   "%zu addresses in subnet %s: SMC-Rv2 takes the GID of the first for all",
			   count + 1, text);
		return;
	}
}

/* ---- each RDMA port, each net device ---- */

static void check_ports(struct doctor *doc)
{
	const struct pnet_rows *rows = &doc->uses.facts.rows;
	struct pauses pauses;
	bool is_filled = false;

	load_pauses(&pauses);
	for (size_t i = 0; i < rows->count; i++) {
		const struct pnet_row *row = &rows->rows[i];
		const struct netdev *net;

		if (!row->ib_port || !use_in_scope(doc, row) ||
		    use_port_gap(&doc->uses.facts, row) == USE_NOT_ROCE)
			continue;
		net = netdev_find(&doc->netdevs, row->ib_port->netdev);
		if (!net)
			continue;
		check_mtu(doc, row, net, &is_filled);
		check_pause(doc, net, &pauses);
		check_link_local(doc, row, net);
		check_same_subnet(doc, net);
	}
	free(pauses.all);
}

static void check_upper(struct doctor *doc, const struct netdev *net)
{
	uint16_t vlan = doc->uses.facts.vlans[net - doc->netdevs.devs];
	char slaves[256];

	if (vlan)
		doctor_say(doc, DOCTOR_NOTE, "vlan", net->name, NULL,
			   "VLAN %u upon %s: SMC-R takes GIDs of this VLAN only", vlan, net->base);
	if (host_text(slaves, sizeof(slaves), "%s/class/net/%s/bonding/slaves", doc->sys,
		       net->name))
		doctor_say(doc, DOCTOR_NOTE, "bond", net->name, NULL,
			   "bond of %s: SMC looks at PNET ID and RDMA device of %s only", slaves,
			   net->base);
}

/* A port upon a device that is switched off has been told of already. */
static void check_asked_for(struct doctor *doc, const struct netdev *net)
{
	const struct use *use = use_of(&doc->uses, net->name);
	char remedy[REMEDY_SIZE], word[DOCTOR_WORD_SIZE];
	unsigned long flags;

	if ((use && use->r_gap == USE_PORT_DOWN) ||
	    !host_number(&flags, "%s/class/net/%s/flags", doc->sys, net->name) || flags & IFF_UP)
		return;
	snprintf(remedy, sizeof(remedy), "ip link set %s up", doctor_word(word, net->name));
	doctor_say(doc, DOCTOR_PROBLEM, "netdev", net->name, remedy, "is switched off");
}

/* ---- the host ---- */

static void check_bindv6only(struct doctor *doc)
{
	unsigned long value;

	if (!host_number(&value, "/proc/sys/net/ipv6/bindv6only"))
		return;
	if (value)
		doctor_say(doc, DOCTOR_OK, "bindv6only", NULL, NULL,
			   "servers have one socket for IPv4 and one for IPv6");
	else
		doctor_say(doc, DOCTOR_NOTE, "bindv6only", NULL, NULL,
			   "is 0: one IPv6 socket (Java's) serves IPv4 too, by v4-mapped addresses, "
			   "with which SMC-R has had limits; IBM's advice is 1, but then IPv4 clients no "
			   "longer reach servers that have one IPv6 socket for all");
}

/* Has one of these checks said already why nothing works? */
static bool is_explained(const struct doctor *doc)
{
	static const char checks[] = " soft-roce rdma ism pnetid address vlan eid netdev ";
	char name[40];

	for (size_t i = 0; i < doc->n_findings; i++) {
		snprintf(name, sizeof(name), " %s ", doc->findings[i].check);
		if (doc->findings[i].level == DOCTOR_PROBLEM && strstr(checks, name))
			return true;
	}
	return false;
}

/* Nothing is wrong with any device, there is just none. */
static void check_any(struct doctor *doc)
{
	const char *iface = doc->req->iface, *remedy = "install an RDMA (RoCE) network card";

	if (!doc->has_smc || use_is_any(&doc->uses, iface) || is_explained(doc))
		return;
	if (doc->rdma.count)
		remedy = "smc_pnet --list";
	for (size_t i = 0; i < doc->rdma.count; i++)
		if (doc->rdma.devs[i].n_ports && doc->rdma.devs[i].ports[0].is_foreign)
			remedy = "smc_pnet -a NAME -I NETDEV, and in the first network namespace: "
				 "smc_pnet -a NAME -D RDMADEV";
	doctor_say(doc, DOCTOR_PROBLEM, "device", iface, remedy,
		   "SMC has neither an RDMA port nor an ISM device that it can use%s: all stays on TCP",
		   iface ? " for it" : "");
}

/* A /sys of another network namespace, and no right to make one of this: see sysfs_here(). */
static void check_sysfs(struct doctor *doc)
{
	struct if_nameindex *here;
	size_t count = 0;
	bool is_same = true;

	if (record_root() || strcmp(doc->sys, SYSFS_ROOT))
		return;
	here = if_nameindex();
	if (!here)
		return;
	for (; here[count].if_index; count++) {
		const struct netdev *net = netdev_find(&doc->netdevs, here[count].if_name);

		is_same = is_same && net && net->ifindex == here[count].if_index;
	}
	if_freenameindex(here);
	if (!is_same || count != doc->netdevs.count)
		doctor_say(doc, DOCTOR_NOTE, "sysfs", NULL, "run smc_chk as root",
			   "/sys shows the net devices of another network namespace, and only root can "
			   "see those of this one: what is said of devices may be wrong");
}

void doctor_net(struct doctor *doc)
{
	check_sysfs(doc);
	check_ports(doc);
	for (size_t i = 0; i < doc->netdevs.count; i++) {
		const struct netdev *net = &doc->netdevs.devs[i];

		if (doc->req->iface && strcmp(doc->req->iface, net->name))
			continue;
		check_upper(doc, net);
		if (doc->req->iface)
			check_asked_for(doc, net);
	}
	check_bindv6only(doc);
	check_any(doc);
}
