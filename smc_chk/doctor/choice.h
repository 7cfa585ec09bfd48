/* SPDX-License-Identifier: MIT */
/* What SMC can use for the connections of each net device, and why not. */
#pragma once

#include "net/netaddr.h"
#include "net/pairing.h"
#include "smc/eid.h"

/** enum usability - can SMC use a device, and what is missing; the lower, the better the device */
enum usability {
	USABLE,
	UNUSABLE_NO_EID,    /* can do version 2 only, and there is no EID */
	UNUSABLE_NO_SUBNET, /* SMC-R: no address of the net device is in the subnet of a GID */
	UNUSABLE_NO_VLAN,   /* SMC-R: the GIDs are of another VLAN, or of none */
	UNUSABLE_NO_GID,    /* SMC-R: neither RoCE v1, nor RoCE v2 with an IPv4 address */
	UNUSABLE_PORT_DOWN,
	UNUSABLE_V2_ONLY,   /* SMC-R: RoCE v2, for which this kernel is too old */
	UNUSABLE_HANGS,	    /* soft-RoCE before kernel 6.2 */
	UNUSABLE_NOT_ROCE,  /* InfiniBand or iWARP */
	UNUSABLE_NO_DEVICE, /* no device has its PNET ID, or none belongs to it */
};

/**
 * struct choice_facts - what decides
 * @rows: the devices with their PNET IDs
 * @vlans: VLAN id of each of @nets, 0 for none
 * @is_eid_known: @n_ueids and @seid were obtained
 * @has_loopback: SMC-D within this host
 * @is_v1_only: this kernel has no SMC-Rv2, which came with Linux 5.16 as user EIDs did
 * @is_rxe_broken: this kernel's soft-RoCE hangs
 */
struct choice_facts {
	const struct netdev_table *nets;
	struct pnet_rows rows;
	struct netaddr_table addrs;
	uint16_t *vlans;
	bool is_eid_known, is_ism_v2, has_loopback, is_v1_only, is_rxe_broken;
	size_t n_ueids;
	char ueids[SMC_MAX_UEIDS][SMC_EID_SIZE];
	struct smc_seid seid;
};

/** struct choice - the devices that SMC would choose for one net device; NULL for none */
struct choice {
	const struct pnet_row *net;		/* its row */
	const struct pnet_row *port;		/* for SMC-R, or the one that comes nearest */
	const struct rdma_gid *gid_v1, *gid_v2; /* of the port, for SMC-Rv1 and SMC-Rv2 */
	enum usability smcr;
	const struct pnet_row *ism_v1, *ism_v2; /* for SMC-Dv1 and SMC-Dv2 */
	bool is_loopback;			/* SMC-Dv2 with partners on this host */
	enum usability smcd;
};

#define CHOICE_MAX_MODES 5

/** struct choice_mode - one way that SMC proposes */
struct choice_mode {
	const char *name; /* "SMC-R", "SMC-D" */
	unsigned int version;
	const struct pnet_row *device; /* RDMA or ISM device, NULL for loopback */
	const struct rdma_gid *gid;    /* of an RDMA port, NULL for none */
	bool is_loopback;
	bool is_waiting; /* it is not proposed yet: there is no EID */
};

/** struct choices - of all net devices, in the order of their names */
struct choices {
	struct choice_facts facts;
	struct choice *all;
	size_t count;
};

/**
 * choice_make() - what SMC would use for the net device of a row of @facts->rows. Pure.
 *
 * The kernel's own rules: by PNET ID if the net device has one; without, the RDMA port whose net
 * device it is.
 */
void choice_make(struct choice *choice, const struct choice_facts *facts,
		 const struct pnet_row *row);

/**
 * choice_modes() - the ways that SMC proposes for a net device, in the kernel's order. Pure.
 * @with_waiting: also those that only lack an EID
 *
 * Version 1 reaches the net device's own subnets, version 2 everything, loopback this host.
 *
 * Return: how many.
 */
size_t choice_modes(struct choice_mode modes[CHOICE_MAX_MODES], const struct choice_facts *facts,
		    const struct choice *choice, bool with_waiting);

/** choice_ism_v2_next() - ISM devices offered for SMC-Dv2, loopback apart; @at: 0 at first */
const struct pnet_row *choice_ism_v2_next(const struct choice_facts *facts, size_t *at);

/** choice_port_usability() - what an RDMA port lacks, whatever the net device. Pure. */
enum usability choice_port_usability(const struct choice_facts *facts, const struct pnet_row *port);

/** choice_has_eid() - is there an EID for version 2, as far as one knows? */
bool choice_has_eid(const struct choice_facts *facts);

/** choice_is_loopback() - is an ISM row that of loopback? Up to 6.17 its name is all there is */
bool choice_is_loopback(const struct pnet_row *row);

/** choice_gid_is_v2() - is it one for SMC-Rv2: RoCE v2, of an IPv4 address? @addr receives that */
bool choice_gid_is_v2(const struct rdma_gid *gid, struct netaddr *addr);

/** choice_gid_is_v1() - is it a GID for SMC-Rv1? */
bool choice_gid_is_v1(const struct rdma_gid *gid);

/** choice_is_any_usable() - does SMC have a way for this net device, NULL for any of them? */
bool choice_is_any_usable(const struct choices *choices, const char *netdev);

/** choice_of() - of a net device by name, NULL for none */
const struct choice *choice_of(const struct choices *choices, const char *netdev);

/** choices_make() - fill @choices->all from its facts. Pure */
void choices_make(struct choices *choices);

void choices_free(struct choices *choices);
