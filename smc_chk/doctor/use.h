/* SPDX-License-Identifier: MIT */
/* What SMC can use for the connections of each net device, and why not. */
#ifndef SMC_CHK_USE_H
#define SMC_CHK_USE_H

#include "pnet/pairing.h"
#include "smc/eid.h"
#include "sys/netaddr.h"

/** enum use_gap - what is missing; the first that a device gets past is the better device */
enum use_gap {
	USE_FITS,
	USE_NO_EID,	/* can do version 2 only, and there is no EID */
	USE_NO_SUBNET,	/* SMC-R: no address of the net device is in the subnet of a GID */
	USE_NO_VLAN,	/* SMC-R: the GIDs are of another VLAN, or of none */
	USE_NO_GID,	/* SMC-R: neither RoCE v1, nor RoCE v2 with an IPv4 address */
	USE_PORT_DOWN,
	USE_HANGS,	/* soft-RoCE before kernel 6.2 */
	USE_NOT_ROCE,	/* InfiniBand or iWARP */
	USE_NO_DEVICE,	/* no device has its PNET ID, or none belongs to it */
};

/**
 * struct use_facts - what decides
 * @rows: the devices with their PNET IDs
 * @vlans: VLAN id of each of @nets, 0 for none
 * @is_eid_known: @n_ueids and @seid were obtained
 * @has_info: so was @is_ism_v2
 * @has_loopback: SMC-D within this host
 * @is_rxe_broken: this kernel's soft-RoCE hangs
 */
struct use_facts {
	const struct netdev_table *nets;
	struct pnet_rows rows;
	struct netaddr_table addrs;
	uint16_t *vlans;
	bool is_eid_known, has_info, is_ism_v2, has_loopback, is_rxe_broken;
	size_t n_ueids;
	char ueids[SMC_MAX_UEIDS][SMC_EID_SIZE];
	struct smc_seid seid;
};

/**
 * struct use - of one net device
 * @net: its row
 * @port: the RDMA port for SMC-R, or the one that comes nearest; NULL for none
 * @v1, @v2: GIDs of it for SMC-Rv1 and SMC-Rv2, NULL for none
 * @r_gap: what SMC-R lacks
 * @ism_v1: the ISM device for SMC-Dv1, NULL for none
 * @ism_v2: one for SMC-Dv2, NULL for none
 * @is_loopback: SMC-Dv2 with partners on this host
 * @d_gap: what SMC-D lacks
 */
struct use {
	const struct pnet_row *net, *port;
	const struct rdma_gid *v1, *v2;
	enum use_gap r_gap;
	const struct pnet_row *ism_v1, *ism_v2;
	bool is_loopback;
	enum use_gap d_gap;
};

/** struct uses - of all net devices, in the order of their names */
struct uses {
	struct use_facts facts;
	struct use *uses;
	size_t count;
};

/**
 * use_find() - what SMC would use for a net device. Pure.
 * @row: its row in @facts->rows
 *
 * The kernel's own rules: by PNET ID if the net device has one; without, the RDMA port whose net
 * device it is.
 */
void use_find(struct use *use, const struct use_facts *facts, const struct pnet_row *row);

/** use_port_gap() - what an RDMA port lacks, whatever the net device. Pure. */
enum use_gap use_port_gap(const struct use_facts *facts, const struct pnet_row *port);

/** use_has_eid() - is there an EID for version 2, as far as one knows? */
bool use_has_eid(const struct use_facts *facts);

/** use_is_loopback() - is an ISM row that of loopback? Up to kernel 6.17 its name is all there is */
bool use_is_loopback(const struct pnet_row *row);

/** use_gid_v2() - is it a GID for SMC-Rv2: RoCE v2, made of an IPv4 address? @addr receives that */
bool use_gid_v2(const struct rdma_gid *gid, struct netaddr *addr);

/** use_gid_v1() - is it a GID for SMC-Rv1? */
bool use_gid_v1(const struct rdma_gid *gid);

/** use_is_any() - does SMC have a way for this net device, NULL for any of them? */
bool use_is_any(const struct uses *uses, const char *netdev);

/** use_of() - of a net device by name, NULL for none */
const struct use *use_of(const struct uses *uses, const char *netdev);

struct doctor;

/**
 * use_in_scope() - is a device one that was asked for?
 * @row: net device, port or ISM device
 *
 * With an interface asked for: itself, what it stands on, and what SMC may use for it.
 */
bool use_in_scope(const struct doctor *doc, const struct pnet_row *row);

/**
 * use_lack() - how bad it is that a device cannot be used
 *
 * Return: DOCTOR_PROBLEM when SMC has no way here, or none for the interface asked for;
 * else DOCTOR_WARNING.
 */
int use_lack(const struct doctor *doc);

/** uses_load() - complete @doc->uses from what @doc has. Return: 0, -ENOMEM */
int uses_load(struct doctor *doc);

void uses_free(struct uses *uses);

#endif
