/* SPDX-License-Identifier: MIT */
/* The checks of the doctor: each reads @doc->facts, does no I/O, and adds findings. */
#pragma once

#include "smc_chk/doctor/facts.h"
#include "smc_chk/doctor/findings.h"

/* In the order of the list. */
void doctor_kernel(struct doctor *doc);	  /* kernel, config, module, families, BTF, hooks */
void doctor_shim(struct doctor *doc);	  /* installed preload library, its architecture */
void doctor_rdma(struct doctor *doc);	  /* RDMA devices, ports, link layer, GIDs */
void doctor_ism(struct doctor *doc);	  /* ISM devices, loopback-ism */
void doctor_pnet(struct doctor *doc);	  /* pairing of net devices and ports, conflicts */
void doctor_eid(struct doctor *doc);	  /* user EIDs, system EID */
void doctor_net(struct doctor *doc);	  /* MTU, VLAN, link-local, pause, bindv6only */
void doctor_sysctl(struct doctor *doc);	  /* net.smc.*, tcp_*mem, core limits, limitation */
void doctor_memory(struct doctor *doc);	  /* memory lock limits, fragmentation */
void doctor_exposure(struct doctor *doc); /* policy, who may speak SMC to us */
void doctor_traffic(struct doctor *doc);  /* statistics: waits, sizes, fallbacks */

/**
 * doctor_is_in_scope() - is a device one that was asked for?
 * @row: net device, port or ISM device
 *
 * With an interface asked for: itself, its lower device, and what SMC may use for it.
 */
bool doctor_is_in_scope(const struct doctor *doc, const struct pnet_row *row);

/** doctor_each() - call a check for each row of a device that is in scope */
void doctor_each(struct doctor *doc, void (*check)(struct doctor *doc, const struct pnet_row *row));

/**
 * doctor_unusable_level() - how bad it is that a device cannot be used
 *
 * Return: DOCTOR_PROBLEM when SMC has no way here, or none for the interface asked for;
 * else DOCTOR_WARNING.
 */
enum doctor_level doctor_unusable_level(const struct doctor *doc);
