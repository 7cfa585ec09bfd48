// SPDX-License-Identifier: MIT
/* Facts about a host: kernel, devices, and what decides which of them SMC uses. */
#include "smc_chk/doctor/facts.h"

#include <libmnl/libmnl.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/memory.h"
#include "host/record.h"
#include "host/smc.h"
#include "net/verbs.h"
#include "netlink/diag.h"
#include "smc/genl_abi.h"
#include "smc/attr.h"

#define DIAG_TRIES 3
#define CONF "/proc/sys/net/ipv6/conf/%s"

/* Missing features and gaps in a record are facts. Any other failure is an error. */
static bool is_read(struct doctor_facts *facts, int ret, const struct smc_err *err)
{
	if (!ret || ret == -ENOENT || ret == -EOPNOTSUPP || ret == -ENODATA || facts->unread.code)
		return !ret;
	if (err->code)
		facts->unread = *err;
	else
		smc_err_set(&facts->unread, -ret, "unexpected answer");
	return false;
}

static bool read_table(struct doctor_facts *facts, uint8_t cmd, smc_genl_fn fn, void *arg)
{
	struct smc_err err = { 0 };

	return facts->has_genl &&
	       is_read(facts, smc_genl_dump(facts->genl, cmd, fn, arg, &err), &err);
}

static int on_ueid(const struct nlmsghdr *nlh, void *arg)
{
	struct choices *choices = arg;

	if (choices->n_ueids == SMC_MAX_UEIDS)
		return 0;
	return smc_ueid_decode(choices->ueids[choices->n_ueids++], nlh);
}

/*
 * Some files of net.core exist only in the initial network namespace. Return: 1 there, 0 elsewhere,
 * -ENODATA if that cannot be seen.
 */
static int probe_first(void)
{
	if (!access("/proc/sys/net/core/netdev_budget", F_OK))
		return 1;
	return access("/proc/sys/net/core/somaxconn", F_OK) ? -ENODATA : 0;
}

static bool has_loopback(const struct doctor_facts *facts)
{
	for_each(ism, facts->rdma.isms, facts->rdma.n_isms)
		if (ism->chid == SMC_ABI_CHID_LOOPBACK)
			return true;
	/*
	 * True if loopback may be available. Linux up to 6.17 does not list it; but if the kernel
	 * reports ISM version 2 without an ISM device, there must be loopback.
	 */
	return facts->info.has & SMC_SYSINFO_HAS_ISM_V2 && facts->info.is_ism_v2 &&
	       !facts->rdma.n_isms;
}

static void load_choices(struct doctor_facts *facts)
{
	struct choices *choices = &facts->choices;
	const struct pnet_world world = { facts->netdevs, facts->rdma };
	const char *id;
	char text[128];

	pnet_rows_make(&choices->rows, &facts->pnet, &world);
	netaddr_load(&choices->addrs, &facts->netdevs);
	choices->nets = &facts->netdevs;
	choices->vlans = xcalloc(facts->netdevs.count, sizeof(*choices->vlans));
	/* "eth0.7  VID: 7  REORDER_HDR: 1 ..." is the first line of /proc/net/vlan/eth0.7. */
	for (size_t i = 0; i < facts->netdevs.count; i++)
		if (host_text(text, sizeof(text), "/proc/net/vlan/%s", facts->netdevs.devs[i].name))
			choices->vlans[i] = (id = strstr(text, "VID: ")) ?
						    (uint16_t)strtoul(id + 5, NULL, 10) :
						    0;
	choices->is_ism_v2 = facts->info.is_ism_v2;
	choices->has_loopback = has_loopback(facts);
	facts->is_inner = !host_probe_number("netns-is-first", probe_first);
	/* Linux before 5.16 has neither a table of EIDs nor a version 2 that needs them. */
	choices->is_eid_known =
		read_table(facts, SMC_NETLINK_DUMP_UEID, on_ueid, choices) &&
		read_table(facts, SMC_NETLINK_DUMP_SEID, smc_seid_decode, &choices->seid);
	choices->is_v1_only = !choices->is_eid_known && facts_is_before(facts, 5, 16);
	choices->is_rxe_broken = !choices->is_v1_only && facts_is_before(facts, 6, 2);
	choices_make(choices);
}

int facts_probe_uname(void *place, char text[HOST_PROBE_SIZE])
{
	struct utsname name;

	if (uname(&name))
		return -errno;
	snprintf(text, HOST_PROBE_SIZE, "%s", (const char *)&name + *(const size_t *)place);
	return 0;
}

static int probe_host(void *arg __attribute__((unused)), char text[HOST_PROBE_SIZE])
{
	return gethostname(text, HOST_PROBE_SIZE - 1) ? -errno : 0;
}

static int probe_date(void *arg __attribute__((unused)), char text[HOST_PROBE_SIZE])
{
	chk_date(text);
	return 0;
}

bool facts_is_before(const struct doctor_facts *facts, unsigned int major, unsigned int minor)
{
	return facts->version[0] < major ||
	       (facts->version[0] == major && facts->version[1] < minor);
}

/* Find out whether a listening socket serves both families. */
static int on_socket(const struct nlmsghdr *nlh, void *arg)
{
	struct doctor_facts *facts = arg;
	static const uint8_t any[16];
	struct smc_sock sock = { 0 };
	int ret = smc_sock_decode(&sock, nlh);

	if (!ret && sock.state == SMC_ABI_LISTEN && sock.local.family == AF_INET6 &&
	    !memcmp(sock.local.ip, any, sizeof(any)))
		facts->serves_both = true;
	return ret;
}

static void load_netlink(struct doctor_facts *facts)
{
	const struct smc_abi_diag_req diag = { .family = AF_SMC };
	struct smc_err err = { 0 };
	int ret;

	facts->has_genl =
		is_read(facts, smc_genl_open(&facts->genl, SMC_GENL_FAMILY_NAME, &err), &err);
	facts->has_info =
		read_table(facts, SMC_NETLINK_GET_SYS_INFO, smc_sysinfo_decode, &facts->info);
	facts->has_pnet = is_read(facts, pnet_table_load(&facts->pnet, &err), &err);
	for (int tries = 0; tries < DIAG_TRIES; tries++) {
		ret = smc_diag_dump(&diag, sizeof(diag), sizeof(struct smc_abi_diag_msg), on_socket,
				    facts, &err);
		if (ret != -EINTR)
			break;
	}
	/* A table that keeps changing is good enough here. */
	facts->has_diag = is_read(facts, ret == -EINTR ? 0 : ret, &err);
}

/* Only the initial network namespace has entries of RDMA ports, which apply in all namespaces. */
static int on_device(const struct nlmsghdr *nlh, void *arg)
{
	struct doctor_facts *facts = arg;
	const struct rdma_dev *dev;
	struct smc_device device;
	int ret = smc_device_decode(&device, nlh);

	if (ret)
		return ret;
	dev = rdma_find(&facts->rdma, device.ib_name);
	if (!dev)
		return 0;
	for_each(entry, facts->pnet.entries, facts->pnet.count)
		if (!strcmp(entry->ib, dev->name) ||
		    (*dev->bus_id && !strcmp(entry->ib, dev->bus_id)))
			return 0;
	for (unsigned int i = 0; i < SMC_DEVICE_PORTS; i++) {
		struct smc_pnet entry = { .has = SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT };

		snprintf(entry.name, sizeof(entry.name), "%s", device.ports[i].pnetid);
		strcpy(entry.ib, dev->name);
		entry.port = (uint8_t)(i + 1);
		if (device.ports[i].is_there && device.ports[i].is_user && *entry.name)
			smc_pnet_append(&facts->pnet, &entry);
	}
	return 0;
}

/* Load details of net devices and ISM devices from sysfs. The option -s needs them, too. */
static void load_more(struct doctor_facts *facts)
{
	unsigned long flags;
	char driver[32];

	facts->nets = xcalloc(facts->netdevs.count, sizeof(*facts->nets));
	facts->isms = xcalloc(facts->rdma.n_isms, sizeof(*facts->isms));
	for (size_t i = 0; i < facts->netdevs.count; i++) {
		struct netdev_facts *more = &facts->nets[i];
		const char *name = facts->netdevs.devs[i].name;

		more->is_off = host_number(&flags, "%s/class/net/%s/flags", facts->sys, name) &&
			       !(flags & IFF_UP);
		host_text(more->bond_slaves, sizeof(more->bond_slaves),
			  "%s/class/net/%s/bonding/slaves", facts->sys, name);
	}
	for (size_t i = 0; i < facts->rdma.n_isms; i++) {
		const struct ism_dev *ism = &facts->rdma.isms[i];

		host_number(&facts->isms[i].fid, "%s/bus/pci/devices/%s/function_id", facts->sys,
			    ism->bus_id);
		facts->isms[i].has_driver =
			strcmp(ism->bus, "pci") ||
			host_link(driver, sizeof(driver), "%s/bus/pci/devices/%s/driver",
				  facts->sys, ism->bus_id);
	}
}

/* ETHTOOL_A_PAUSE_* and ETHTOOL_A_HEADER_DEV_NAME of <linux/ethtool_netlink.h>. */
enum { PAUSE_HEADER = 1, PAUSE_AUTONEG, PAUSE_RX, PAUSE_TX };
enum { HEADER_DEV_NAME = 2 };

static bool get_switch(const struct nlmsghdr *nlh, uint16_t type, bool *value)
{
	const struct nlattr *attr = smc_attr_nest(nlh, type);

	return attr && smc_attr_bool(attr, value);
}

int smc_pause_decode(struct smc_pause *pause, const struct nlmsghdr *nlh)
{
	const struct nlattr *header = smc_attr_nest(nlh, PAUSE_HEADER), *attr;
	bool has_name = false;

	*pause = (struct smc_pause){ 0 };
	if (!header)
		return -EBADMSG;
	mnl_attr_for_each_nested(attr, header)
		if (mnl_attr_get_type(attr) == HEADER_DEV_NAME)
			has_name = smc_attr_str(attr, pause->netdev, sizeof(pause->netdev));
	if (!has_name || !get_switch(nlh, PAUSE_RX, &pause->is_rx) ||
	    !get_switch(nlh, PAUSE_TX, &pause->is_tx))
		return -EBADMSG;
	get_switch(nlh, PAUSE_AUTONEG, &pause->is_autoneg);
	return 0;
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
	struct smc_err err = { 0 };
	struct smc_genl *nl;
	int ret = smc_genl_open(&nl, SMC_ETHTOOL_FAMILY, &err);

	if (!ret)
		ret = smc_genl_dump(nl, SMC_ETHTOOL_PAUSE_GET, on_pause, facts, &err);
	/* A network card that is down ends the list; Linux 6.1 cannot list all cards. */
	if (ret == -ENODEV || ret == -EINVAL)
		ret = -ENODATA;
	facts->has_pauses = is_read(facts, ret, &err);
	smc_genl_close(nl);
}

/* /sys belongs to another network namespace, and we may not mount ours: see sysfs_here(). */
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

struct mtu_probe {
	struct rdma_table *rdma;
	const struct rdma_port *port;
};

static int probe_mtu(void *arg, char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	const struct mtu_probe *probe = arg;

	verbs_fill(probe->rdma);
	return (int)probe->port->active_mtu;
}

/* Ports that SMC could use, whose net devices are in this namespace */
static void load_ports(struct doctor_facts *facts)
{
	const struct pnet_rows *rows = &facts->choices.rows;

	for_each(row, rows->rows, rows->count) {
		struct mtu_probe probe = { &facts->rdma, row->ib_port };
		const struct netdev *net;
		struct netdev_facts *more;
		int mtu;

		if (!row->ib_port ||
		    choice_port_usability(&facts->choices, row) == UNUSABLE_NOT_ROCE)
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

/* Slots of IBM Z are named by function ID, in eight digits. */
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

int facts_load(struct doctor_facts *facts, const struct chk_request *req, struct smc_err *err)
{
	size_t place = offsetof(struct utsname, release);
	unsigned int *version = facts->version;
	int ret;

	*facts = (struct doctor_facts){ .sysfs = -1 };
	ret = sysfs_here(facts->sys, &facts->sysfs, req->netns, err);
	if (ret)
		return ret;
	/* The name becomes part of paths. */
	if (host_probe("uname-release", facts_probe_uname, &place, facts->release) < 0 ||
	    strchr(facts->release, '/'))
		facts->release[0] = '\0';
	sscanf(facts->release, "%3u.%6u.%6u", &version[0], &version[1], &version[2]);
	/* Anonymous bundles have neither host name nor date. */
	host_probe("host-name", probe_host, NULL, facts->host);
	host_probe("date", probe_date, NULL, facts->when);
	host_text(facts->boot, sizeof(facts->boot), "/proc/sys/kernel/random/boot_id");
	facts->socket_error = -host_af_smc();
	facts->has_smc = !facts->socket_error;
	facts->has_filter = host_has_filter();
	chk_debug(req, "kernel %s: socket of AF_SMC: %s", facts->release,
		  strerror(facts->socket_error));
	if (facts->has_smc)
		load_netlink(facts);
	ret = netdev_load(&facts->netdevs, facts->sys);
	if (ret)
		return smc_err_set(err, -ret, "cannot list the net devices");
	ret = rdma_load(&facts->rdma, facts->sys, &facts->netdevs);
	if (ret)
		return smc_err_set(err, -ret, "cannot list the RDMA devices");
	rdma_check_netns(&facts->rdma);
	read_table(facts, SMC_NETLINK_GET_DEV_SMCR, on_device, facts);
	load_choices(facts);
	load_more(facts);
	return 0;
}

void facts_load_rest(struct doctor_facts *facts)
{
	facts_load_host(facts);
	read_table(facts, SMC_NETLINK_DUMP_HS_LIMITATION, smc_hs_decode, &facts->is_limited);
	facts->has_stats =
		read_table(facts, SMC_NETLINK_GET_STATS, smc_stats_decode, &facts->stats) &&
		read_table(facts, SMC_NETLINK_GET_FBACK_STATS, smc_fback_decode, &facts->stats);
	facts->is_foreign_sysfs = is_foreign_sysfs(facts);
	load_pauses(facts);
	load_ports(facts);
	facts->n_ports = xcalloc(facts->rdma.count, sizeof(*facts->n_ports));
	for (size_t i = 0; i < facts->rdma.count; i++) {
		struct host_names names AUTO(host_names_free) = { 0 };
		int ret = host_list(&names, "%s/class/infiniband/%s/ports", facts->sys,
				    facts->rdma.devs[i].name);

		facts->n_ports[i] = ret ? -1 : (int)names.count;
	}
	load_slots(&facts->slots, facts->sys);
}

void facts_free(struct doctor_facts *facts)
{
	free(facts->kernel.config.text);
	host_names_free(&facts->slots);
	free(facts->n_ports);
	free(facts->isms);
	free(facts->nets);
	choices_free(&facts->choices);
	smc_genl_close(facts->genl);
	smc_pnet_free(&facts->pnet);
	rdma_free(&facts->rdma);
	netdev_free(&facts->netdevs);
	if (facts->sysfs >= 0)
		close(facts->sysfs);
}

const struct netdev_facts *facts_of_net(const struct doctor_facts *facts, const struct netdev *net)
{
	return &facts->nets[net - facts->netdevs.devs];
}
