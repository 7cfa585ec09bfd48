/* SPDX-License-Identifier: MIT */
/* The doctor: facts of a host in, findings out. */
#ifndef SMC_CHK_DOCTOR_H
#define SMC_CHK_DOCTOR_H

#include <limits.h>

#include "smc/pnet.h"
#include "smc/sysinfo.h"
#include "smc_chk/doctor/use.h"
#include "smc_chk/smc_chk.h"
#include "sys/netdev.h"
#include "sys/rdma.h"
#include "sys/sysfs.h"
#include "netlink/genl.h"

/**
 * enum doctor_level - how bad it is
 * @DOCTOR_NOTE: a fact that is neither good nor bad
 * @DOCTOR_WARNING: works less well than it could, or trouble is likely
 * @DOCTOR_PROBLEM: SMC, or what was asked for, cannot work
 */
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
 * @release: of the kernel, "6.12.107+deb13-amd64"; @version: the numbers in it, 0 for what has none
 * @socket_error: 0, or the errno with which the kernel refused a socket of AF_SMC
 * @has_smc: the kernel has SMC now. Without it the parts below are empty and no finding but that of
 *	the kernel's check is worse than a note
 * @is_untestable: SMC cannot be tested here: the kernel was built without, or a sandbox forbids it
 * @genl: open socket of SMC_GEN_NETLINK, NULL without @has_genl
 * @has_genl: kernel 5.11
 * @has_*: whether the part was obtained
 * @uses: what SMC can use for each net device
 */
struct doctor {
	const struct chk_request *req;
	char sys[SYSFS_ROOT_SIZE];
	char release[128];
	unsigned int version[3];
	int socket_error;
	bool is_untestable;
	struct smc_genl *genl;
	struct netdev_table netdevs;
	struct rdma_table rdma;
	struct smc_pnet_table pnet;
	struct smc_sysinfo info;
	bool has_smc, has_genl, has_pnet, has_info, has_diag;
	struct uses uses;
	struct doctor_finding *findings;
	size_t n_findings, size;
	bool is_out_of_memory;
};

/**
 * doctor_say() - add a finding
 * @remedy: NULL for none
 * @fmt: the text; names from sysfs and peers go through it unescaped: this function escapes
 *
 * What does not fit is cut. A remedy that is a command starts with the command's name.
 */
void doctor_say(struct doctor *doc, enum doctor_level level, const char *check, const char *object,
		const char *remedy, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

#define DOCTOR_WORD_SIZE 300

/** doctor_word() - a device's name as one word of a remedy, whatever is in it. Return: @buf */
const char *doctor_word(char buf[DOCTOR_WORD_SIZE], const char *name);

/** doctor_is_before() - is the kernel older? What distributions port back, numbers do not tell */
bool doctor_is_before(const struct doctor *doc, unsigned int major, unsigned int minor);

/** doctor_static() - print the static analysis (-s) from the same facts. Return: chk_status */
int doctor_static(const struct doctor *doc);

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
