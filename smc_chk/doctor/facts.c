// SPDX-License-Identifier: MIT
/* What the doctor knows of a host: kernel, devices, and what decides which of them SMC uses. */
#include "smc_chk/doctor/facts.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include "host/file.h"
#include "host/probe.h"
#include "host/smc.h"
#include "netlink/diag.h"
#include "pnet/rdma_netns.h"
#include "smc/abi.h"
#include "smc/device.h"

/* ---- what decides which devices SMC uses ---- */

static int on_ueid(const struct nlmsghdr *nlh, void *arg)
{
	struct choice_facts *deciding = arg;

	if (deciding->n_ueids == SMC_MAX_UEIDS)
		return 0;
	return smc_ueid_decode(deciding->ueids[deciding->n_ueids++], nlh);
}

static int on_seid(const struct nlmsghdr *nlh, void *arg)
{
	return smc_seid_decode(arg, nlh);
}

/* Before 5.16 there is no such table, and nothing that needs one. */
static void load_eids(struct choice_facts *deciding, const struct doctor_facts *facts)
{
	struct smc_err ignored;

	if (!facts->has_genl)
		return;
	deciding->is_eid_known =
		!smc_genl_dump(facts->genl, SMC_ABI_DUMP_UEID, on_ueid, deciding, &ignored) &&
		!smc_genl_dump(facts->genl, SMC_ABI_DUMP_SEID, on_seid, &deciding->seid, &ignored);
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

static bool has_loopback(const struct doctor_facts *facts)
{
	for (size_t i = 0; i < facts->rdma.n_isms; i++)
		if (facts->rdma.isms[i].chid == SMC_ABI_CHID_LOOPBACK)
			return true;
	/* Up to 6.17 it is in no list: but without an ISM device nothing else has version 2. */
	return facts->info.has & SMC_SYSINFO_HAS_ISM_V2 && facts->info.is_ism_v2 &&
	       !facts->rdma.n_isms;
}

static int load_deciding(struct choice_facts *deciding, const struct doctor_facts *facts)
{
	const struct pnet_world world = { facts->netdevs, facts->rdma };
	int ret = pnet_rows_make(&deciding->rows, &facts->pnet, &world);

	if (!ret)
		ret = netaddr_load(&deciding->addrs, &facts->netdevs);
	if (ret)
		return ret;
	deciding->nets = &facts->netdevs;
	deciding->vlans = calloc(facts->netdevs.count + 1, sizeof(*deciding->vlans));
	if (!deciding->vlans)
		return -ENOMEM;
	for (size_t i = 0; i < facts->netdevs.count; i++)
		deciding->vlans[i] = read_vlan(facts->netdevs.devs[i].name);
	deciding->has_info = facts->has_info;
	deciding->is_ism_v2 = facts->info.is_ism_v2;
	deciding->has_loopback = has_loopback(facts);
	deciding->is_rxe_broken = facts_is_before(facts, 6, 2);
	load_eids(deciding, facts);
	return 0;
}

/* ---- kernel and devices ---- */

static int probe_release(void *arg __attribute__((unused)), char text[HOST_PROBE_SIZE])
{
	struct utsname name;

	if (uname(&name))
		return -errno;
	snprintf(text, HOST_PROBE_SIZE, "%s", name.release);
	return 0;
}

/* The name becomes part of paths. */
static void load_release(struct doctor_facts *facts)
{
	unsigned int *version = facts->version;
	char text[HOST_PROBE_SIZE];

	if (host_probe("uname-release", probe_release, NULL, text) < 0 || strchr(text, '/'))
		return;
	snprintf(facts->release, sizeof(facts->release), "%.*s",
		 (int)sizeof(facts->release) - 1, text);
	sscanf(facts->release, "%3u.%6u.%6u", &version[0], &version[1], &version[2]);
}

bool facts_is_before(const struct doctor_facts *facts, unsigned int major, unsigned int minor)
{
	return facts->version[0] < major ||
	       (facts->version[0] == major && facts->version[1] < minor);
}

static int on_sysinfo(const struct nlmsghdr *nlh, void *arg)
{
	return smc_sysinfo_decode(arg, nlh);
}

/* One row is proof enough. */
static int on_socket(const struct nlmsghdr *nlh __attribute__((unused)),
		     void *arg __attribute__((unused)))
{
	return -ECANCELED;
}

static void load_netlink(struct doctor_facts *facts)
{
	const struct smc_abi_diag_req diag = { .family = AF_SMC };
	struct smc_err ignored = { 0 };
	int ret;

	facts->has_genl = !smc_genl_open(&facts->genl, SMC_ABI_GEN_FAMILY, &ignored);
	facts->has_info = facts->has_genl &&
			  !smc_genl_dump(facts->genl, SMC_ABI_GET_SYS_INFO, on_sysinfo,
					 &facts->info, &ignored);
	facts->has_pnet = !pnet_table_load(&facts->pnet, &ignored);
	ret = smc_diag_dump(&diag, sizeof(diag), on_socket, NULL, &ignored);
	facts->has_diag = !ret || ret == -ECANCELED || ret == -EINTR;
}

static bool has_entry(const struct doctor_facts *facts, const struct rdma_dev *dev)
{
	for (size_t i = 0; i < facts->pnet.count; i++)
		if (!strcmp(facts->pnet.entries[i].ib, dev->name) ||
		    (*dev->bus_id && !strcmp(facts->pnet.entries[i].ib, dev->bus_id)))
			return true;
	return false;
}

/* Only the first network namespace has entries of RDMA ports in its table; they count in all. */
static int on_device(const struct nlmsghdr *nlh, void *arg)
{
	struct doctor_facts *facts = arg;
	const struct rdma_dev *dev;
	struct smc_device device;

	if (smc_device_decode(&device, nlh))
		return 0;
	dev = rdma_find(&facts->rdma, device.ib_name);
	if (!dev || has_entry(facts, dev))
		return 0;
	for (unsigned int i = 0; i < SMC_DEVICE_PORTS; i++) {
		struct smc_pnet entry = { .has = SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT };
		int ret = 0;

		snprintf(entry.name, sizeof(entry.name), "%s", device.ports[i].pnetid);
		strcpy(entry.ib, dev->name);
		entry.port = (uint8_t)(i + 1);
		if (device.ports[i].is_there && device.ports[i].is_user && *entry.name)
			ret = smc_pnet_append(&facts->pnet, &entry);
		if (ret)
			return ret;
	}
	return 0;
}

/* What -s needs too. Return: 0, -ENOMEM. */
static int load_flags(struct doctor_facts *facts)
{
	unsigned long flags;

	facts->nets = calloc(facts->netdevs.count + 1, sizeof(*facts->nets));
	facts->isms = calloc(facts->rdma.n_isms + 1, sizeof(*facts->isms));
	if (!facts->nets || !facts->isms)
		return -ENOMEM;
	for (size_t i = 0; i < facts->netdevs.count; i++)
		facts->nets[i].is_off = host_number(&flags, "%s/class/net/%s/flags", facts->sys,
						     facts->netdevs.devs[i].name) &&
					!(flags & IFF_UP);
	for (size_t i = 0; i < facts->rdma.n_isms; i++)
		host_number(&facts->isms[i].fid, "%s/bus/pci/devices/%s/function_id", facts->sys,
			     facts->rdma.isms[i].bus_id);
	return 0;
}

static int on_limitation(const struct nlmsghdr *nlh, void *arg)
{
	return smc_hs_decode(arg, nlh);
}

int facts_load(struct doctor_facts *facts, const struct chk_request *req, struct smc_err *err)
{
	int ret;

	load_release(facts);
	facts->socket_error = -host_af_smc();
	facts->has_smc = !facts->socket_error;
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
	if (facts->has_genl)
		smc_genl_dump(facts->genl, SMC_ABI_GET_DEV_SMCR, on_device, facts, NULL);
	ret = load_deciding(&facts->choices.facts, facts);
	if (!ret)
		ret = choices_make(&facts->choices);
	if (!ret)
		ret = load_flags(facts);
	return ret ? smc_err_set(err, -ret, "cannot store the list of devices") : 0;
}

int facts_load_rest(struct doctor_facts *facts, struct smc_err *err)
{
	facts_load_host(facts);
	if (facts->genl)
		smc_genl_dump(facts->genl, SMC_ABI_DUMP_HS_LIMITATION, on_limitation,
			      &facts->is_limited, NULL);
	return facts_load_devices(facts) ?
		       smc_err_set(err, ENOMEM, "cannot store the list of devices") : 0;
}

void facts_free(struct doctor_facts *facts)
{
	kconfig_free(&facts->kernel.config);
	host_names_free(&facts->slots);
	free(facts->n_ports);
	free(facts->isms);
	free(facts->nets);
	choices_free(&facts->choices);
	smc_genl_close(facts->genl);
	smc_pnet_free(&facts->pnet);
	rdma_free(&facts->rdma);
	netdev_free(&facts->netdevs);
}

const struct netdev_facts *facts_of_net(const struct doctor_facts *facts, const struct netdev *net)
{
	return &facts->nets[net - facts->netdevs.devs];
}
