// SPDX-License-Identifier: MIT
/* What the doctor knows of a host: details of its devices that only the checks ask for. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "host/probe.h"
#include "host/record.h"
#include "smc_chk/doctor/facts.h"
#include "sys/verbs.h"

#define CONF "/proc/sys/net/ipv6/conf/%s"

/* ---- net devices ---- */

static void load_bonds(struct doctor_facts *facts)
{
	for (size_t i = 0; i < facts->netdevs.count; i++)
		host_text(facts->nets[i].bond_slaves, sizeof(facts->nets[i].bond_slaves),
			   "%s/class/net/%s/bonding/slaves", facts->sys,
			   facts->netdevs.devs[i].name);
}

static int on_pause(const struct nlmsghdr *nlh, void *arg)
{
	const struct doctor_facts *facts = arg;
	const struct netdev *net;
	struct smc_pause pause;

	if (smc_pause_decode(&pause, nlh))
		return 0;
	net = netdev_find(&facts->netdevs, pause.netdev);
	if (net)
		facts->nets[net - facts->netdevs.devs].pause = pause;
	return 0;
}

static void load_pauses(struct doctor_facts *facts)
{
	struct smc_genl *nl;

	if (smc_genl_open(&nl, SMC_ETHTOOL_FAMILY, NULL))
		return;
	facts->has_pauses = !smc_genl_dump(nl, SMC_ETHTOOL_PAUSE_GET, on_pause, facts, NULL);
	smc_genl_close(nl);
}

/* A /sys of another network namespace, and no right to make one of this: see sysfs_here(). */
static bool is_foreign_sysfs(const struct doctor_facts *facts)
{
	struct if_nameindex *here;
	size_t count = 0;
	bool is_same = true;

	if (record_root() || strcmp(facts->sys, SYSFS_ROOT))
		return false;
	here = if_nameindex();
	if (!here)
		return false;
	for (; here[count].if_index; count++) {
		const struct netdev *net = netdev_find(&facts->netdevs, here[count].if_name);

		is_same = is_same && net && net->ifindex == here[count].if_index;
	}
	if_freenameindex(here);
	return !is_same || count != facts->netdevs.count;
}

/* ---- RDMA ports ---- */

struct mtu_probe {
	struct rdma_table *rdma;
	const struct rdma_port *port;
	bool *is_filled;
};

static int probe_mtu(void *arg, char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	const struct mtu_probe *probe = arg;

	if (!*probe->is_filled)
		verbs_fill(probe->rdma);
	*probe->is_filled = true;
	return (int)probe->port->active_mtu;
}

/* Ports that SMC could use by its rules, of net devices that are in this namespace. */
static void load_ports(struct doctor_facts *facts)
{
	const struct pnet_rows *rows = &facts->choices.facts.rows;
	bool is_filled = false;

	for (size_t i = 0; i < rows->count; i++) {
		const struct pnet_row *row = &rows->rows[i];
		struct mtu_probe probe = { &facts->rdma, row->ib_port, &is_filled };
		const struct netdev *net;
		struct netdev_facts *more;
		int mtu;

		if (!row->ib_port ||
		    choice_port_usability(&facts->choices.facts, row) == UNUSABLE_NOT_ROCE)
			continue;
		net = netdev_find(&facts->netdevs, row->ib_port->netdev);
		if (!net)
			continue;
		mtu = host_probe("roce-mtu-%s-%u", probe_mtu, &probe, NULL, row->name, row->port);
		/* The row points into facts->rdma. */
		((struct rdma_port *)row->ib_port)->active_mtu = mtu > 0 ? (uint32_t)mtu : 0;
		more = &facts->nets[net - facts->netdevs.devs];
		host_number(&more->disable_ipv6, CONF "/disable_ipv6", net->name);
		host_number(&more->addr_gen_mode, CONF "/addr_gen_mode", net->name);
	}
}

static int count_ports(const struct doctor_facts *facts, const struct rdma_dev *dev)
{
	struct host_names names;
	int count;

	if (host_list(&names, "%s/class/infiniband/%s/ports", facts->sys, dev->name))
		return -1;
	count = (int)names.count;
	host_names_free(&names);
	return count;
}

/* ---- ISM devices ---- */

static bool has_driver(const struct doctor_facts *facts, const struct ism_dev *ism)
{
	char driver[32];

	return strcmp(ism->bus, "pci") || host_link(driver, sizeof(driver),
						     "%s/bus/pci/devices/%s/driver", facts->sys,
						     ism->bus_id);
}

/* The slots of IBM Z are named by the function, in eight digits. */
static void load_slots(struct host_names *slots, const char *sys)
{
	struct host_names all;
	unsigned long power;

	if (host_list(&all, "%s/bus/pci/slots", sys))
		return;
	*slots = (struct host_names){ .names = all.names };
	for (size_t i = 0; i < all.count; i++)
		if (strlen(all.names[i]) == 8 && 
		    host_number(&power, "%s/bus/pci/slots/%s/power", sys, all.names[i]) && !power)
			slots->names[slots->count++] = all.names[i];
		else
			free(all.names[i]);
}

int facts_load_devices(struct doctor_facts *facts)
{
	facts->is_foreign_sysfs = is_foreign_sysfs(facts);
	load_bonds(facts);
	load_pauses(facts);
	load_ports(facts);
	facts->n_ports = calloc(facts->rdma.count + 1, sizeof(*facts->n_ports));
	for (size_t i = 0; facts->n_ports && i < facts->rdma.count; i++)
		facts->n_ports[i] = count_ports(facts, &facts->rdma.devs[i]);
	for (size_t i = 0; i < facts->rdma.n_isms; i++)
		facts->isms[i].has_driver = has_driver(facts, &facts->rdma.isms[i]);
	load_slots(&facts->slots, facts->sys);
	return facts->n_ports ? 0 : -ENOMEM;
}
