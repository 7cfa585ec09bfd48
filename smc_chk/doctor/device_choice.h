/* SPDX-License-Identifier: MIT */
/* The devices that SMC can use for each net device, and the obstacles. */
#pragma once

#include "base/array.h"
#include "net/netaddr.h"
#include "net/pairing.h"
#include "smc/eid.h"

/** enum usability - can SMC use a device, or why not; lower is better */
enum usability {
	USABLE,
	UNUSABLE_NO_EID,    /* version 2 only, and there is no EID */
	UNUSABLE_NO_SUBNET, /* SMC-R: no address of the net device is in the subnet of a GID */
	UNUSABLE_NO_VLAN,   /* SMC-R: the GIDs belong to another VLAN or to no VLAN */
	UNUSABLE_NO_GID,    /* SMC-R: neither RoCE v1, nor RoCE v2 with an IPv4 address */
	UNUSABLE_PORT_DOWN,
	UNUSABLE_V2_ONLY,   /* SMC-R: RoCE v2, which this kernel does not support */
	UNUSABLE_HANGS,	    /* soft-RoCE before kernel 6.2 */
	UNUSABLE_NOT_ROCE,  /* InfiniBand or iWARP */
	UNUSABLE_NO_DEVICE, /* no device has its PNET ID, or no device belongs to it */
};

struct choice;

/**
 * struct choices - what SMC would choose for all net devices, and the input of the rules
 * @rows: the devices with their PNET IDs; @vlans: VLAN id of each of @nets, 0 for none
 * @is_eid_known: @n_ueids and @seid are valid; @has_loopback: SMC-D within this host works
 * @is_v1_only: this kernel has neither SMC-Rv2 nor user EIDs, which came with Linux 5.16
 * @is_rxe_broken: this kernel's soft-RoCE hangs; @all: sorted by name
 */
struct choices {
	const struct netdev_table *nets;
	struct pnet_rows rows;
	struct netaddr_table addrs;
	uint16_t *vlans;
	bool is_eid_known, is_ism_v2, has_loopback, is_v1_only, is_rxe_broken;
	size_t n_ueids;
	char ueids[SMC_MAX_UEIDS][SMC_EID_SIZE];
	struct smc_seid seid;
	struct choice *all;
	size_t count;
};

/** struct choice - the devices that SMC would choose for one net device; NULL for none */
struct choice {
	const struct pnet_row *net;		/* its row */
	const struct pnet_row *port;		/* for SMC-R, or the best unusable one */
	const struct rdma_gid *gid_v1, *gid_v2; /* of the port, for SMC-Rv1 and SMC-Rv2 */
	enum usability smcr;
	const struct pnet_row *ism_v1, *ism_v2; /* for SMC-Dv1 and SMC-Dv2 */
	bool is_loopback;			/* SMC-Dv2 with peers on this host */
	enum usability smcd;
};

#define CHOICE_MAX_MODES 5

/** struct choice_mode - a kind of SMC that the host proposes */
struct choice_mode {
	const char *name; /* "SMC-R", "SMC-D" */
	unsigned int version;
	const struct pnet_row *device; /* RDMA or ISM device, NULL for loopback */
	const struct rdma_gid *gid;    /* of an RDMA port, NULL for none */
	bool is_loopback;
	bool is_waiting; /* not proposed yet, as there is no EID */
};

/**
 * choice_make() - choose devices for the net device of a row of @choices->rows. Pure.
 *
 * Like the kernel, chooses by the net device's PNET ID, or without one the device's own RDMA port.
 */
void choice_make(struct choice *choice, const struct choices *choices, const struct pnet_row *row);

/**
 * choice_modes() - modes that SMC proposes for a net device, in the kernel's order. Pure.
 * @with_waiting: include modes that only lack an EID
 *
 * Version 1 reaches the net device's own subnets, version 2 any address, loopback this host.
 *
 * Return: number of modes.
 */
size_t choice_modes(struct choice_mode modes[CHOICE_MAX_MODES], const struct choices *choices,
		    const struct choice *choice, bool with_waiting);

/** choice_ism_v2_next() - next ISM device offered for SMC-Dv2, except loopback; @at: 0 at first */
const struct pnet_row *choice_ism_v2_next(const struct choices *choices, size_t *at);

/** choice_port_usability() - usability of an RDMA port for any net device. Pure. */
enum usability choice_port_usability(const struct choices *choices, const struct pnet_row *port);

/* All user EIDs, with ", " between them. */
#define CHOICE_UEIDS_SIZE (SMC_MAX_UEIDS * (SMC_EID_SIZE + 2))

/** choice_ueids() - the user EIDs, not escaped. Return: @text, "none", or "" if they are unknown */
const char *choice_ueids(char text[CHOICE_UEIDS_SIZE], const struct choices *choices);

/** choice_has_eid() - true if there is an EID for version 2, as far as known */
bool choice_has_eid(const struct choices *choices);

/** choice_is_loopback() - true for the row of loopback-ism: up to 6.17 only by its name */
bool choice_is_loopback(const struct pnet_row *row);

/** choice_gid_is_v2() - true for a GID of SMC-Rv2: RoCE v2, IPv4. @addr receives the address */
bool choice_gid_is_v2(const struct rdma_gid *gid, struct netaddr *addr);

/** choice_gid_is_v1() - true for a GID of SMC-Rv1 */
bool choice_gid_is_v1(const struct rdma_gid *gid);

/** choice_is_any_usable() - true if SMC can use a device for this net device (NULL: for any) */
bool choice_is_any_usable(const struct choices *choices, const char *netdev);

/** choice_of() - find a net device by name, NULL for none */
const struct choice *choice_of(const struct choices *choices, const char *netdev);

/** choices_make() - compute @choices->all from the facts. Pure */
void choices_make(struct choices *choices);

void choices_free(struct choices *choices);
