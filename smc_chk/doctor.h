/* SPDX-License-Identifier: MIT */
/* The doctor: facts of a host in, findings out. */
#ifndef SMC_CHK_DOCTOR_H
#define SMC_CHK_DOCTOR_H

#include "smc/eid.h"
#include "smc/pnet.h"
#include "smc/sysinfo.h"
#include "smc_chk/smc_chk.h"
#include "sys/netdev.h"
#include "sys/rdma.h"

/** enum doctor_level - DOCTOR_NOTE is a fact that is neither good nor bad */
enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE,
	DOCTOR_WARNING,
	DOCTOR_PROBLEM,
};

/**
 * struct doctor_finding - one line of the list
 * @check: stable name of what was looked at, for JSON and tests: "module", "pnetid", ...
 * @object: device, file or knob that it is about, empty for the host
 * @text: one clause, escaped already
 * @remedy: the command that mends it, or an imperative clause; empty for none
 */
struct doctor_finding {
	enum doctor_level level;
	char check[32];
	char object[96];
	char text[320];
	char remedy[320];
};

/**
 * struct doctor - what is known of the host, and what was found
 * @sys: root of sysfs
 * @has_*: whether the part was obtained
 */
struct doctor {
	const struct chk_request *req;
	const char *sys;
	struct netdev_table netdevs;
	struct rdma_table rdma;
	struct smc_pnet_table pnet;
	struct smc_sysinfo info;
	bool has_smc, has_genl, has_pnet, has_info, has_diag;
	struct doctor_finding *findings;
	size_t n_findings, size;
	bool is_out_of_memory;
};

/**
 * doctor_say() - add a finding
 * @remedy: NULL for none
 * @fmt: the text; names from sysfs and peers go through it unescaped: this function escapes
 */
void doctor_say(struct doctor *doc, enum doctor_level level, const char *check, const char *object,
		const char *remedy, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* The checks, in the order of the list. Each only reads @doc and adds findings. */
void doctor_kernel(struct doctor *doc);		/* kernel, config, module, families, BTF, hooks */
void doctor_shim(struct doctor *doc);		/* installed preload library, its architecture */
void doctor_rdma(struct doctor *doc);		/* RDMA devices, ports, link layer, GIDs */
void doctor_ism(struct doctor *doc);		/* ISM devices, loopback-ism */
void doctor_pnet(struct doctor *doc);		/* pairing of every net device and port, conflicts */
void doctor_eid(struct doctor *doc);		/* user EIDs, system EID */
void doctor_net(struct doctor *doc);		/* MTU, VLAN, link-local, pause frames, bindv6only */
void doctor_sysctl(struct doctor *doc);		/* net.smc.*, tcp_*mem, core limits, limitation */
void doctor_memory(struct doctor *doc);		/* memory lock limits, fragmentation */

#endif
